/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of the standard domain. */
#include "model/import/import_attention.h"

#include <float.h>
#include <math.h>

/* What hides a key: less than any number of a mask. */
#define HIDDEN (-FLT_MAX)
#define LEAST (-FLT_MAX / 2)

struct layer {
    struct import *im;
    int q, k, v; /* as heads */
    int64_t q_heads, kv_heads;
    int64_t batch, length, past, keys;
    int64_t before, after; /* keys that a query sees; -1: all of them */
    int64_t mode;          /* the scores that are an output */
    float scale, cap;
    bool is_causal, has_heads; /* operands have a dimension of heads */
};

static bool read_attributes(struct layer *l)
{
    struct import *im = l->im;
    l->before = l->after = -1;
    if (!import_int(im, "q_num_heads", &l->q_heads)
            || !import_int(im, "kv_num_heads", &l->kv_heads)
            || !import_int(im, "left_window_size", &l->before)
            || !import_int(im, "right_window_size", &l->after)
            || !import_int(im, "qk_matmul_output_mode", &l->mode)
            || !import_float(im, "scale", &l->scale)
            || !import_float(im, "softcap", &l->cap)
            || !import_flag(im, "is_causal", &l->is_causal))
        return false;
    if (l->before < -1 || l->after < -1 || l->mode < 0 || l->mode > 3)
        return import_fail(im,
                "attributes left_window_size, right_window_size or "
                "qk_matmul_output_mode");
    return true;
}

/* ---- Operands ------------------------------------------------------------ */

static int emit_operand(struct layer *l, size_t input, int64_t *heads)
{
    struct import *im = l->im;
    const int x = import_input(im, input);
    const struct graph_shape s = import_tensor(im, x)->shape;
    if (s.ndims == 4) {
        l->has_heads = true;
        *heads = s.dims[1];
        return x;
    }
    if (s.ndims == 3 && *heads >= 1 && s.dims[2] % *heads == 0)
        return import_emit_heads(im, x, *heads);
    (void)import_fail(
            im, "input %zu is not of %lld heads", input, (long long)*heads);
    return graph_none;
}

/* Keys or values that were there before, with those of now, are outputs. */
static int join_past(struct layer *l, int x, int i)
{
    struct import *im = l->im;
    const size_t input = 4 + (size_t)i;
    int before = import_absent;
    if (x == graph_none) return graph_none;
    if (import_has_input(im, input)) {
        struct graph_shape needed = import_tensor(im, x)->shape;
        before = import_input(im, input);
        const struct graph_shape *past = &import_tensor(im, before)->shape;
        needed.dims[2] = past->ndims == 4 ? past->dims[2] : 0;
        if (!import_check_shape(im, input, &needed)) return graph_none;
        l->past = needed.dims[2];
    }
    return import_emit_joined(im, before, x, 2, 1 + i);
}

static bool read_operands(struct layer *l)
{
    struct import *im = l->im;
    if (import_has_input(im, 4) != import_has_input(im, 5))
        return import_fail(im, "inputs 4 and 5 belong together");
    l->q = emit_operand(l, 0, &l->q_heads);
    l->k = join_past(l, emit_operand(l, 1, &l->kv_heads), 0);
    l->v = join_past(l, emit_operand(l, 2, &l->kv_heads), 1);
    if (l->q == graph_none || l->k == graph_none || l->v == graph_none)
        return false;
    const struct graph_shape q = import_tensor(im, l->q)->shape;
    const struct graph_shape k = import_tensor(im, l->k)->shape;
    struct graph_shape v = import_tensor(im, l->v)->shape;
    l->batch = q.dims[0];
    l->length = q.dims[2];
    l->keys = k.dims[2];
    if (l->scale == 0.0F) l->scale = 1.0F / sqrtf((float)q.dims[3]);
    v.dims[3] = k.dims[3];
    if (graph_shape_equal(&v, &k) && q.dims[0] == k.dims[0]
            && q.dims[3] == k.dims[3] && k.dims[1] >= 1
            && q.dims[1] % k.dims[1] == 0 && graph_shape_count(&q) != 0
            && graph_shape_count(&k) != 0)
        return true;
    return import_fail(im, "queries, keys and values do not go together");
}

/* ---- Masks --------------------------------------------------------------- */

/* 0 where a condition holds. */
static int hidden_unless(struct import *im, int condition)
{
    return import_emit_where(im, condition, import_emit_scalar(im, 0.0F),
            import_emit_scalar(im, HIDDEN), import_between);
}

/* Two masks, either of which may be import_absent. */
static int both(struct import *im, int a, int b)
{
    if (a == import_absent || b == graph_none) return b;
    if (b == import_absent || a == graph_none) return a;
    a = import_emit_binary(im, graph_op_add, a, b, import_between);
    return import_emit_binary(im, graph_op_max, a,
            import_emit_scalar(im, HIDDEN), import_between);
}

/* A mask of numbers, none between what hides a key and others. */
static int bounded(struct import *im, int mask)
{
    const int is_hidden = import_emit_binary(im, graph_op_equal, mask,
            import_emit_scalar(im, -INFINITY), import_between);
    mask = import_emit_binary(im, graph_op_max, mask,
            import_emit_scalar(im, LEAST), import_between);
    return import_emit_where(im, is_hidden, import_emit_scalar(im, HIDDEN),
            mask, import_between);
}

/* Keys that a mask does not reach are hidden. */
static int extended(struct layer *l, int mask)
{
    struct import *im = l->im;
    if (mask == graph_none) return graph_none;
    struct graph_shape rest = import_tensor(im, mask)->shape;
    const int last = rest.ndims - 1;
    if (last < 0 || rest.dims[last] >= l->keys) return mask;
    int inputs[1] = {import_emit_scalar(im, HIDDEN)};
    struct graph_node node = {
            .op = graph_op_expand, .input_count = 1, .inputs = inputs};
    rest.dims[last] = l->keys - rest.dims[last];
    if (inputs[0] == graph_none) return graph_none;
    const int hidden =
            import_emit(im, &node, graph_type_f32, &rest, import_between);
    return import_emit_joined(im, mask, hidden, last, import_between);
}

static int read_mask(struct layer *l)
{
    struct import *im = l->im;
    if (!import_has_input(im, 3)) return import_absent;
    const int mask = import_input(im, 3);
    const struct graph_tensor *t = import_tensor(im, mask);
    if (t->shape.ndims > 4
            || (t->type != graph_type_bool && t->type != graph_type_f32)) {
        (void)import_fail(im, "a mask of type %s and %d dimensions",
                graph_type_name(t->type), t->shape.ndims);
        return graph_none;
    }
    return extended(l, t->type == graph_type_bool ? hidden_unless(im, mask)
                                                  : bounded(im, mask));
}

/* Keys that are there, [batch, 1, 1, 1]; import_absent: all of them. */
static int read_lengths(struct layer *l)
{
    struct import *im = l->im;
    const struct graph_shape each = {.ndims = 1, .dims = {l->batch}};
    const struct graph_shape column = {.ndims = 4, .dims = {l->batch, 1, 1, 1}};
    if (!import_has_input(im, 6)) return import_absent;
    if (import_has_input(im, 4)) {
        (void)import_fail(im, "inputs 4 and 6 exclude each other");
        return graph_none;
    }
    if (!import_check_shape(im, 6, &each)) return graph_none;
    if (import_tensor(im, import_input(im, 6))->type != graph_type_i64) {
        (void)import_fail(im, "input 6 is not of type i64");
        return graph_none;
    }
    return import_emit_reshape(
            im, import_input(im, 6), &column, import_between);
}

/* How far behind a query each key is: the query's place less the key's. */
static int emit_distances(struct import *im, const struct attention_reach *r)
{
    const struct graph_shape column = {.ndims = 2, .dims = {r->length, 1}};
    int queries = import_emit_reshape(
            im, import_emit_count(im, r->length), &column, import_between);
    int first = import_emit_number(im, graph_type_i64, (double)r->past);
    if (r->lengths != import_absent)
        first = import_emit_binary(im, graph_op_sub, r->lengths,
                import_emit_number(im, graph_type_i64, (double)r->length),
                import_between);
    queries = import_emit_binary(
            im, graph_op_add, queries, first, import_between);
    return import_emit_binary(im, graph_op_sub, queries,
            import_emit_count(im, r->keys), import_between);
}

/* Hides keys that are nearer, or not as near, as a bound. */
static int bound(struct import *im, int mask, int distances, enum graph_op op,
        int64_t bound)
{
    const int is_seen = import_emit_binary(im, op, distances,
            import_emit_number(im, graph_type_i64, (double)bound),
            import_between);
    return both(im, mask, hidden_unless(im, is_seen));
}

int import_emit_reach(
        struct import *im, const struct attention_reach *r, int mask)
{
    const struct attention_view view = {.length = r->length,
            .keys = r->keys,
            .before = r->past,
            .hidden = HIDDEN};
    const bool is_moved = r->is_causal && r->lengths != import_absent;
    if (r->is_causal && !is_moved)
        mask = both(im, mask, import_emit_view(im, &view));
    if (mask == graph_none || (!is_moved && r->before < 0 && r->after < 0))
        return mask;
    const int distances = emit_distances(im, r);
    if (is_moved)
        mask = bound(im, mask, distances, graph_op_greater_or_equal, 0);
    if (r->before >= 0)
        mask = bound(im, mask, distances, graph_op_less_or_equal, r->before);
    if (r->after >= 0)
        mask = bound(im, mask, distances, graph_op_greater_or_equal, -r->after);
    return mask;
}

static int emit_mask(struct layer *l)
{
    struct import *im = l->im;
    int mask = read_mask(l);
    const int lengths = read_lengths(l);
    if (mask == graph_none || lengths == graph_none) return graph_none;
    if (lengths != import_absent) {
        const int is_there = import_emit_binary(im, graph_op_less,
                import_emit_count(im, l->keys), lengths, import_between);
        mask = both(im, mask, hidden_unless(im, is_there));
    }
    const struct attention_reach reach = {.length = l->length,
            .keys = l->keys,
            .past = l->past,
            .before = l->before,
            .after = l->after,
            .lengths = lengths,
            .is_causal = l->is_causal};
    return import_emit_reach(im, &reach, mask);
}

/* ---- Results ------------------------------------------------------------- */

static bool is_all_true(const struct graph_tensor *t)
{
    const uint8_t *data = t->data;
    const int64_t count = graph_shape_count(&t->shape);
    bool is = data != NULL;
    for (int64_t i = 0; is && i < count; i++)
        is = data[i] != 0;
    return is;
}

/* A query that sees no key gives zeros. */
static int zero_unless_seen(struct import *im, int x, int mask)
{
    if (mask == import_absent || x == graph_none) return x;
    struct graph_shape rows = import_tensor(im, mask)->shape;
    struct graph_node node = {
            .op = graph_op_reduce_max, .input_count = 1, .inputs = &mask};
    if (rows.ndims == 0) return x;
    node.u.axes[rows.ndims - 1] = true;
    rows.dims[rows.ndims - 1] = 1;
    const int most =
            import_emit(im, &node, graph_type_f32, &rows, import_between);
    const int is_seen = import_emit_binary(im, graph_op_greater_or_equal, most,
            import_emit_scalar(im, LEAST), import_between);
    if (is_seen == graph_none) return graph_none;
    if (is_all_true(import_tensor(im, is_seen))) return x;
    return import_emit_where(
            im, is_seen, x, import_emit_scalar(im, 0.0F), import_between);
}

/* Scores that are an output: what is hidden is infinitely small there. */
static bool show_scores(struct layer *l, int scores, int mask)
{
    struct import *im = l->im;
    if (!import_has_output(im, 3)) return true;
    if (l->mode != attention_masked || mask == import_absent)
        return import_alias(im, scores, 3);
    const int is_hidden = import_emit_binary(im, graph_op_less, mask,
            import_emit_scalar(im, LEAST), import_between);
    return import_emit_where(
                   im, is_hidden, import_emit_scalar(im, -INFINITY), scores, 3)
           != graph_none;
}

static bool emit_layer(struct layer *l)
{
    struct import *im = l->im;
    int scores[4];
    const struct attention a = {.q = l->q,
            .k = l->k,
            .v = l->v,
            .mask = emit_mask(l),
            .scale = l->scale,
            .cap = l->cap};
    if (!import_emit_scores(im, &a, scores)) return false;
    const int weights = zero_unless_seen(im, scores[attention_softmax], a.mask);
    scores[attention_softmax] = weights;
    if (weights == graph_none || !show_scores(l, scores[l->mode], a.mask))
        return false;
    const int y = import_emit_weighted(im, &a, weights, import_between);
    if (y == graph_none) return false;
    return l->has_heads ? import_alias(im, y, 0)
                        : import_emit_merged(im, y, 0) != graph_none;
}

static bool check_floats(struct import *im)
{
    for (size_t i = 0; i < 6; i++)
        if (i != 3 && import_has_input(im, i)
                && import_tensor(im, import_input(im, i))->type
                           != graph_type_f32)
            return import_fail(im, "input %zu is not of type f32", i);
    return true;
}

bool import_attend(struct import *im, enum graph_op op)
{
    struct layer l = {.im = im};
    (void)op;
    return import_check_inputs(im, 3, 7) && check_floats(im)
           && read_attributes(&l) && read_operands(&l) && emit_layer(&l);
}
