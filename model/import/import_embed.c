/* SPDX-License-Identifier: Apache-2.0 */
/* EmbedLayerNormalization and RotaryEmbedding. */
#include "model/import/import_attention.h"

/* ---- Rows of tables ------------------------------------------------------ */

static int rows_of(struct import *im, size_t table, size_t indices)
{
    const struct import_step step = {
            .op = "Gather",
            .inputs = {import_input(im, table), import_input(im, indices)},
            .input_count = 2,
    };
    return import_emit_step(im, &step, import_between);
}

/* Rows of the table of positions: those that an input names, or the first. */
static int emit_positions(struct import *im, int64_t length)
{
    const int table = import_input(im, 3);
    if (import_has_input(im, 8)) return rows_of(im, 3, 8);
    if (import_tensor(im, table)->shape.dims[0] >= length)
        return import_emit_part(im, table, 0, 0, length);
    (void)import_fail(im, "%lld positions for a length of %lld",
            (long long)import_tensor(im, table)->shape.dims[0],
            (long long)length);
    return graph_none;
}

/* How many elements of each row of the mask are 1; without a mask 0. */
static bool emit_mask_lengths(struct import *im, int64_t batch)
{
    if (!import_has_output(im, 1)) return true;
    const struct graph_shape row = {.ndims = 1, .dims = {batch}};
    struct graph_shape sums = {.ndims = 2, .dims = {batch, 1}};
    int x = import_emit_number(im, graph_type_i32, 0.0);
    struct graph_node expand = {
            .op = graph_op_expand, .input_count = 1, .inputs = &x};
    if (x == graph_none) return false;
    if (!import_has_input(im, 7))
        return import_emit(im, &expand, graph_type_i32, &row, 1) != graph_none;
    const int one = import_emit_number(im, graph_type_i32, 1.0);
    x = import_emit_binary(
            im, graph_op_equal, import_input(im, 7), one, import_between);
    x = import_emit_cast(im, x, graph_type_i32, import_between);
    struct graph_node sum = {.op = graph_op_reduce_sum,
            .input_count = 1,
            .inputs = &x,
            .u.axes = {false, true}};
    if (x == graph_none) return false;
    x = import_emit(im, &sum, graph_type_i32, &sums, import_between);
    return import_emit_reshape(im, x, &row, 1) != graph_none;
}

static bool check_embedding(struct import *im, const struct graph_shape *ids)
{
    int64_t size = 0;
    if (ids->ndims != 2)
        return import_fail(im, "%d dimensions of input 0", ids->ndims);
    for (size_t i = 2; i < 5; i++) {
        if (!import_has_input(im, i)) continue;
        const struct graph_tensor *t = import_tensor(im, import_input(im, i));
        if (t->shape.ndims != 2 || t->type != graph_type_f32
                || (size != 0 && t->shape.dims[1] != size))
            return import_fail(im, "input %zu is no table of such rows", i);
        size = t->shape.dims[1];
    }
    const struct graph_shape row = {.ndims = 1, .dims = {size}};
    for (size_t i = 5; i < 7; i++)
        if (import_tensor(im, import_input(im, i))->type != graph_type_f32
                || !import_check_shape(im, i, &row))
            return import_fail(im, "input %zu is not one row of f32", i);
    for (size_t i = 0; i < 9; i += i == 1 ? 6 : 1)
        if (import_has_input(im, i)
                && import_tensor(im, import_input(im, i))->type
                           != graph_type_i32)
            return import_fail(im, "input %zu is not of type i32", i);
    return import_has_input(im, 1) == import_has_input(im, 4)
           || import_fail(im, "inputs 1 and 4 belong together");
}

/* ids, segments, tables of words, positions and segments, scale, shift, mask,
 * positions */
bool import_embed_norm(struct import *im, enum graph_op op)
{
    struct graph_node node = {.op = op, .input_count = 3};
    float epsilon = 1e-12F;
    if (!import_check_inputs(im, 1, 9)) return false;
    for (size_t i = 2; i < 7; i++)
        if (i != 4 && !import_has_input(im, i))
            return import_fail(im, "input %zu is missing", i);
    const struct graph_shape ids =
            import_tensor(im, import_input(im, 0))->shape;
    struct graph_shape one_row = ids;
    one_row.dims[0] = 1;
    if (!import_float(im, "epsilon", &epsilon) || !check_embedding(im, &ids)
            || !import_check_shape(im, 1, &ids)
            || !import_check_shape(im, 7, &ids))
        return false;
    if (import_has_input(im, 8)
            && !graph_shape_equal(
                    &import_tensor(im, import_input(im, 8))->shape, &one_row)
            && !import_check_shape(im, 8, &ids))
        return false;
    const bool has_segments = import_has_input(im, 1);
    int sum = rows_of(im, 2, 0);
    const int positions = emit_positions(im, ids.dims[1]);
    sum = import_emit_binary(im, graph_op_add, sum, positions,
            has_segments ? import_between : 2);
    if (has_segments)
        sum = import_emit_binary(im, graph_op_add, sum, rows_of(im, 4, 1), 2);
    if (sum == graph_none) return false;
    int inputs[3] = {sum, import_input(im, 5), import_input(im, 6)};
    const struct graph_shape shape = import_tensor(im, sum)->shape;
    node.inputs = inputs;
    node.u.layer_norm.epsilon = epsilon;
    node.u.layer_norm.axis = 2;
    return import_emit(im, &node, graph_type_f32, &shape, 0) != graph_none
           && emit_mask_lengths(im, ids.dims[0]);
}
