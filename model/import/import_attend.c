/* SPDX-License-Identifier: Apache-2.0 */
/* The steps that all operators that attend become. */
#include "model/import/import_attention.h"

#include <stdlib.h>

static const int turn_heads[graph_max_ndims] = {0, 2, 1, 3};
static const int turn_matrix[graph_max_ndims] = {0, 1, 3, 2};

int import_emit_part(
        struct import *im, int x, int axis, int64_t start, int64_t count)
{
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(im, x)->shape;
    if (start == 0 && count == shape.dims[axis]) return x;
    for (int d = 0; d < shape.ndims; d++)
        node.u.slice.steps[d] = 1;
    node.u.slice.starts[axis] = start;
    shape.dims[axis] = count;
    return import_emit(
            im, &node, import_tensor(im, x)->type, &shape, import_between);
}

int import_emit_joined(struct import *im, int a, int b, int axis, int output)
{
    int parts[2] = {a, b};
    struct graph_node node = {
            .op = graph_op_concat,
            .input_count = 2,
            .inputs = parts,
            .u.axis = axis,
    };
    if (a == graph_none || b == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(im, b)->shape;
    if (a == import_absent
            || graph_shape_count(&import_tensor(im, a)->shape) == 0)
        return import_emit_reshape(im, b, &shape, output);
    shape.dims[axis] += import_tensor(im, a)->shape.dims[axis];
    return import_emit(im, &node, import_tensor(im, b)->type, &shape, output);
}

int import_emit_heads(struct import *im, int x, int64_t heads)
{
    if (x == graph_none) return graph_none;
    const struct graph_shape shape = import_tensor(im, x)->shape;
    const struct graph_shape apart = {.ndims = 4,
            .dims = {shape.dims[0], shape.dims[1], heads,
                    shape.dims[2] / heads}};
    x = import_emit_reshape(im, x, &apart, import_between);
    return import_emit_transpose(im, x, turn_heads, import_between);
}

int import_emit_merged(struct import *im, int x, int output)
{
    x = import_emit_transpose(im, x, turn_heads, import_between);
    if (x == graph_none) return graph_none;
    const struct graph_shape shape = import_tensor(im, x)->shape;
    const struct graph_shape merged = {.ndims = 3,
            .dims = {shape.dims[0], shape.dims[1],
                    shape.dims[2] * shape.dims[3]}};
    return import_emit_reshape(im, x, &merged, output);
}

int import_emit_view(struct import *im, const struct attention_view *view)
{
    const struct graph_shape shape = {
            .ndims = 2, .dims = {view->length, view->keys}};
    if (!graph_shape_fits(&shape, 1)) {
        (void)import_fail(im, "attends from %lld to %lld elements",
                (long long)view->length, (long long)view->keys);
        return graph_none;
    }
    if (!import_charge(im, (uint64_t)graph_shape_count(&shape) * sizeof(float)))
        return graph_none;
    float *data = malloc((size_t)graph_shape_count(&shape) * sizeof *data);
    if (data == NULL) {
        (void)fail_out_of_memory(im->failure);
        return graph_none;
    }
    for (int64_t i = 0; i < view->length; i++)
        for (int64_t j = 0; j < view->keys; j++) {
            const int64_t last = i + view->before;
            data[i * view->keys + j] = j <= last ? 0.0F : view->hidden;
        }
    return import_emit_constant(
            im, graph_type_f32, &shape, data, false, import_between);
}

/* ---- Scores -------------------------------------------------------------- */

static int scaled(struct import *im, int x, float factor)
{
    if (factor == 1.0F) return x;
    return import_emit_binary(im, graph_op_mul, x,
            import_emit_scalar(im, factor), import_between);
}

/* cap * tanh(x / cap) */
static int capped(struct import *im, int x, float cap)
{
    if (cap <= 0.0F) return x;
    x = import_emit_unary(
            im, graph_op_tanh, scaled(im, x, 1.0F / cap), import_between);
    return scaled(im, x, cap);
}

/* Heads that share keys are rows of one matrix. */
static struct graph_shape shared_rows(
        const struct import *im, const struct attention *a)
{
    struct graph_shape shape = import_tensor(im, a->q)->shape;
    const int64_t heads = import_tensor(im, a->k)->shape.dims[1];
    shape.dims[2] = shape.dims[1] / heads * shape.dims[2];
    shape.dims[1] = heads;
    return shape;
}

static int emit_softmax(
        struct import *im, int x, const struct graph_shape *shape)
{
    struct graph_node node = {.op = graph_op_softmax,
            .input_count = 1,
            .inputs = &x,
            .u.axis = 3};
    if (x == graph_none) return graph_none;
    if (!graph_shape_equal(&import_tensor(im, x)->shape, shape)) {
        (void)import_fail(im, "a mask is larger than the scores");
        return graph_none;
    }
    return import_emit(im, &node, graph_type_f32, shape, import_between);
}

bool import_emit_scores(
        struct import *im, const struct attention *a, int scores[4])
{
    if (a->q == graph_none || a->k == graph_none || a->mask == graph_none)
        return false;
    const struct graph_shape rows = shared_rows(im, a);
    struct graph_shape shape = import_tensor(im, a->q)->shape;
    shape.dims[3] = import_tensor(im, a->k)->shape.dims[2];
    const int k = import_emit_transpose(im, a->k, turn_matrix, import_between);
    int x = import_emit_reshape(im, a->q, &rows, import_between);
    x = import_emit_matmul(im, x, k, import_between);
    x = import_emit_reshape(im, x, &shape, import_between);
    x = scores[attention_scaled] = scaled(im, x, a->scale);
    x = scores[attention_capped] = capped(im, x, a->cap);
    if (a->mask != import_absent)
        x = import_emit_binary(im, graph_op_add, x, a->mask, import_between);
    scores[attention_masked] = x;
    scores[attention_softmax] = emit_softmax(im, x, &shape);
    return scores[attention_softmax] != graph_none;
}

int import_emit_weighted(
        struct import *im, const struct attention *a, int scores, int output)
{
    if (a->v == graph_none || scores == graph_none) return graph_none;
    struct graph_shape rows = shared_rows(im, a);
    struct graph_shape out = import_tensor(im, a->q)->shape;
    const struct graph_shape v = import_tensor(im, a->v)->shape;
    rows.dims[3] = v.dims[2];
    out.dims[3] = v.dims[3];
    int x = import_emit_reshape(im, scores, &rows, import_between);
    x = import_emit_matmul(im, x, a->v, import_between);
    return import_emit_reshape(im, x, &out, output);
}

int import_emit_attention(
        struct import *im, const struct attention *a, int output)
{
    int scores[4];
    return import_emit_scores(im, a, scores) ? import_emit_weighted(
                   im, a, scores[attention_softmax], output)
                                             : graph_none;
}
