/* SPDX-License-Identifier: Apache-2.0 */
/* GatherND: dimensions that one index has a number for become one dimension. */
#include "model/import/import_picks.h"

bool import_read_picks(struct import *im, int64_t batch, struct picks *p)
{
    const struct graph_tensor *indices = import_tensor(im, import_input(im, 1));
    p->x = import_tensor(im, import_input(im, 0))->shape;
    p->indices = indices->shape;
    if (indices->type != graph_type_i64)
        return import_fail(
                im, "indices of type %s", graph_type_name(indices->type));
    if (p->indices.ndims < 1 || batch < 0 || batch >= p->indices.ndims
            || batch >= p->x.ndims)
        return import_fail(im, "batch_dims of %lld for %d and %d dimensions",
                (long long)batch, p->x.ndims, p->indices.ndims);
    const int64_t depth = p->indices.dims[p->indices.ndims - 1];
    if (depth < 1 || depth > p->x.ndims - batch)
        return import_fail(im, "indices of %lld numbers for %lld dimensions",
                (long long)depth, (long long)(p->x.ndims - batch));
    p->batch = (int)batch;
    p->depth = (int)depth;
    p->places = p->indices;
    p->places.ndims--;
    for (int d = 0; d < p->batch; d++)
        if (p->x.dims[d] != p->indices.dims[d])
            return import_fail(im, "indices of %lld in dimension %d of %lld",
                    (long long)p->indices.dims[d], d, (long long)p->x.dims[d]);
    return true;
}

/* Of all indices, the number for one dimension, counted from its begin. */
static int emit_number_of(struct import *im, const struct picks *p, int j)
{
    int indices = import_input(im, 1);
    const int last = p->indices.ndims - 1;
    const int64_t dim = p->x.dims[p->batch + j];
    struct graph_shape part = p->indices;
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &indices};
    for (int d = 0; d <= last; d++)
        node.u.slice.steps[d] = 1;
    node.u.slice.starts[last] = j;
    part.dims[last] = 1;
    int numbers = indices;
    if (p->depth > 1)
        numbers = import_emit(im, &node, graph_type_i64, &part, import_between);
    numbers = import_emit_reshape(im, numbers, &p->places, import_between);
    if (numbers == graph_none || !import_check_indices(im, numbers, dim))
        return graph_none;
    const int zero = import_emit_number(im, graph_type_i64, 0.0);
    const int all = import_emit_number(im, graph_type_i64, (double)dim);
    const int is_negative = import_emit_binary(
            im, graph_op_less, numbers, zero, import_between);
    const int from_end =
            import_emit_binary(im, graph_op_add, numbers, all, import_between);
    return import_emit_where(
            im, is_negative, from_end, numbers, import_between);
}

/* Where a number is beyond its dimension, or any before it was. */
static int emit_wrong(struct import *im, int before, int numbers, int64_t dim)
{
    const int zero = import_emit_number(im, graph_type_i64, 0.0);
    const int all = import_emit_number(im, graph_type_i64, (double)dim);
    const int below = import_emit_binary(
            im, graph_op_less, numbers, zero, import_between);
    const int beyond = import_emit_binary(
            im, graph_op_greater_or_equal, numbers, all, import_between);
    const int wrong =
            import_emit_binary(im, graph_op_or, below, beyond, import_between);
    if (before == graph_none) return wrong;
    return import_emit_binary(im, graph_op_or, before, wrong, import_between);
}

/* Which of the batches a place is of. */
static int emit_batch(struct import *im, const struct picks *p)
{
    struct graph_shape shape = p->places;
    int64_t batches = 1;
    for (int d = 0; d < shape.ndims; d++) {
        if (d < p->batch)
            batches *= shape.dims[d];
        else
            shape.dims[d] = 1;
    }
    return import_emit_reshape(
            im, import_emit_count(im, batches), &shape, import_between);
}

int import_emit_picks(struct import *im, const struct picks *p, int64_t count)
{
    int sum = p->batch > 0 ? emit_batch(im, p) : graph_none;
    int wrong = graph_none;
    if (p->batch > 0 && sum == graph_none) return graph_none;
    for (int j = 0; j < p->depth; j++) {
        const int64_t dim = p->x.dims[p->batch + j];
        const int numbers = emit_number_of(im, p, j);
        if (numbers == graph_none) return graph_none;
        if (import_tensor(im, numbers)->data == NULL)
            wrong = emit_wrong(im, wrong, numbers, dim);
        if (sum == graph_none) {
            sum = numbers;
            continue;
        }
        const int all = import_emit_number(im, graph_type_i64, (double)dim);
        sum = import_emit_binary(im, graph_op_mul, sum, all, import_between);
        sum = import_emit_binary(
                im, graph_op_add, sum, numbers, import_between);
        if (sum == graph_none) return graph_none;
    }
    if (wrong == graph_none) return sum;
    const int none = import_emit_number(im, graph_type_i64, (double)count);
    return import_emit_where(im, wrong, none, sum, import_between);
}

bool import_gather_nd(struct import *im, enum graph_op op)
{
    struct picks p;
    struct graph_node node = {.op = op, .input_count = 2};
    int64_t batch = 0;
    if (!import_check_inputs(im, 2, 2) || !import_int(im, "batch_dims", &batch)
            || !import_read_picks(im, batch, &p))
        return false;
    const enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    struct graph_shape flat = {.ndims = 1, .dims = {1}};
    struct graph_shape out = p.places;
    for (int d = 0; d < p.x.ndims; d++) {
        if (d < p.batch + p.depth) {
            flat.dims[0] *= p.x.dims[d];
            continue;
        }
        if (out.ndims == graph_max_ndims)
            return import_fail(
                    im, "more than %d dimensions", (int)graph_max_ndims);
        flat.dims[flat.ndims++] = p.x.dims[d];
        out.dims[out.ndims++] = p.x.dims[d];
    }
    int inputs[2] = {
            import_emit_reshape(im, import_input(im, 0), &flat, import_between),
            import_emit_picks(im, &p, flat.dims[0])};
    node.inputs = inputs;
    return inputs[0] != graph_none && inputs[1] != graph_none
           && import_emit(im, &node, type, &out, 0) != graph_none;
}
