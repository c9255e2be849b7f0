/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations and softmax. */
#include "model/import/import.h"

#include <stdlib.h>

/* Of an operator whose result has the shape of its first input. */
static bool emit_like_input(
        struct import *im, struct graph_node *node, int input_count)
{
    int inputs[5];
    for (int i = 0; i < input_count; i++)
        inputs[i] = import_input(im, (size_t)i);
    node->input_count = input_count;
    node->inputs = inputs;
    struct graph_shape shape = import_tensor(im, import_input(im, 0))->shape;
    return import_emit(im, node, graph_type_f32, &shape, 0) != graph_none;
}

/* Inputs from `from` on have a number for each channel. */
static bool check_channels(struct import *im, size_t from, size_t to)
{
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    if (x->ndims < 2)
        return import_fail(im, "%d dimensions, no channels", x->ndims);
    struct graph_shape channels = {.ndims = 1, .dims = {x->dims[1]}};
    for (size_t i = from; i < to; i++)
        if (!import_check_shape(im, i, &channels)) return false;
    return true;
}

bool import_batch_norm(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op, .u.epsilon = 1e-5F};
    int64_t spatial = 1;
    bool is_training = false;
    if (!import_check_inputs(im, 5, 5) || !import_check_f32(im)
            || !check_channels(im, 1, 5)
            || !import_float(im, "epsilon", &node.u.epsilon)
            || !import_int(im, "spatial", &spatial)
            || !import_flag(im, "training_mode", &is_training))
        return false;
    if (spatial != 1 || is_training)
        return import_fail(im, "only inference, a number for each channel");
    return emit_like_input(im, &node, 5);
}

bool import_instance_norm(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op, .u.epsilon = 1e-5F};
    if (!import_check_inputs(im, 3, 3) || !import_check_f32(im)
            || !check_channels(im, 1, 3)
            || !import_float(im, "epsilon", &node.u.epsilon))
        return false;
    if (import_tensor(im, import_input(im, 0))->shape.ndims < 3)
        return import_fail(im, "nothing to normalize over");
    return emit_like_input(im, &node, 3);
}

/* So many numbers, in between. */
static int numbers(struct import *im, int64_t count, float value)
{
    const struct graph_shape shape = {.ndims = 1, .dims = {count}};
    if (!graph_shape_fits(&shape, 1)) {
        (void)import_fail(im, "%lld numbers", (long long)count);
        return graph_none;
    }
    if (!import_charge(im, (uint64_t)count * sizeof(float))) return graph_none;
    float *data = malloc((size_t)count * sizeof *data);
    if (data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    for (int64_t i = 0; i < count; i++)
        data[i] = value;
    return import_emit_constant(
            im, graph_type_f32, &shape, data, false, import_between);
}

/* A number for each channel, or for each group before operator set 21, as one
 * for each channel in the place of the channels. */
static int of_channels(struct import *im, size_t input, int ndims,
        int64_t groups, int64_t each)
{
    struct graph_shape apart = {.ndims = 2, .dims = {groups, 1}};
    struct graph_shape wide = {
            .ndims = ndims - 1, .dims = {groups * each, 1, 1, 1, 1, 1, 1, 1}};
    int x = import_input(im, input);
    if (im->opset >= 21)
        return import_emit_reshape(im, x, &wide, import_between);
    x = import_emit_reshape(im, x, &apart, import_between);
    apart.dims[1] = each;
    struct graph_node node = {
            .op = graph_op_expand, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    if (each != 1)
        x = import_emit(im, &node, graph_type_f32, &apart, import_between);
    return import_emit_reshape(im, x, &wide, import_between);
}

/* Channels of a group are one channel while they are normalized. */
bool import_group_norm(struct import *im, enum graph_op op)
{
    int64_t groups = 0;
    struct graph_node node = {.op = op, .input_count = 3, .u.epsilon = 1e-5F};
    if (!import_check_inputs(im, 3, 3) || !import_check_f32(im)
            || !import_float(im, "epsilon", &node.u.epsilon)
            || !import_int(im, "num_groups", &groups))
        return false;
    const int x = import_input(im, 0);
    const struct graph_shape shape = import_tensor(im, x)->shape;
    if (shape.ndims < 3 || groups < 1 || shape.dims[1] < groups
            || shape.dims[1] % groups != 0)
        return import_fail(im, "attribute num_groups is %lld for %d dimensions",
                (long long)groups, shape.ndims);
    const int64_t each = shape.dims[1] / groups;
    const struct graph_shape given = {
            .ndims = 1, .dims = {im->opset >= 21 ? shape.dims[1] : groups}};
    if (!import_check_shape(im, 1, &given)
            || !import_check_shape(im, 2, &given))
        return false;
    struct graph_shape grouped = {
            .ndims = 3, .dims = {shape.dims[0], groups, each}};
    for (int d = 2; d < shape.ndims; d++)
        grouped.dims[2] *= shape.dims[d];
    int inputs[3] = {import_emit_reshape(im, x, &grouped, import_between)};
    if (inputs[0] == graph_none) return false;
    inputs[1] = numbers(im, groups, 1.0F);
    inputs[2] = numbers(im, groups, 0.0F);
    node.inputs = inputs;
    if (inputs[1] == graph_none || inputs[2] == graph_none) return false;
    int y = import_emit(im, &node, graph_type_f32, &grouped, import_between);
    y = import_emit_reshape(im, y, &shape, import_between);
    y = import_emit_binary(im, graph_op_mul, y,
            of_channels(im, 1, shape.ndims, groups, each), import_between);
    return import_emit_binary(im, graph_op_add, y,
                   of_channels(im, 2, shape.ndims, groups, each), 0)
           != graph_none;
}

bool import_layer_norm(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op, .u.layer_norm.epsilon = 1e-5F};
    if (!import_check_inputs(im, 2, 3) || !import_check_f32(im)) return false;
    const struct graph_shape *x =
            &import_tensor(im, import_input(im, 0))->shape;
    int axis = 0;
    if (!import_axis_attribute(im, -1, x->ndims, &axis)
            || !import_float(im, "epsilon", &node.u.layer_norm.epsilon))
        return false;
    struct graph_shape normalized = {.ndims = x->ndims - axis};
    for (int d = axis; d < x->ndims; d++)
        normalized.dims[d - axis] = x->dims[d];
    if (!import_check_shape(im, 1, &normalized)
            || !import_check_shape(im, 2, &normalized))
        return false;
    node.u.layer_norm.axis = axis;
    return emit_like_input(im, &node, import_has_input(im, 2) ? 3 : 2);
}

bool import_lrn(struct import *im, enum graph_op op)
{
    struct graph_lrn lrn = {.alpha = 1e-4F, .beta = 0.75F, .bias = 1.0F};
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)
            || !check_channels(im, 1, 1) || !import_int(im, "size", &lrn.size)
            || !import_float(im, "alpha", &lrn.alpha)
            || !import_float(im, "beta", &lrn.beta)
            || !import_float(im, "bias", &lrn.bias))
        return false;
    if (lrn.size < 1 || lrn.size > INT32_MAX)
        return import_fail(im, "attribute size is %lld", (long long)lrn.size);
    struct graph_node node = {.op = op, .u.lrn = lrn};
    return emit_like_input(im, &node, 1);
}

/* ---- Softmax ------------------------------------------------------------- */

static int emit_softmax(
        struct import *im, enum graph_op op, int x, int axis, int output)
{
    struct graph_shape shape = import_tensor(im, x)->shape;
    struct graph_node node = {
            .op = op, .input_count = 1, .inputs = &x, .u.axis = axis};
    return import_emit(im, &node, graph_type_f32, &shape, output);
}

/* Before operator set 13 all dimensions from the axis on are one. */
static bool import_flat_softmax(struct import *im, enum graph_op op)
{
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    struct graph_shape flat = {.ndims = 2, .dims = {1, 1}};
    int axis = 0;
    if (!import_axis_attribute(im, 1, shape.ndims, &axis)) return false;
    int64_t others = 1;
    for (int d = 0; d < shape.ndims; d++) {
        flat.dims[d >= axis] *= shape.dims[d];
        if (d > axis) others *= shape.dims[d];
    }
    if (others == 1) return emit_softmax(im, op, x, axis, 0) != graph_none;
    int rows = import_emit_reshape(im, x, &flat, import_between);
    if (rows == graph_none) return false;
    int done = emit_softmax(im, op, rows, 1, import_between);
    return done != graph_none
           && import_emit_reshape(im, done, &shape, 0) != graph_none;
}

bool import_softmax(struct import *im, enum graph_op op)
{
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)) return false;
    if (im->opset < 13) return import_flat_softmax(im, op);
    int x = import_input(im, 0);
    int axis = 0;
    return import_axis_attribute(
                   im, -1, import_tensor(im, x)->shape.ndims, &axis)
           && emit_softmax(im, op, x, axis, 0) != graph_none;
}
