/* SPDX-License-Identifier: Apache-2.0 */
/* What the library has for floats alone, of other elements; and what goes along
 * one dimension. */
#include "model/lower/lower_internal.h"

#include <string.h>

/* ---- Products ------------------------------------------------------------ */

bool lower_exact_product(struct lowering *l, const struct graph_node *node,
        const struct view *a, const struct view *b)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct view rows = *a, columns = *b;
    const int ndims = shape->ndims;
    rows.layout = layout_lift(&a->layout, ndims);
    columns.layout = layout_lift(&b->layout, ndims);
    const struct walk walk = {.count = rows.layout.dims[ndims - 1],
            .src = rows.layout.strides[ndims - 1],
            .other = columns.layout.strides[ndims - 2]};
    /* One element stands for all that it is multiplied with. */
    rows.layout = layout_slice(&rows.layout, ndims - 1, 0, 1, 1);
    columns.layout = layout_slice(&columns.layout, ndims - 2, 0, 1, 1);
    if (!layout_broadcast(&rows.layout, &rows.layout, ndims, shape->dims)
            || !layout_broadcast(
                    &columns.layout, &columns.layout, ndims, shape->dims))
        return lower_refuse(l, node, "shapes do not fit");
    struct step *step = lower_step(l, node, step_product, 3);
    if (step == NULL) return false;
    step->walk = walk;
    step->narrow = lower_narrow_type(l, node->output);
    step_add_arg(step, DNNL_ARG_SRC_0, &rows);
    step_add_arg(step, DNNL_ARG_SRC_1, &columns);
    return lower_finish_plain(l, step, node->output);
}

/* ---- Convolutions -------------------------------------------------------- */

/* Adds spatial dimensions of 1 behind, up to three. */
static struct layout as_volume(const struct layout *in)
{
    struct layout out = *in;
    for (; out.ndims < 5; out.ndims++) {
        out.dims[out.ndims] = 1;
        out.strides[out.ndims] = 0;
    }
    return out;
}

bool lower_exact_conv(struct lowering *l, const struct graph_node *node)
{
    const struct graph_window *w = &node->u.window;
    struct view src, weights;
    if (lower_has_input(node, 2))
        return lower_refuse(l, node, "a bias is supported for f32 only");
    if (!lower_input(l, node, 0, &src) || !lower_input(l, node, 1, &weights))
        return false;
    struct step *step = lower_step(l, node, step_window, 3);
    if (step == NULL) return false;
    for (int d = 0; d < graph_max_spatial; d++) {
        const bool is_there = d < w->spatial;
        step->strides[d] = is_there ? w->strides[d] : 1;
        step->dilates[d] = is_there ? w->dilations[d] : 1;
        step->padding_l[d] = is_there ? w->pads_begin[d] : 0;
    }
    step->size = w->groups;
    step->narrow = lower_narrow_type(l, node->output);
    src.layout = as_volume(&src.layout);
    weights.layout = as_volume(&weights.layout);
    step_add_arg(step, DNNL_ARG_SRC_0, &src);
    step_add_arg(step, DNNL_ARG_SRC_1, &weights);
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    const struct layout dst = layout_dense(shape->ndims, shape->dims);
    const struct layout volume = as_volume(&dst);
    return lower_finish_as(l, step, node->output, 5, volume.dims);
}

/* ---- Along one dimension ------------------------------------------------- */

/* The first element of each line. */
static struct view begin_of(const struct view *view, int axis)
{
    struct view first = *view;
    first.layout = layout_slice(&view->layout, axis, 0, 1, 1);
    return first;
}

bool lower_running_sum(struct lowering *l, const struct graph_node *node)
{
    const int axis = node->u.line.axis;
    struct view src, dst;
    struct step *step = lower_step(l, node, step_line, 2);
    if (step == NULL || !lower_input(l, node, 0, &src)
            || !lower_result(l, node->output, &dst))
        return false;
    struct walk walk = {.count = src.layout.dims[axis],
            .src = src.layout.strides[axis],
            .dst = dst.layout.strides[axis],
            .is_exclusive = node->u.line.is_exclusive};
    struct view from = begin_of(&src, axis), to = begin_of(&dst, axis);
    if (node->u.line.is_backward) {
        from.layout.offset += (walk.count - 1) * walk.src;
        to.layout.offset += (walk.count - 1) * walk.dst;
        walk.src = -walk.src;
        walk.dst = -walk.dst;
    }
    step->walk = walk;
    step->function = "sum";
    step->narrow = lower_narrow_type(l, node->output);
    step_add_arg(step, DNNL_ARG_SRC, &from);
    step_add_arg(step, DNNL_ARG_DST, &to);
    return true;
}

bool lower_arg(struct lowering *l, const struct graph_node *node)
{
    const int axis = node->u.line.axis;
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    struct step *step = lower_step(l, node, step_line, 2);
    if (step == NULL) return false;
    step->function = node->op == graph_op_arg_max ? "arg_max" : "arg_min";
    step->walk = (struct walk){.count = src.layout.dims[axis],
            .src = src.layout.strides[axis],
            .is_exclusive = node->u.line.takes_last};
    const struct view first = begin_of(&src, axis);
    step_add_arg(step, DNNL_ARG_SRC, &first);
    return lower_finish_plain(l, step, node->output);
}

bool lower_gather_elements(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    const int axis = node->u.axis;
    struct view x, indices;
    if (!lower_input(l, node, 0, &x) || !lower_input(l, node, 1, &indices))
        return false;
    struct step *step = lower_step(l, node, step_pick, 3);
    if (step == NULL) return false;
    step->walk = (struct walk){
            .count = x.layout.dims[axis], .src = x.layout.strides[axis]};
    /* Other dimensions may be longer than those of the indices. */
    memcpy(x.layout.dims, shape->dims, sizeof shape->dims);
    x.layout.strides[axis] = 0;
    step_add_arg(step, DNNL_ARG_SRC_0, &x);
    step_add_arg(step, DNNL_ARG_SRC_1, &indices);
    return lower_finish_plain(l, step, node->output);
}
