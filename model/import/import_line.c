/* SPDX-License-Identifier: Apache-2.0 */
/* What goes along one dimension. */
#include "model/import/import.h"

bool import_cum_sum(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    int64_t axis;
    int count;
    if (!import_check_inputs(im, 2, 2)
            || !import_constant_ints(im, 1, &axis, 1, &count))
        return false;
    if (count != 1) return import_fail(im, "input 1 is empty");
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    enum graph_type type = import_tensor(im, x)->type;
    if (type == graph_type_bool) return import_fail(im, "of type bool");
    if (!import_axis(im, axis, shape.ndims, &node.u.line.axis)
            || !import_flag(im, "exclusive", &node.u.line.is_exclusive)
            || !import_flag(im, "reverse", &node.u.line.is_backward))
        return false;
    node.input_count = 1;
    node.inputs = &x;
    return import_emit(im, &node, type, &shape, 0) != graph_none;
}

static int emit_arg(struct import *im, enum graph_op op, int axis,
        bool takes_last, int output)
{
    int x = import_input(im, 0);
    struct graph_shape shape = import_tensor(im, x)->shape;
    struct graph_node node = {
            .op = op,
            .input_count = 1,
            .inputs = &x,
            .u.line = {.axis = axis, .takes_last = takes_last},
    };
    shape.dims[axis] = 1;
    return import_emit(im, &node, graph_type_i64, &shape, output);
}

bool import_arg(struct import *im, enum graph_op op)
{
    bool keep = true;
    bool takes_last = false;
    int axis = 0;
    if (!import_check_inputs(im, 1, 1)) return false;
    struct graph_shape shape = import_tensor(im, import_input(im, 0))->shape;
    if (import_tensor(im, import_input(im, 0))->type == graph_type_bool)
        return import_fail(im, "of type bool");
    if (!import_axis_attribute(im, 0, shape.ndims, &axis)
            || !import_flag(im, "keepdims", &keep)
            || !import_flag(im, "select_last_index", &takes_last))
        return false;
    int y = emit_arg(im, op, axis, takes_last, keep ? 0 : import_between);
    if (y == graph_none || keep) return y != graph_none;
    for (int d = axis; d + 1 < shape.ndims; d++)
        shape.dims[d] = shape.dims[d + 1];
    shape.ndims--;
    return import_emit_reshape(im, y, &shape, 0) != graph_none;
}

/* 1 at the first of the largest, else 0. */
bool import_hardmax(struct import *im, enum graph_op op)
{
    int axis = 0;
    (void)op;
    if (!import_check_inputs(im, 1, 1) || !import_check_f32(im)) return false;
    const struct graph_shape shape =
            import_tensor(im, import_input(im, 0))->shape;
    if (im->opset < 13)
        return import_fail(im, "operator sets before 13 are not supported");
    if (!import_axis_attribute(im, -1, shape.ndims, &axis)) return false;
    struct graph_shape wide = {.ndims = shape.ndims - axis,
            .dims = {shape.dims[axis], 1, 1, 1, 1, 1, 1, 1}};
    int places = import_emit_count(im, shape.dims[axis]);
    int largest = emit_arg(im, graph_op_arg_max, axis, false, import_between);
    places = import_emit_reshape(im, places, &wide, import_between);
    int is_largest = import_emit_binary(
            im, graph_op_equal, largest, places, import_between);
    return import_emit_cast(im, is_largest, graph_type_f32, 0) != graph_none;
}

bool import_gather_elements(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!import_check_inputs(im, 2, 2)) return false;
    int inputs[2] = {import_input(im, 0), import_input(im, 1)};
    const struct graph_tensor *x = import_tensor(im, inputs[0]);
    const struct graph_tensor *indices = import_tensor(im, inputs[1]);
    enum graph_type type = x->type;
    struct graph_shape shape = indices->shape;
    if (indices->type != graph_type_i64 && indices->type != graph_type_i32)
        return import_fail(
                im, "indices of type %s", graph_type_name(indices->type));
    if (x->shape.ndims != shape.ndims)
        return import_fail(im, "indices of %d dimensions for %d", shape.ndims,
                x->shape.ndims);
    if (!import_axis_attribute(im, 0, shape.ndims, &node.u.axis)) return false;
    for (int d = 0; d < shape.ndims; d++)
        if (d != node.u.axis && shape.dims[d] > x->shape.dims[d])
            return import_fail(im, "indices of %lld in dimension %d of %lld",
                    (long long)shape.dims[d], d, (long long)x->shape.dims[d]);
    if (!import_check_indices(im, inputs[1], x->shape.dims[node.u.axis]))
        return false;
    node.input_count = 2;
    node.inputs = inputs;
    return import_emit(im, &node, type, &shape, 0) != graph_none;
}
