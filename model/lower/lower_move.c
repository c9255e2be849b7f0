/* SPDX-License-Identifier: Apache-2.0 */
/* Elements in other places: views where that is possible. */
#include "model/lower/lower_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Views --------------------------------------------------------------- */

bool lower_transpose(struct lowering *l, const struct graph_node *node)
{
    struct view view;
    if (!lower_input(l, node, 0, &view)) return false;
    view.layout = layout_permute(&view.layout, node->u.perm);
    l->views[node->output] = view;
    return true;
}

bool lower_expand(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct view view;
    if (!lower_input(l, node, 0, &view)) return false;
    if (!layout_broadcast(
                &view.layout, &view.layout, shape->ndims, shape->dims))
        return lower_refuse(l, node, "shapes do not fit");
    l->views[node->output] = view;
    return true;
}

/* A view that has no strides in the new dimensions is copied: what shuffles
 * channels does so once. */
bool lower_reshape(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct view view, copy;
    if (!lower_input(l, node, 0, &view)) return false;
    if (!layout_reshape(
                &view.layout, &view.layout, shape->ndims, shape->dims)) {
        if (!lower_copy(l, node, &view, &copy)) return false;
        view = copy;
        view.layout = layout_dense(shape->ndims, shape->dims);
    }
    l->views[node->output] = view;
    return true;
}

/* ---- Remapping ----------------------------------------------------------- */

static struct step *add_remap(struct lowering *l, const struct graph_node *node,
        enum remap_mode mode, const struct view *src)
{
    struct step *step = lower_step(l, node, step_remap, 2);
    if (step == NULL) return NULL;
    step->remap.mode = mode;
    for (int d = 0; d < layout_max_dims; d++)
        step->remap.steps[d] = 1;
    step_add_arg(step, DNNL_ARG_SRC, src);
    return step;
}

bool lower_slice(struct lowering *l, const struct graph_node *node)
{
    const struct graph_slice *s = &node->u.slice;
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    struct view view;
    bool is_forward = true;
    if (!lower_input(l, node, 0, &view)) return false;
    for (int d = 0; d < shape->ndims; d++)
        is_forward = is_forward && s->steps[d] > 0;
    if (!is_forward) {
        struct step *step = add_remap(l, node, remap_edge, &view);
        if (step == NULL) return false;
        for (int d = 0; d < shape->ndims; d++) {
            step->remap.starts[d] = s->starts[d];
            step->remap.steps[d] = s->steps[d];
        }
        return lower_finish_plain(l, step, node->output);
    }
    for (int d = 0; d < shape->ndims; d++)
        view.layout = layout_slice(
                &view.layout, d, s->starts[d], shape->dims[d], s->steps[d]);
    l->views[node->output] = view;
    return true;
}

bool lower_tile(struct lowering *l, const struct graph_node *node)
{
    struct view view;
    if (!lower_input(l, node, 0, &view)) return false;
    struct step *step = add_remap(l, node, remap_wrap, &view);
    return step != NULL && lower_finish_plain(l, step, node->output);
}

/* A step that does what a Pad says, without its result. */
static struct step *add_pad(struct lowering *l, const struct graph_node *node,
        const struct view *src)
{
    static const enum remap_mode modes[] = {
            [graph_pad_constant] = remap_constant,
            [graph_pad_reflect] = remap_reflect,
            [graph_pad_edge] = remap_edge,
            [graph_pad_wrap] = remap_wrap};
    const struct graph_pad *pad = &node->u.pad;
    struct step *step = add_remap(l, node, modes[pad->mode], src);
    if (step == NULL) return NULL;
    step->remap.value = pad->value;
    for (int d = 0; d < src->layout.ndims; d++)
        step->remap.starts[d] = -pad->begin[d];
    return step;
}

bool lower_remap_pad(struct lowering *l, const struct graph_node *node,
        const struct view *from, const struct view *to)
{
    struct step *step = add_pad(l, node, from);
    if (step == NULL) return false;
    step_add_arg(step, DNNL_ARG_DST, to);
    return true;
}

bool lower_pad(struct lowering *l, const struct graph_node *node)
{
    struct view view;
    if (!lower_input(l, node, 0, &view)) return false;
    struct step *step = add_pad(l, node, &view);
    return step != NULL && lower_finish_plain(l, step, node->output);
}

/* ---- Gather -------------------------------------------------------------- */

/* [before, n, after] and indices become [before, indices, after]. */
bool lower_gather(struct lowering *l, const struct graph_node *node)
{
    struct view x, indices;
    const int axis = node->u.axis;
    int64_t from[3] = {1, 1, 1}, to[3];
    if (!lower_input(l, node, 0, &x) || !lower_input(l, node, 1, &indices))
        return false;
    for (int d = 0; d < x.layout.ndims; d++)
        from[d < axis ? 0 : d == axis ? 1 : 2] *= x.layout.dims[d];
    const int64_t count = layout_count(&indices.layout);
    if (!layout_reshape(&x.layout, &x.layout, 3, from)) {
        const struct view apart = x;
        if (!lower_copy(l, node, &apart, &x)) return false;
        x.layout = layout_dense(3, from);
    }
    if (!layout_reshape(&indices.layout, &indices.layout, 1, &count)) {
        const struct view apart = indices;
        if (!lower_copy(l, node, &apart, &indices)) return false;
        indices.layout = layout_dense(1, &count);
    }
    struct step *step = lower_step(l, node, step_take, 3);
    if (step == NULL) return false;
    memcpy(to, from, sizeof to);
    to[1] = count;
    step_add_arg(step, DNNL_ARG_SRC_0, &x);
    step_add_arg(step, DNNL_ARG_SRC_1, &indices);
    return lower_finish_as(l, step, node->output, 3, to);
}

/* ---- Concat -------------------------------------------------------------- */

enum { max_sources = 95 };

static struct view input_view(
        const struct lowering *l, const struct graph_node *node, int i)
{
    return l->views[node->inputs[i]];
}

/* Can the input be a part of the result in the first place? It must be all of
 * a buffer that steps write, which is no part of another one. */
static bool can_move_in(
        const struct lowering *l, const struct graph_node *node, int i)
{
    const struct view view = input_view(l, node, i);
    const struct buffer *b = &l->plan->buffers[view.buffer];
    for (int other = 0; other < i; other++)
        if (input_view(l, node, other).buffer == view.buffer) return false;
    return b->kind == buffer_activation && b->parent < 0
           && b->words == view_words(&view) && view.layout.offset == 0
           && layout_is_dense(&view.layout);
}

/* Lets the inputs be parts of the result, one after the other: those who write
 * them write it. */
static bool join(struct lowering *l, const struct graph_node *node)
{
    struct view dst;
    int64_t offset = 0;
    if (!lower_result(l, node->output, &dst)) return false;
    for (int i = 0; i < node->input_count; i++) {
        struct buffer *part = &l->plan->buffers[input_view(l, node, i).buffer];
        part->parent = dst.buffer;
        part->offset = offset;
        offset += part->words;
    }
    return true;
}

/* Of elements that the library has no primitive for: a copy for each input. */
static bool copy_parts(struct lowering *l, const struct graph_node *node)
{
    struct view dst, src;
    int64_t at = 0;
    if (!lower_result(l, node->output, &dst)) return false;
    for (int i = 0; i < node->input_count; i++) {
        struct view part = dst;
        if (!lower_input(l, node, i, &src)) return false;
        const int64_t size = src.layout.dims[node->u.axis];
        part.layout = layout_slice(&dst.layout, node->u.axis, at, size, 1);
        at += size;
        struct step *step = lower_step(l, node, step_map, 2);
        if (step == NULL) return false;
        step->function = "copy";
        step_add_arg(step, DNNL_ARG_SRC, &src);
        step_add_arg(step, DNNL_ARG_DST, &part);
    }
    return true;
}

static bool concatenate(struct lowering *l, const struct graph_node *node)
{
    struct view view;
    if (node->input_count > max_sources)
        return lower_refuse(l, node, "more than 95 inputs");
    struct step *step = lower_step(l, node, step_concat, node->input_count + 1);
    if (step == NULL) return false;
    step->axis = node->u.axis;
    for (int i = 0; i < node->input_count; i++) {
        if (!lower_input(l, node, i, &view)) return false;
        step_add_arg(step, DNNL_ARG_MULTIPLE_SRC + i, &view);
    }
    return lower_finish_plain(l, step, node->output);
}

bool lower_concat(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    bool is_joined = true;
    struct view view = {.buffer = -1};
    for (int d = 0; d < node->u.axis; d++)
        is_joined = is_joined && shape->dims[d] == 1;
    for (int i = 0; i < node->input_count; i++) {
        if (!lower_input(l, node, i, &view)) return false;
        is_joined = is_joined && can_move_in(l, node, i);
    }
    if (is_joined) return join(l, node);
    return element_is_float(view.element) ? concatenate(l, node)
                                          : copy_parts(l, node);
}
