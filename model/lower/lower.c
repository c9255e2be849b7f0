/* SPDX-License-Identifier: Apache-2.0 */
#include "model/lower/lower_internal.h"
#include "model/plan/programs.h"

#include <stdlib.h>
#include <string.h>

bool lower_out_of_memory(struct lowering *l)
{
    return fail_out_of_memory(l->failure);
}

bool lower_refuse(
        struct lowering *l, const struct graph_node *node, const char *what)
{
    return fail(l->failure, "%s: %s", node->label, what);
}

/* ---- Steps --------------------------------------------------------------- */

struct step *lower_step(struct lowering *l, const struct graph_node *node,
        enum step_kind kind, int room)
{
    struct step *step = plan_add_step(l->plan, kind, room);
    if (step == NULL) {
        lower_out_of_memory(l);
        return NULL;
    }
    step->name = node->label;
    step->op = graph_op_name(node->op);
    return step;
}

bool lower_copy(struct lowering *l, const struct graph_node *node,
        const struct view *from, struct view *to)
{
    const bool is_float = element_is_float(from->element);
    struct step *step =
            lower_step(l, node, is_float ? step_reorder : step_map, 2);
    if (step == NULL
            || !lower_scratch_of(l, from->element, from->layout.ndims,
                    from->layout.dims, to))
        return false;
    step->function = is_float ? NULL : "copy";
    step_add_arg(step, DNNL_ARG_SRC, from);
    step_add_arg(step, DNNL_ARG_DST, to);
    return true;
}

bool lower_finish_as(struct lowering *l, struct step *step, int tensor,
        int ndims, const int64_t *dims)
{
    struct view dst;
    if (!lower_result(l, tensor, &dst)) return false;
    step->tensor = l->graph->tensors[tensor].name;
    dst.layout = layout_dense(ndims, dims);
    step_add_arg(step, DNNL_ARG_DST, &dst);
    return true;
}

bool lower_finish_plain(struct lowering *l, struct step *step, int tensor)
{
    const struct graph_shape *shape = &l->graph->tensors[tensor].shape;
    return lower_finish_as(l, step, tensor, shape->ndims, shape->dims);
}

bool lower_finish(struct lowering *l, struct step *step, int tensor)
{
    return lower_tail(l, step, &tensor) && lower_finish_plain(l, step, tensor);
}

/* ---- The graph ----------------------------------------------------------- */

static lower_operator *find_operator(enum graph_op op)
{
    static lower_operator *const table[graph_op_count] = {
            [graph_op_conv] = lower_conv,
            [graph_op_conv_transpose] = lower_conv_transpose,
            [graph_op_max_pool] = lower_pool,
            [graph_op_average_pool] = lower_pool,
            [graph_op_gemm] = lower_gemm,
            [graph_op_matmul] = lower_matmul,
            [graph_op_batch_norm] = lower_batch_norm,
            [graph_op_instance_norm] = lower_instance_norm,
            [graph_op_layer_norm] = lower_layer_norm,
            [graph_op_lrn] = lower_lrn,
            [graph_op_softmax] = lower_softmax,
            [graph_op_log_softmax] = lower_softmax,
            [graph_op_cast] = lower_cast,
            [graph_op_where] = lower_where,
            [graph_op_cum_sum] = lower_running_sum,
            [graph_op_arg_max] = lower_arg,
            [graph_op_arg_min] = lower_arg,
            [graph_op_gather_elements] = lower_gather_elements,
            [graph_op_scatter] = lower_scatter,
            [graph_op_prelu] = lower_prelu,
            [graph_op_concat] = lower_concat,
            [graph_op_slice] = lower_slice,
            [graph_op_gather] = lower_gather,
            [graph_op_transpose] = lower_transpose,
            [graph_op_reshape] = lower_reshape,
            [graph_op_expand] = lower_expand,
            [graph_op_tile] = lower_tile,
            [graph_op_pad] = lower_pad,
            [graph_op_resize] = lower_resize,
            [graph_op_recurrent] = lower_recurrent};
    if (op >= graph_op_relu && op <= graph_op_bit_not) return lower_function;
    if (op >= graph_op_add && op <= graph_op_shift_right) return lower_binary;
    if (op >= graph_op_reduce_sum && op <= graph_op_reduce_log_sum_exp)
        return lower_reduce;
    return op >= 0 && op < graph_op_count ? table[op] : NULL;
}

/* Who takes which tensor. */
static void find_readers(struct lowering *l)
{
    const struct graph *g = l->graph;
    for (int n = 0; n < g->node_count; n++)
        for (int i = 0; i < g->nodes[n].input_count; i++) {
            const int t = g->nodes[n].inputs[i];
            if (t == graph_none) continue;
            l->uses[t]++;
            l->reader[t] = n;
        }
    for (int i = 0; i < g->output_count; i++)
        l->uses[g->outputs[i].tensor] += 2; /* no single reader any more */
}

static bool add_inputs(struct lowering *l)
{
    const struct graph *g = l->graph;
    l->plan->inputs =
            calloc((size_t)g->input_count + 1, sizeof *l->plan->inputs);
    if (l->plan->inputs == NULL) return lower_out_of_memory(l);
    for (int i = 0; i < g->input_count; i++) {
        const struct graph_tensor *t = &g->tensors[g->inputs[i]];
        struct plan_port *port = &l->plan->inputs[l->plan->input_count++];
        *port = (struct plan_port){.name = t->name, .tensor = g->inputs[i]};
        port->view.layout = layout_dense(t->shape.ndims, t->shape.dims);
        port->view.element = lower_element(l, t->type);
        port->view.buffer =
                plan_add_buffer(l->plan, buffer_input, view_words(&port->view));
        if (port->view.buffer < 0) return lower_out_of_memory(l);
        l->views[g->inputs[i]] = port->view;
    }
    return true;
}

/* Is it there for elements that are no floats? */
static bool takes_any_element(enum graph_op op)
{
    return (op >= graph_op_relu && op <= graph_op_shift_right)
           || op == graph_op_where || op == graph_op_conv
           || op == graph_op_matmul || op == graph_op_cum_sum
           || op == graph_op_arg_max || op == graph_op_arg_min
           || (op >= graph_op_reduce_sum && op <= graph_op_reduce_log_sum_exp)
           || (op >= graph_op_concat && op <= graph_op_pad);
}

static bool check_types(struct lowering *l, const struct graph_node *node)
{
    if (takes_any_element(node->op)) return true;
    bool is_float = l->graph->tensors[node->output].type == graph_type_f32;
    for (int i = 0; i < node->input_count; i++)
        if (lower_has_input(node, i))
            is_float = is_float
                       && lower_tensor(l, node, i)->type == graph_type_f32;
    return is_float || lower_refuse(l, node, "it is there for f32 alone");
}

static bool add_nodes(struct lowering *l)
{
    for (int n = 0; n < l->graph->node_count; n++) {
        const struct graph_node *node = &l->graph->nodes[n];
        lower_operator *lower = find_operator(node->op);
        if (l->done[n]) continue;
        if (lower == NULL) return lower_refuse(l, node, "no such operator");
        if (!check_types(l, node) || !lower(l, node)) return false;
    }
    return true;
}

static bool add_outputs(struct lowering *l)
{
    const struct graph *g = l->graph;
    l->plan->outputs =
            calloc((size_t)g->output_count + 1, sizeof *l->plan->outputs);
    if (l->plan->outputs == NULL) return lower_out_of_memory(l);
    for (int i = 0; i < g->output_count; i++) {
        const int tensor = g->outputs[i].tensor;
        struct plan_port *port = &l->plan->outputs[l->plan->output_count++];
        /* A constant may be an output: then it is a buffer, too. */
        int inputs[1] = {tensor};
        const struct graph_node alone = {.label = g->outputs[i].name,
                .input_count = 1,
                .inputs = inputs};
        *port = (struct plan_port){
                .name = g->outputs[i].name, .tensor = tensor};
        if (!lower_input(l, &alone, 0, &port->view)) return false;
    }
    return true;
}

/* So that places in the arena, and bytes of it, fit into 64 bits. */
static bool check_sum(struct lowering *l)
{
    int64_t left = INT64_MAX / 16;
    for (int i = 0; i < l->plan->buffer_count; i++) {
        if (l->plan->buffers[i].words > left)
            return fail(l->failure, "its tensors have no size in 64 bits");
        left -= l->plan->buffers[i].words;
    }
    return true;
}

static bool lower_all(
        struct plan *plan, const struct graph *graph, struct failure *failure)
{
    const size_t tensors = (size_t)graph->tensor_count + 1;
    struct lowering l = {.graph = graph, .plan = plan, .failure = failure};
    l.views = calloc(tensors, sizeof *l.views);
    l.uses = calloc(tensors, sizeof *l.uses);
    l.reader = calloc(tensors, sizeof *l.reader);
    l.done = calloc((size_t)graph->node_count + 1, sizeof *l.done);
    bool ok = l.views != NULL && l.uses != NULL && l.reader != NULL
              && l.done != NULL;
    if (!ok) lower_out_of_memory(&l);
    for (int t = 0; ok && t < graph->tensor_count; t++)
        l.views[t].buffer = -1;
    if (ok) find_readers(&l);
    ok = ok && add_inputs(&l) && add_nodes(&l) && add_outputs(&l)
         && check_sum(&l);
    if (ok && !plan_place(plan)) ok = lower_out_of_memory(&l);
    free(l.views);
    free(l.uses);
    free(l.reader);
    free(l.done);
    return ok;
}

/* ---- Floats or halves ---------------------------------------------------- */

bool lower_is_half(const struct graph *graph)
{
    bool has_half = false;
    if (graph->has_float) return false;
    for (int i = 0; i < graph->tensor_count; i++) {
        const struct graph_tensor *t = &graph->tensors[i];
        if (t->is_weight && t->type == graph_type_f32 && !t->is_half)
            return false;
        /* A half has the integers to 2048 alone. */
        if (t->least != 0 || t->most != 0) return false;
        has_half = has_half || t->is_half;
    }
    return has_half;
}

/* Programs of our own are there for floats. */
static bool fits_halves(const struct plan *plan)
{
    for (int s = 0; s < plan->step_count; s++) {
        const struct step *step = plan->steps[s];
        if (!step_is_program(step)) continue;
        for (int i = 0; i < step->arg_count; i++)
            if (step->args[i].view.element == element_f16) return false;
    }
    return true;
}

bool lower_graph(
        struct plan *plan, const struct graph *graph, struct failure *failure)
{
    struct failure reason = {""};
    if (plan->is_half) {
        if (lower_all(plan, graph, &reason) && fits_halves(plan)) return true;
        plan_fini(plan);
    }
    return lower_all(plan, graph, failure);
}
