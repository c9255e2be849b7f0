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

/* ---- Turned by positions ------------------------------------------------- */

/* What turns pairs of numbers: x [batch, heads, length, size], of which the
 * first `turned` of each size turn by angles [batch or 1, 1, length, turned /
 * 2] of which cos and sin are given. Pairs are neighbours, or a half apart. */
struct rotation {
    int x, cos, sin;
    int64_t turned;
    bool is_interleaved;
};

/* The first or the second of each pair: [..., turned / 2] or, of neighbours,
 * [..., turned / 2, 1]. */
static int half_of(struct import *im, const struct rotation *r, int i)
{
    int x = import_emit_part(im, r->x, 3, 0, r->turned);
    if (x == graph_none) return graph_none;
    if (!r->is_interleaved)
        return import_emit_part(
                im, x, 3, i == 0 ? 0 : r->turned / 2, r->turned / 2);
    struct graph_shape pairs = import_tensor(im, x)->shape;
    pairs.ndims = 5;
    pairs.dims[3] = r->turned / 2;
    pairs.dims[4] = 2;
    x = import_emit_reshape(im, x, &pairs, import_between);
    x = import_emit_part(im, x, 4, i, 1);
    pairs.ndims = 4;
    return import_emit_reshape(im, x, &pairs, import_between);
}

/* a * b + c * d, or less that. */
static int turned_by(struct import *im, int a, int b, int c, int d, bool less)
{
    const int first =
            import_emit_binary(im, graph_op_mul, a, b, import_between);
    const int second =
            import_emit_binary(im, graph_op_mul, c, d, import_between);
    return import_emit_binary(im, less ? graph_op_sub : graph_op_add, first,
            second, import_between);
}

static int emit_rotation(struct import *im, const struct rotation *r)
{
    if (r->x == graph_none) return graph_none;
    const struct graph_shape shape = import_tensor(im, r->x)->shape;
    const int a = half_of(im, r, 0);
    const int b = half_of(im, r, 1);
    int y[2] = {turned_by(im, a, r->cos, b, r->sin, true),
            turned_by(im, b, r->cos, a, r->sin, false)};
    if (y[0] == graph_none || y[1] == graph_none) return graph_none;
    struct graph_shape whole = shape, pairs = import_tensor(im, y[0])->shape;
    whole.dims[3] = r->turned;
    if (r->is_interleaved) {
        pairs.ndims = 5;
        pairs.dims[4] = 1;
        for (int i = 0; i < 2; i++)
            y[i] = import_emit_reshape(im, y[i], &pairs, import_between);
    }
    int x = import_emit_joined(
            im, y[0], y[1], r->is_interleaved ? 4 : 3, import_between);
    x = import_emit_reshape(im, x, &whole, import_between);
    if (r->turned == shape.dims[3]) return x;
    return import_emit_joined(im, x,
            import_emit_part(im, r->x, 3, r->turned, shape.dims[3] - r->turned),
            3, import_between);
}

/* Rows of a table of angles for each place: as many as an input names, or those
 * from the one that it names on; as [batch or 1, 1, length, turned / 2]. */
static int angles(struct import *im, size_t table, int64_t length)
{
    const struct graph_shape ids =
            import_tensor(im, import_input(im, 1))->shape;
    int places = import_input(im, 1);
    if (graph_shape_count(&ids) == 1 && length != 1) {
        const struct graph_shape one = {.ndims = 1, .dims = {1}};
        places = import_emit_reshape(im, places, &one, import_between);
        places = import_emit_binary(im, graph_op_add,
                import_emit_count(im, length), places, import_between);
    }
    const struct import_step step = {
            .op = "Gather",
            .inputs = {import_input(im, table), places},
            .input_count = 2,
    };
    const int rows = import_emit_step(im, &step, import_between);
    if (rows == graph_none) return graph_none;
    const struct graph_shape *s = &import_tensor(im, rows)->shape;
    const int64_t size = s->dims[s->ndims - 1];
    const struct graph_shape wide = {.ndims = 4,
            .dims = {graph_shape_count(s) / (length * size), 1, length, size}};
    return import_emit_reshape(im, rows, &wide, import_between);
}

struct rotary {
    int64_t heads, turned;
    bool is_interleaved, is_packed;
    float scale;
    struct graph_shape shape;
    int64_t length;
};

static bool read_rotary(struct import *im, struct rotary *r)
{
    if (!import_int(im, "num_heads", &r->heads)
            || !import_int(im, "rotary_embedding_dim", &r->turned)
            || !import_flag(im, "interleaved", &r->is_interleaved)
            || !import_flag(im, "is_packed_batching", &r->is_packed)
            || !import_float(im, "scale", &r->scale))
        return false;
    if (r->is_packed || r->scale != 1.0F)
        return import_fail(im,
                "attributes is_packed_batching and scale are not supported");
    const struct graph_shape *s =
            &import_tensor(im, import_input(im, 0))->shape;
    r->shape = *s;
    if (s->ndims != 3 && s->ndims != 4)
        return import_fail(im, "%d dimensions of input 0", s->ndims);
    r->length = s->dims[s->ndims - 2];
    if (r->length < 1) return import_fail(im, "input 0 has no elements");
    const struct graph_tensor *cos = import_tensor(im, import_input(im, 2));
    if (cos->shape.ndims != 2 || cos->shape.dims[1] < 1
            || !import_check_shape(im, 3, &cos->shape))
        return import_fail(im, "input 2 is no table like input 3");
    if (r->turned == 0) r->turned = 2 * cos->shape.dims[1];
    if (s->ndims == 4) {
        r->heads = s->dims[1];
    } else if (r->heads == 0) {
        if (s->dims[2] % (2 * cos->shape.dims[1]) != 0)
            return import_fail(im, "attribute num_heads is 0");
        r->heads = s->dims[2] / (2 * cos->shape.dims[1]);
    }
    if (r->heads < 1 || (s->ndims == 3 && s->dims[2] % r->heads != 0))
        return import_fail(
                im, "attribute num_heads is %lld", (long long)r->heads);
    const int64_t size = s->ndims == 4 ? s->dims[3] : s->dims[2] / r->heads;
    return (r->turned == 2 * cos->shape.dims[1] && r->turned <= size)
           || import_fail(im, "attribute rotary_embedding_dim is %lld",
                   (long long)r->turned);
}

bool import_rotary(struct import *im, enum graph_op op)
{
    struct rotary r = {.scale = 1.0F};
    (void)op;
    if (!import_check_inputs(im, 4, 4)) return false;
    const struct graph_tensor *ids = import_tensor(im, import_input(im, 1));
    if (ids->type != graph_type_i64)
        return import_fail(im, "input 1 is not of type i64");
    const struct graph_shape all = ids->shape;
    if (!read_rotary(im, &r)) return false;
    const struct graph_shape each = {
            .ndims = 2, .dims = {r.shape.dims[0], r.length}};
    if (graph_shape_count(&all) != 1 && !import_check_shape(im, 1, &each))
        return false;
    for (size_t i = 2; i < 4; i++)
        if (import_tensor(im, import_input(im, i))->type != graph_type_f32)
            return import_fail(im, "input %zu is not of type f32", i);
    const int x = import_input(im, 0);
    const struct rotation rotation = {
            .x = r.shape.ndims == 4 ? x : import_emit_heads(im, x, r.heads),
            .cos = angles(im, 2, r.length),
            .sin = angles(im, 3, r.length),
            .turned = r.turned,
            .is_interleaved = r.is_interleaved,
    };
    if (rotation.cos == graph_none || rotation.sin == graph_none) return false;
    const int y = emit_rotation(im, &rotation);
    if (y == graph_none) return false;
    return (r.shape.ndims == 4 ? import_alias(im, y, 0)
                               : import_emit_merged(im, y, 0) != graph_none);
}
