/* SPDX-License-Identifier: Apache-2.0 */
/* Attention and MultiHeadAttention of ONNX Runtime's domain. */
#include "model/import/import_attention.h"

#include <float.h>
#include <math.h>

struct layer {
    struct import *im;
    int64_t heads;
    int64_t batch, length, past, keys;
    float scale;  /* 0: by the size of a head */
    float hidden; /* what is added to scores of keys that are masked */
    bool is_causal;
};

static bool read_attributes(struct layer *l)
{
    struct import *im = l->im;
    l->hidden = -10000.0F;
    if (!import_int(im, "num_heads", &l->heads)
            || !import_float(im, "scale", &l->scale)
            || !import_float(im, "mask_filter_value", &l->hidden)
            || !import_flag(im, "unidirectional", &l->is_causal))
        return false;
    return l->heads >= 1
           || import_fail(
                   im, "attribute num_heads is %lld", (long long)l->heads);
}

/* Fails if a flag is set that is not known here. */
static bool check_unset(struct import *im, const char *name)
{
    bool is_set = false;
    return import_flag(im, name, &is_set)
           && (!is_set
                   || import_fail(im, "attribute %s is not supported", name));
}

static bool check_absent(struct import *im, size_t input)
{
    return !import_has_input(im, input)
           || import_fail(im, "input %zu is not supported", input);
}

/* ---- Masks --------------------------------------------------------------- */

/* 0 where a condition holds, else what hides a key. */
static int hidden_unless(struct layer *l, int condition)
{
    return import_emit_where(l->im, condition, import_emit_scalar(l->im, 0.0F),
            import_emit_scalar(l->im, l->hidden), import_between);
}

/* [batch], lengths, or [2 * batch], ends and starts: where keys are. */
static int mask_of_lengths(struct layer *l, int lengths, bool has_starts)
{
    struct import *im = l->im;
    const struct graph_shape column = {.ndims = 4, .dims = {l->batch, 1, 1, 1}};
    int places = import_emit_cast(
            im, import_emit_count(im, l->keys), graph_type_i32, import_between);
    int end = import_emit_part(im, lengths, 0, 0, l->batch);
    end = import_emit_reshape(im, end, &column, import_between);
    int is_there =
            import_emit_binary(im, graph_op_less, places, end, import_between);
    if (has_starts) {
        int start = import_emit_part(im, lengths, 0, l->batch, l->batch);
        start = import_emit_reshape(im, start, &column, import_between);
        const int is_behind = import_emit_binary(
                im, graph_op_greater_or_equal, places, start, import_between);
        is_there = import_emit_binary(
                im, graph_op_and, is_there, is_behind, import_between);
    }
    return hidden_unless(l, is_there);
}

/* [batch, keys] or [batch, length, keys]: where they are greater than 0. */
static int mask_of_keys(struct layer *l, int mask, struct graph_shape shape)
{
    struct import *im = l->im;
    const struct graph_shape wide = {.ndims = 4,
            .dims = {shape.dims[0], 1, shape.ndims == 2 ? 1 : shape.dims[1],
                    l->keys}};
    mask = import_emit_reshape(im, mask, &wide, import_between);
    const int zero = import_emit_number(im, graph_type_i32, 0.0);
    return hidden_unless(l, import_emit_binary(im, graph_op_greater, mask, zero,
                                    import_between));
}

/* What an input masks; import_absent if that is nothing. */
static int read_mask(struct layer *l, size_t input)
{
    struct import *im = l->im;
    if (!import_has_input(im, input)) return import_absent;
    const int mask = import_input(im, input);
    const struct graph_shape s = import_tensor(im, mask)->shape;
    char text[graph_shape_text_size];
    if (import_tensor(im, mask)->type != graph_type_i32) {
        (void)import_fail(im, "input %zu is not of type i32", input);
        return graph_none;
    }
    if (s.ndims == 1 && (s.dims[0] == l->batch || s.dims[0] == 2 * l->batch))
        return mask_of_lengths(l, mask, s.dims[0] != l->batch);
    if (s.ndims == 2 && s.dims[1] == 1
            && (s.dims[0] == 1 || s.dims[0] == l->batch))
        return import_absent; /* a place for a mask that there is none of */
    if ((s.ndims == 2 || (s.ndims == 3 && s.dims[1] == l->length))
            && s.dims[0] == l->batch && s.dims[s.ndims - 1] == l->keys)
        return mask_of_keys(l, mask, s);
    graph_shape_text(text, &s);
    (void)import_fail(im, "input %zu is a mask of %s, which is not supported",
            input, text);
    return graph_none;
}

/* Two masks, either of which may be import_absent. */
static int both(struct import *im, int a, int b)
{
    if (a == import_absent || b == graph_none) return b;
    if (b == import_absent || a == graph_none) return a;
    return import_emit_binary(im, graph_op_add, a, b, import_between);
}

/* The mask, what is added to scores, and what is to come. */
static int emit_mask(struct layer *l, size_t mask, size_t bias)
{
    struct import *im = l->im;
    int sum = read_mask(l, mask);
    if (sum == graph_none) return graph_none;
    if (l->is_causal) {
        const struct attention_view view = {.length = l->length,
                .keys = l->keys,
                .before = l->past,
                .hidden = -FLT_MAX / 4};
        sum = both(im, sum, import_emit_view(im, &view));
    }
    if (!import_has_input(im, bias)) return sum;
    const struct graph_shape *s =
            &import_tensor(im, import_input(im, bias))->shape;
    if (s->ndims != 4 || s->dims[2] != l->length || s->dims[3] != l->keys) {
        (void)import_fail(im, "input %zu does not fit the scores", bias);
        return graph_none;
    }
    return both(im, sum, import_input(im, bias));
}

static bool emit_attention(
        struct layer *l, int q, int k, int v, size_t mask, size_t bias)
{
    const int64_t size = import_tensor(l->im, q)->shape.dims[3];
    const struct attention a = {
            .q = q,
            .k = k,
            .v = v,
            .mask = emit_mask(l, mask, bias),
            .scale = l->scale != 0.0F ? l->scale : 1.0F / sqrtf((float)size),
    };
    const int y = import_emit_attention(l->im, &a, import_between);
    return import_emit_merged(l->im, y, 0) != graph_none;
}

/* ---- Attention ----------------------------------------------------------- */

/* Of q, k and v one after the other. */
static bool read_sizes(struct layer *l, int64_t all, int64_t sizes[3])
{
    int count = 3;
    for (int i = 0; i < 3; i++)
        sizes[i] = all / 3;
    if (!import_ints(l->im, "qkv_hidden_sizes", sizes, 3, &count)) return false;
    for (int i = 0; count == 3 && i < 3; i++)
        if (sizes[i] < l->heads || sizes[i] > all || sizes[i] % l->heads != 0)
            count = 0;
    return (count == 3 && sizes[0] == sizes[1]
                   && sizes[0] + sizes[1] + sizes[2] == all)
           || import_fail(l->im,
                   "attribute qkv_hidden_sizes or num_heads does not go "
                   "together with %lld columns",
                   (long long)all);
}

/* Keys or values that were there before, with those of now; both become an
 * output. [2, batch, heads, length, size] */
static bool join_past(struct layer *l, int kv[2])
{
    struct import *im = l->im;
    const bool has_past = import_has_input(im, 4);
    int present[2];
    if (!has_past && !import_has_output(im, 1)) return true;
    for (int i = 0; i < 2; i++) {
        struct graph_shape shape = import_tensor(im, kv[i])->shape;
        shape.dims[2] = l->past;
        int before = import_absent;
        if (has_past)
            before = import_emit_reshape(im,
                    import_emit_part(im, import_input(im, 4), 0, i, 1), &shape,
                    import_between);
        kv[i] = import_emit_joined(im, before, kv[i], 2, import_between);
        if (kv[i] == graph_none) return false;
        const struct graph_shape *s = &import_tensor(im, kv[i])->shape;
        const struct graph_shape one = {.ndims = 5,
                .dims = {1, s->dims[0], s->dims[1], s->dims[2], s->dims[3]}};
        present[i] = import_emit_reshape(im, kv[i], &one, import_between);
    }
    return !import_has_output(im, 1)
           || import_emit_joined(im, present[0], present[1], 0, 1)
                      != graph_none;
}

static bool read_past(struct layer *l, const int64_t sizes[3])
{
    struct import *im = l->im;
    if ((import_has_input(im, 4) || import_has_output(im, 1))
            && sizes[0] != sizes[2])
        return import_fail(im, "a past, and values of another size");
    if (import_has_input(im, 4)) {
        const struct graph_shape *past =
                &import_tensor(im, import_input(im, 4))->shape;
        const struct graph_shape needed = {.ndims = 5,
                .dims = {2, l->batch, l->heads,
                        past->ndims == 5 ? past->dims[3] : 0,
                        sizes[0] / l->heads}};
        if (!import_check_shape(im, 4, &needed)) return false;
        l->past = needed.dims[3];
    }
    l->keys = l->past + l->length;
    return true;
}

static bool check_floats(struct import *im, size_t but)
{
    for (size_t i = 0; i < im->node->n_input; i++)
        if (i != but && import_has_input(im, i)
                && import_tensor(im, import_input(im, i))->type
                           != graph_type_f32)
            return import_fail(im, "input %zu is not of type f32", i);
    return true;
}

bool import_attention(struct import *im, enum graph_op op)
{
    struct layer l = {.im = im};
    int64_t sizes[3];
    (void)op;
    if (!import_check_inputs(im, 2, 7) || !check_absent(im, 6)
            || !check_floats(im, 3) || !check_unset(im, "do_rotary")
            || !check_unset(im, "past_present_share_buffer")
            || !read_attributes(&l))
        return false;
    const int x = import_input(im, 0);
    const struct graph_shape shape = import_tensor(im, x)->shape;
    const struct graph_shape w = import_tensor(im, import_input(im, 1))->shape;
    if (shape.ndims != 3 || w.ndims != 2)
        return import_fail(im, "3 dimensions and a matrix are needed");
    const struct graph_shape bias = {.ndims = 1, .dims = {w.dims[1]}};
    l.batch = shape.dims[0];
    l.length = shape.dims[1];
    if (!import_check_shape(im, 2, &bias) || !read_sizes(&l, w.dims[1], sizes)
            || !read_past(&l, sizes))
        return false;
    int y = import_emit_matmul(im, x, import_input(im, 1), import_between);
    if (import_has_input(im, 2))
        y = import_emit_binary(
                im, graph_op_add, y, import_input(im, 2), import_between);
    int parts[3];
    int64_t start = 0;
    for (int i = 0; i < 3; i++) {
        parts[i] = import_emit_heads(
                im, import_emit_part(im, y, 2, start, sizes[i]), l.heads);
        if (parts[i] == graph_none) return false;
        start += sizes[i];
    }
    return join_past(&l, parts + 1)
           && emit_attention(&l, parts[0], parts[1], parts[2], 3, 5);
}

/* ---- MultiHeadAttention -------------------------------------------------- */

/* Input i as heads, with its part of the bias added; keys and values may come
 * as heads, too. */
static int emit_operand(struct layer *l, size_t input, int64_t *from)
{
    struct import *im = l->im;
    int x = import_input(im, input);
    const struct graph_shape s = import_tensor(im, x)->shape;
    if (input != 0 && s.ndims == 4 && s.dims[0] == l->batch
            && s.dims[1] == l->heads)
        return x;
    if (s.ndims != 3 || s.dims[0] != l->batch || s.dims[2] % l->heads != 0) {
        (void)import_fail(im, "input %zu is not of %lld heads", input,
                (long long)l->heads);
        return graph_none;
    }
    if (import_has_input(im, 3)) {
        const int bias =
                import_emit_part(im, import_input(im, 3), 0, *from, s.dims[2]);
        x = import_emit_binary(im, graph_op_add, x, bias, import_between);
        *from += s.dims[2];
    }
    return import_emit_heads(im, x, l->heads);
}

static bool check_bias(struct import *im)
{
    int64_t sum = 0;
    for (size_t i = 0; i < 3; i++) {
        const struct graph_shape *s =
                &import_tensor(im, import_input(im, i))->shape;
        if (import_has_input(im, 3) && s->ndims != 3)
            return import_fail(
                    im, "a bias, and input %zu of %d dimensions", i, s->ndims);
        sum += s->dims[2];
    }
    const struct graph_shape all = {.ndims = 1, .dims = {sum}};
    return import_check_shape(im, 3, &all);
}

static bool join_states(struct layer *l, int kv[2])
{
    struct import *im = l->im;
    for (int i = 0; i < 2; i++) {
        const size_t input = 6 + (size_t)i;
        struct graph_shape s = import_tensor(im, kv[i])->shape;
        int before = import_absent;
        if (import_has_input(im, input)) {
            before = import_input(im, input);
            const struct graph_shape *past = &import_tensor(im, before)->shape;
            s.dims[2] = past->ndims == 4 ? past->dims[2] : 0;
            if (!import_check_shape(im, input, &s)) return false;
            l->past = s.dims[2];
        }
        kv[i] = import_emit_joined(im, before, kv[i], 2, i + 1);
        if (kv[i] == graph_none) return false;
    }
    return true;
}

bool import_multi_head_attention(struct import *im, enum graph_op op)
{
    struct layer l = {.im = im};
    int64_t from = 0;
    (void)op;
    if (!import_check_inputs(im, 3, 10) || !check_absent(im, 8)
            || !check_absent(im, 9) || !check_floats(im, 4)
            || !read_attributes(&l) || !check_bias(im))
        return false;
    if (import_has_input(im, 6) != import_has_input(im, 7))
        return import_fail(im, "inputs 6 and 7 belong together");
    if (import_has_output(im, 3))
        return import_fail(im, "output 3 is not computed here");
    const struct graph_shape s = import_tensor(im, import_input(im, 0))->shape;
    l.batch = s.dims[0];
    l.length = s.ndims == 3 ? s.dims[1] : 0;
    const int q = emit_operand(&l, 0, &from);
    if (q == graph_none) return false;
    int kv[2];
    for (size_t i = 0; i < 2; i++) {
        kv[i] = emit_operand(&l, i + 1, &from);
        if (kv[i] == graph_none) return false;
    }
    if (!join_states(&l, kv)) return false;
    const struct graph_shape k = import_tensor(im, kv[0])->shape;
    l.keys = k.dims[2];
    if (k.dims[3] != import_tensor(im, q)->shape.dims[3]
            || import_tensor(im, kv[1])->shape.dims[2] != l.keys)
        return import_fail(im, "keys do not go together with other operands");
    return emit_attention(&l, q, kv[0], kv[1], 4, 5);
}
