/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of recurrent networks. */
#include "model/lower/lower_internal.h"

enum { x_input, weights_input, states_input, bias_input, h_input, c_input };
enum { peephole_input = c_input + 1 };

/* What a dimension of inputs means to the primitive. */
struct sizes {
    int64_t steps, batch, directions, size;
};

/* The primitive's inputs, before there is a step: copies come before it. */
struct inputs {
    int count;
    struct step_arg args[peephole_input + 1];
};

static void add(struct inputs *inputs, int arg, const struct view *view)
{
    inputs->args[inputs->count++] = (struct step_arg){arg, *view};
}

/* Are steps and sequences, in either order, one dimension? */
static bool are_rows_one(const struct view *x)
{
    static const int turn[] = {1, 0, 2};
    const struct layout turned = layout_permute(&x->layout, turn);
    const int64_t dims[] = {
            x->layout.dims[0] * x->layout.dims[1], x->layout.dims[2]};
    struct layout rows;
    return layout_reshape(&rows, &x->layout, 2, dims)
           || layout_reshape(&rows, &turned, 2, dims);
}

/* Adds an input of [directions, ..., parts * size], if it is given, as a tensor
 * of so many dimensions, that of the layer in front. */
static bool add_parts(struct lowering *l, const struct graph_node *node,
        struct inputs *inputs, int input, int arg, const struct sizes *s)
{
    struct view view;
    int64_t dims[5] = {1, s->directions};
    if (!lower_has_input(node, input)) return true;
    if (!lower_input(l, node, input, &view)) return false;
    const int ndims = view.layout.ndims + 2;
    if (ndims == 5) dims[2] = view.layout.dims[1];
    dims[ndims - 2] = view.layout.dims[ndims - 3] / s->size;
    dims[ndims - 1] = s->size;
    if (!layout_is_dense(&view.layout)) {
        const struct view apart = view;
        if (!lower_copy(l, node, &apart, &view)) return false;
    }
    if (!layout_reshape(&view.layout, &view.layout, ndims, dims))
        return lower_refuse(l, node, "weights have not the shape of gates");
    add(inputs, arg, &view);
    return true;
}

/* The same of [directions, batch, size]. */
static bool add_state(struct lowering *l, const struct graph_node *node,
        struct inputs *inputs, int input, int arg)
{
    struct view view;
    if (!lower_has_input(node, input)) return true;
    if (!lower_input(l, node, input, &view)) return false;
    view.layout = layout_lift(&view.layout, 4);
    add(inputs, arg, &view);
    return true;
}

/* The results of all steps, and the cells behind them. */
static bool add_results(struct lowering *l, const struct graph_node *node,
        struct step *step, const struct sizes *s)
{
    static const int turn[] = {0, 2, 1, 3};
    const int64_t dims[] = {1, s->batch, s->directions, s->size};
    struct view all, part;
    if (!lower_result(l, node->output, &all)) return false;
    step->tensor = l->graph->tensors[node->output].name;
    part = all;
    part.layout = layout_slice(&all.layout, 0, 0, s->steps, 1);
    step_add_arg(step, DNNL_ARG_DST, &part);
    if (!node->u.recurrent.gives_cell) return true;
    step->whole = all;
    part.layout = layout_slice(&all.layout, 0, s->steps, 1, 1);
    if (!layout_reshape(&part.layout, &part.layout, 4, dims))
        return lower_refuse(l, node, "cells have not the shape of states");
    part.layout = layout_permute(&part.layout, turn);
    step_add_arg(step, DNNL_ARG_DST_ITER_C, &part);
    return true;
}

static void set_cell(
        struct step *step, const struct graph_node *node, const struct sizes *s)
{
    static const dnnl_alg_kind_t cells[] = {[graph_cell_rnn] = dnnl_vanilla_rnn,
            [graph_cell_gru] = dnnl_vanilla_gru,
            [graph_cell_lbr_gru] = dnnl_lbr_gru,
            [graph_cell_lstm] = dnnl_vanilla_lstm};
    const struct graph_recurrent *r = &node->u.recurrent;
    step->alg = cells[r->cell];
    step->axis = s->directions == 2 ? dnnl_bidirectional_concat
                 : r->is_backward   ? dnnl_unidirectional_right2left
                                    : dnnl_unidirectional_left2right;
    step->activation = r->activation == graph_op_relu   ? dnnl_eltwise_relu
                       : r->activation == graph_op_tanh ? dnnl_eltwise_tanh
                                                        : dnnl_eltwise_logistic;
}

bool lower_recurrent(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *states =
            &lower_tensor(l, node, states_input)->shape;
    struct view x;
    if (!lower_input(l, node, x_input, &x)) return false;
    const struct sizes s = {x.layout.dims[0], x.layout.dims[1], states->dims[0],
            states->dims[1]};
    if (!are_rows_one(&x)) {
        const struct view apart = x;
        if (!lower_copy(l, node, &apart, &x)) return false;
    }
    struct inputs in = {.count = 0};
    add(&in, DNNL_ARG_SRC_LAYER, &x);
    if (!add_parts(l, node, &in, weights_input, DNNL_ARG_WEIGHTS_LAYER, &s)
            || !add_parts(l, node, &in, states_input, DNNL_ARG_WEIGHTS_ITER, &s)
            || !add_parts(l, node, &in, bias_input, DNNL_ARG_BIAS, &s)
            || !add_parts(
                    l, node, &in, peephole_input, DNNL_ARG_WEIGHTS_PEEPHOLE, &s)
            || !add_state(l, node, &in, h_input, DNNL_ARG_SRC_ITER)
            || !add_state(l, node, &in, c_input, DNNL_ARG_SRC_ITER_C))
        return false;
    struct step *step = lower_step(l, node, step_recurrent, in.count + 2);
    if (step == NULL) return false;
    set_cell(step, node, &s);
    for (int i = 0; i < in.count; i++)
        step_add_arg(step, in.args[i].arg, &in.args[i].view);
    return add_results(l, node, step, &s);
}
