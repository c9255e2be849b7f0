/* SPDX-License-Identifier: Apache-2.0 */
/* What goes along one dimension. */
#include "reference_nodes.h"

#include <math.h>

/* An element of a line: where place has `at` along the axis. */
static int64_t element_of(const struct graph_shape *shape,
        const int64_t place[graph_max_ndims], int axis, int64_t at)
{
    int64_t moved[graph_max_ndims];
    int64_t strides[graph_max_ndims];
    for (int d = 0; d < shape->ndims; d++)
        moved[d] = d == axis ? at : place[d];
    reference_strides(shape, strides);
    return reference_locate(shape, moved, strides);
}

void reference_cum_sum(const struct reference_call *call)
{
    const struct graph_node *node = call->node;
    const struct graph_shape *shape = &call->output->tensor->shape;
    const enum graph_type type = call->output->tensor->type;
    const int axis = node->u.line.axis;
    for (int64_t i = 0; i < graph_shape_count(shape); i++) {
        int64_t place[graph_max_ndims];
        double sum = 0.0, size = 0.0, off = 0.0;
        reference_split(shape, i, place);
        const int64_t here = place[axis];
        for (int64_t k = 0; k < shape->dims[axis]; k++) {
            const bool is_before =
                    node->u.line.is_backward ? k > here : k < here;
            if (!is_before && (k != here || node->u.line.is_exclusive))
                continue;
            const int64_t at = element_of(shape, place, axis, k);
            const double x = reference_value_at(call->inputs[0], at);
            sum += x;
            size += fabs(x);
            off += reference_tolerance_at(call->inputs[0], at);
        }
        call->output->values[i] = reference_wrap(type, sum);
        if (graph_type_is_float(type))
            call->output->tolerances[i] =
                    off + size * (double)shape->dims[axis] * REFERENCE_EPS;
    }
}

/* Of what is really there: a place has no tolerance. */
void reference_arg(const struct reference_call *call)
{
    const struct graph_node *node = call->node;
    const struct graph_shape *from = &call->inputs[0]->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    const int axis = node->u.line.axis;
    const double sign = node->op == graph_op_arg_max ? 1.0 : -1.0;
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        int64_t best = 0;
        double most = -INFINITY;
        reference_split(out, i, place);
        for (int64_t k = 0; k < from->dims[axis]; k++) {
            const double x = sign
                             * reference_value_at(call->inputs[0],
                                     element_of(from, place, axis, k));
            if (k == 0 || x > most || (x == most && node->u.line.takes_last)) {
                most = x;
                best = k;
            }
        }
        call->output->values[i] = (double)best;
    }
}

void reference_gather_elements(const struct reference_call *call)
{
    const struct graph_shape *from = &call->inputs[0]->tensor->shape;
    const struct graph_shape *out = &call->output->tensor->shape;
    const int axis = call->node->u.axis;
    for (int64_t i = 0; i < graph_shape_count(out); i++) {
        int64_t place[graph_max_ndims];
        reference_split(out, i, place);
        int64_t index = (int64_t)reference_value_at(call->inputs[1], i);
        if (index < 0) index += from->dims[axis];
        const int64_t at = element_of(from, place, axis, index);
        call->output->values[i] = reference_value_at(call->inputs[0], at);
        call->output->tolerances[i] =
                reference_tolerance_at(call->inputs[0], at);
    }
}

static double together(enum graph_scatter how, double a, double x)
{
    switch (how) {
    case graph_scatter_add:
        return a + x;
    case graph_scatter_mul:
        return a * x;
    case graph_scatter_max:
        return a > x || isnan(a) ? a : x;
    case graph_scatter_min:
        return a < x || isnan(a) ? a : x;
    default:
        return x;
    }
}

/* Of integers that are no larger than what doubles have. */
static void update(const struct reference_call *call, int64_t at, int64_t from)
{
    const enum graph_scatter how = call->node->u.scatter.how;
    const struct reference_slot *updates = call->inputs[2];
    const enum graph_type type = call->output->tensor->type;
    double *value = &call->output->values[at];
    double *tolerance = &call->output->tolerances[at];
    const double x = reference_value_at(updates, from);
    const double off = reference_tolerance_at(updates, from);
    const double before = *value;
    *value = reference_wrap(type, together(how, before, x));
    if (how == graph_scatter_none) *tolerance = off;
    if (how == graph_scatter_max || how == graph_scatter_min)
        *tolerance = fmax(*tolerance, off);
    if (how == graph_scatter_add) *tolerance += off;
    if (how == graph_scatter_mul)
        *tolerance = fabs(before) * off + fabs(x) * *tolerance;
    if (graph_type_is_float(type)
            && (how == graph_scatter_add || how == graph_scatter_mul))
        *tolerance += fabs(*value) * REFERENCE_EPS;
}

void reference_scatter(const struct reference_call *call)
{
    const struct graph_shape *shape = &call->output->tensor->shape;
    const struct graph_shape *lines = &call->inputs[2]->tensor->shape;
    const int axis = call->node->u.scatter.axis;
    int64_t strides[graph_max_ndims];
    for (int64_t i = 0; i < graph_shape_count(shape); i++) {
        call->output->values[i] = reference_value_at(call->inputs[0], i);
        call->output->tolerances[i] =
                reference_tolerance_at(call->inputs[0], i);
    }
    reference_broadcast(&call->inputs[1]->tensor->shape, lines, strides);
    for (int64_t i = 0; i < graph_shape_count(lines); i++) {
        int64_t place[graph_max_ndims];
        reference_split(lines, i, place);
        int64_t index = (int64_t)reference_value_at(
                call->inputs[1], reference_locate(lines, place, strides));
        if (index < 0) index += shape->dims[axis];
        if (index < 0 || index >= shape->dims[axis]) continue;
        update(call, element_of(shape, place, axis, index), i);
    }
}
