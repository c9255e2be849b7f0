/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations and softmax. */
#include "model/lower/lower_internal.h"

/* Inputs number 1 and 2 are scale and shift, which may be missing. */
static bool add_scale_and_shift(struct lowering *l,
        const struct graph_node *node, struct step *step, int64_t count)
{
    static const int args[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT};
    static const unsigned flags[] = {dnnl_use_scale, dnnl_use_shift};
    for (int i = 0; i < 2; i++) {
        struct view view;
        if (!lower_has_input(node, 1 + i)) continue;
        if (!lower_float_input(l, node, 1 + i, &view)) return false;
        if (!layout_reshape(&view.layout, &view.layout, 1, &count))
            return lower_refuse(
                    l, node, "scale and shift have not the shape of a line");
        step->flags |= flags[i];
        step_add_arg(step, args[i], &view);
    }
    return true;
}

bool lower_batch_norm(struct lowering *l, const struct graph_node *node)
{
    struct view src, mean, variance;
    if (!lower_input(l, node, 0, &src) || !lower_float_input(l, node, 3, &mean)
            || !lower_float_input(l, node, 4, &variance))
        return false;
    struct step *step = lower_step(l, node, step_batch_normalization, 6);
    if (step == NULL) return false;
    step->epsilon = node->u.epsilon;
    step->flags = dnnl_use_global_stats;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    step_add_arg(step, DNNL_ARG_MEAN, &mean);
    step_add_arg(step, DNNL_ARG_VARIANCE, &variance);
    if (!add_scale_and_shift(l, node, step, src.layout.dims[1])) return false;
    return lower_finish(l, step, node->output);
}

/* Each channel is a group of its own. */
bool lower_instance_norm(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    struct step *step = lower_step(l, node, step_group_normalization, 4);
    if (step == NULL) return false;
    step->epsilon = node->u.epsilon;
    step->size = src.layout.dims[1];
    step_add_arg(step, DNNL_ARG_SRC, &src);
    if (!add_scale_and_shift(l, node, step, step->size)) return false;
    return lower_finish_plain(l, step, node->output);
}

/* What is normalized together becomes one dimension. */
bool lower_layer_norm(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    int64_t dims[2] = {1, 1};
    if (!lower_input(l, node, 0, &src)) return false;
    for (int d = 0; d < src.layout.ndims; d++)
        dims[d >= node->u.layer_norm.axis] *= src.layout.dims[d];
    if (!layout_reshape(&src.layout, &src.layout, 2, dims)) {
        const struct view apart = src;
        if (!lower_copy(l, node, &apart, &src)) return false;
        src.layout = layout_dense(2, dims);
    }
    struct step *step = lower_step(l, node, step_layer_normalization, 4);
    if (step == NULL) return false;
    step->epsilon = node->u.layer_norm.epsilon;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    if (!add_scale_and_shift(l, node, step, dims[1])) return false;
    return lower_finish_as(l, step, node->output, 2, dims);
}

bool lower_softmax(struct lowering *l, const struct graph_node *node)
{
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    struct step *step = lower_step(l, node, step_softmax, 2);
    if (step == NULL) return false;
    step->alg = node->op == graph_op_softmax ? dnnl_softmax_accurate
                                             : dnnl_softmax_log;
    step->axis = node->u.axis;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish_plain(l, step, node->output);
}
