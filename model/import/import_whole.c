/* SPDX-License-Identifier: Apache-2.0 */
#include "model/import/import_whole.h"
#include "model/graph/fold.h"
#include "model/graph/fold_parts.h"

void import_mark_whole(struct import *im, int x, int64_t least, int64_t most)
{
    if (x == graph_none) return;
    im->graph->tensors[x].least = (int32_t)least;
    im->graph->tensors[x].most = (int32_t)most;
}

static bool is_whole(const struct graph_tensor *t)
{
    return t->type == graph_type_f32 && (t->least != 0 || t->most != 0);
}

static bool fits(const struct graph_tensor *t, enum graph_type type)
{
    if (type == graph_type_i64) return true;
    return t->least >= import_least(type) && t->most <= import_most(type);
}

static const struct graph_node *producer(const struct import *im, int x)
{
    const int node = import_tensor(im, x)->producer;
    return node == graph_none ? NULL : &im->graph->nodes[node];
}

int import_whole(const struct import *im, int x)
{
    const struct graph_node *node = producer(im, x);
    const enum graph_type type = import_tensor(im, x)->type;
    if (node == NULL || node->op != graph_op_cast
            || !graph_type_is_integer(type))
        return graph_none;
    const struct graph_tensor *from = import_tensor(im, node->inputs[0]);
    return is_whole(from) && fits(from, type) ? node->inputs[0] : graph_none;
}

/* ---- Sums ---------------------------------------------------------------- */

/* True for integers that floats have, computed or constant. */
static bool is_term(const struct import *im, int x)
{
    const struct graph_tensor *t = import_tensor(im, x);
    const int64_t count = t->data == NULL ? 0 : graph_shape_count(&t->shape);
    if (t->data == NULL) return import_whole(im, x) != graph_none;
    for (int64_t i = 0; i < count; i++) {
        const int64_t value = fold_read_int(t, i);
        if (value < -import_most_whole || value > import_most_whole)
            return false;
    }
    return true;
}

/* A sum of two is rounded once, as the integer would be. */
static bool is_sum_of_whole(const struct import *im, int x)
{
    const struct graph_node *node = producer(im, x);
    const enum graph_type type = import_tensor(im, x)->type;
    return node != NULL && node->op == graph_op_add
           && (type == graph_type_i32 || type == graph_type_i64)
           && is_term(im, node->inputs[0]) && is_term(im, node->inputs[1]);
}

int import_emit_whole_cast(struct import *im, int x, int output, bool *done)
{
    const int whole = import_whole(im, x);
    *done = whole != graph_none;
    if (*done) {
        (void)import_alias(im, whole, output);
        return whole;
    }
    *done = is_sum_of_whole(im, x);
    if (!*done) return graph_none;
    const struct graph_node *sum = producer(im, x);
    const int a = sum->inputs[0], b = sum->inputs[1];
    const int first = import_emit_cast(im, a, graph_type_f32, import_between);
    const int second = import_emit_cast(im, b, graph_type_f32, import_between);
    return import_emit_binary(im, graph_op_add, first, second, output);
}

/* ---- Moves --------------------------------------------------------------- */

static bool is_small(enum graph_type type)
{
    return graph_type_is_integer(type) && graph_type_size(type) <= 2;
}

bool import_moves_whole(const struct import *im, const struct graph_node *node,
        enum graph_type type)
{
    if (!fold_moves_only(node->op) || node->op == graph_op_concat
            || !graph_type_is_integer(type))
        return false;
    const struct graph_tensor *x = import_tensor(im, node->inputs[0]);
    /* A table that is picked from would be integers of 64 bits on a device. */
    return x->data != NULL ? is_small(type)
                           : import_whole(im, node->inputs[0]) != graph_none;
}

int import_emit_moved(struct import *im, const struct graph_node *node,
        enum graph_type type, const struct graph_shape *shape, int output)
{
    const bool is_table = import_tensor(im, node->inputs[0])->data != NULL;
    int inputs[2] = {import_emit_cast(im, node->inputs[0], graph_type_f32,
                             import_between),
            node->input_count > 1 ? node->inputs[1] : graph_none};
    struct graph_node moved = *node;
    if (inputs[0] == graph_none) return graph_none;
    if (is_table)
        import_mark_whole(im, inputs[0], import_least(type), import_most(type));
    moved.inputs = inputs;
    const int y =
            import_emit(im, &moved, graph_type_f32, shape, import_between);
    if (y == graph_none) return graph_none;
    const struct graph_tensor *x = import_tensor(im, inputs[0]);
    import_mark_whole(im, y, x->least, x->most);
    return import_emit_cast(im, y, type, output);
}

/* ---- Zero points and scales ---------------------------------------------- */

static bool is_zero(const struct import *im, int x)
{
    const struct graph_tensor *t = import_tensor(im, x);
    const int64_t count = graph_shape_count(&t->shape);
    bool is = t->data != NULL;
    for (int64_t i = 0; is && i < count; i++)
        is = fold_read_int(t, i) == 0;
    return is;
}

/* Computes x op y where x is; it is a constant that nothing else takes. */
static bool compute_in_place(struct import *im, enum graph_op op, int x, int y)
{
    struct graph_tensor *t = &im->graph->tensors[x];
    int inputs[2] = {x, y};
    const struct graph_node node = {
            .op = op, .label = im->label, .input_count = 2, .inputs = inputs};
    struct graph_tensor result = *t;
    t->least = t->most = 0;
    return fold_compute(im->graph, &node, &result, im->failure);
}

/* x op y, in the place of x if that is allowed. */
static int compute(struct import *im, enum graph_op op, int x, int y,
        bool is_own, int output)
{
    struct graph_shape shape;
    if (x == graph_none || y == graph_none
            || !import_broadcast(im, &import_tensor(im, x)->shape,
                    &import_tensor(im, y)->shape, &shape))
        return graph_none;
    if (!is_own || import_tensor(im, y)->data == NULL
            || !graph_shape_equal(&shape, &import_tensor(im, x)->shape))
        return import_emit_binary(im, op, x, y, output);
    if (!compute_in_place(im, op, x, y)) return graph_none;
    (void)import_alias(im, x, output);
    return x;
}

/* *is_own: nothing else takes the tensor. */
static int emit_less(struct import *im, int x, int zero, bool *is_own)
{
    const enum graph_type type = import_tensor(im, x)->type;
    const int64_t least = import_least(type), most = import_most(type);
    *is_own = import_tensor(im, x)->data != NULL;
    x = import_emit_cast(im, x, graph_type_f32, import_between);
    if (zero == graph_none || is_zero(im, zero)) {
        /* What is computed may be known better. */
        if (x != graph_none && !is_whole(import_tensor(im, x)))
            import_mark_whole(im, x, least, most);
        return x;
    }
    zero = import_emit_cast(im, zero, graph_type_f32, import_between);
    x = compute(im, graph_op_sub, x, zero, *is_own, import_between);
    import_mark_whole(im, x, least - most, most - least);
    return x;
}

int import_emit_less(struct import *im, int x, int zero)
{
    bool is_own;
    return emit_less(im, x, zero, &is_own);
}

int import_emit_scaled(
        struct import *im, int x, int zero, int scale, int output)
{
    bool is_own;
    x = emit_less(im, x, zero, &is_own);
    return compute(im, graph_op_mul, x, scale, is_own, output);
}
