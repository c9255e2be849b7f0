/* SPDX-License-Identifier: Apache-2.0 */
/* Products and convolutions of quantized tensors: exact, as i32, of what is
 * left of each operand without its zero point. */
#include "model/import/import_quantize.h"

/* An operand without its zero point, if that is given: one number, or one for
 * each element of an axis, counted from the end if negative. */
static int centered(struct import *im, size_t input, size_t zero, int axis)
{
    int x = import_input(im, input);
    const struct graph_tensor *t = import_tensor(im, x);
    struct graph_shape of = t->shape;
    if (!import_quantize_type(im, t->type)) return graph_none;
    if (!import_has_input(im, zero))
        return import_emit_centered(im, x, graph_none);
    int z = import_input(im, zero);
    if (import_tensor(im, z)->type != t->type) {
        (void)import_fail(
                im, "input %zu is of another type than input %zu", zero, input);
        return graph_none;
    }
    struct graph_shape shape = import_tensor(im, z)->shape;
    if (axis < 0) axis += of.ndims;
    if (graph_shape_count(&shape) == 1) {
        shape = (struct graph_shape){.ndims = 0};
    } else if (shape.ndims == 1) {
        if (axis < 0 || shape.dims[0] != of.dims[axis]) {
            (void)import_fail(im, "input %zu has %lld numbers", zero,
                    (long long)shape.dims[0]);
            return graph_none;
        }
        shape = (struct graph_shape){.ndims = of.ndims - axis,
                .dims = {shape.dims[0], 1, 1, 1, 1, 1, 1, 1}};
    }
    z = import_emit_reshape(im, z, &shape, import_between);
    return z == graph_none ? graph_none : import_emit_centered(im, x, z);
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

bool import_matmul_integer(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 2, 4)) return false;
    int a = centered(im, 0, 2, -2);
    int b = a == graph_none ? graph_none : centered(im, 1, 3, -1);
    return b != graph_none && import_emit_matmul(im, a, b, 0) != graph_none;
}

bool import_qlinear_matmul(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 8, 8)) return false;
    int a = centered(im, 0, 2, -2);
    int b = a == graph_none ? graph_none : centered(im, 3, 5, -1);
    int sums = b == graph_none ? graph_none
                               : import_emit_matmul(im, a, b, import_between);
    if (sums == graph_none) return false;
    const int ndims = import_tensor(im, sums)->shape.ndims;
    int a_scale = scale_of(im, 1, ndims, ndims - 2);
    int b_scale = scale_of(im, 4, ndims, ndims - 1);
    return a_scale != graph_none && b_scale != graph_none
           && requantize(im, sums, a_scale, b_scale, 6, 7);
}

/* ---- Convolutions -------------------------------------------------------- */

/* Of inputs, and their zero points; padding is what the zero point stands for.
 */
static int sums_of_windows(struct import *im, size_t x, size_t x_zero, size_t w,
        size_t w_zero, int output)
{
    struct import_conv_parts parts = {.bias = graph_none};
    parts.x = centered(im, x, x_zero, 1);
    if (parts.x == graph_none) return graph_none;
    parts.weights = centered(im, w, w_zero, 0);
    return import_emit_conv(im, &parts, output);
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
