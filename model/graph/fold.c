/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes are computed while a model is read, and those that only move
 * elements. fold_math.c has the others. */
#include "model/graph/fold.h"
#include "model/graph/fold_parts.h"

#include <string.h>

bool fold_moves_only(enum graph_op op)
{
    switch (op) {
    case graph_op_concat:
    case graph_op_slice:
    case graph_op_gather:
    case graph_op_transpose:
    case graph_op_reshape:
    case graph_op_expand:
    case graph_op_tile:
        return true;
    default:
        return false;
    }
}

bool fold_can(const struct graph *graph, const struct graph_node *node)
{
    for (int i = 0; i < node->input_count; i++)
        if (node->inputs[i] != graph_none
                && graph->tensors[node->inputs[i]].data == NULL)
            return false;
    return fold_moves_only(node->op) || fold_is_math(node->op)
           || node->op == graph_op_scatter;
}

/* ---- Views --------------------------------------------------------------- */

/* Elements of a source, by steps in each dimension; in elements. */
struct view {
    int ndims;
    int64_t dims[2 * graph_max_ndims];
    int64_t strides[2 * graph_max_ndims];
    int64_t offset;
};

static void copy_line(uint8_t *to, const uint8_t *from, int64_t count,
        int64_t stride, size_t element)
{
    if (stride == 1) {
        memcpy(to, from, (size_t)count * element);
        return;
    }
    if (element == 4) { /* a size that is known becomes a move */
        for (int64_t i = 0; i < count; i++)
            memcpy(to + 4 * i, from + 4 * i * stride, 4);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        memcpy(to + (size_t)i * element, from + i * stride * (int64_t)element,
                element);
}

/* Copies a view that is not empty, line by line. */
static void copy_view(
        void *to, const void *from, const struct view *v, size_t element)
{
    int64_t place[2 * graph_max_ndims] = {0};
    uint8_t *at = to;
    const uint8_t *source = from;
    int last = v->ndims - 1;
    int64_t line = v->ndims == 0 ? 1 : v->dims[last];
    int64_t stride = v->ndims == 0 ? 1 : v->strides[last];
    int64_t offset = v->offset;
    for (int d = 0; d >= 0;) {
        copy_line(
                at, source + offset * (int64_t)element, line, stride, element);
        at += (size_t)line * element;
        for (d = last - 1; d >= 0; d--) {
            offset += v->strides[d];
            if (++place[d] < v->dims[d]) break;
            offset -= v->dims[d] * v->strides[d];
            place[d] = 0;
        }
    }
}

void fold_strides(
        const struct graph_shape *shape, int64_t strides[graph_max_ndims])
{
    int64_t stride = 1;
    for (int d = shape->ndims - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= shape->dims[d];
    }
}

void fold_broadcast_strides(const struct graph_shape *from,
        const struct graph_shape *to, int64_t strides[graph_max_ndims])
{
    int64_t own[graph_max_ndims];
    int missing = to->ndims - from->ndims;
    fold_strides(from, own);
    for (int d = 0; d < to->ndims; d++)
        strides[d] = d < missing || from->dims[d - missing] == 1
                             ? 0
                             : own[d - missing];
}

/* Each dimension is two: how often it is repeated, and its elements. */
static void view_tile(struct view *v, const struct graph_shape *from,
        const struct graph_shape *to)
{
    int64_t own[graph_max_ndims];
    fold_strides(from, own);
    v->ndims = 2 * to->ndims;
    for (int d = 0; d < to->ndims; d++) {
        v->dims[2 * d] = to->dims[d] / from->dims[d];
        v->dims[2 * d + 1] = from->dims[d];
        v->strides[2 * d] = 0;
        v->strides[2 * d + 1] = own[d];
    }
}

static void fold_view(const struct graph_node *node,
        const struct graph_tensor *x, struct graph_tensor *result)
{
    int64_t own[graph_max_ndims];
    struct view v = {.ndims = result->shape.ndims};
    fold_strides(&x->shape, own);
    memcpy(v.dims, result->shape.dims, sizeof result->shape.dims);
    for (int d = 0; d < v.ndims; d++) {
        if (node->op == graph_op_transpose) {
            v.strides[d] = own[node->u.perm[d]];
        } else if (node->op == graph_op_slice) {
            v.strides[d] = own[d] * node->u.slice.steps[d];
            v.offset += own[d] * node->u.slice.starts[d];
        }
    }
    if (node->op == graph_op_expand)
        fold_broadcast_strides(&x->shape, &result->shape, v.strides);
    else if (node->op == graph_op_tile)
        view_tile(&v, &x->shape, &result->shape);
    copy_view(result->data, x->data, &v, graph_type_size(x->type));
}

/* ---- Side by side, and picked -------------------------------------------- */

static int64_t product(const struct graph_shape *shape, int from, int to)
{
    int64_t count = 1;
    for (int d = from; d < to; d++)
        count *= shape->dims[d];
    return count;
}

static void fold_concat(const struct graph *graph,
        const struct graph_node *node, struct graph_tensor *result)
{
    int axis = node->u.axis;
    size_t element = graph_type_size(result->type);
    int64_t outer = product(&result->shape, 0, axis);
    uint8_t *to = result->data;
    for (int64_t i = 0; i < outer; i++)
        for (int k = 0; k < node->input_count; k++) {
            const struct graph_tensor *x = &graph->tensors[node->inputs[k]];
            size_t size =
                    element * (size_t)product(&x->shape, axis, x->shape.ndims);
            if (size == 0) continue;
            memcpy(to, (const uint8_t *)x->data + (size_t)i * size, size);
            to += size;
        }
}

static bool fold_gather(const struct graph *graph,
        const struct graph_node *node, struct graph_tensor *result,
        struct failure *failure)
{
    const struct graph_tensor *x = &graph->tensors[node->inputs[0]];
    const struct graph_tensor *indices = &graph->tensors[node->inputs[1]];
    int axis = node->u.axis;
    int64_t outer = product(&x->shape, 0, axis);
    int64_t dim = x->shape.dims[axis];
    int64_t count = graph_shape_count(&indices->shape);
    size_t inner = graph_type_size(x->type)
                   * (size_t)product(&x->shape, axis + 1, x->shape.ndims);
    uint8_t *to = result->data;
    for (int64_t i = 0; i < outer; i++)
        for (int64_t k = 0; k < count; k++) {
            int64_t index = fold_read_int(indices, k);
            if (index < -dim || index >= dim)
                return fail(failure, "%s: there is no element %lld of %lld",
                        node->label, (long long)index, (long long)dim);
            if (index < 0) index += dim;
            memcpy(to,
                    (const uint8_t *)x->data
                            + (size_t)(i * dim + index) * inner,
                    inner);
            to += inner;
        }
    return true;
}

bool fold_compute(const struct graph *graph, const struct graph_node *node,
        struct graph_tensor *result, struct failure *failure)
{
    for (int i = 0; i < node->input_count; i++)
        if (node->inputs[i] != graph_none
                && !graph_tensor_read(
                        &graph->tensors[node->inputs[i]], failure))
            return false;
    const struct graph_tensor *x = &graph->tensors[node->inputs[0]];
    /* Nothing to compute, in however many empty lines. */
    if (graph_shape_count(&result->shape) == 0) return true;
    if (fold_is_math(node->op)) return fold_math(graph, node, result, failure);
    switch (node->op) {
    case graph_op_reshape:
        memcpy(result->data, x->data, graph_tensor_size(result));
        return true;
    case graph_op_concat:
        fold_concat(graph, node, result);
        return true;
    case graph_op_gather:
        return fold_gather(graph, node, result, failure);
    case graph_op_scatter:
        return fold_scatter(graph, node, result, failure);
    default:
        fold_view(node, x, result);
        return true;
    }
}
