/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of numbers that are turned by positions. */
#include "model/import/import_attention.h"

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

int import_emit_rotation(struct import *im, const struct rotation *r)
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

/* Rows of a table as [batch or 1, 1, length, turned / 2]. */
static int as_angles(struct import *im, int rows, int64_t length)
{
    if (rows == graph_none) return graph_none;
    const struct graph_shape *s = &import_tensor(im, rows)->shape;
    const int64_t size = s->dims[s->ndims - 1];
    const struct graph_shape wide = {.ndims = 4,
            .dims = {graph_shape_count(s) / (length * size), 1, length, size}};
    return import_emit_reshape(im, rows, &wide, import_between);
}

int import_emit_angles(struct import *im, int table, int places, int64_t length)
{
    const struct import_step step = {
            .op = "Gather",
            .inputs = {table, places},
            .input_count = 2,
    };
    return as_angles(im, import_emit_step(im, &step, import_between), length);
}

/* For each place: as many as an input names, or those from the one that it
 * names on. */
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
    return import_emit_angles(im, import_input(im, table), places, length);
}

struct rotary {
    int64_t heads, turned;
    bool is_interleaved, is_packed;
    float scale;
    struct graph_shape shape;
    int64_t length;
    int table_ndims; /* 2: rows for places; 3: those of each element */
};

/* The tables are inputs `cos` and the next. */
static bool read_rotary(struct import *im, struct rotary *r, size_t cos_input)
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
    const struct graph_shape cos =
            import_tensor(im, import_input(im, cos_input))->shape;
    const int64_t half = cos.ndims < 2 ? 0 : cos.dims[cos.ndims - 1];
    if (cos.ndims != r->table_ndims || half < 1
            || !import_check_shape(im, cos_input + 1, &cos))
        return import_fail(im, "input %zu is no table like input %zu",
                cos_input, cos_input + 1);
    if (r->turned == 0) r->turned = 2 * half;
    if (s->ndims == 4) {
        r->heads = s->dims[1];
    } else if (r->heads == 0) {
        if (s->dims[2] % (2 * half) != 0)
            return import_fail(im, "attribute num_heads is 0");
        r->heads = s->dims[2] / (2 * half);
    }
    if (r->heads < 1 || (s->ndims == 3 && s->dims[2] % r->heads != 0))
        return import_fail(
                im, "attribute num_heads is %lld", (long long)r->heads);
    const int64_t size = s->ndims == 4 ? s->dims[3] : s->dims[2] / r->heads;
    return (r->turned == 2 * half && r->turned <= size)
           || import_fail(im, "attribute rotary_embedding_dim is %lld",
                   (long long)r->turned);
}

static bool emit_turned(
        struct import *im, const struct rotary *r, int cos, int sin)
{
    const int x = import_input(im, 0);
    const bool has_heads = r->shape.ndims == 4;
    const struct rotation rotation = {
            .x = has_heads ? x : import_emit_heads(im, x, r->heads),
            .cos = cos,
            .sin = sin,
            .turned = r->turned,
            .is_interleaved = r->is_interleaved,
    };
    if (cos == graph_none || sin == graph_none) return false;
    const int y = import_emit_rotation(im, &rotation);
    if (y == graph_none) return false;
    return has_heads ? import_alias(im, y, 0)
                     : import_emit_merged(im, y, 0) != graph_none;
}

static bool check_floats(struct import *im, size_t cos_input)
{
    for (size_t i = cos_input; i < cos_input + 2; i++)
        if (import_tensor(im, import_input(im, i))->type != graph_type_f32)
            return import_fail(im, "input %zu is not of type f32", i);
    return true;
}

bool import_rotary(struct import *im, enum graph_op op)
{
    struct rotary r = {.scale = 1.0F, .table_ndims = 2};
    (void)op;
    if (!import_check_inputs(im, 4, 4)) return false;
    const struct graph_tensor *ids = import_tensor(im, import_input(im, 1));
    if (ids->type != graph_type_i64)
        return import_fail(im, "input 1 is not of type i64");
    const struct graph_shape all = ids->shape;
    if (!read_rotary(im, &r, 2)) return false;
    const struct graph_shape each = {
            .ndims = 2, .dims = {r.shape.dims[0], r.length}};
    if (graph_shape_count(&all) != 1 && !import_check_shape(im, 1, &each))
        return false;
    return check_floats(im, 2)
           && emit_turned(
                   im, &r, angles(im, 2, r.length), angles(im, 3, r.length));
}

/* The same of the standard domain, where places may be left out: then there is
 * a row for each element. */
bool import_rotary_embedding(struct import *im, enum graph_op op)
{
    const bool has_places = import_has_input(im, 3);
    struct rotary r = {.scale = 1.0F, .table_ndims = has_places ? 2 : 3};
    (void)op;
    if (!import_check_inputs(im, 3, 4) || !check_floats(im, 1)
            || !read_rotary(im, &r, 1))
        return false;
    const struct graph_shape rows = {.ndims = has_places ? 2 : 3,
            .dims = {r.shape.dims[0], r.length, r.turned / 2}};
    if (!import_check_shape(im, has_places ? 3 : 1, &rows)) return false;
    int turns[2];
    for (size_t i = 0; i < 2; i++) {
        const int table = import_input(im, 1 + i);
        turns[i] = has_places ? import_emit_angles(
                           im, table, import_input(im, 3), r.length)
                              : as_angles(im, table, r.length);
    }
    return emit_turned(im, &r, turns[0], turns[1]);
}
