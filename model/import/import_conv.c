/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and transposed ones. */
#include "model/import/import_window.h"

/* ---- Convolution --------------------------------------------------------- */

/* Reads what a convolution has besides: the kernel is that of the weights. */
static bool read_conv(
        struct import *im, int x, int w, struct window_request *request)
{
    struct graph_window *window = &request->window;
    const int ndims = import_tensor(im, x)->shape.ndims;
    const struct graph_shape *weights = &import_tensor(im, w)->shape;
    if (!window_read(im, ndims, request)) return false;
    if (weights->ndims != ndims)
        return import_fail(
                im, "weights of %d dimensions for %d", weights->ndims, ndims);
    for (int i = 0; i < window->spatial; i++)
        window->kernel[i] = weights->dims[2 + i];
    if (!window_numbers(im, "kernel_shape", window->spatial, 1, window->kernel)
            || !import_int(im, "group", &window->groups))
        return false;
    for (int i = 0; i < window->spatial; i++)
        if (window->kernel[i] != weights->dims[2 + i])
            return import_fail(im, "kernel_shape is not that of the weights");
    if (window->groups < 1 || window->groups > WINDOW_MOST)
        return import_fail(im, "%lld groups", (long long)window->groups);
    return true;
}

int import_emit_conv(
        struct import *im, const struct import_conv_parts *parts, int output)
{
    struct window_request request;
    struct graph_window *w = &request.window;
    int inputs[3] = {parts->x, parts->weights, parts->bias};
    if (parts->x == graph_none || parts->weights == graph_none
            || !read_conv(im, parts->x, parts->weights, &request))
        return graph_none;
    struct graph_shape x = import_tensor(im, parts->x)->shape;
    struct graph_shape weights = import_tensor(im, parts->weights)->shape;
    if (x.dims[1] % w->groups != 0 || weights.dims[0] % w->groups != 0
            || weights.dims[1] != x.dims[1] / w->groups) {
        (void)import_fail(im,
                "weights of %lld to %lld channels, %lld groups, for %lld",
                (long long)weights.dims[1], (long long)weights.dims[0],
                (long long)w->groups, (long long)x.dims[1]);
        return graph_none;
    }
    struct graph_shape out = {
            .ndims = x.ndims, .dims = {x.dims[0], weights.dims[0]}};
    for (int i = 0; i < w->spatial; i++)
        if (!window_count(im, &request, i, x.dims[2 + i], &out.dims[2 + i]))
            return graph_none;
    struct graph_node node = {
            .op = graph_op_conv,
            .input_count = parts->bias != graph_none ? 3 : 2,
            .inputs = inputs,
            .u.window = *w,
    };
    return import_emit(
            im, &node, import_tensor(im, parts->x)->type, &out, output);
}

bool import_conv(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 2, 3) || !import_check_f32(im)) return false;
    const struct import_conv_parts parts = {.x = import_input(im, 0),
            .weights = import_input(im, 1),
            .bias = import_input(im, 2)};
    const struct graph_shape *weights =
            &import_tensor(im, parts.weights)->shape;
    const struct graph_shape bias = {
            .ndims = 1, .dims = {weights->ndims > 0 ? weights->dims[0] : 0}};
    return import_check_shape(im, 2, &bias)
           && import_emit_conv(im, &parts, 0) != graph_none;
}

/* ---- Transposed ---------------------------------------------------------- */

struct transposed {
    int64_t output_padding[graph_max_spatial];
    int64_t output_shape[graph_max_spatial];
    bool has_shape;
};

static bool read_transposed(
        struct import *im, const struct graph_window *w, struct transposed *t)
{
    int64_t shape[graph_max_ndims];
    int count = 0;
    *t = (struct transposed){0};
    if (!window_numbers(im, "output_padding", w->spatial, 0, t->output_padding)
            || !import_ints(im, "output_shape", shape, graph_max_ndims, &count))
        return false;
    t->has_shape = count != 0;
    /* Some files give all dimensions. */
    int skipped = count == w->spatial + 2 ? 2 : 0;
    if (t->has_shape && count - skipped != w->spatial)
        return import_fail(im, "output_shape has %d numbers", count);
    for (int i = 0; t->has_shape && i < w->spatial; i++)
        t->output_shape[i] = shape[skipped + i];
    return true;
}

/* Splits the padding that gives an output of a size. An output that is larger
 * than all that windows reach has nothing but the bias at its end, as with
 * output_padding. */
static bool pad_for(struct import *im, struct window_request *request, int i,
        int64_t whole, int64_t out)
{
    struct graph_window *w = &request->window;
    int64_t total = out < 1 ? -1 : whole - out;
    if (out < 1 || total > 2 * WINDOW_MOST
            || (-total >= w->strides[i] && -total >= w->dilations[i]))
        return import_fail(im, "an output of %lld, windows reach %lld",
                (long long)out, (long long)whole);
    window_pad(request, i, total);
    return true;
}

static bool size_transposed(struct import *im, struct window_request *request,
        const struct transposed *t, int i, int64_t in, int64_t *out)
{
    struct graph_window *w = &request->window;
    int64_t stride = w->strides[i];
    int64_t more = t->output_padding[i];
    /* Below 2^43 * 2^24, see graph_shape_fits(). */
    if (in > INT64_MAX / 4 / stride) return import_fail(im, "too large");
    int64_t whole = (in - 1) * stride + window_extent(w, i) + more;
    if (more >= stride && more >= w->dilations[i])
        return import_fail(
                im, "output_padding %lld is a stride", (long long)more);
    if (t->has_shape) {
        *out = t->output_shape[i];
        return pad_for(im, request, i, whole, *out);
    }
    if (request->auto_pad == window_pad_same_upper
            || request->auto_pad == window_pad_same_lower) {
        *out = in * stride;
        return pad_for(im, request, i, whole, *out);
    }
    if (request->auto_pad == window_pad_valid)
        w->pads_begin[i] = w->pads_end[i] = 0;
    *out = whole - w->pads_begin[i] - w->pads_end[i];
    return true;
}

bool import_conv_transpose(struct import *im, enum graph_op op)
{
    struct window_request request;
    struct transposed transposed;
    struct graph_window *w = &request.window;
    if (!import_check_inputs(im, 2, 3) || !import_check_f32(im)
            || !read_conv(
                    im, import_input(im, 0), import_input(im, 1), &request)
            || !read_transposed(im, w, &transposed))
        return false;
    struct graph_shape x = import_tensor(im, import_input(im, 0))->shape;
    struct graph_shape weights = import_tensor(im, import_input(im, 1))->shape;
    if (x.dims[1] % w->groups != 0 || weights.dims[0] != x.dims[1])
        return import_fail(im,
                "weights of %lld channels, %lld groups, for %lld",
                (long long)weights.dims[0], (long long)w->groups,
                (long long)x.dims[1]);
    if (weights.dims[1] > WINDOW_MOST)
        return import_fail(im, "too many channels");
    struct graph_shape out = {
            .ndims = x.ndims, .dims = {x.dims[0], weights.dims[1] * w->groups}};
    for (int i = 0; i < w->spatial; i++)
        if (!size_transposed(im, &request, &transposed, i, x.dims[2 + i],
                    &out.dims[2 + i]))
            return false;
    int inputs[3] = {
            import_input(im, 0), import_input(im, 1), import_input(im, 2)};
    struct graph_node node = {
            .op = op,
            .input_count = import_has_input(im, 2) ? 3 : 2,
            .inputs = inputs,
            .u.window = *w,
    };
    struct graph_shape bias = {.ndims = 1, .dims = {out.dims[1]}};
    return import_check_shape(im, 2, &bias)
           && import_emit(im, &node, graph_type_f32, &out, 0) != graph_none;
}
