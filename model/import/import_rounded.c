/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_rounded.h"

#include <float.h>

static int binary(struct import *im, enum graph_op op, int a, int b)
{
    return import_emit_binary(im, op, a, b, import_between);
}

/* The least or the largest of all elements and 0. */
static int end_of(struct import *im, int x, bool is_largest)
{
    const struct graph_shape scalar = {.ndims = 0};
    struct graph_node node = {
            .op = is_largest ? graph_op_reduce_max : graph_op_reduce_min,
            .input_count = 1,
            .inputs = &x,
    };
    if (x == graph_none) return graph_none;
    struct graph_shape ones = import_tensor(im, x)->shape;
    for (int d = 0; d < ones.ndims; d++) {
        node.u.axes[d] = true;
        ones.dims[d] = 1;
    }
    int end = x;
    if (ones.ndims != 0)
        end = import_emit(im, &node, graph_type_f32, &ones, import_between);
    end = import_emit_reshape(im, end, &scalar, import_between);
    return binary(im, is_largest ? graph_op_max : graph_op_min, end,
            import_emit_scalar(im, 0.0F));
}

/* Between 0 and 255; of constants in two steps that can be computed at once. */
static int as_byte(struct import *im, int x)
{
    struct graph_node node = {
            .op = graph_op_clip,
            .input_count = 1,
            .inputs = &x,
            .u.eltwise = {.alpha = 0.0F, .beta = 255.0F},
    };
    if (x == graph_none) return graph_none;
    const struct graph_shape shape = import_tensor(im, x)->shape;
    if (import_tensor(im, x)->data == NULL)
        return import_emit(im, &node, graph_type_f32, &shape, import_between);
    x = binary(im, graph_op_max, x, import_emit_scalar(im, 0.0F));
    return binary(im, graph_op_min, x, import_emit_scalar(im, 255.0F));
}

int import_emit_rounded(struct import *im, int x)
{
    const int least = end_of(im, x, false);
    const int largest = end_of(im, x, true);
    int scale = binary(im, graph_op_sub, largest, least);
    scale = binary(im, graph_op_div, scale, import_emit_scalar(im, 255.0F));
    scale = binary(im, graph_op_max, scale, import_emit_scalar(im, FLT_MIN));
    int zero = binary(im, graph_op_div, least, scale);
    zero = binary(im, graph_op_sub, import_emit_scalar(im, 0.0F), zero);
    zero = import_emit_unary(im, graph_op_round, zero, import_between);
    zero = as_byte(im, zero);
    int y = binary(im, graph_op_div, x, scale);
    y = import_emit_unary(im, graph_op_round, y, import_between);
    y = as_byte(im, binary(im, graph_op_add, y, zero));
    y = binary(im, graph_op_sub, y, zero);
    return binary(im, graph_op_mul, y, scale);
}

int import_emit_unrounded(struct import *im, int weights, int scale, int zero)
{
    int y = import_emit_cast(im, weights, graph_type_f32, import_between);
    zero = import_emit_cast(im, zero, graph_type_f32, import_between);
    y = binary(im, graph_op_sub, y, zero);
    return binary(im, graph_op_mul, y, scale);
}
