/* SPDX-License-Identifier: Apache-2.0 */
/* RNN, GRU and LSTM; and those that are no layer: the steps of a sequence one
 * after the other. The products with the inputs are one for all steps. */
#include "model/import/import_recurrent.h"
#include "model/import/import_inline.h"
#include "model/import/import_rounded.h"

#include <stdlib.h>
#include <string.h>

/* Of steps one after the other. */
enum { most_steps = 1024 };

/* Gates in the order of ONNX: GRU's are z, r and h, LSTM's i, o, f and c. */
static const int gates_of[] = {[kind_rnn] = 1, [kind_gru] = 3, [kind_lstm] = 4};

/* The state between two steps: [batch, size] each. */
struct state {
    int h, c;
};

/* ---- Parts --------------------------------------------------------------- */

static int binary(struct recurrent *r, enum graph_op op, int a, int b)
{
    return import_emit_binary(r->im, op, a, b, import_between);
}

int recurrent_part(
        struct recurrent *r, int x, int axis, int64_t start, int64_t count)
{
    struct graph_node node = {
            .op = graph_op_slice, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(r->im, x)->shape;
    if (start == 0 && count == shape.dims[axis]) return x;
    for (int d = 0; d < shape.ndims; d++)
        node.u.slice.steps[d] = 1;
    node.u.slice.starts[axis] = start;
    shape.dims[axis] = count;
    return import_emit(r->im, &node, import_tensor(r->im, x)->type, &shape,
            import_between);
}

int recurrent_element(struct recurrent *r, int x, int64_t at)
{
    int one = recurrent_part(r, x, 0, at, 1);
    if (one == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(r->im, one)->shape;
    memmove(shape.dims, shape.dims + 1, sizeof shape.dims - sizeof *shape.dims);
    shape.ndims--;
    return import_emit_reshape(r->im, one, &shape, import_between);
}

int recurrent_turned(
        struct recurrent *r, int x, int ndims, const int *perm, int output)
{
    struct graph_node node = {
            .op = graph_op_transpose, .input_count = 1, .inputs = &x};
    if (x == graph_none) return graph_none;
    struct graph_shape from = import_tensor(r->im, x)->shape, shape = from;
    for (int d = 0; d < ndims; d++) {
        node.u.perm[d] = perm[d];
        shape.dims[d] = from.dims[perm[d]];
    }
    return import_emit(
            r->im, &node, import_tensor(r->im, x)->type, &shape, output);
}

int recurrent_joined(
        struct recurrent *r, int *parts, int count, int axis, int output)
{
    if (parts[0] == graph_none) return graph_none;
    struct graph_shape shape = import_tensor(r->im, parts[0])->shape;
    struct graph_node node = {
            .op = graph_op_concat,
            .input_count = count,
            .inputs = parts,
            .u.axis = axis,
    };
    if (count == 1) return import_emit_reshape(r->im, parts[0], &shape, output);
    for (int i = 1; i < count; i++) {
        if (parts[i] == graph_none) return graph_none;
        shape.dims[axis] += import_tensor(r->im, parts[i])->shape.dims[axis];
    }
    return import_emit(r->im, &node, graph_type_f32, &shape, output);
}

/* Of a scale or a zero point, what a direction has: one number, or one for each
 * column of a matrix. */
static int parameter_of(struct recurrent *r, size_t input, int64_t d)
{
    return recurrent_element(r, import_input(r->im, input), d);
}

/* A matrix of a direction, with its columns and rows turned; those of integers
 * are that way in the file. */
static int weights_of(struct recurrent *r, size_t input, int64_t d)
{
    static const int turn[] = {1, 0};
    if (r->is_quantized) {
        const size_t scale = 6 + 2 * input;
        const int weights = recurrent_element(r, import_input(r->im, input), d);
        return import_emit_unrounded(r->im, weights, parameter_of(r, scale, d),
                parameter_of(r, scale + 1, d));
    }
    return recurrent_turned(r,
            recurrent_element(r, import_input(r->im, input), d), 2, turn,
            import_between);
}

/* A product with a matrix of weights. */
static int product(struct recurrent *r, int x, int weights)
{
    if (r->is_quantized && x != graph_none) x = import_emit_rounded(r->im, x);
    return import_emit_matmul(r->im, x, weights, import_between);
}

/* Of all gates, one after the other, those from the first on. */
static int gate(struct recurrent *r, int x, int first, int count)
{
    if (x == graph_none) return graph_none;
    return recurrent_part(r, x, import_tensor(r->im, x)->shape.ndims - 1,
            first * r->size, count * r->size);
}

static int activate(struct recurrent *r, int64_t d, int which, int x)
{
    return import_emit_unary(
            r->im, r->activations[3 * d + which], x, import_between);
}

/* ---- One step ------------------------------------------------------------ */

struct direction {
    int64_t number;
    int inputs;            /* [steps, batch, gates * size]: with all biases that
                            * can be added here */
    int weights;           /* [size, gates * size] */
    int bias_of_candidate; /* GRU that resets the product: [size] */
    int peepholes;         /* LSTM: [3 * size]; graph_none */
};

static struct state step_rnn(struct recurrent *r, const struct direction *d,
        int64_t t, struct state s)
{
    int sum = binary(r, graph_op_add,
            import_emit_matmul(r->im, s.h, d->weights, import_between),
            recurrent_element(r, d->inputs, t));
    s.h = activate(r, d->number, 0, sum);
    return s;
}

static struct state step_gru(struct recurrent *r, const struct direction *d,
        int64_t t, struct state s)
{
    const int x = recurrent_element(r, d->inputs, t);
    int sums = binary(r, graph_op_add,
            import_emit_matmul(
                    r->im, s.h, gate(r, d->weights, 0, 2), import_between),
            gate(r, x, 0, 2));
    sums = activate(r, d->number, 0, sums);
    const int z = gate(r, sums, 0, 1);
    const int reset = gate(r, sums, 1, 1);
    const int weights = gate(r, d->weights, 2, 1);
    int h;
    if (r->resets_product) {
        h = import_emit_matmul(r->im, s.h, weights, import_between);
        if (d->bias_of_candidate != graph_none)
            h = binary(r, graph_op_add, h, d->bias_of_candidate);
        h = binary(r, graph_op_mul, reset, h);
    } else {
        h = binary(r, graph_op_mul, reset, s.h);
        if (h != graph_none)
            h = import_emit_matmul(r->im, h, weights, import_between);
    }
    h = activate(r, d->number, 1, binary(r, graph_op_add, h, gate(r, x, 2, 1)));
    /* h + z * (before - h) */
    int change = binary(r, graph_op_mul, z, binary(r, graph_op_sub, s.h, h));
    s.h = binary(r, graph_op_add, h, change);
    return s;
}

/* A gate's sums with what it sees of the cell. */
static int peep(struct recurrent *r, const struct direction *d, int sums,
        int number, int cell)
{
    if (d->peepholes == graph_none) return sums;
    return binary(r, graph_op_add, sums,
            binary(r, graph_op_mul, cell, gate(r, d->peepholes, number, 1)));
}

static struct state step_lstm(struct recurrent *r, const struct direction *d,
        int64_t t, struct state s)
{
    const int sums = binary(r, graph_op_add, product(r, s.h, d->weights),
            recurrent_element(r, d->inputs, t));
    const int in =
            activate(r, d->number, 0, peep(r, d, gate(r, sums, 0, 1), 0, s.c));
    const int forget =
            activate(r, d->number, 0, peep(r, d, gate(r, sums, 2, 1), 2, s.c));
    const int candidate = activate(r, d->number, 1, gate(r, sums, 3, 1));
    s.c = binary(r, graph_op_add, binary(r, graph_op_mul, forget, s.c),
            binary(r, graph_op_mul, in, candidate));
    const int out =
            activate(r, d->number, 0, peep(r, d, gate(r, sums, 1, 1), 1, s.c));
    s.h = binary(r, graph_op_mul, out, activate(r, d->number, 2, s.c));
    return s;
}

static struct state step(struct recurrent *r, const struct direction *d,
        int64_t t, struct state s)
{
    switch (r->kind) {
    case kind_rnn:
        return step_rnn(r, d, t, s);
    case kind_gru:
        return step_gru(r, d, t, s);
    default:
        return step_lstm(r, d, t, s);
    }
}

/* ---- One direction ------------------------------------------------------- */

/* [2 * gates * size]: those of the inputs, and those of the state. The latter
 * of a GRU's candidate stay apart if the reset is of the product. */
static bool add_biases(struct recurrent *r, struct direction *d)
{
    if (!import_has_input(r->im, 3)) return true;
    const int64_t count = r->gates * r->size;
    int both = recurrent_element(r, import_input(r->im, 3), d->number);
    int own = recurrent_part(r, both, 0, 0, count);
    int of_state = recurrent_part(r, both, 0, count, count);
    if (r->kind == kind_gru && r->resets_product) {
        d->bias_of_candidate =
                recurrent_part(r, of_state, 0, 2 * r->size, r->size);
        int parts[2];
        parts[0] = binary(r, graph_op_add,
                recurrent_part(r, own, 0, 0, 2 * r->size),
                recurrent_part(r, of_state, 0, 0, 2 * r->size));
        parts[1] = recurrent_part(r, own, 0, 2 * r->size, r->size);
        own = parts[1] == graph_none
                      ? graph_none
                      : recurrent_joined(r, parts, 2, 0, import_between);
    } else {
        own = binary(r, graph_op_add, own, of_state);
    }
    d->inputs = binary(r, graph_op_add, d->inputs, own);
    return d->inputs != graph_none;
}

static bool read_direction(struct recurrent *r, struct direction *d)
{
    d->bias_of_candidate = d->peepholes = graph_none;
    const int weights = weights_of(r, 1, d->number);
    if (weights == graph_none) return false;
    d->inputs = product(r, r->x, weights);
    d->weights = weights_of(r, 2, d->number);
    if (r->kind == kind_lstm && import_has_input(r->im, 7))
        d->peepholes = recurrent_element(r, import_input(r->im, 7), d->number);
    return d->inputs != graph_none && d->weights != graph_none
           && add_biases(r, d);
}

static int zeros(struct recurrent *r)
{
    const struct graph_shape shape = {.ndims = 2, .dims = {r->batch, r->size}};
    const size_t count = (size_t)(r->batch * r->size);
    if (!import_charge(r->im, count * sizeof(float))) return graph_none;
    float *data = calloc(count + 1, sizeof *data);
    if (data == NULL) {
        (void)fail_out_of_memory(r->im->failure);
        return graph_none;
    }
    return import_emit_constant(
            r->im, graph_type_f32, &shape, data, false, import_between);
}

/* What an input has for a direction at the begin; zeros if it is not given. */
static int initial(struct recurrent *r, size_t input, int64_t d)
{
    static const int turn[] = {1, 0, 2};
    if (!import_has_input(r->im, input)) return zeros(r);
    int x = import_input(r->im, input);
    if (r->is_batch_first) x = recurrent_turned(r, x, 3, turn, import_between);
    return recurrent_element(r, x, d);
}

/* A state as [1, 1, batch, size]. */
static int as_output(struct recurrent *r, int h, int ndims)
{
    const struct graph_shape shape = {.ndims = ndims,
            .dims = {1, ndims == 4 ? 1 : r->batch,
                    ndims == 4 ? r->batch : r->size, r->size}};
    return import_emit_reshape(r->im, h, &shape, import_between);
}

/* All steps; *all is what they give, [steps, 1, batch, size]. */
static bool run_direction(
        struct recurrent *r, int64_t number, int *all, struct state *last)
{
    struct direction d = {.number = number};
    if (!read_direction(r, &d)) return false;
    struct state s = {.h = initial(r, 5, number), .c = graph_none};
    if (r->kind == kind_lstm) s.c = initial(r, 6, number);
    int *results = malloc((size_t)r->steps * sizeof *results);
    if (results == NULL) return fail_out_of_memory(r->im->failure);
    const bool is_backward = r->is_backward || number == 1;
    bool ok = s.h != graph_none && (r->kind != kind_lstm || s.c != graph_none);
    for (int64_t i = 0; ok && i < r->steps; i++) {
        const int64_t t = is_backward ? r->steps - 1 - i : i;
        s = step(r, &d, t, s);
        results[t] = s.h == graph_none ? graph_none : as_output(r, s.h, 4);
        ok = results[t] != graph_none;
    }
    *all = ok ? recurrent_joined(r, results, (int)r->steps, 0, import_between)
              : graph_none;
    free(results);
    *last = s;
    return *all != graph_none;
}

/* ---- All of them --------------------------------------------------------- */

/* The states of all directions as an output. */
static bool emit_last(struct recurrent *r, int *states, int output)
{
    static const int turn[] = {1, 0, 2};
    if (!import_has_output(r->im, output)) return true;
    for (int64_t d = 0; d < r->directions; d++)
        states[d] = as_output(r, states[d], 3);
    int y = recurrent_joined(r, states, (int)r->directions, 0,
            r->is_batch_first ? import_between : output);
    if (r->is_batch_first) y = recurrent_turned(r, y, 3, turn, output);
    return y != graph_none;
}

static bool emit_outputs(struct recurrent *r)
{
    static const int turn[] = {2, 0, 1, 3};
    int all[2], h[2], c[2];
    for (int64_t d = 0; d < r->directions; d++) {
        struct state last = {graph_none, graph_none};
        if (!run_direction(r, d, &all[d], &last)) return false;
        h[d] = last.h;
        c[d] = last.c;
    }
    if (import_has_output(r->im, 0)) {
        int y = recurrent_joined(r, all, (int)r->directions, 1,
                r->is_batch_first ? import_between : 0);
        if (r->is_batch_first) y = recurrent_turned(r, y, 4, turn, 0);
        if (y == graph_none) return false;
    }
    return emit_last(r, h, 1) && (r->kind != kind_lstm || emit_last(r, c, 2));
}

static bool read_activations(struct recurrent *r)
{
    static const enum graph_op usual[][3] = {
            [kind_rnn] = {graph_op_tanh, graph_op_tanh, graph_op_tanh},
            [kind_gru] = {graph_op_sigmoid, graph_op_tanh, graph_op_tanh},
            [kind_lstm] = {graph_op_sigmoid, graph_op_tanh, graph_op_tanh}};
    const int each = r->kind == kind_lstm ? 3 : r->kind == kind_gru ? 2 : 1;
    for (int i = 0; i < recurrent_most_activations; i++)
        r->activations[i] = usual[r->kind][i % 3];
    const Onnx__AttributeProto *a = import_attribute(r->im, "activations");
    if (a == NULL || a->n_strings == 0) return true;
    if (a->n_strings != (size_t)(each * r->directions))
        return import_fail(r->im, "%zu activations", a->n_strings);
    for (size_t i = 0; i < a->n_strings; i++) {
        static const struct {
            const char *name;
            enum graph_op op;
        } known[] = {{"Sigmoid", graph_op_sigmoid}, {"Tanh", graph_op_tanh},
                {"Relu", graph_op_relu}, {"Softsign", graph_op_softsign},
                {"Softplus", graph_op_softplus}};
        const ProtobufCBinaryData *word = &a->strings[i];
        bool is_known = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            if (word->len == strlen(known[k].name)
                    && memcmp(word->data, known[k].name, word->len) == 0) {
                r->activations[3 * (i / (size_t)each) + i % (size_t)each] =
                        known[k].op;
                is_known = true;
            }
        if (!is_known)
            return import_fail(r->im, "activation '%.*s' is not supported",
                    (int)(word->len < 40 ? word->len : 40), word->data);
    }
    return true;
}

static bool read_attributes(struct recurrent *r)
{
    struct import *im = r->im;
    char word[import_word_size] = "forward";
    bool couples = false;
    if (!import_word(im, "direction", word)
            || !import_flag(im, "layout", &r->is_batch_first)
            || !import_flag(im, "linear_before_reset", &r->resets_product)
            || !import_flag(im, "input_forget", &couples))
        return false;
    if (import_attribute(im, "clip") != NULL || couples)
        return import_fail(
                im, "attributes clip and input_forget are not supported");
    r->is_backward = strcmp(word, "reverse") == 0;
    r->directions = strcmp(word, "bidirectional") == 0 ? 2 : 1;
    if (!r->is_backward && r->directions == 1 && strcmp(word, "forward") != 0)
        return import_fail(im, "attribute direction is '%s'", word);
    return read_activations(r);
}

/* Sequences of a batch that end early are not supported. */
static bool check_lengths(struct recurrent *r)
{
    if (!import_has_input(r->im, 4)) return true;
    int64_t lengths[64];
    int count;
    if (!import_constant_ints(r->im, 4, lengths, 64, &count)) return false;
    for (int i = 0; i < count; i++)
        if (lengths[i] != r->steps)
            return import_fail(
                    r->im, "sequences of different lengths are not supported");
    return true;
}

/* Scales and zero points of integers: a number for each direction, or for each
 * column of its matrix, too. */
static bool check_parameter(
        struct recurrent *r, size_t input, enum graph_type type)
{
    const struct graph_tensor *t =
            import_tensor(r->im, import_input(r->im, input));
    const struct graph_shape columns = {
            .ndims = 2, .dims = {r->directions, r->gates * r->size}};
    const struct graph_shape one = {.ndims = 1, .dims = {r->directions}};
    if (t->type != type)
        return import_fail(r->im, "input %zu is of type %s, not %s", input,
                graph_type_name(t->type), graph_type_name(type));
    return graph_shape_equal(&t->shape, &columns)
           || import_check_shape(r->im, input, &one);
}

static bool check_quantized(struct recurrent *r)
{
    for (size_t i = 1; i < 3; i++) {
        const enum graph_type type =
                import_tensor(r->im, import_input(r->im, i))->type;
        if (type != graph_type_i8 && type != graph_type_u8)
            return import_fail(r->im, "input %zu is of type %s, not i8 or u8",
                    i, graph_type_name(type));
        if (!check_parameter(r, 6 + 2 * i, graph_type_f32)
                || !check_parameter(r, 7 + 2 * i, type))
            return false;
    }
    return true;
}

static void turn_matrix(struct graph_shape *shape)
{
    const int64_t rows = shape->dims[1];
    shape->dims[1] = shape->dims[2];
    shape->dims[2] = rows;
}

static bool check_shapes(struct recurrent *r, int64_t inputs)
{
    const int64_t d = r->directions, g = r->gates * r->size;
    struct graph_shape weights = {.ndims = 3, .dims = {d, g, inputs}};
    struct graph_shape own = {.ndims = 3, .dims = {d, g, r->size}};
    const struct graph_shape bias = {.ndims = 2, .dims = {d, 2 * g}};
    const struct graph_shape peepholes = {.ndims = 2, .dims = {d, 3 * r->size}};
    struct graph_shape state = {.ndims = 3, .dims = {d, r->batch, r->size}};
    if (r->is_batch_first) {
        state.dims[0] = r->batch;
        state.dims[1] = d;
    }
    if (r->is_quantized) {
        turn_matrix(&weights);
        turn_matrix(&own);
    }
    return import_check_shape(r->im, 1, &weights)
           && import_check_shape(r->im, 2, &own)
           && import_check_shape(r->im, 3, &bias)
           && import_check_shape(r->im, 5, &state)
           && import_check_shape(r->im, 6, &state)
           && import_check_shape(r->im, 7, &peepholes)
           && (!r->is_quantized || check_quantized(r));
}

static bool read_sizes(struct recurrent *r)
{
    static const int turn[] = {1, 0, 2};
    const struct graph_shape *own =
            &import_tensor(r->im, import_input(r->im, 2))->shape;
    r->x = import_input(r->im, 0);
    if (import_tensor(r->im, r->x)->shape.ndims != 3 || own->ndims != 3)
        return import_fail(r->im, "sequences and weights need 3 dimensions");
    r->size = own->dims[r->is_quantized ? 1 : 2];
    if (r->is_batch_first)
        r->x = recurrent_turned(r, r->x, 3, turn, import_between);
    if (r->x == graph_none) return false;
    const struct graph_shape *x = &import_tensor(r->im, r->x)->shape;
    r->steps = x->dims[0];
    r->batch = x->dims[1];
    const struct graph_shape state = {
            .ndims = 3, .dims = {2, r->batch, r->size}};
    if (!graph_shape_fits(&state, 1) || !graph_shape_fits(own, 1)
            || !graph_shape_fits(x, 1))
        return import_fail(r->im, "a sequence without steps");
    if (!recurrent_is_layer(r) && r->steps > most_steps)
        return import_fail(r->im,
                "a sequence of %lld steps, at most %d are supported with these "
                "activations or with integers",
                (long long)r->steps, (int)most_steps);
    return check_shapes(r, x->dims[2]);
}

/* All but lengths and what quantized weights come with. */
static bool check_types(struct recurrent *r)
{
    for (size_t i = 0; i < 8; i++)
        if (i != 4 && !(r->is_quantized && (i == 1 || i == 2))
                && import_has_input(r->im, i)
                && import_tensor(r->im, import_input(r->im, i))->type
                           != graph_type_f32)
            return import_fail(r->im, "input %zu is not of type f32", i);
    return true;
}

static bool import_all(struct recurrent *r)
{
    return check_types(r) && read_attributes(r) && read_sizes(r)
           && check_lengths(r)
           && (recurrent_is_layer(r) ? recurrent_emit_layer(r)
                                     : emit_outputs(r));
}

static bool import_recurrent(struct import *im, enum recurrent_kind kind)
{
    struct recurrent r = {.im = im, .kind = kind, .gates = gates_of[kind]};
    return import_check_inputs(im, 3, kind == kind_lstm ? 8 : 6)
           && import_all(&r);
}

/* All inputs are quantized at once, and the state before each step. */
bool import_dynamic_quantize_lstm(struct import *im, enum graph_op op)
{
    struct recurrent r = {
            .im = im, .kind = kind_lstm, .gates = 4, .is_quantized = true};
    (void)op;
    if (!import_check_inputs(im, 3, 12)) return false;
    for (size_t i = 8; i < 12; i++)
        if (!import_has_input(im, i))
            return import_fail(im, "input %zu is missing", i);
    return import_all(&r);
}

bool import_rnn(struct import *im, enum graph_op op)
{
    (void)op;
    return import_recurrent(im, kind_rnn);
}

bool import_gru(struct import *im, enum graph_op op)
{
    (void)op;
    return import_recurrent(im, kind_gru);
}

bool import_lstm(struct import *im, enum graph_op op)
{
    (void)op;
    return import_recurrent(im, kind_lstm);
}
