/* SPDX-License-Identifier: Apache-2.0 */
/* Spectra: windows, weights of mel bins, and discrete Fourier transforms, which
 * are products with a constant matrix. */
#include "model/graph/fold_parts.h"
#include "model/import/import.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/* ---- Constants ----------------------------------------------------------- */

/* The one number of an input that must be a constant. */
static bool read_number(struct import *im, size_t input, double *value)
{
    const struct graph_tensor *t = import_tensor(im, import_input(im, input));
    if (t->data == NULL)
        return import_fail(im, "input %zu, '%s', is not constant", input,
                im->node->input[input]);
    if (graph_shape_count(&t->shape) != 1)
        return import_fail(im, "input %zu is not one number", input);
    *value = fold_read_float(t, 0);
    return true;
}

/* The same of an integer between two others. */
static bool read_count(struct import *im, size_t input, int64_t least,
        int64_t most, int64_t *count)
{
    double value = 0.0;
    if (!read_number(im, input, &value)) return false;
    if (!(value >= (double)least && value <= (double)most))
        return import_fail(im, "input %zu is %g", input, value);
    *count = (int64_t)value;
    return true;
}

/* Zeros for a constant of the tensor's type and shape. */
static bool make_room(struct import *im, struct graph_tensor *t)
{
    if (!graph_shape_fits(&t->shape, 0))
        return import_fail(im, "no tensor may be so large");
    const size_t size = graph_tensor_size(t);
    if (!import_charge(im, size)) return false;
    t->data = calloc(1, size + 1);
    return t->data != NULL || fail_out_of_memory(im->failure);
}

static bool read_output_type(struct import *im, enum graph_type *type)
{
    int64_t number = 1;
    return import_int(im, "output_datatype", &number)
           && onnx_tensor_type(type, number, im->label, im->failure);
}

enum { most_bins = 1 << 20 };

/* ---- Windows ------------------------------------------------------------- */

/* A sum of cosines of the first angle and twice that. */
static bool emit_window(
        struct import *im, double constant, double once, double twice)
{
    bool is_periodic = true;
    struct graph_tensor t = {.shape = {.ndims = 1}};
    int64_t *size = &t.shape.dims[0];
    if (!import_check_inputs(im, 1, 1) || !read_output_type(im, &t.type)
            || !import_flag(im, "periodic", &is_periodic)
            || !read_count(im, 0, 0, most_bins, size))
        return false;
    if (*size == 1 && !is_periodic)
        return import_fail(im, "a window of 1 that is not periodic");
    if (!make_room(im, &t)) return false;
    const double period = (double)(is_periodic ? *size : *size - 1);
    for (int64_t i = 0; i < *size; i++) {
        const double angle = 2.0 * PI * (double)i / period;
        fold_write_float(
                &t, i, constant + once * cos(angle) + twice * cos(2.0 * angle));
    }
    return import_emit_constant(im, t.type, &t.shape, t.data, false, 0)
           != graph_none;
}

bool import_hann_window(struct import *im, enum graph_op op)
{
    (void)op;
    return emit_window(im, 0.5, -0.5, 0.0);
}

bool import_hamming_window(struct import *im, enum graph_op op)
{
    (void)op;
    return emit_window(im, 25.0 / 46.0, -21.0 / 46.0, 0.0);
}

bool import_blackman_window(struct import *im, enum graph_op op)
{
    (void)op;
    return emit_window(im, 0.42, -0.5, 0.08);
}

/* ---- Mel ----------------------------------------------------------------- */

struct mel {
    int64_t bins, length, rate;
    double low, step; /* in mel */
};

/* The bin of a spectrum that an edge of a triangle is in. */
static int64_t edge_of(const struct mel *m, int64_t i)
{
    const double mel = m->low + (double)i * m->step;
    const double hertz = 700.0 * (pow(10.0, mel / 2595.0) - 1.0);
    const double bin = floor((double)(m->length + 1) * hertz / (double)m->rate);
    return bin >= 0.0 && bin <= (double)most_bins ? (int64_t)bin : -1;
}

/* A column: from 0 at the first edge to 1 at the second, and down again. */
static bool fill_triangle(struct import *im, const struct mel *m,
        struct graph_tensor *t, int64_t i)
{
    const int64_t rows = t->shape.dims[0];
    const int64_t from = edge_of(m, i);
    const int64_t top = edge_of(m, i + 1);
    const int64_t to = edge_of(m, i + 2);
    if (from < 0 || top < from || to < top || top >= rows || to > rows)
        return import_fail(im, "edges beyond the spectrum");
    if (from == top) fold_write_float(t, top * m->bins + i, 1.0);
    for (int64_t j = from; j <= top && from != top; j++)
        fold_write_float(
                t, j * m->bins + i, (double)(j - from) / (double)(top - from));
    for (int64_t j = top; j < to; j++)
        fold_write_float(
                t, j * m->bins + i, (double)(to - j) / (double)(to - top));
    return true;
}

bool import_mel_weights(struct import *im, enum graph_op op)
{
    struct mel m;
    double low, high;
    struct graph_tensor t = {.shape = {.ndims = 2}};
    (void)op;
    if (!import_check_inputs(im, 5, 5) || !read_output_type(im, &t.type)
            || !read_count(im, 0, 1, most_bins, &m.bins)
            || !read_count(im, 1, 1, most_bins, &m.length)
            || !read_count(im, 2, 1, INT32_MAX, &m.rate)
            || !read_number(im, 3, &low) || !read_number(im, 4, &high))
        return false;
    if (!(low >= 0.0 && high >= low))
        return import_fail(im, "from %g to %g Hz", low, high);
    m.low = 2595.0 * log10(1.0 + low / 700.0);
    m.step =
            (2595.0 * log10(1.0 + high / 700.0) - m.low) / (double)(m.bins + 2);
    t.shape.dims[0] = m.length / 2 + 1;
    t.shape.dims[1] = m.bins;
    if (!make_room(im, &t)) return false;
    for (int64_t i = 0; i < m.bins; i++)
        if (!fill_triangle(im, &m, &t, i)) {
            free(t.data);
            return false;
        }
    return import_emit_constant(im, t.type, &t.shape, t.data, false, 0)
           != graph_none;
}

/* ---- Transforms ---------------------------------------------------------- */

struct transform {
    int64_t samples; /* that are there; those up to `length` are 0 */
    int64_t parts;   /* 1: real; 2: real and imaginary */
    int64_t length;
    int64_t bins; /* of the result, which has two parts */
    bool is_inverse;
};

/* Cosines and sines of the parts of a turn; from malloc(). */
static double *make_turns(struct import *im, const struct transform *f)
{
    double *turns = malloc(2 * (size_t)f->length * sizeof *turns);
    const double size = f->is_inverse ? 1.0 / (double)f->length : 1.0;
    if (turns == NULL) {
        (void)fail_out_of_memory(im->failure);
        return NULL;
    }
    for (int64_t i = 0; i < f->length; i++) {
        const double angle = 2.0 * PI * (double)i / (double)f->length;
        turns[2 * i] = size * cos(angle);
        turns[2 * i + 1] = size * sin(f->is_inverse ? angle : -angle);
    }
    return turns;
}

/* [samples * parts, bins * 2] */
static int emit_matrix(struct import *im, const struct transform *f)
{
    struct graph_tensor t = {.type = graph_type_f32,
            .shape = {
                    .ndims = 2, .dims = {f->samples * f->parts, 2 * f->bins}}};
    if (!make_room(im, &t)) return graph_none;
    double *turns = make_turns(im, f);
    float *to = t.data;
    for (int64_t i = 0; turns != NULL && i < f->samples; i++)
        for (int64_t part = 0; part < f->parts; part++)
            for (int64_t k = 0; k < f->bins; k++) {
                const double *turn = &turns[2 * (i * k % f->length)];
                *to++ = (float)(part == 0 ? turn[0] : -turn[1]);
                *to++ = (float)(part == 0 ? turn[1] : turn[0]);
            }
    const bool is_made = turns != NULL;
    free(turns);
    if (is_made)
        return import_emit_constant(
                im, t.type, &t.shape, t.data, false, import_between);
    free(t.data);
    return graph_none;
}

/* Rows of samples, [any, samples * parts], as spectra of a shape. */
static int emit_spectra(struct import *im, const struct transform *f, int rows,
        const struct graph_shape *shape, int output)
{
    if (rows == graph_none) return graph_none;
    const int matrix = emit_matrix(im, f);
    if (matrix == graph_none) return graph_none;
    const int y = import_emit_matmul(im, rows, matrix, import_between);
    return import_emit_reshape(im, y, shape, output);
}

static bool read_axis(struct import *im, int ndims, int *axis)
{
    int64_t at = im->opset < 20 ? 1 : -2;
    int count = 1;
    if (im->opset < 20) {
        if (!import_int(im, "axis", &at)) return false;
    } else if (import_has_input(im, 2)) {
        if (!import_constant_ints(im, 2, &at, 1, &count)) return false;
    }
    if (count != 1) return import_fail(im, "input 2 is empty");
    if (!import_axis(im, at, ndims, axis)) return false;
    return *axis < ndims - 1
           || import_fail(im, "an axis of real and imaginary parts");
}

static bool read_transform(struct import *im, const struct graph_shape *shape,
        struct transform *f, int *axis)
{
    bool is_half = false;
    if (shape->ndims < 2 || graph_shape_count(shape) == 0
            || !read_axis(im, shape->ndims, axis))
        return import_fail(im, "%d dimensions, or no elements", shape->ndims);
    f->parts = shape->dims[shape->ndims - 1];
    f->length = shape->dims[*axis];
    if (!import_flag(im, "inverse", &f->is_inverse)
            || !import_flag(im, "onesided", &is_half)
            || (import_has_input(im, 1)
                    && !read_count(im, 1, 1, most_bins, &f->length)))
        return false;
    if (f->parts > 2 || f->length > most_bins)
        return import_fail(im, "%lld parts of %lld samples",
                (long long)f->parts, (long long)f->length);
    if (is_half && (f->is_inverse || f->parts == 2))
        return import_fail(
                im, "one side of what is inverse, or not of real numbers");
    f->samples =
            shape->dims[*axis] < f->length ? shape->dims[*axis] : f->length;
    f->bins = is_half ? f->length / 2 + 1 : f->length;
    return true;
}

/* So many along an axis. */
static int cut(struct import *im, int x, int axis, int64_t count)
{
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &x};
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (shape.dims[axis] == count) return x;
    for (int d = 0; d < shape.ndims; d++)
        node.u.slice.steps[d] = 1;
    shape.dims[axis] = count;
    return import_emit(im, &node, graph_type_f32, &shape, import_between);
}

/* The axis becomes the last but that of the parts, and comes back. */
bool import_dft(struct import *im, enum graph_op op)
{
    struct transform f = {.is_inverse = false};
    int axis;
    (void)op;
    if (!import_check_inputs(im, 1, 3)) return false;
    int x = import_input(im, 0);
    const struct graph_shape shape = import_tensor(im, x)->shape;
    const int last = shape.ndims - 2;
    if (!read_transform(im, &shape, &f, &axis)) return false;
    int there[graph_max_ndims], back[graph_max_ndims];
    for (int d = 0; d < shape.ndims; d++)
        there[d] = d < axis || d > last ? d : d == last ? axis : d + 1;
    for (int d = 0; d < shape.ndims; d++)
        back[there[d]] = d;
    x = import_emit_transpose(
            im, cut(im, x, axis, f.samples), there, import_between);
    if (x == graph_none) return false;
    struct graph_shape spectra = import_tensor(im, x)->shape;
    const int64_t width = f.samples * f.parts;
    const struct graph_shape rows = {
            .ndims = 2, .dims = {graph_shape_count(&spectra) / width, width}};
    spectra.dims[last] = f.bins;
    spectra.dims[last + 1] = 2;
    x = import_emit_reshape(im, x, &rows, import_between);
    x = emit_spectra(im, &f, x, &spectra, import_between);
    if (x == graph_none) return false;
    return import_emit_transpose(im, x, back, 0) != graph_none;
}

/* ---- Frames -------------------------------------------------------------- */

/* Numbers of the samples of each frame: [frames, length]. */
static int emit_frames(
        struct import *im, int64_t frames, int64_t step, int64_t length)
{
    struct graph_tensor t = {.type = graph_type_i64,
            .shape = {.ndims = 2, .dims = {frames, length}}};
    if (!make_room(im, &t)) return graph_none;
    for (int64_t i = 0; i < frames * length; i++)
        fold_write_int(&t, i, i / length * step + i % length);
    return import_emit_constant(
            im, t.type, &t.shape, t.data, false, import_between);
}

static bool read_frames(struct import *im, const struct graph_shape *signal,
        struct transform *f, int64_t *step)
{
    bool is_half = true;
    if (signal->ndims == 2) {
        f->parts = 1;
    } else if (signal->ndims == 3) {
        f->parts = signal->dims[2];
    }
    if (f->parts < 1 || f->parts > 2)
        return import_fail(im, "a signal of %d dimensions", signal->ndims);
    if (import_has_input(im, 2)) {
        const struct graph_tensor *w = import_tensor(im, import_input(im, 2));
        if (w->shape.ndims != 1 || w->type != graph_type_f32)
            return import_fail(im, "input 2 is no window");
        f->length = w->shape.dims[0];
    }
    if (!import_flag(im, "onesided", &is_half)
            || !read_count(im, 1, 1, INT32_MAX, step)
            || (import_has_input(im, 3)
                    && !read_count(im, 3, 1, most_bins, &f->length)))
        return false;
    const struct graph_shape window = {.ndims = 1, .dims = {f->length}};
    if (!import_check_shape(im, 2, &window)) return false;
    if (f->length < 1 || f->length > signal->dims[1])
        return import_fail(im, "frames of %lld samples for %lld",
                (long long)f->length, (long long)signal->dims[1]);
    if (is_half && f->parts == 2)
        return import_fail(im, "one side of what is not of real numbers");
    f->samples = f->length;
    f->bins = is_half ? f->length / 2 + 1 : f->length;
    return true;
}

bool import_stft(struct import *im, enum graph_op op)
{
    struct transform f = {.parts = 0};
    int64_t step = 1;
    (void)op;
    if (!import_check_inputs(im, 2, 4)) return false;
    const struct graph_shape s = import_tensor(im, import_input(im, 0))->shape;
    if (!read_frames(im, &s, &f, &step)) return false;
    const int64_t batch = s.dims[0];
    const int64_t frames = (s.dims[1] - f.length) / step + 1;
    int inputs[2] = {
            import_input(im, 0), emit_frames(im, frames, step, f.length)};
    struct graph_node node = {.op = graph_op_gather,
            .input_count = 2,
            .inputs = inputs,
            .u.axis = 1};
    struct graph_shape apart = {
            .ndims = 4, .dims = {batch, frames, f.length, f.parts}};
    if (s.ndims == 2) apart.ndims = 3;
    if (inputs[1] == graph_none) return false;
    int x = import_emit(im, &node, graph_type_f32, &apart, import_between);
    if (import_has_input(im, 2)) {
        const struct graph_shape column = {
                .ndims = s.ndims - 1, .dims = {f.length, 1}};
        const int window = import_emit_reshape(
                im, import_input(im, 2), &column, import_between);
        x = import_emit_binary(im, graph_op_mul, x, window, import_between);
    }
    const struct graph_shape rows = {
            .ndims = 2, .dims = {batch * frames, f.length * f.parts}};
    const struct graph_shape spectra = {
            .ndims = 4, .dims = {batch, frames, f.bins, 2}};
    x = import_emit_reshape(im, x, &rows, import_between);
    return emit_spectra(im, &f, x, &spectra, 0) != graph_none;
}

/* ---- What is not 0 ------------------------------------------------------- */

static bool is_zero(const struct graph_tensor *t, int64_t i)
{
    return fold_is_float(t->type) ? fold_read_float(t, i) == 0.0
                                  : fold_read_int(t, i) == 0;
}

/* Places of a constant's elements, a row for each dimension. */
bool import_non_zero(struct import *im, enum graph_op op)
{
    struct graph_tensor t = {.type = graph_type_i64, .shape = {.ndims = 2}};
    int64_t strides[graph_max_ndims];
    int64_t count = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 1)) return false;
    const int input = import_input(im, 0);
    const struct graph_tensor x = *import_tensor(im, input);
    const int64_t all = graph_shape_count(&x.shape);
    if (x.data == NULL)
        return import_fail(im,
                "input 0, '%s', is not constant: dimensions that depend on "
                "data are not supported",
                im->node->input[0]);
    if (!graph_tensor_read(&x, im->failure)) return false;
    for (int64_t i = 0; i < all; i++)
        count += !is_zero(&x, i);
    t.shape.dims[0] = x.shape.ndims;
    t.shape.dims[1] = count;
    if (!make_room(im, &t)) return false;
    fold_strides(&x.shape, strides);
    for (int64_t i = 0, at = 0; i < all; i++) {
        if (is_zero(&x, i)) continue;
        for (int d = 0; d < x.shape.ndims; d++)
            fold_write_int(
                    &t, d * count + at, i / strides[d] % x.shape.dims[d]);
        at++;
    }
    return import_emit_constant(im, t.type, &t.shape, t.data, false, 0)
           != graph_none;
}
