/* SPDX-License-Identifier: Apache-2.0 */
#include "model/graph/fold_parts.h"
#include "model/lower/lower_internal.h"

#include <stdlib.h>

bool lower_has_input(const struct graph_node *node, int i)
{
    return i < node->input_count && node->inputs[i] != graph_none;
}

const struct graph_tensor *lower_tensor(
        const struct lowering *l, const struct graph_node *node, int i)
{
    return &l->graph->tensors[node->inputs[i]];
}

/* ---- Constants ----------------------------------------------------------- */

bool lower_charge(struct lowering *l, const struct graph_node *node,
        int64_t count, int64_t size)
{
    const int64_t most = INT64_C(1) << 30;
    if (size != 0 && count > (most - l->host_bytes) / size)
        return fail(l->failure,
                "%s: takes more than %lld bytes of constants to be made",
                node->label, (long long)most);
    l->host_bytes += count * size;
    return true;
}

enum element lower_element(const struct lowering *l, enum graph_type type)
{
    if (type == graph_type_f32)
        return l->plan->is_half ? element_f16 : element_f32;
    return type == graph_type_f64 ? element_f64 : element_i64;
}

/* Small integers as large ones; NULL, said, if memory runs out. */
static int64_t *widen(struct lowering *l, const struct graph_node *node,
        const struct graph_tensor *t, int64_t count)
{
    if (!lower_charge(l, node, count, sizeof(int64_t))) return NULL;
    int64_t *data = malloc(sizeof *data * (size_t)count);
    if (data == NULL) {
        lower_out_of_memory(l);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++)
        data[i] = fold_read_int(t, i);
    return data;
}

static bool add_constant(struct lowering *l, const struct graph_node *node,
        int tensor, struct view *view)
{
    const struct graph_tensor *t = &l->graph->tensors[tensor];
    view->layout = layout_dense(t->shape.ndims, t->shape.dims);
    view->element = lower_element(l, t->type);
    const int64_t count = layout_count(&view->layout);
    int64_t *wide = NULL;
    if (view->element == element_i64 && t->type != graph_type_i64) {
        wide = widen(l, node, t, count);
        if (wide == NULL) return false;
    }
    view->buffer = plan_add_buffer(
            l->plan, buffer_constant, count * element_words(view->element));
    if (view->buffer < 0) {
        free(wide);
        return lower_out_of_memory(l);
    }
    struct buffer *b = &l->plan->buffers[view->buffer];
    b->owned = wide;
    b->data = wide != NULL ? wide : t->data;
    b->deferred = t->deferred;
    b->is_half = view->element == element_f16;
    l->views[tensor] = *view;
    return true;
}

bool lower_constant(struct lowering *l, int ndims, const int64_t *dims,
        float *data, struct view *view)
{
    view->layout = layout_dense(ndims, dims);
    view->element = lower_element(l, graph_type_f32);
    view->buffer = plan_add_buffer(l->plan, buffer_constant, view_words(view));
    if (data == NULL || view->buffer < 0) {
        free(data);
        return lower_out_of_memory(l);
    }
    l->plan->buffers[view->buffer].data = data;
    l->plan->buffers[view->buffer].owned = data;
    l->plan->buffers[view->buffer].is_half = view->element == element_f16;
    return true;
}

bool lower_is_constant(const struct lowering *l, const struct view *view)
{
    const struct buffer *b = &l->plan->buffers[view->buffer];
    return b->kind == buffer_constant && element_is_float(view->element)
           && b->words == view_words(view) && view->layout.offset == 0
           && layout_is_dense(&view->layout);
}

bool lower_scale_constant(
        struct lowering *l, struct view *view, float *factors, int64_t run)
{
    const struct buffer from = l->plan->buffers[view->buffer];
    const int scaled = factors != NULL ? plan_add_buffer(
                               l->plan, buffer_constant, from.words)
                                       : -1;
    if (scaled < 0) {
        free(factors);
        return lower_out_of_memory(l);
    }
    l->plan->buffers[scaled].data = from.data;
    l->plan->buffers[scaled].deferred = from.deferred;
    l->plan->buffers[scaled].is_half = from.is_half;
    l->plan->buffers[scaled].factors = factors;
    l->plan->buffers[scaled].run = run;
    view->buffer = scaled;
    return true;
}

/* ---- Views --------------------------------------------------------------- */

bool lower_input(struct lowering *l, const struct graph_node *node, int i,
        struct view *view)
{
    const int tensor = node->inputs[i];
    *view = l->views[tensor];
    if (view->buffer >= 0) return true;
    if (l->graph->tensors[tensor].data == NULL)
        return lower_refuse(l, node, "an input is computed nowhere");
    return add_constant(l, node, tensor, view);
}

bool lower_float_input(struct lowering *l, const struct graph_node *node, int i,
        struct view *view)
{
    if (!l->plan->is_half) return lower_input(l, node, i, view);
    const struct graph_tensor *t = lower_tensor(l, node, i);
    if (t->data == NULL)
        return lower_refuse(l, node, "parameters that are computed");
    view->layout = layout_dense(t->shape.ndims, t->shape.dims);
    view->element = element_f32;
    view->buffer = plan_add_buffer(l->plan, buffer_constant, view_words(view));
    if (view->buffer < 0) return lower_out_of_memory(l);
    l->plan->buffers[view->buffer].data = t->data;
    l->plan->buffers[view->buffer].deferred = t->deferred;
    return true;
}

bool lower_scratch_of(struct lowering *l, enum element element, int ndims,
        const int64_t *dims, struct view *view)
{
    view->layout = layout_dense(ndims, dims);
    view->element = element;
    view->buffer = plan_add_buffer(l->plan, buffer_activation,
            layout_count(&view->layout) * element_words(element));
    return view->buffer >= 0 || lower_out_of_memory(l);
}

bool lower_scratch(
        struct lowering *l, int ndims, const int64_t *dims, struct view *view)
{
    return lower_scratch_of(
            l, lower_element(l, graph_type_f32), ndims, dims, view);
}

bool lower_result(struct lowering *l, int tensor, struct view *view)
{
    const struct graph_tensor *t = &l->graph->tensors[tensor];
    if (!lower_scratch_of(l, lower_element(l, t->type), t->shape.ndims,
                t->shape.dims, view))
        return false;
    l->views[tensor] = *view;
    return true;
}
