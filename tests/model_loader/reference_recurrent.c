/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of recurrent networks, step by step. */
#include "reference_nodes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { x_input, weights_input, states_input, bias_input, h_input, c_input };
enum { peephole_input = c_input + 1 };

/* A sequence in one direction. */
struct walk {
    const struct reference_call *call;
    int64_t steps, batch, inputs, size, gates, biases, directions;
    int64_t d, n, t;
    double *h, *c, *next, *reset; /* [size] */
};

/* An element of a tensor of directions, whose numbers lie one after the other;
 * 0 of one that is not given. */
static double number(const struct walk *w, int input, int64_t at)
{
    const struct reference_slot *slot = w->call->inputs[input];
    return slot != NULL ? reference_value_at(slot, at) : 0.0;
}

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static double bias(const struct walk *w, int64_t gate, int64_t j)
{
    return number(w, bias_input, (w->d * w->biases + gate) * w->size + j);
}

static double input_sum(const struct walk *w, int64_t gate, int64_t j)
{
    double sum = bias(w, gate, j);
    for (int64_t k = 0; k < w->inputs; k++)
        sum += number(w, x_input, (w->t * w->batch + w->n) * w->inputs + k)
               * number(w, weights_input,
                       ((w->d * w->inputs + k) * w->gates + gate) * w->size
                               + j);
    return sum;
}

static double state_sum(
        const struct walk *w, const double *state, int64_t gate, int64_t j)
{
    double sum = 0.0;
    for (int64_t k = 0; k < w->size; k++)
        sum += state[k]
               * number(w, states_input,
                       ((w->d * w->size + k) * w->gates + gate) * w->size + j);
    return sum;
}

static double gate_sum(const struct walk *w, int64_t gate, int64_t j)
{
    return input_sum(w, gate, j) + state_sum(w, w->h, gate, j);
}

static double peep(const struct walk *w, int64_t number_of, int64_t j)
{
    return w->c[j]
           * number(w, peephole_input, (w->d * 3 + number_of) * w->size + j);
}

static void step_lstm(struct walk *w, int64_t j)
{
    const double in = sigmoid(gate_sum(w, 0, j) + peep(w, 0, j));
    const double forget = sigmoid(gate_sum(w, 1, j) + peep(w, 1, j));
    w->c[j] = forget * w->c[j] + in * tanh(gate_sum(w, 2, j));
    w->next[j] = sigmoid(gate_sum(w, 3, j) + peep(w, 2, j)) * tanh(w->c[j]);
}

static void step_gru(struct walk *w, int64_t j)
{
    const double z = sigmoid(gate_sum(w, 0, j));
    const bool is_lbr = w->call->node->u.recurrent.cell == graph_cell_lbr_gru;
    const double of_state =
            is_lbr ? sigmoid(gate_sum(w, 1, j))
                             * (state_sum(w, w->h, 2, j) + bias(w, 3, j))
                   : state_sum(w, w->reset, 2, j);
    w->next[j] = z * w->h[j] + (1.0 - z) * tanh(input_sum(w, 2, j) + of_state);
}

static void step_rnn(struct walk *w, int64_t j)
{
    const enum graph_op op = w->call->node->u.recurrent.activation;
    const double sum = gate_sum(w, 0, j);
    w->next[j] = op == graph_op_tanh   ? tanh(sum)
                 : op == graph_op_relu ? fmax(sum, 0.0)
                                       : sigmoid(sum);
}

static void step(struct walk *w)
{
    const enum graph_cell cell = w->call->node->u.recurrent.cell;
    for (int64_t j = 0; j < w->size && cell == graph_cell_gru; j++)
        w->reset[j] = sigmoid(gate_sum(w, 1, j)) * w->h[j];
    for (int64_t j = 0; j < w->size; j++)
        if (cell == graph_cell_lstm)
            step_lstm(w, j);
        else if (cell == graph_cell_rnn)
            step_rnn(w, j);
        else
            step_gru(w, j);
    memcpy(w->h, w->next, (size_t)w->size * sizeof *w->h);
}

/* Errors of all steps before come together in a state; what is wrong with an
 * input may reach all of them. */
static double tolerance_of(const struct walk *w, double value)
{
    const struct reference_slot *x = w->call->inputs[x_input];
    const int64_t count = graph_shape_count(&x->tensor->shape);
    double most = 0.0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, reference_tolerance_at(x, i));
    return 32.0 * (double)(w->inputs + w->size) * REFERENCE_EPS
                   * (1.0 + fabs(value))
           + most * (double)(w->inputs * w->steps);
}

static void write(struct walk *w, int64_t row, int64_t j, double value)
{
    const int64_t at =
            ((row * w->batch + w->n) * w->directions + w->d) * w->size + j;
    w->call->output->values[at] = value;
    w->call->output->tolerances[at] = tolerance_of(w, value);
}

static void walk(struct walk *w)
{
    const struct graph_recurrent *r = &w->call->node->u.recurrent;
    const bool is_backward = r->is_backward || w->d == 1;
    for (int64_t j = 0; j < w->size; j++) {
        const int64_t at = (w->d * w->batch + w->n) * w->size + j;
        w->h[j] = number(w, h_input, at);
        w->c[j] = number(w, c_input, at);
    }
    for (int64_t i = 0; i < w->steps; i++) {
        w->t = is_backward ? w->steps - 1 - i : i;
        step(w);
        for (int64_t j = 0; j < w->size; j++)
            write(w, w->t, j, w->h[j]);
    }
    for (int64_t j = 0; j < w->size && r->gives_cell; j++)
        write(w, w->steps, j, w->c[j]);
}

void reference_recurrent(const struct reference_call *call)
{
    const int64_t *x = call->inputs[x_input]->tensor->shape.dims;
    const int64_t *states = call->inputs[states_input]->tensor->shape.dims;
    const int64_t size = states[1];
    struct walk w = {.call = call,
            .steps = x[0],
            .batch = x[1],
            .inputs = x[2],
            .size = size,
            .gates = states[2] / size,
            .directions = states[0]};
    const bool is_lbr = call->node->u.recurrent.cell == graph_cell_lbr_gru;
    double *rows = reference_alloc(4 * size);
    w.biases = w.gates + is_lbr;
    w.h = rows;
    w.c = rows + size;
    w.next = rows + 2 * size;
    w.reset = rows + 3 * size;
    for (w.d = 0; w.d < w.directions; w.d++)
        for (w.n = 0; w.n < w.batch; w.n++)
            walk(&w);
    free(rows);
}
