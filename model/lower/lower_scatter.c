/* SPDX-License-Identifier: Apache-2.0 */
/* Updates of some elements. */
#include "model/lower/lower_internal.h"

#include <string.h>

/* Of each line its first element, for which the walk goes on. */
static void take_first(struct view *view, int axis)
{
    view->layout = layout_slice(&view->layout, axis, 0, 1, 1);
}

static void set_scatter_walk(struct step *step, const struct graph_node *node,
        const struct view *updates, const struct view *indices,
        const struct view *dst)
{
    const int axis = node->u.scatter.axis;
    /* Updates of one element are in the order that they have. */
    step->walk = (struct walk){.count = updates->layout.dims[axis],
            .src = updates->layout.strides[axis],
            .other = indices->layout.strides[axis],
            .dst = dst->layout.strides[axis],
            .range = dst->layout.dims[axis]};
    if (node->u.scatter.how == graph_scatter_none) step->walk.count = 1;
}

/* All of x is copied, and then updates to where they belong: a line of them by
 * one work-item, or, where each is for an element of its own, all at once. */
bool lower_scatter(struct lowering *l, const struct graph_node *node)
{
    static const char *const names[] = {[graph_scatter_none] = "none",
            [graph_scatter_add] = "add",
            [graph_scatter_mul] = "mul",
            [graph_scatter_max] = "max",
            [graph_scatter_min] = "min"};
    const int axis = node->u.scatter.axis;
    struct view x, indices, updates, dst;
    if (!lower_input(l, node, 0, &x) || !lower_input(l, node, 1, &indices)
            || !lower_input(l, node, 2, &updates)
            || !lower_result(l, node->output, &dst))
        return false;
    if (!layout_broadcast(&indices.layout, &indices.layout,
                updates.layout.ndims, updates.layout.dims))
        return lower_refuse(l, node, "shapes do not fit");
    struct step *all = lower_step(l, node, step_map, 2);
    if (all == NULL) return false;
    all->function = "copy";
    step_add_arg(all, DNNL_ARG_SRC, &x);
    step_add_arg(all, DNNL_ARG_DST, &dst);
    struct step *some = lower_step(l, node, step_scatter, 3);
    if (some == NULL) return false;
    some->function = names[node->u.scatter.how];
    some->narrow = lower_narrow_type(l, node->output);
    set_scatter_walk(some, node, &updates, &indices, &dst);
    /* The result's other dimensions may be longer. */
    memcpy(dst.layout.dims, updates.layout.dims, sizeof dst.layout.dims);
    dst.layout.strides[axis] = 0;
    if (node->u.scatter.how != graph_scatter_none) {
        take_first(&updates, axis);
        take_first(&indices, axis);
        take_first(&dst, axis);
    }
    step_add_arg(some, DNNL_ARG_SRC_0, &updates);
    step_add_arg(some, DNNL_ARG_SRC_1, &indices);
    step_add_arg(some, DNNL_ARG_DST, &dst);
    return true;
}
