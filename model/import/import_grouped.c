/* SPDX-License-Identifier: Apache-2.0 */
/* GroupQueryAttention of ONNX Runtime's domain. */
#include "model/import/import_attention.h"

#include <math.h>
#include <stdlib.h>

struct layer {
    struct import *im;
    int64_t heads, kv_heads;
    int64_t batch, length, size;
    int64_t room;  /* for keys, of the past */
    int64_t total; /* keys that there are after this run */
    int64_t window;
    float scale, cap;
    bool turns, is_interleaved;
    bool is_first; /* nothing was before, whatever the past has */
    int lengths;   /* [batch, 1, 1, 1] of i64: keys of each; import_absent: as
                    * many as queries */
};

static bool read_attributes(struct layer *l)
{
    struct import *im = l->im;
    bool is_smooth = false;
    int64_t shown = 0;
    l->window = -1;
    if (!import_int(im, "num_heads", &l->heads)
            || !import_int(im, "kv_num_heads", &l->kv_heads)
            || !import_int(im, "local_window_size", &l->window)
            || !import_int(im, "qk_output", &shown)
            || !import_float(im, "scale", &l->scale)
            || !import_float(im, "softcap", &l->cap)
            || !import_flag(im, "do_rotary", &l->turns)
            || !import_flag(im, "rotary_interleaved", &l->is_interleaved)
            || !import_flag(im, "smooth_softmax", &is_smooth))
        return false;
    if (is_smooth || shown != 0 || import_has_output(im, 3))
        return import_fail(im,
                "attributes smooth_softmax and qk_output, and output 3, are "
                "not supported");
    return (l->heads >= 1 && l->kv_heads >= 1 && l->heads <= INT32_MAX
                   && l->kv_heads <= INT32_MAX && l->heads % l->kv_heads == 0
                   && (l->window == -1 || l->window >= 1))
           || import_fail(im,
                   "attributes num_heads, kv_num_heads or local_window_size");
}

static bool check_inputs(struct import *im)
{
    if (!import_check_inputs(im, 1, 14)) return false;
    for (size_t i = 0; i < 14; i++) {
        if (!import_has_input(im, i)) continue;
        if (i > 10) return import_fail(im, "input %zu is not supported", i);
        const enum graph_type needed = i == 5 || i == 6 ? graph_type_i32
                                       : i == 9         ? graph_type_i64
                                                        : graph_type_f32;
        if (import_tensor(im, import_input(im, i))->type != needed)
            return import_fail(im, "input %zu is not of type %s", i,
                    graph_type_name(needed));
    }
    for (size_t i = 5; i < 7; i++)
        if (!import_has_input(im, i))
            return import_fail(im, "input %zu is missing", i);
    static const size_t pairs[] = {1, 3, 7};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (import_has_input(im, pairs[i])
                != import_has_input(im, pairs[i] + 1))
            return import_fail(im, "inputs %zu and %zu belong together",
                    pairs[i], pairs[i] + 1);
    return true;
}

/* ---- Operands ------------------------------------------------------------ */

/* Queries, keys and values, in one or in three: as heads. */
static bool read_operands(struct layer *l, int heads[3])
{
    struct import *im = l->im;
    const bool is_packed = !import_has_input(im, 1);
    const int64_t all = l->heads + (is_packed ? 2 * l->kv_heads : 0);
    const struct graph_shape s = import_tensor(im, import_input(im, 0))->shape;
    if (s.ndims != 3 || graph_shape_count(&s) == 0 || s.dims[2] % all != 0)
        return import_fail(im, "input 0 is not of %lld heads", (long long)all);
    l->batch = s.dims[0];
    l->length = s.dims[1];
    l->size = s.dims[2] / all;
    int64_t start = 0;
    for (size_t i = 0; i < 3; i++) {
        const int64_t count = i == 0 ? l->heads : l->kv_heads;
        const struct graph_shape needed = {
                .ndims = 3, .dims = {l->batch, l->length, count * l->size}};
        int x = import_input(im, is_packed ? 0 : i);
        if (is_packed)
            x = import_emit_part(im, x, 2, start, needed.dims[2]);
        else if (!import_check_shape(im, i, &needed))
            return false;
        start += needed.dims[2];
        heads[i] = import_emit_heads(im, x, count);
        if (heads[i] == graph_none) return false;
    }
    return true;
}

static bool read_lengths(struct layer *l)
{
    struct import *im = l->im;
    const struct graph_shape column = {.ndims = 4, .dims = {l->batch, 1, 1, 1}};
    const struct graph_tensor *counts = import_tensor(im, import_input(im, 5));
    int count;
    if (graph_shape_count(&counts->shape) != l->batch)
        return import_fail(im, "input 5 has not one number for each batch");
    if (!import_constant_ints(im, 6, &l->total, 1, &count)) return false;
    if (count != 1 || l->total < l->length)
        return import_fail(im, "a total_sequence_length of %lld for %lld",
                (long long)l->total, (long long)l->length);
    l->is_first = l->total == l->length;
    l->lengths = import_absent;
    if (l->is_first) return true;
    int x = import_emit_cast(
            im, import_input(im, 5), graph_type_i64, import_between);
    x = import_emit_reshape(im, x, &column, import_between);
    l->lengths = import_emit_binary(im, graph_op_add, x,
            import_emit_number(im, graph_type_i64, 1.0), import_between);
    return l->lengths != graph_none;
}

/* The places of queries: [batch or 1, length]. */
static int emit_places(struct layer *l)
{
    struct import *im = l->im;
    struct graph_shape shape = {.ndims = 2, .dims = {1, l->length}};
    const struct graph_shape column = {.ndims = 2, .dims = {l->batch, 1}};
    const int numbers = import_emit_reshape(
            im, import_emit_count(im, l->length), &shape, import_between);
    if (l->is_first) return numbers;
    const int lengths =
            import_emit_reshape(im, l->lengths, &column, import_between);
    const int first = import_emit_binary(im, graph_op_sub, lengths,
            import_emit_number(im, graph_type_i64, (double)l->length),
            import_between);
    const int places = import_emit_binary(
            im, graph_op_add, numbers, first, import_between);
    /* What is below 0 would count from the end: there is no such place. */
    const int below = import_emit_binary(im, graph_op_less, places,
            import_emit_number(im, graph_type_i64, 0.0), import_between);
    const int none = import_emit_number(im, graph_type_i64,
            (double)(l->room > l->total ? l->room : l->total));
    return import_emit_where(im, below, none, places, import_between);
}

static bool emit_turned(struct layer *l, int places, int heads[3])
{
    struct import *im = l->im;
    const struct graph_shape each = {.ndims = 2, .dims = {l->batch, l->length}};
    if (!l->turns) return true;
    if (!import_has_input(im, 7)) return import_fail(im, "no input 7");
    const struct graph_shape table =
            import_tensor(im, import_input(im, 7))->shape;
    if (table.ndims != 2 || table.dims[1] < 1 || table.dims[1] > l->size / 2
            || !import_check_shape(im, 8, &table)
            || !import_check_shape(im, 9, &each))
        return import_fail(im, "inputs 7 and 8 are no tables for heads of %lld",
                (long long)l->size);
    if (import_has_input(im, 9)) places = import_input(im, 9);
    const int cos =
            import_emit_angles(im, import_input(im, 7), places, l->length);
    const int sin =
            import_emit_angles(im, import_input(im, 8), places, l->length);
    if (cos == graph_none || sin == graph_none) return false;
    for (int i = 0; i < 2; i++) {
        const struct rotation rotation = {.x = heads[i],
                .cos = cos,
                .sin = sin,
                .turned = 2 * table.dims[1],
                .is_interleaved = l->is_interleaved};
        heads[i] = import_emit_rotation(im, &rotation);
        if (heads[i] == graph_none) return false;
    }
    return true;
}

/* ---- What was before ----------------------------------------------------- */

static int emit_zeros(struct import *im, const struct graph_shape *shape)
{
    const uint64_t size = (uint64_t)graph_shape_count(shape) * sizeof(float);
    if (!graph_shape_fits(shape, 1)) {
        (void)import_fail(im, "no room for so many keys");
        return graph_none;
    }
    if (!import_charge(im, size)) return graph_none;
    float *data = calloc(1, (size_t)size);
    if (data != NULL)
        return import_emit_constant(
                im, graph_type_f32, shape, data, false, import_between);
    (void)fail_out_of_memory(im->failure);
    return graph_none;
}

/* The past with room for all keys. */
static int emit_room(struct layer *l, size_t input)
{
    struct import *im = l->im;
    struct graph_shape shape = {.ndims = 4,
            .dims = {l->batch, l->kv_heads, l->total - l->room, l->size}};
    const int past = import_has_input(im, input) ? import_input(im, input)
                                                 : import_absent;
    if (l->room >= l->total) return past;
    return import_emit_joined(
            im, past, emit_zeros(im, &shape), 2, import_between);
}

/* Keys or values of all: those of now are in the past at their places. */
static int join_past(struct layer *l, int x, int places, int i)
{
    struct import *im = l->im;
    const size_t input = 3 + (size_t)i;
    if (l->is_first && l->room == 0) {
        (void)import_alias(im, x, 1 + i);
        return x;
    }
    struct graph_shape rows = import_tensor(im, places)->shape;
    rows = (struct graph_shape){
            .ndims = 4, .dims = {rows.dims[0], 1, l->length, 1}};
    int inputs[3] = {emit_room(l, input),
            import_emit_reshape(im, places, &rows, import_between), x};
    if (inputs[0] == graph_none || inputs[1] == graph_none) return graph_none;
    struct graph_node node = {.op = graph_op_scatter,
            .input_count = 3,
            .inputs = inputs,
            .u.scatter = {.axis = 2, .how = graph_scatter_none}};
    const struct graph_shape shape = import_tensor(im, inputs[0])->shape;
    if (!import_check_indices(im, inputs[1], shape.dims[2])) return graph_none;
    x = import_emit(im, &node, graph_type_f32, &shape, 1 + i);
    /* Of a past with room for more, the keys that there are. */
    return x == graph_none ? graph_none
                           : import_emit_part(im, x, 2, 0, l->total);
}

static bool read_room(struct layer *l)
{
    struct import *im = l->im;
    if (!import_has_input(im, 3)) return true;
    const struct graph_shape *past =
            &import_tensor(im, import_input(im, 3))->shape;
    l->room = past->ndims == 4 ? past->dims[2] : 0;
    const struct graph_shape needed = {
            .ndims = 4, .dims = {l->batch, l->kv_heads, l->room, l->size}};
    return import_check_shape(im, 3, &needed)
           && import_check_shape(im, 4, &needed);
}

/* ---- The layer ----------------------------------------------------------- */

static int emit_mask(struct layer *l)
{
    struct import *im = l->im;
    const struct attention_reach reach = {.length = l->length,
            .keys = l->total,
            .before = l->window < 0 ? -1 : l->window - 1,
            .after = -1,
            .lengths = l->lengths,
            .is_causal = true};
    int mask = import_emit_reach(im, &reach, import_absent);
    if (!import_has_input(im, 10) || mask == graph_none) return mask;
    const struct graph_shape bias =
            import_tensor(im, import_input(im, 10))->shape;
    if (bias.ndims != 4 || bias.dims[2] != l->length
            || bias.dims[3] != l->total) {
        (void)import_fail(im, "input 10 does not fit the scores");
        return graph_none;
    }
    return import_emit_binary(
            im, graph_op_add, mask, import_input(im, 10), import_between);
}

bool import_grouped(struct import *im, enum graph_op op)
{
    struct layer l = {.im = im};
    int heads[3];
    (void)op;
    if (!check_inputs(im) || !read_attributes(&l) || !read_operands(&l, heads)
            || !read_lengths(&l) || !read_room(&l))
        return false;
    const int places = emit_places(&l);
    if (places == graph_none || !emit_turned(&l, places, heads)) return false;
    const struct attention a = {.q = heads[0],
            .k = join_past(&l, heads[1], places, 0),
            .v = join_past(&l, heads[2], places, 1),
            .mask = emit_mask(&l),
            .scale = l.scale != 0.0F ? l.scale : 1.0F / sqrtf((float)l.size),
            .cap = l.cap};
    const int y = import_emit_attention(im, &a, import_between);
    return y != graph_none && import_emit_merged(im, y, 0) != graph_none;
}
