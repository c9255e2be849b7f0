/* SPDX-License-Identifier: Apache-2.0 */
/* Products and convolutions of quantized tensors: exact, as i32, of what is
 * left of each operand without its zero point. They are computed with floats
 * where f32 holds all sums, else with integers. */
#include "model/graph/fold_parts.h"
#include "model/import/import_cuts.h"
#include "model/import/import_quantize.h"
#include "model/import/import_whole.h"

/* ---- Operands ------------------------------------------------------------ */

struct operand {
    int x, zero; /* zero: graph_none is 0 */
};

/* Broadcast with `of`, it has that shape: the operand's, by which sums are cut.
 */
static bool is_stretched_to(
        const struct graph_shape *shape, const struct graph_shape *of)
{
    for (int d = 0; d < shape->ndims; d++)
        if (shape->ndims > of->ndims
                || (shape->dims[d] != 1
                        && shape->dims[d]
                                   != of->dims[of->ndims - shape->ndims + d]))
            return false;
    return true;
}

/* An operand with its zero point, if that is given: one number, one for each
 * element of an axis, counted from the end if negative, or more dimensions that
 * are stretched to those of the operand. */
static bool read_operand(struct import *im, size_t input, size_t zero, int axis,
        struct operand *o)
{
    *o = (struct operand){import_input(im, input), graph_none};
    const struct graph_tensor *t = import_tensor(im, o->x);
    struct graph_shape of = t->shape;
    if (!import_quantize_type(im, t->type)) return false;
    if (!import_has_input(im, zero)) return true;
    int z = import_input(im, zero);
    if (import_tensor(im, z)->type != t->type)
        return import_fail(
                im, "input %zu is of another type than input %zu", zero, input);
    struct graph_shape shape = import_tensor(im, z)->shape;
    if (axis < 0) axis += of.ndims;
    if (graph_shape_count(&shape) == 1) {
        shape = (struct graph_shape){.ndims = 0};
    } else if (shape.ndims == 1) {
        if (axis < 0 || shape.dims[0] != of.dims[axis])
            return import_fail(im, "input %zu has %lld numbers", zero,
                    (long long)shape.dims[0]);
        shape = (struct graph_shape){.ndims = of.ndims - axis,
                .dims = {shape.dims[0], 1, 1, 1, 1, 1, 1, 1}};
    }
    if (!is_stretched_to(&shape, &of))
        return import_fail(
                im, "input %zu is larger than input %zu", zero, input);
    o->zero = import_emit_reshape(im, z, &shape, import_between);
    return o->zero != graph_none;
}

/* The largest number that may be left of an operand. */
static int64_t most_of(const struct import *im, const struct operand *o)
{
    const enum graph_type type = import_tensor(im, o->x)->type;
    const int64_t least = import_least(type), largest = import_most(type);
    if (o->zero == graph_none) return -least > largest ? -least : largest;
    const struct graph_tensor *zero = import_tensor(im, o->zero);
    if (zero->data == NULL) return largest - least;
    int64_t most = 0;
    for (int64_t i = 0; i < graph_shape_count(&zero->shape); i++) {
        const int64_t z = fold_read_int(zero, i);
        if (largest - z > most) most = largest - z;
        if (z - least > most) most = z - least;
    }
    return most;
}

/* Terms of an operand along an axis, those of a part. */
static int part_of(struct import *im, int x, int axis, int64_t from, int64_t to)
{
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &x};
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (to - from == shape.dims[axis]) return x;
    for (int d = 0; d < shape.ndims; d++)
        node.u.slice.steps[d] = 1;
    node.u.slice.starts[axis] = from;
    shape.dims[axis] = to - from;
    return import_emit(im, &node, graph_type_f32, &shape, import_between);
}

/* The sum of a part, which f32 has exactly, and those before. */
static int add_part(struct import *im, int sums, int part, int output)
{
    import_mark_whole(im, part, -import_most_whole, import_most_whole);
    part = import_emit_cast(im, part, graph_type_i32,
            sums == graph_none ? output : import_between);
    return sums == graph_none
                   ? part
                   : import_emit_binary(im, graph_op_add, sums, part, output);
}

/* A scale as it is broadcast to a result: one number, or one for each element
 * of an axis. */
static int scale_of(struct import *im, size_t input, int ndims, int axis)
{
    int s = import_input(im, input);
    struct graph_shape shape = import_tensor(im, s)->shape;
    if (import_tensor(im, s)->type != graph_type_f32) {
        (void)import_fail(im, "input %zu is no scale of f32", input);
        return graph_none;
    }
    if (graph_shape_count(&shape) != 1 && axis < 0) {
        (void)import_fail(im, "input %zu is not one number", input);
        return graph_none;
    }
    if (graph_shape_count(&shape) == 1)
        shape = (struct graph_shape){.ndims = 0};
    else if (shape.ndims == 1)
        shape = (struct graph_shape){.ndims = ndims - axis,
                .dims = {shape.dims[0], 1, 1, 1, 1, 1, 1, 1}};
    return import_emit_reshape(im, s, &shape, import_between);
}

/* The sums as the output's integers: times the scales of both operands, by that
 * of the output. */
static bool requantize(struct import *im, int sums, int a_scale, int b_scale,
        size_t scale, size_t zero)
{
    const enum graph_type type =
            import_tensor(im, import_input(im, zero))->type;
    const struct graph_shape scalar = {.ndims = 0};
    int y_scale = scale_of(im, scale, 0, 0);
    int y_zero = import_input(im, zero);
    if (!import_quantize_type(im, type)) return false;
    if (graph_shape_count(&import_tensor(im, y_zero)->shape) != 1)
        return import_fail(im, "input %zu is not one number", zero);
    y_zero = import_emit_reshape(im, y_zero, &scalar, import_between);
    int factor = import_emit_binary(
            im, graph_op_mul, a_scale, b_scale, import_between);
    factor = import_emit_binary(
            im, graph_op_div, factor, y_scale, import_between);
    int y = import_emit_cast(im, sums, graph_type_f32, import_between);
    y = import_emit_binary(im, graph_op_mul, y, factor, import_between);
    return y != graph_none
           && import_emit_saturated(im, y, y_zero, type, 0) != graph_none;
}

/* ---- Products ------------------------------------------------------------ */

/* The axis of a product's operand that its terms are along; -1: it is none. */
static int axis_of_terms(const struct import *im, int x, bool is_second)
{
    const int ndims = import_tensor(im, x)->shape.ndims;
    return is_second && ndims > 1 ? ndims - 2 : ndims - 1;
}

/* How a product is cut: b are its weights, as f32, if they are constants. */
static bool cut_product(struct import *im, struct import_cuts *cuts, int b,
        int64_t a_most, int64_t b_most, bool *ok)
{
    const int axis = axis_of_terms(im, b, true);
    const struct graph_tensor *t = import_tensor(im, b);
    struct import_factors f = {.data = t->data, .outer = 1, .inner = 1};
    for (int d = 0; d < axis; d++)
        f.outer *= t->shape.dims[d];
    f.terms = t->shape.dims[axis];
    for (int d = axis + 1; d < t->shape.ndims; d++)
        f.inner *= t->shape.dims[d];
    *ok = true;
    if (import_cut_evenly(cuts, f.terms, a_most, b_most)
            && (cuts->count == 1 || f.data == NULL))
        return true;
    return f.data != NULL && import_cut_by_sums(im, cuts, &f, a_most, ok);
}

static int product_of_integers(struct import *im, const struct operand *a,
        const struct operand *b, int output)
{
    const int x = import_emit_centered(im, a->x, a->zero);
    const int y = x == graph_none ? graph_none
                                  : import_emit_centered(im, b->x, b->zero);
    return y == graph_none ? graph_none : import_emit_matmul(im, x, y, output);
}

int import_emit_exact_matmul(
        struct import *im, int a, int a_zero, int b, int b_zero, int output)
{
    const struct operand first = {a, a_zero}, second = {b, b_zero};
    const int64_t a_most = most_of(im, &first), b_most = most_of(im, &second);
    const int k = axis_of_terms(im, a, false), l = axis_of_terms(im, b, true);
    struct import_cuts cuts;
    bool ok;
    if (a_most * b_most > import_most_whole || k < 0 || l < 0
            || import_tensor(im, a)->shape.dims[k]
                       != import_tensor(im, b)->shape.dims[l])
        return product_of_integers(im, &first, &second, output);
    a = import_emit_less(im, a, a_zero);
    b = a == graph_none ? graph_none : import_emit_less(im, b, b_zero);
    if (b == graph_none) return graph_none;
    if (!cut_product(im, &cuts, b, a_most, b_most, &ok))
        return ok ? product_of_integers(im, &first, &second, output)
                  : graph_none;
    int sums = graph_none;
    for (int i = 0; i < cuts.count; i++) {
        const int x = part_of(im, a, k, cuts.at[i], cuts.at[i + 1]);
        const int y = x == graph_none
                              ? graph_none
                              : part_of(im, b, l, cuts.at[i], cuts.at[i + 1]);
        const int part = import_emit_matmul(im, x, y, import_between);
        if (part == graph_none) return graph_none;
        sums = add_part(
                im, sums, part, i + 1 == cuts.count ? output : import_between);
        if (sums == graph_none) return graph_none;
    }
    return sums;
}

/* Of inputs, and their zero points. */
static int product(struct import *im, const size_t inputs[4], int output)
{
    struct operand a, b;
    if (!read_operand(im, inputs[0], inputs[1], -2, &a)
            || !read_operand(im, inputs[2], inputs[3], -1, &b))
        return graph_none;
    return import_emit_exact_matmul(im, a.x, a.zero, b.x, b.zero, output);
}

bool import_matmul_integer(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 2, 4)) return false;
    return product(im, (const size_t[]){0, 2, 1, 3}, 0) != graph_none;
}

bool import_qlinear_matmul(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 8, 8)) return false;
    const int sums = product(im, (const size_t[]){0, 2, 3, 5}, import_between);
    if (sums == graph_none) return false;
    const int ndims = import_tensor(im, sums)->shape.ndims;
    int a_scale = scale_of(im, 1, ndims, ndims - 2);
    int b_scale = scale_of(im, 4, ndims, ndims - 1);
    return a_scale != graph_none && b_scale != graph_none
           && requantize(im, sums, a_scale, b_scale, 6, 7);
}

/* ---- Convolutions -------------------------------------------------------- */

static int windows_of_integers(struct import *im, const struct operand *x,
        const struct operand *w, int output)
{
    struct import_conv_parts parts = {.bias = graph_none};
    parts.x = import_emit_centered(im, x->x, x->zero);
    if (parts.x == graph_none) return graph_none;
    parts.weights = import_emit_centered(im, w->x, w->zero);
    return import_emit_conv(im, &parts, output);
}

/* How a convolution is cut, along the channels of a group. */
static bool cut_windows(struct import *im, struct import_cuts *cuts, int w,
        int64_t x_most, int64_t w_most, bool *ok)
{
    const struct graph_tensor *t = import_tensor(im, w);
    struct import_factors f = {.data = t->data,
            .outer = t->shape.dims[0],
            .terms = t->shape.dims[1],
            .inner = 1,
            .spans = true};
    for (int d = 2; d < t->shape.ndims; d++)
        f.inner *= t->shape.dims[d];
    *ok = true;
    if (f.inner <= import_most_whole / (w_most < 1 ? 1 : w_most)
            && import_cut_evenly(cuts, f.terms, x_most, w_most * f.inner)
            && (cuts->count == 1 || f.data == NULL))
        return true;
    return f.data != NULL && import_cut_by_sums(im, cuts, &f, x_most, ok);
}

/* All parts of a convolution, of x and weights as f32. */
static int windows_by_parts(struct import *im, const struct import_cuts *cuts,
        int x, int w, int output)
{
    int sums = graph_none;
    for (int i = 0; i < cuts->count; i++) {
        struct import_conv_parts parts = {
                .x = x, .weights = w, .bias = graph_none};
        if (cuts->count > 1) {
            parts.x = part_of(im, x, 1, cuts->at[i], cuts->at[i + 1]);
            if (parts.x == graph_none) return graph_none;
            parts.weights = part_of(im, w, 1, cuts->at[i], cuts->at[i + 1]);
        }
        const int part = import_emit_conv(im, &parts, import_between);
        if (part == graph_none) return graph_none;
        sums = add_part(
                im, sums, part, i + 1 == cuts->count ? output : import_between);
        if (sums == graph_none) return graph_none;
    }
    return sums;
}

/* Of inputs, and their zero points; padding is what the zero point stands for.
 */
static int sums_of_windows(struct import *im, size_t x, size_t x_zero, size_t w,
        size_t w_zero, int output)
{
    struct operand of_x, of_w;
    struct import_cuts cuts;
    bool ok;
    if (!read_operand(im, x, x_zero, 1, &of_x)
            || !read_operand(im, w, w_zero, 0, &of_w))
        return graph_none;
    const int64_t x_most = most_of(im, &of_x), w_most = most_of(im, &of_w);
    const struct graph_shape from = import_tensor(im, of_x.x)->shape;
    const struct graph_shape weights = import_tensor(im, of_w.x)->shape;
    if (x_most * w_most > import_most_whole || weights.ndims < 3
            || from.ndims != weights.ndims)
        return windows_of_integers(im, &of_x, &of_w, output);
    const int a = import_emit_less(im, of_x.x, of_x.zero);
    const int b = a == graph_none ? graph_none
                                  : import_emit_less(im, of_w.x, of_w.zero);
    if (b == graph_none) return graph_none;
    const bool is_cut = cut_windows(im, &cuts, b, x_most, w_most, &ok);
    if (!ok) return graph_none;
    /* Channels of several groups are not beside each other. */
    if (!is_cut || (cuts.count > 1 && from.dims[1] != weights.dims[1]))
        return windows_of_integers(im, &of_x, &of_w, output);
    return windows_by_parts(im, &cuts, a, b, output);
}

bool import_conv_integer(struct import *im, enum graph_op op)
{
    (void)op;
    return import_check_inputs(im, 2, 4)
           && sums_of_windows(im, 0, 2, 1, 3, 0) != graph_none;
}

bool import_qlinear_conv(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 8, 9)) return false;
    int sums = sums_of_windows(im, 0, 2, 3, 5, import_between);
    if (sums == graph_none) return false;
    const struct graph_shape out = import_tensor(im, sums)->shape;
    if (import_has_input(im, 8)) {
        const struct graph_shape bias = {.ndims = 1, .dims = {out.dims[1]}};
        struct graph_shape wide = {.ndims = out.ndims - 1,
                .dims = {out.dims[1], 1, 1, 1, 1, 1, 1, 1}};
        int b = import_input(im, 8);
        if (import_tensor(im, b)->type != graph_type_i32)
            return import_fail(im, "input 8 is not of type i32");
        if (!import_check_shape(im, 8, &bias)) return false;
        b = import_emit_reshape(im, b, &wide, import_between);
        sums = import_emit_binary(im, graph_op_add, sums, b, import_between);
    }
    int x_scale = scale_of(im, 1, out.ndims, 1);
    int w_scale = scale_of(im, 4, out.ndims, 1);
    return sums != graph_none && x_scale != graph_none && w_scale != graph_none
           && requantize(im, sums, x_scale, w_scale, 6, 7);
}
