/* SPDX-License-Identifier: Apache-2.0 */
/* RNN, GRU and LSTM as one node, with weights as graph_op_recurrent has them.
 */
#include "model/import/import_recurrent.h"

bool recurrent_is_layer(const struct recurrent *r)
{
    const enum graph_op *a = r->activations;
    if (r->is_quantized) return false;
    for (int64_t d = 0; d < r->directions; d++, a += 3) {
        if (r->kind == kind_rnn) {
            if (a[0] != r->activations[0]
                    || (a[0] != graph_op_tanh && a[0] != graph_op_relu
                            && a[0] != graph_op_sigmoid))
                return false;
        } else if (a[0] != graph_op_sigmoid || a[1] != graph_op_tanh
                   || (r->kind == kind_lstm && a[2] != graph_op_tanh)) {
            return false;
        }
    }
    return true;
}

/* ---- Weights ------------------------------------------------------------- */

/* The last dimension has parts of r->size elements each. Those of LSTM are i,
 * o, f and c (peepholes: i, o and f): in the order i, f, c and o. */
static int ordered(struct recurrent *r, int x)
{
    if (x == graph_none || r->kind != kind_lstm) return x;
    const struct graph_shape *shape = &import_tensor(r->im, x)->shape;
    const int axis = shape->ndims - 1;
    const int64_t count = shape->dims[axis];
    int parts[3];
    parts[0] = recurrent_part(r, x, axis, 0, r->size);
    parts[1] = recurrent_part(r, x, axis, 2 * r->size, count - 2 * r->size);
    parts[2] = recurrent_part(r, x, axis, r->size, r->size);
    return recurrent_joined(r, parts, 3, axis, import_between);
}

static int weights_of(struct recurrent *r, size_t input)
{
    static const int turn[] = {0, 2, 1};
    return ordered(r, recurrent_turned(r, import_input(r->im, input), 3, turn,
                              import_between));
}

/* Those of the inputs and of the state together; but for those of the candidate
 * of a GRU that resets the product, which come one after the other. */
static int bias_of(struct recurrent *r)
{
    if (!import_has_input(r->im, 3)) return graph_none;
    const int64_t count = r->gates * r->size;
    const int both = import_input(r->im, 3);
    const int own = recurrent_part(r, both, 1, 0, count);
    const int of_state = recurrent_part(r, both, 1, count, count);
    if (r->kind != kind_gru || !r->resets_product)
        return ordered(r, import_emit_binary(r->im, graph_op_add, own, of_state,
                                  import_between));
    int parts[3];
    parts[0] = import_emit_binary(r->im, graph_op_add,
            recurrent_part(r, own, 1, 0, 2 * r->size),
            recurrent_part(r, of_state, 1, 0, 2 * r->size), import_between);
    parts[1] = recurrent_part(r, own, 1, 2 * r->size, r->size);
    parts[2] = recurrent_part(r, of_state, 1, 2 * r->size, r->size);
    return recurrent_joined(r, parts, 3, 1, import_between);
}

/* What an input has for the begin. */
static int initial(struct recurrent *r, size_t input)
{
    static const int turn[] = {1, 0, 2};
    if (!import_has_input(r->im, input)) return graph_none;
    const int x = import_input(r->im, input);
    return r->is_batch_first ? recurrent_turned(r, x, 3, turn, import_between)
                             : x;
}

/* ---- The layer ----------------------------------------------------------- */

static bool gives_cell(const struct recurrent *r)
{
    return r->kind == kind_lstm && import_has_output(r->im, 2);
}

static enum graph_cell cell_of(const struct recurrent *r)
{
    if (r->kind == kind_gru)
        return r->resets_product ? graph_cell_lbr_gru : graph_cell_gru;
    return r->kind == kind_lstm ? graph_cell_lstm : graph_cell_rnn;
}

/* [steps, batch, directions * size], and the cells. */
static int emit_layer(struct recurrent *r)
{
    enum { input_count = graph_max_inputs };
    const bool is_lstm = r->kind == kind_lstm;
    const bool has[input_count] = {true, true, true, import_has_input(r->im, 3),
            import_has_input(r->im, 5), is_lstm && import_has_input(r->im, 6),
            is_lstm && import_has_input(r->im, 7)};
    int inputs[input_count];
    inputs[0] = r->x;
    inputs[1] = weights_of(r, 1);
    inputs[2] = weights_of(r, 2);
    inputs[3] = bias_of(r);
    inputs[4] = initial(r, 5);
    inputs[5] = has[5] ? initial(r, 6) : graph_none;
    inputs[6] = has[6] ? ordered(r, import_input(r->im, 7)) : graph_none;
    for (int i = 0; i < input_count; i++)
        if (has[i] && inputs[i] == graph_none) return graph_none;
    struct graph_node node = {.op = graph_op_recurrent,
            .input_count = input_count,
            .inputs = inputs,
            .u.recurrent = {cell_of(r), r->activations[0], r->is_backward,
                    gives_cell(r)}};
    const struct graph_shape shape = {.ndims = 3,
            .dims = {r->steps + gives_cell(r), r->batch,
                    r->directions * r->size}};
    return import_emit(r->im, &node, graph_type_f32, &shape, import_between);
}

/* ---- Outputs ------------------------------------------------------------- */

/* All steps as [steps, directions, batch, size], or the batch first. */
static bool emit_steps(struct recurrent *r, int all)
{
    static const int turn[] = {0, 2, 1, 3}, batch_first[] = {1, 0, 2, 3};
    const struct graph_shape shape = {
            .ndims = 4, .dims = {r->steps, r->batch, r->directions, r->size}};
    if (!import_has_output(r->im, 0)) return true;
    const int y = import_emit_reshape(r->im,
            recurrent_part(r, all, 0, 0, r->steps), &shape, import_between);
    return recurrent_turned(r, y, 4, r->is_batch_first ? batch_first : turn, 0)
           != graph_none;
}

/* A row of all directions, [1, batch, directions * size], as an output. */
static bool emit_row(struct recurrent *r, int row, int output)
{
    static const int turn[] = {1, 0, 2};
    const struct graph_shape shape = {
            .ndims = 3, .dims = {r->batch, r->directions, r->size}};
    const int y = import_emit_reshape(
            r->im, row, &shape, r->is_batch_first ? output : import_between);
    if (r->is_batch_first) return y != graph_none;
    return recurrent_turned(r, y, 3, turn, output) != graph_none;
}

/* What each direction has after its last step. */
static int last_row(struct recurrent *r, int all)
{
    int rows[2];
    for (int64_t d = 0; d < r->directions; d++) {
        const bool is_backward = r->is_backward || d == 1;
        const int row =
                recurrent_part(r, all, 0, is_backward ? 0 : r->steps - 1, 1);
        rows[d] = recurrent_part(r, row, 2, d * r->size, r->size);
    }
    return recurrent_joined(r, rows, (int)r->directions, 2, import_between);
}

bool recurrent_emit_layer(struct recurrent *r)
{
    const int all = emit_layer(r);
    if (all == graph_none || !emit_steps(r, all)) return false;
    if (import_has_output(r->im, 1) && !emit_row(r, last_row(r, all), 1))
        return false;
    return !gives_cell(r)
           || emit_row(r, recurrent_part(r, all, 0, r->steps, 1), 2);
}
