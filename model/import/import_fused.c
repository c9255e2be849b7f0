/* SPDX-License-Identifier: Apache-2.0 */
/* What ONNX Runtime's optimizer makes of several operators of a network that
 * attends, or of one: activations, products and normalizations. */
#include "model/import/import.h"

/* ---- Activations --------------------------------------------------------- */

/* Input 0, with input 1 added if that is given: a number for each of the last
 * dimension. graph_none after a failure. */
static int with_bias(struct import *im, size_t least)
{
    if (!import_check_inputs(im, least, 2) || !import_check_f32(im))
        return graph_none;
    const int x = import_input(im, 0);
    const struct graph_shape *shape = &import_tensor(im, x)->shape;
    if (!import_has_input(im, 1)) return x;
    const struct graph_shape bias = {.ndims = 1,
            .dims = {shape->ndims == 0 ? 1 : shape->dims[shape->ndims - 1]}};
    if (!import_check_shape(im, 1, &bias)) return graph_none;
    return import_emit_binary(
            im, graph_op_add, x, import_input(im, 1), import_between);
}

static bool import_biased_gelu(struct import *im, size_t least, bool by_tanh)
{
    const int x = with_bias(im, least);
    return x != graph_none && import_emit_gelu(im, x, by_tanh, 0) != graph_none;
}

bool import_bias_gelu(struct import *im, enum graph_op op)
{
    (void)op;
    return import_biased_gelu(im, 2, false);
}

bool import_fast_gelu(struct import *im, enum graph_op op)
{
    (void)op;
    return import_biased_gelu(im, 1, true);
}

bool import_plain_gelu(struct import *im, enum graph_op op)
{
    (void)op;
    return import_check_inputs(im, 1, 1)
           && import_emit_gelu(im, import_input(im, 0), false, 0) != graph_none;
}

/* Swish of the standard set, or QuickGelu, by another factor. */
bool import_swish(struct import *im, enum graph_op op)
{
    float alpha = op == graph_op_sigmoid ? 1.0F : 1.702F;
    if (!import_check_inputs(im, 1, 1) || !import_float(im, "alpha", &alpha))
        return false;
    const int x = import_input(im, 0);
    int y = x;
    if (alpha != 1.0F)
        y = import_emit_binary(im, graph_op_mul, x,
                import_emit_scalar(im, alpha), import_between);
    y = import_emit_unary(im, graph_op_sigmoid, y, import_between);
    return import_emit_binary(im, graph_op_mul, x, y, 0) != graph_none;
}

/* ---- Products ------------------------------------------------------------ */

/* Where the dimensions of an operand come from: [M, b.., K] is [b.., M, K] if
 * the batch is turned, and then the last two change places. */
static int turned(struct import *im, size_t input, bool batch, bool matrix)
{
    const int x = import_input(im, input);
    const int ndims = import_tensor(im, x)->shape.ndims;
    int perm[graph_max_ndims];
    if (ndims < 2 || (!batch && !matrix)) return x;
    for (int d = 0; d < ndims; d++)
        perm[d] = d;
    if (batch) {
        for (int d = 0; d + 2 < ndims; d++)
            perm[d] = d + 1;
        perm[ndims - 2] = 0;
    }
    if (matrix) {
        const int last = perm[ndims - 1];
        perm[ndims - 1] = perm[ndims - 2];
        perm[ndims - 2] = last;
    }
    return import_emit_transpose(im, x, perm, import_between);
}

bool import_fused_matmul(struct import *im, enum graph_op op)
{
    float alpha = 1.0F;
    bool a_turned = false, b_turned = false, a_batch = false, b_batch = false;
    (void)op;
    if (!import_check_inputs(im, 2, 2) || !import_check_f32(im)
            || !import_float(im, "alpha", &alpha)
            || !import_flag(im, "transA", &a_turned)
            || !import_flag(im, "transB", &b_turned)
            || !import_flag(im, "transBatchA", &a_batch)
            || !import_flag(im, "transBatchB", &b_batch))
        return false;
    const int ndims = import_tensor(im, import_input(im, 0))->shape.ndims;
    const int of_b = import_tensor(im, import_input(im, 1))->shape.ndims;
    if ((a_batch || b_batch) && (ndims < 3 || ndims != of_b))
        return import_fail(im,
                "transBatchA or transBatchB of %d and %d dimensions", ndims,
                of_b);
    const int a = turned(im, 0, a_batch, a_turned);
    const int b = turned(im, 1, b_batch, b_turned);
    if (alpha == 1.0F) return import_emit_matmul(im, a, b, 0) != graph_none;
    const int y = import_emit_matmul(im, a, b, import_between);
    const int factor = import_emit_scalar(im, alpha);
    return import_emit_binary(im, graph_op_mul, y, factor, 0) != graph_none;
}

/* ---- Normalizations ------------------------------------------------------ */

/* x by the root of the mean of its squares over the dimensions from an axis
 * on, times a scale of those dimensions. */
static int emit_rms_norm(struct import *im, int x, int scale, int axis,
        float epsilon, int output)
{
    if (x == graph_none) return graph_none;
    struct graph_shape ones = import_tensor(im, x)->shape;
    int squares = import_emit_binary(im, graph_op_mul, x, x, import_between);
    struct graph_node mean = {
            .op = graph_op_reduce_mean, .input_count = 1, .inputs = &squares};
    if (squares == graph_none) return graph_none;
    for (int d = axis; d < ones.ndims; d++) {
        mean.u.axes[d] = true;
        ones.dims[d] = 1;
    }
    int y = import_emit(im, &mean, graph_type_f32, &ones, import_between);
    y = import_emit_binary(im, graph_op_add, y, import_emit_scalar(im, epsilon),
            import_between);
    y = import_emit_unary(im, graph_op_sqrt, y, import_between);
    y = import_emit_binary(im, graph_op_div, x, y, import_between);
    return import_emit_binary(im, graph_op_mul, y, scale, output);
}

/* The dimensions from an axis on must be those of an input. */
static bool check_scale(struct import *im, size_t input, int axis)
{
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    struct graph_shape normalized = {.ndims = x->ndims - axis};
    for (int d = axis; d < x->ndims; d++)
        normalized.dims[d - axis] = x->dims[d];
    return import_check_shape(im, input, &normalized);
}

static bool check_no_statistics(struct import *im, int from, int to)
{
    for (int i = from; i < to; i++)
        if (import_has_output(im, i))
            return import_fail(im, "output %d is not computed here", i);
    return true;
}

/* RMSNormalization, too, whose scale is broadcast to those dimensions. */
bool import_rms_norm(struct import *im, enum graph_op op)
{
    float epsilon = 1e-5F;
    int axis = 0;
    (void)op;
    if (!import_check_inputs(im, 2, 2) || !import_check_f32(im)) return false;
    const int x = import_input(im, 0);
    const int scale = import_input(im, 1);
    struct graph_shape part = import_tensor(im, x)->shape, both;
    if (!import_float(im, "epsilon", &epsilon)
            || !import_axis_attribute(im, -1, part.ndims, &axis)
            || !check_no_statistics(im, 1, 2))
        return false;
    for (int d = axis; d < part.ndims; d++)
        part.dims[d - axis] = part.dims[d];
    part.ndims -= axis;
    if (!import_broadcast(im, &part, &import_tensor(im, scale)->shape, &both))
        return false;
    if (!graph_shape_equal(&part, &both))
        return import_fail(im, "the scale is larger than what it scales");
    return emit_rms_norm(im, x, scale, axis, epsilon, 0) != graph_none;
}

/* Input, skip and bias in one; graph_none after a failure. */
static int skip_sum(struct import *im, size_t bias)
{
    const struct graph_shape x = import_tensor(im, import_input(im, 0))->shape;
    const struct graph_shape skip =
            import_tensor(im, import_input(im, 1))->shape;
    struct graph_shape both;
    const bool has_bias = import_has_input(im, bias);
    if (!import_broadcast(im, &x, &skip, &both)) return graph_none;
    if (!graph_shape_equal(&x, &both)
            || skip.dims[skip.ndims - 1] != x.dims[x.ndims - 1]) {
        (void)import_fail(im, "input 1 does not go together with input 0");
        return graph_none;
    }
    const int sum = import_emit_binary(im, graph_op_add, import_input(im, 0),
            import_input(im, 1), has_bias ? import_between : 3);
    if (!has_bias) return sum;
    return import_emit_binary(im, graph_op_add, sum, import_input(im, bias), 3);
}

bool import_skip_norm(struct import *im, enum graph_op op)
{
    const bool is_simplified = op != graph_op_layer_norm;
    float epsilon = 1e-12F;
    if (!import_check_inputs(im, 3, is_simplified ? 4 : 5)
            || !import_check_f32(im) || !import_float(im, "epsilon", &epsilon)
            || !check_no_statistics(im, 1, 3))
        return false;
    const struct graph_shape x = import_tensor(im, import_input(im, 0))->shape;
    if (x.ndims < 2 || x.ndims > 3
            || import_tensor(im, import_input(im, 1))->shape.ndims < 2)
        return import_fail(im, "2 or 3 dimensions are needed");
    for (size_t i = 2; i < 5; i++)
        if (!check_scale(im, i, x.ndims - 1)) return false;
    const int sum = skip_sum(im, is_simplified ? 3 : 4);
    if (sum == graph_none) return false;
    if (is_simplified)
        return emit_rms_norm(
                       im, sum, import_input(im, 2), x.ndims - 1, epsilon, 0)
               != graph_none;
    int inputs[3] = {sum, import_input(im, 2), import_input(im, 3)};
    struct graph_node node = {
            .op = op,
            .input_count = import_has_input(im, 3) ? 3 : 2,
            .inputs = inputs,
            .u.layer_norm = {.epsilon = epsilon, .axis = x.ndims - 1},
    };
    return import_emit(im, &node, graph_type_f32, &x, 0) != graph_none;
}
