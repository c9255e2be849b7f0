/* SPDX-License-Identifier: Apache-2.0 */
/* Elements elsewhere: turned, repeated, joined, picked, padded. */
#include "model/graph/fold_parts.h"
#include "model/import/import.h"

#include <stdlib.h>
#include <string.h>

/* ---- Transpose ----------------------------------------------------------- */

static bool read_perm(struct import *im, int ndims, int perm[graph_max_ndims])
{
    int64_t given[graph_max_ndims];
    int count = ndims;
    for (int d = 0; d < ndims; d++)
        given[d] = ndims - 1 - d;
    if (!import_ints(im, "perm", given, graph_max_ndims, &count)) return false;
    if (count != ndims)
        return import_fail(
                im, "perm of %d numbers for %d dimensions", count, ndims);
    return import_distinct_axes(im, given, count, ndims, perm);
}

/* True if elements stay in order: only dimensions of 1 change their places. */
static bool keeps_order(const struct graph_shape *x, const int *perm)
{
    int last = graph_none;
    for (int d = 0; d < x->ndims; d++) {
        if (x->dims[perm[d]] == 1) continue;
        if (perm[d] < last) return false;
        last = perm[d];
    }
    return true;
}

int import_emit_transpose(
        struct import *im, int x, const int perm[graph_max_ndims], int output)
{
    struct graph_node node = {
            .op = graph_op_transpose, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    const struct graph_shape from = import_tensor(im, x)->shape;
    struct graph_shape out = from;
    for (int d = 0; d < from.ndims; d++) {
        node.u.perm[d] = perm[d];
        out.dims[d] = from.dims[perm[d]];
    }
    if (keeps_order(&from, perm))
        return import_emit_reshape(im, x, &out, output);
    return import_emit(im, &node, import_tensor(im, x)->type, &out, output);
}

bool import_transpose(struct import *im, enum graph_op op)
{
    int perm[graph_max_ndims];
    (void)op;
    if (!import_check_inputs(im, 1, 1)) return false;
    const int x = import_input(im, 0);
    return read_perm(im, import_tensor(im, x)->shape.ndims, perm)
           && import_emit_transpose(im, x, perm, 0) != graph_none;
}

/* ---- Repeated ------------------------------------------------------------ */

static bool emit_repeated(
        struct import *im, enum graph_op op, const struct graph_shape *out)
{
    int x = import_input(im, 0);
    const struct graph_tensor *t = import_tensor(im, x);
    struct graph_node node = {.op = op, .input_count = 1, .inputs = &x};
    if (graph_shape_equal(&t->shape, out)) return import_alias(im, x, 0);
    return import_emit(im, &node, t->type, out, 0) != graph_none;
}

bool import_expand(struct import *im, enum graph_op op)
{
    struct graph_shape wanted = {0};
    struct graph_shape out;
    if (!import_check_inputs(im, 2, 2)
            || !import_constant_ints(
                    im, 1, wanted.dims, graph_max_ndims, &wanted.ndims)
            || !import_broadcast(im,
                    &import_tensor(im, import_input(im, 0))->shape, &wanted,
                    &out))
        return false;
    return emit_repeated(im, op, &out);
}

/* How often in each dimension: operator set 1 repeated one axis, and had both
 * numbers as inputs. */
static bool read_repeats(
        struct import *im, int ndims, int64_t repeats[graph_max_ndims])
{
    int count;
    if (!import_has_input(im, 2)) {
        if (!import_constant_ints(im, 1, repeats, graph_max_ndims, &count))
            return false;
        return count == ndims
               || import_fail(im, "%d repeats for %d dimensions", count, ndims);
    }
    int64_t tiles;
    int64_t given;
    int axis = 0;
    if (!import_constant_ints(im, 1, &tiles, 1, &count)
            || (count != 1 && !import_fail(im, "no tiles"))
            || !import_constant_ints(im, 2, &given, 1, &count)
            || (count != 1 && !import_fail(im, "no axis"))
            || !import_axis(im, given, ndims, &axis))
        return false;
    for (int d = 0; d < ndims; d++)
        repeats[d] = d == axis ? tiles : 1;
    return true;
}

bool import_tile(struct import *im, enum graph_op op)
{
    int64_t repeats[graph_max_ndims];
    if (!import_check_inputs(im, 2, 3)) return false;
    struct graph_shape out = import_tensor(im, import_input(im, 0))->shape;
    if (!read_repeats(im, out.ndims, repeats)) return false;
    for (int d = 0; d < out.ndims; d++) {
        if (repeats[d] < 0
                || (out.dims[d] != 0 && repeats[d] > INT64_MAX / out.dims[d]))
            return import_fail(
                    im, "repeated %lld times", (long long)repeats[d]);
        out.dims[d] *= repeats[d];
    }
    return emit_repeated(im, op, &out);
}

/* ---- Joined -------------------------------------------------------------- */

/* The sum of the dimensions along the axis, which others must not differ in. */
static bool concat_shape(struct import *im, int axis, struct graph_shape *out)
{
    for (size_t i = 1; i < im->node->n_input; i++) {
        const struct graph_shape *x =
                &import_tensor(im, import_input(im, i))->shape;
        bool fits = x->ndims == out->ndims;
        for (int d = 0; fits && d < out->ndims; d++)
            fits = d == axis || x->dims[d] == out->dims[d];
        if (!fits) {
            char is[graph_shape_text_size];
            char first[graph_shape_text_size];
            graph_shape_text(is, x);
            graph_shape_text(first, out);
            return import_fail(im, "input %zu of %s beside %s along axis %d", i,
                    is, first, axis);
        }
        /* Each is below 2^43, and few enough to be named in a file. */
        out->dims[axis] += x->dims[axis];
        if (!graph_shape_fits(out, 0)) return import_fail(im, "too large");
    }
    return true;
}

static bool emit_concat(struct import *im, enum graph_op op, int axis,
        const struct graph_shape *out, int *inputs)
{
    size_t count = im->node->n_input;
    int kept = 0;
    enum graph_type type = import_tensor(im, import_input(im, 0))->type;
    for (size_t i = 0; i < count; i++) {
        const int x = import_input(im, i);
        if (import_tensor(im, x)->type != type)
            return import_fail(im, "input %zu is of another type", i);
        /* Those without elements add none; one is there in any case. */
        if (graph_shape_count(&import_tensor(im, x)->shape) != 0)
            inputs[kept++] = x;
    }
    if (kept == 0) inputs[kept++] = import_input(im, 0);
    if (kept == 1) return import_emit_reshape(im, inputs[0], out, 0) >= 0;
    struct graph_node node = {
            .op = op,
            .input_count = kept,
            .inputs = inputs,
            .u.axis = axis,
    };
    return import_emit(im, &node, type, out, 0) != graph_none;
}

bool import_concat(struct import *im, enum graph_op op)
{
    size_t count = im->node->n_input;
    int axis = 0;
    if (count == 0 || count > INT32_MAX)
        return import_fail(im, "%zu inputs", count);
    if (!import_check_inputs(im, count, count)) return false;
    struct graph_shape out = import_tensor(im, import_input(im, 0))->shape;
    if (im->opset >= 4 && import_attribute(im, "axis") == NULL)
        return import_fail(im, "no axis is given");
    if (!import_axis_attribute(im, 1, out.ndims, &axis)
            || !concat_shape(im, axis, &out))
        return false;
    if (count == 1) return import_alias(im, import_input(im, 0), 0);
    int *inputs = malloc(count * sizeof *inputs);
    if (inputs == NULL) return fail_out_of_memory(im->failure);
    bool ok = emit_concat(im, op, axis, &out, inputs);
    free(inputs);
    return ok;
}

/* ---- Picked -------------------------------------------------------------- */

/* Those that are known; a device finds out about others. */
bool import_check_indices(struct import *im, int indices, int64_t dim)
{
    const struct graph_tensor *t = import_tensor(im, indices);
    const int64_t count = t->data == NULL ? 0 : graph_shape_count(&t->shape);
    for (int64_t i = 0; i < count; i++) {
        const int64_t index = fold_read_int(t, i);
        if (index < -dim || index >= dim)
            return import_fail(im, "there is no element %lld of %lld",
                    (long long)index, (long long)dim);
    }
    return true;
}

/* One index, known, is a slice: elements beside each other need no table. */
static bool gather_one(struct import *im, int axis, int64_t index,
        const struct graph_shape *out)
{
    int x = import_input(im, 0);
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &x};
    struct graph_shape part = import_tensor(im, x)->shape;
    int64_t dim = part.dims[axis];
    for (int d = 0; d < part.ndims; d++)
        node.u.slice.steps[d] = 1;
    node.u.slice.starts[axis] = index < 0 ? index + dim : index;
    part.dims[axis] = 1;
    int slice = x;
    if (dim != 1)
        slice = import_emit(im, &node, import_tensor(im, x)->type, &part,
                graph_shape_equal(&part, out) ? 0 : import_between);
    return slice != graph_none
           && import_emit_reshape(im, slice, out, 0) != graph_none;
}

bool import_gather(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op};
    if (!import_check_inputs(im, 2, 2)) return false;
    int inputs[2] = {import_input(im, 0), import_input(im, 1)};
    const struct graph_tensor *x = import_tensor(im, inputs[0]);
    const struct graph_tensor *indices = import_tensor(im, inputs[1]);
    enum graph_type type = x->type;
    if (!import_axis_attribute(im, 0, x->shape.ndims, &node.u.axis))
        return false;
    if (indices->type != graph_type_i64 && indices->type != graph_type_i32)
        return import_fail(
                im, "indices of type %s", graph_type_name(indices->type));
    if (x->shape.ndims - 1 + indices->shape.ndims > graph_max_ndims)
        return import_fail(im, "more than %d dimensions", (int)graph_max_ndims);
    struct graph_shape out = {0};
    for (int d = 0; d < node.u.axis; d++)
        out.dims[out.ndims++] = x->shape.dims[d];
    for (int d = 0; d < indices->shape.ndims; d++)
        out.dims[out.ndims++] = indices->shape.dims[d];
    for (int d = node.u.axis + 1; d < x->shape.ndims; d++)
        out.dims[out.ndims++] = x->shape.dims[d];
    if (!import_check_indices(im, inputs[1], x->shape.dims[node.u.axis]))
        return false;
    if (indices->data != NULL && graph_shape_count(&indices->shape) == 1) {
        int64_t index = indices->type == graph_type_i64
                                ? *(const int64_t *)indices->data
                                : *(const int32_t *)indices->data;
        return gather_one(im, node.u.axis, index, &out);
    }
    node.input_count = 2;
    node.inputs = inputs;
    return import_emit(im, &node, type, &out, 0) != graph_none;
}
