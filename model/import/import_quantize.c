/* SPDX-License-Identifier: Apache-2.0 */
/* From numbers to small integers and back: functions of one and two elements,
 * one after the other. */
#include "model/import/import_quantize.h"
#include "model/import/import_whole.h"

#include <float.h>

int64_t import_least(enum graph_type type)
{
    if (graph_type_is_unsigned(type)) return 0;
    return -(INT64_C(1) << (8 * graph_type_size(type) - 1));
}

int64_t import_most(enum graph_type type)
{
    const unsigned bits = 8 * (unsigned)graph_type_size(type);
    return (INT64_C(1) << (bits - !graph_type_is_unsigned(type))) - 1;
}

/* ---- Parameters ---------------------------------------------------------- */

/* [D / block, ...] as [D, ...] along the axis, each element as often as a block
 * is long. */
static int repeat(struct import *im, int t, int axis, int64_t block)
{
    struct graph_shape from = import_tensor(im, t)->shape;
    struct graph_shape apart = {.ndims = from.ndims + 1}, whole = from;
    if (from.ndims + 1 > graph_max_ndims) {
        (void)import_fail(im, "%d dimensions", from.ndims);
        return graph_none;
    }
    for (int d = 0; d < apart.ndims; d++)
        apart.dims[d] = d == axis + 1 ? 1 : from.dims[d - (d > axis + 1)];
    int x = import_emit_reshape(im, t, &apart, import_between);
    apart.dims[axis + 1] = block;
    whole.dims[axis] *= block;
    struct graph_node node = {
            .op = graph_op_expand, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    int y = import_emit(
            im, &node, import_tensor(im, x)->type, &apart, import_between);
    return import_emit_reshape(im, y, &whole, import_between);
}

int import_quantize_parameter(struct import *im, size_t input, int x)
{
    int axis = 0;
    int64_t block = 0;
    int t = import_input(im, input);
    struct graph_shape of = import_tensor(im, x)->shape;
    struct graph_shape shape = import_tensor(im, t)->shape;
    if (!import_int(im, "block_size", &block)) return graph_none;
    if (graph_shape_count(&shape) == 1 && shape.ndims <= 1) {
        const struct graph_shape scalar = {.ndims = 0};
        return import_emit_reshape(im, t, &scalar, import_between);
    }
    if (!import_axis_attribute(im, 1, of.ndims, &axis)) return graph_none;
    if (block != 0) {
        if (block < 1 || shape.ndims != of.ndims || block > of.dims[axis]
                || of.dims[axis] % block != 0
                || shape.dims[axis] != of.dims[axis] / block) {
            (void)import_fail(
                    im, "blocks of %lld do not fit", (long long)block);
            return graph_none;
        }
        return repeat(im, t, axis, block);
    }
    if (shape.ndims != 1 || shape.dims[0] != of.dims[axis]) {
        (void)import_fail(im,
                "input %zu has not a number for each element of "
                "axis %d",
                input, axis);
        return graph_none;
    }
    struct graph_shape wide = {.ndims = of.ndims - axis,
            .dims = {shape.dims[0], 1, 1, 1, 1, 1, 1, 1}};
    return import_emit_reshape(im, t, &wide, import_between);
}

/* ---- To integers --------------------------------------------------------- */

int import_emit_saturated(
        struct import *im, int x, int zero, enum graph_type type, int output)
{
    int y = import_emit_unary(im, graph_op_round, x, import_between);
    if (zero != graph_none && y != graph_none) {
        zero = import_emit_cast(im, zero, graph_type_f32, import_between);
        y = import_emit_binary(im, graph_op_add, y, zero, import_between);
    }
    if (y == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(im, y)->shape;
    struct graph_node node = {
            .op = graph_op_saturate,
            .input_count = 1,
            .inputs = &y,
            .u.eltwise = {.alpha = (float)import_least(type),
                    .beta = (float)import_most(type)},
    };
    y = import_emit(im, &node, graph_type_f32, &shape, import_between);
    import_mark_whole(im, y, import_least(type), import_most(type));
    return import_emit_cast(im, y, type, output);
}

/* The types that floats hold without a rounding. */
static bool is_small(enum graph_type type)
{
    return graph_type_is_integer(type) && graph_type_size(type) <= 2;
}

bool import_quantize_type(struct import *im, enum graph_type type)
{
    return is_small(type)
           || import_fail(
                   im, "quantized elements of type %s", graph_type_name(type));
}

/* From operator set 23 on a type of floats is named: f32 it is, or f16, which
 * is computed as f32 here. */
static bool check_floats(struct import *im, const char *name)
{
    int64_t number = 0;
    return import_int(im, name, &number)
           && (number == 0 || number == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT
                   || number == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT16
                   || import_fail(im, "attribute %s is %lld, no type of f32",
                           name, (long long)number));
}

bool import_quantize(struct import *im, enum graph_op op)
{
    int64_t number = 0;
    enum graph_type type = graph_type_u8;
    (void)op;
    if (!import_check_inputs(im, 2, 3)
            || !import_int(im, "output_dtype", &number)
            || !check_floats(im, "precision"))
        return false;
    if (number != 0 && !onnx_tensor_type(&type, number, im->label, im->failure))
        return false;
    if (import_has_input(im, 2))
        type = import_tensor(im, import_input(im, 2))->type;
    int x = import_input(im, 0);
    if (!import_quantize_type(im, type)) return false;
    if (import_tensor(im, x)->type == graph_type_f64
            || import_tensor(im, import_input(im, 1))->type != graph_type_f32)
        return import_fail(im, "only of f32 and i32, with scales of f32");
    int scale = import_quantize_parameter(im, 1, x);
    int zero = import_has_input(im, 2) ? import_quantize_parameter(im, 2, x)
                                       : graph_none;
    if (scale == graph_none || (zero == graph_none && import_has_input(im, 2)))
        return false;
    x = import_emit_cast(im, x, graph_type_f32, import_between);
    x = import_emit_binary(im, graph_op_div, x, scale, import_between);
    return x != graph_none
           && import_emit_saturated(im, x, zero, type, 0) != graph_none;
}

/* From 0 to 255, so that 0 is one of them. */
bool import_dynamic_quantize(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)) return false;
    int x = import_input(im, 0);
    int ends[2];
    struct graph_shape scalar = {.ndims = 0};
    const int nothing = import_emit_scalar(im, 0.0F);
    for (int i = 0; i < 2; i++) {
        struct graph_node node = {
                .op = i == 0 ? graph_op_reduce_min : graph_op_reduce_max,
                .input_count = 1,
                .inputs = &x,
        };
        struct graph_shape ones = import_tensor(im, x)->shape;
        for (int d = 0; d < ones.ndims; d++) {
            node.u.axes[d] = true;
            ones.dims[d] = 1;
        }
        int end = ones.ndims == 0 ? x
                                  : import_emit(im, &node, graph_type_f32,
                                          &ones, import_between);
        end = import_emit_reshape(im, end, &scalar, import_between);
        ends[i] = import_emit_binary(im, i == 0 ? graph_op_min : graph_op_max,
                end, nothing, import_between);
    }
    int range = import_emit_binary(
            im, graph_op_sub, ends[1], ends[0], import_between);
    const int most = import_emit_scalar(im, 255.0F);
    int scale =
            import_emit_binary(im, graph_op_div, range, most, import_between);
    /* Of zeros alone: they are 0, and not 0 by 0. */
    scale = import_emit_binary(
            im, graph_op_max, scale, import_emit_scalar(im, FLT_MIN), 1);
    int below = import_emit_binary(
            im, graph_op_sub, nothing, ends[0], import_between);
    int zero =
            import_emit_binary(im, graph_op_div, below, scale, import_between);
    zero = import_emit_saturated(im, zero, graph_none, graph_type_u8, 2);
    int y = import_emit_binary(im, graph_op_div, x, scale, import_between);
    return zero != graph_none && y != graph_none
           && import_emit_saturated(im, y, zero, graph_type_u8, 0)
                      != graph_none;
}

/* ---- To numbers ---------------------------------------------------------- */

int import_emit_centered(struct import *im, int x, int zero)
{
    x = import_emit_cast(im, x, graph_type_i32, import_between);
    if (zero == graph_none) return x;
    zero = import_emit_cast(im, zero, graph_type_i32, import_between);
    return import_emit_binary(im, graph_op_sub, x, zero, import_between);
}

bool import_dequantize(struct import *im, enum graph_op op)
{
    (void)op;
    if (!import_check_inputs(im, 2, 3) || !check_floats(im, "output_dtype"))
        return false;
    int x = import_input(im, 0);
    const enum graph_type type = import_tensor(im, x)->type;
    if (type != graph_type_i32 && !import_quantize_type(im, type)) return false;
    if (import_tensor(im, import_input(im, 1))->type != graph_type_f32)
        return import_fail(im, "only with scales of f32");
    if (import_has_input(im, 2)
            && import_tensor(im, import_input(im, 2))->type != type)
        return import_fail(im, "input 2 is of another type than input 0");
    int scale = import_quantize_parameter(im, 1, x);
    int zero = import_has_input(im, 2) ? import_quantize_parameter(im, 2, x)
                                       : graph_none;
    if (scale == graph_none || (zero == graph_none && import_has_input(im, 2)))
        return false;
    if (is_small(type))
        return import_emit_scaled(im, x, zero, scale, 0) != graph_none;
    x = import_emit_centered(im, x, zero);
    x = import_emit_cast(im, x, graph_type_f32, import_between);
    return import_emit_binary(im, graph_op_mul, x, scale, 0) != graph_none;
}
