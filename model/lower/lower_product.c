/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices. */
#include "model/lower/lower_internal.h"

#include <stdlib.h>

/* Multiplies a constant; done is false, and nothing happened, if it is none. */
static bool scale_constant(
        struct lowering *l, struct view *view, float factor, bool *done)
{
    *done = lower_is_constant(l, view);
    if (!*done) return true;
    float *factors = malloc(sizeof *factors);
    if (factors != NULL) *factors = factor;
    return lower_scale_constant(l, view, factors, layout_count(&view->layout));
}

/* The same of any tensor. */
static bool scale(struct lowering *l, const struct graph_node *node,
        struct view *view, float factor)
{
    bool done;
    struct view scaled;
    if (factor == 1.0f) return true;
    if (!scale_constant(l, view, factor, &done)) return false;
    if (done) return true;
    struct step *step = lower_step(l, node, step_eltwise, 2);
    if (step == NULL
            || !lower_scratch(
                    l, view->layout.ndims, view->layout.dims, &scaled))
        return false;
    step->alg = dnnl_eltwise_linear;
    step->alpha = factor;
    step_add_arg(step, DNNL_ARG_SRC, view);
    step_add_arg(step, DNNL_ARG_DST, &scaled);
    *view = scaled;
    return true;
}

/* A matrix, which may be stored transposed. */
static bool read_matrix(struct lowering *l, const struct graph_node *node,
        int i, bool transposed, struct view *view)
{
    static const int turn[] = {1, 0};
    if (!lower_input(l, node, i, view)) return false;
    if (transposed) view->layout = layout_permute(&view->layout, turn);
    return true;
}

bool lower_gemm(struct lowering *l, const struct graph_node *node)
{
    const struct graph_gemm *g = &node->u.gemm;
    struct view a, b, c;
    const bool has_c = lower_has_input(node, 2) && g->beta != 0.0f;
    if (!lower_input(l, node, 1, &b) || !scale(l, node, &b, g->alpha))
        return false;
    if (has_c && (!lower_input(l, node, 2, &c) || !scale(l, node, &c, g->beta)))
        return false;
    if (!read_matrix(l, node, 0, g->transpose_a, &a)) return false;
    if (g->transpose_b)
        b.layout = layout_permute(&b.layout, (const int[]){1, 0});
    struct step *step = lower_step(l, node, step_matmul, 4);
    if (step == NULL) return false;
    step_add_arg(step, DNNL_ARG_SRC, &a);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &b);
    if (has_c) {
        c.layout = layout_lift(&c.layout, 2);
        step_add_arg(step, DNNL_ARG_BIAS, &c);
    }
    return lower_finish(l, step, node->output);
}

bool lower_matmul(struct lowering *l, const struct graph_node *node)
{
    struct view a, b;
    const int ndims = l->graph->tensors[node->output].shape.ndims;
    if (!lower_input(l, node, 0, &a) || !lower_input(l, node, 1, &b))
        return false;
    if (!element_is_float(a.element))
        return lower_exact_product(l, node, &a, &b);
    struct step *step = lower_step(l, node, step_matmul, 3);
    if (step == NULL) return false;
    a.layout = layout_lift(&a.layout, ndims);
    b.layout = layout_lift(&b.layout, ndims);
    step_add_arg(step, DNNL_ARG_SRC, &a);
    step_add_arg(step, DNNL_ARG_WEIGHTS, &b);
    return lower_finish(l, step, node->output);
}
