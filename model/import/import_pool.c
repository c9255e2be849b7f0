/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_window.h"

static int emit_pool(struct import *im, enum graph_op op, int x,
        const struct graph_window *window, const struct graph_shape *out,
        int output)
{
    struct graph_node node = {
            .op = op, .input_count = 1, .inputs = &x, .u.window = *window};
    return import_emit(im, &node, graph_type_f32, out, output);
}

/* True if each window has an element of the input: padding is less than a
 * window, and what a window skips less than the input. */
static bool sees_input(const struct graph_window *w, int i, int64_t in)
{
    int64_t size = window_extent(w, i);
    return w->pads_begin[i] < size && w->pads_end[i] < size
           && (w->dilations[i] == 1 || w->dilations[i] <= in);
}

/* Reads a pooling's window, and what its output's shape is. */
static bool read_pool(struct import *im, struct window_request *request,
        struct graph_shape *out)
{
    struct graph_window *w = &request->window;
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)) return false;
    struct graph_shape x = import_tensor(im, import_input(im, 0))->shape;
    if (!window_read(im, x.ndims, request)
            || !window_numbers(im, "kernel_shape", w->spatial, 1, w->kernel)
            || !import_flag(im, "ceil_mode", &request->ceil_mode)
            || !import_flag(im, "count_include_pad", &w->count_include_pad))
        return false;
    *out = x;
    for (int i = 0; i < w->spatial; i++) {
        if (!window_count(im, request, i, x.dims[2 + i], &out->dims[2 + i]))
            return false;
        if (!sees_input(w, i, x.dims[2 + i]))
            return import_fail(im, "windows with nothing but padding");
    }
    return true;
}

/* The same of a window that is all of the input. */
static bool read_global_pool(
        struct import *im, struct graph_window *w, struct graph_shape *out)
{
    *w = (struct graph_window){.groups = 1};
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)) return false;
    *out = import_tensor(im, import_input(im, 0))->shape;
    w->spatial = out->ndims - 2;
    if (w->spatial < 1 || w->spatial > graph_max_spatial)
        return import_fail(im, "%d dimensions, 3 to %d are known", out->ndims,
                2 + graph_max_spatial);
    for (int i = 0; i < w->spatial; i++) {
        w->kernel[i] = out->dims[2 + i];
        w->strides[i] = w->dilations[i] = out->dims[2 + i] = 1;
    }
    return true;
}

bool import_pool(struct import *im, enum graph_op op)
{
    struct window_request request;
    struct graph_shape out;
    return read_pool(im, &request, &out)
           && emit_pool(im, op, import_input(im, 0), &request.window, &out, 0)
                      != graph_none;
}

bool import_global_pool(struct import *im, enum graph_op op)
{
    struct graph_window window;
    struct graph_shape out;
    return read_global_pool(im, &window, &out)
           && emit_pool(im, op, import_input(im, 0), &window, &out, 0)
                      != graph_none;
}

/* ---- Norms --------------------------------------------------------------- */

/* The exponent, which operator set 1 had as a float. */
static bool read_exponent(struct import *im, float *p)
{
    const Onnx__AttributeProto *a = import_attribute(im, "p");
    int64_t number = 2;
    *p = 2.0F;
    if (a != NULL && a->has_f) return import_float(im, "p", p);
    if (!import_int(im, "p", &number)) return false;
    if (number < 1 || number > 1024)
        return import_fail(im, "attribute p is %lld", (long long)number);
    *p = (float)number;
    return true;
}

/* |x| to the power of p. */
static int powers(struct import *im, float p)
{
    int x = import_input(im, 0);
    if (p == 2.0F)
        return import_emit_binary(im, graph_op_mul, x, x, import_between);
    x = import_emit_unary(im, graph_op_abs, x, import_between);
    if (p == 1.0F || x == graph_none) return x;
    int exponent = import_emit_scalar(im, p);
    return exponent == graph_none ? graph_none
                                  : import_emit_binary(im, graph_op_pow, x,
                                          exponent, import_between);
}

/* The p-th root of sums, which become output 0. */
static bool emit_root(struct import *im, int averages, float count, float p)
{
    int n = import_emit_scalar(im, count);
    if (averages == graph_none || n == graph_none) return false;
    int sums = import_emit_binary(
            im, graph_op_mul, averages, n, p == 1.0F ? 0 : import_between);
    if (p == 1.0F || sums == graph_none) return sums != graph_none;
    if (p == 2.0F)
        return import_emit_unary(im, graph_op_sqrt, sums, 0) != graph_none;
    int exponent = import_emit_scalar(im, 1.0F / p);
    return exponent != graph_none
           && import_emit_binary(im, graph_op_pow, sums, exponent, 0)
                      != graph_none;
}

/* Norms of windows are roots of averages, times the elements of a window: with
 * the padding, which adds nothing to a norm, all windows have as many. */
static bool emit_norms(struct import *im, const struct graph_window *window,
        const struct graph_shape *out)
{
    struct graph_window w = *window;
    float p;
    float count = 1.0F;
    if (!read_exponent(im, &p)) return false;
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    for (int i = 0; i < w.spatial; i++) {
        int64_t end = (out->dims[2 + i] - 1) * w.strides[i]
                      + window_extent(&w, i) - w.pads_begin[i] - x->dims[2 + i];
        if (end > w.pads_end[i]) w.pads_end[i] = end; /* of ceil_mode */
        count *= (float)w.kernel[i];
    }
    w.count_include_pad = true;
    int terms = powers(im, p);
    if (terms == graph_none) return false;
    int averages = emit_pool(
            im, graph_op_average_pool, terms, &w, out, import_between);
    return emit_root(im, averages, count, p);
}

bool import_lp_pool(struct import *im, enum graph_op op)
{
    struct window_request request;
    struct graph_shape out;
    (void)op;
    return read_pool(im, &request, &out)
           && emit_norms(im, &request.window, &out);
}

bool import_global_lp_pool(struct import *im, enum graph_op op)
{
    struct graph_window window;
    struct graph_shape out;
    (void)op;
    return read_global_pool(im, &window, &out) && emit_norms(im, &window, &out);
}
