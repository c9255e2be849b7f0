/* SPDX-License-Identifier: Apache-2.0 */
/* Elements elsewhere. */
#include "reference_nodes.h"

#include <math.h>

static void copy(const struct reference_call *call, int64_t to,
        const struct reference_slot *x, int64_t from)
{
    call->output->values[to] = reference_value_at(x, from);
    call->output->tolerances[to] = reference_tolerance_at(x, from);
}

/* ---- From one tensor ----------------------------------------------------- */

/* The place in the input of a place in the output, which it is given as. */
static void move_place(const struct graph_node *node,
        const struct graph_shape *in, int64_t place[graph_max_ndims])
{
    int64_t out[graph_max_ndims] = {0};
    for (int d = 0; d < graph_max_ndims; d++)
        out[d] = place[d];
    for (int d = 0; d < in->ndims; d++)
        switch (node->op) {
        case graph_op_slice:
            place[d] =
                    node->u.slice.starts[d] + out[d] * node->u.slice.steps[d];
            break;
        case graph_op_transpose:
            place[node->u.perm[d]] = out[d];
            break;
        case graph_op_tile:
            place[d] = out[d] % in->dims[d];
            break;
        default:
            break;
        }
}

void reference_move(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t strides[graph_max_ndims];
    bool is_expand = call->node->op == graph_op_expand;
    bool is_reshape = call->node->op == graph_op_reshape;
    if (is_expand)
        reference_broadcast(in, out, strides);
    else
        reference_strides(in, strides);
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims] = {0};
        reference_split(out, i, place);
        if (!is_expand && !is_reshape) move_place(call->node, in, place);
        copy(call, i, x,
                is_reshape ? i
                           : reference_locate(
                                   is_expand ? out : in, place, strides));
    }
}

void reference_gather(const struct reference_call *call)
{
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    int axis = call->node->u.axis;
    int64_t indices = graph_shape_count(&call->inputs[1]->tensor->shape);
    int64_t inner = 1;
    for (int d = axis + 1; d < in->ndims; d++)
        inner *= in->dims[d];
    int64_t count = graph_shape_count(&call->output->tensor->shape);
    for (int64_t i = 0; i < count; i++) {
        int64_t outer = i / inner / indices;
        double number =
                reference_value_at(call->inputs[1], i / inner % indices);
        double dim = (double)in->dims[axis];
        /* A result that is nothing, should the index be nowhere. */
        if (!(number >= -dim && number < dim)) {
            call->output->values[i] = NAN;
            continue;
        }
        int64_t index = (int64_t)number;
        if (index < 0) index += in->dims[axis];
        copy(call, i, x, (outer * in->dims[axis] + index) * inner + i % inner);
    }
}

/* ---- From many ----------------------------------------------------------- */

void reference_concat_node(const struct reference_call *call)
{
    const struct graph_shape *out = &call->output->tensor->shape;
    int axis = call->node->u.axis;
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        int64_t strides[graph_max_ndims];
        int input = 0;
        reference_split(out, i, place);
        while (place[axis] >= call->inputs[input]->tensor->shape.dims[axis])
            place[axis] -= call->inputs[input++]->tensor->shape.dims[axis];
        const struct reference_slot *x = call->inputs[input];
        reference_strides(&x->tensor->shape, strides);
        copy(call, i, x, reference_locate(&x->tensor->shape, place, strides));
    }
}

/* ---- Padding ------------------------------------------------------------- */

/* Where a place is looked up that may be outside; -1 for nowhere. */
static int64_t padded(enum graph_pad_mode mode, int64_t at, int64_t count)
{
    if (at >= 0 && at < count) return at;
    if (mode == graph_pad_constant) return -1;
    if (mode == graph_pad_wrap) return (at % count + count) % count;
    if (mode == graph_pad_edge) return at < 0 ? 0 : count - 1;
    return at < 0 ? -at : 2 * (count - 1) - at;
}

void reference_pad(const struct reference_call *call)
{
    const struct graph_pad *pad = &call->node->u.pad;
    const struct reference_slot *x = call->inputs[0];
    const struct graph_shape *in = &x->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    int64_t strides[graph_max_ndims];
    reference_strides(in, strides);
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        bool is_inside = true;
        reference_split(out, i, place);
        for (int d = 0; d < in->ndims; d++) {
            place[d] = padded(pad->mode, place[d] - pad->begin[d], in->dims[d]);
            is_inside = is_inside && place[d] >= 0;
        }
        if (is_inside)
            copy(call, i, x, reference_locate(in, place, strides));
        else
            call->output->values[i] = (double)pad->value;
    }
}
