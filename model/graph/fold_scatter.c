/* SPDX-License-Identifier: Apache-2.0 */
/* Constants in which some elements are others. */
#include "model/graph/fold_parts.h"

#include <math.h>
#include <string.h>

/* Integers wrap around. */
static int64_t combine_ints(enum graph_scatter how, int64_t a, int64_t x)
{
    switch (how) {
    case graph_scatter_add:
        return (int64_t)((uint64_t)a + (uint64_t)x);
    case graph_scatter_mul:
        return (int64_t)((uint64_t)a * (uint64_t)x);
    case graph_scatter_max:
        return x > a ? x : a;
    case graph_scatter_min:
        return x < a ? x : a;
    default:
        return x;
    }
}

/* NaN stays. */
static double combine_floats(enum graph_scatter how, double a, double x)
{
    switch (how) {
    case graph_scatter_add:
        return a + x;
    case graph_scatter_mul:
        return a * x;
    case graph_scatter_max:
        return x > a || isnan(x) ? x : a;
    case graph_scatter_min:
        return x < a || isnan(x) ? x : a;
    default:
        return x;
    }
}

static void update(struct graph_tensor *result, int64_t to,
        const struct graph_tensor *updates, int64_t from,
        enum graph_scatter how)
{
    if (fold_is_float(result->type))
        fold_write_float(result, to,
                combine_floats(how, fold_read_float(result, to),
                        fold_read_float(updates, from)));
    else
        fold_write_int(result, to,
                combine_ints(how, fold_read_int(result, to),
                        fold_read_int(updates, from)));
}

bool fold_scatter(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure)
{
    const struct graph_tensor *x = &graph->tensors[node->inputs[0]];
    const struct graph_tensor *indices = &graph->tensors[node->inputs[1]];
    const struct graph_tensor *updates = &graph->tensors[node->inputs[2]];
    const int axis = node->u.scatter.axis;
    const int64_t dim = result->shape.dims[axis];
    const int64_t count = graph_shape_count(&updates->shape);
    int64_t place[graph_max_ndims] = {0};
    /* Of the indices, and of the first element of the result's line. */
    int64_t strides[2][graph_max_ndims];
    int64_t at[2] = {0, 0};
    fold_broadcast_strides(&indices->shape, &updates->shape, strides[0]);
    fold_strides(&result->shape, strides[1]);
    const int64_t along = strides[1][axis];
    strides[1][axis] = 0;
    memcpy(result->data, x->data, graph_tensor_size(result));
    for (int64_t i = 0; i < count; i++) {
        int64_t index = fold_read_int(indices, at[0]);
        if (index < -dim || index >= dim)
            return fail(failure, "%s: there is no element %lld of %lld",
                    node->label, (long long)index, (long long)dim);
        if (index < 0) index += dim;
        update(result, at[1] + index * along, updates, i, node->u.scatter.how);
        fold_next_place(&updates->shape, place, strides, at);
    }
    return true;
}
