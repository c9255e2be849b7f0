/* SPDX-License-Identifier: Apache-2.0 */
/* Normalization across channels. The library's windows have as many channels
 * before as behind; one of an even size has one more behind, and is computed by
 * parts: squares, their averages, a power of those, a product. */
#include "model/lower/lower_internal.h"

/* ---- By parts ------------------------------------------------------------ */

static bool square(struct lowering *l, const struct graph_node *node,
        const struct view *src, struct view *squares)
{
    struct step *step = lower_step(l, node, step_eltwise, 2);
    if (step == NULL
            || !lower_scratch(l, src->layout.ndims, src->layout.dims, squares))
        return false;
    step->alg = dnnl_eltwise_square;
    step_add_arg(step, DNNL_ARG_SRC, src);
    step_add_arg(step, DNNL_ARG_DST, squares);
    return true;
}

/* As many channels on a side as there are at most: what is beyond is 0. */
static int64_t reach(int64_t wanted, int64_t channels)
{
    return wanted < channels ? wanted : channels - 1;
}

/* (bias + alpha * average)^-beta, where an average is one over channels: they
 * are the rows of an image that has a single channel. Windows are counted
 * whole, with zeros where there is no channel. */
static bool divide(struct lowering *l, const struct graph_node *node,
        struct view squares, struct view *factors)
{
    const struct graph_lrn *lrn = &node->u.lrn;
    const int64_t batch = squares.layout.dims[0];
    const int64_t channels = squares.layout.dims[1];
    const int64_t image[] = {batch, 1, channels,
            layout_count(&squares.layout) / batch / channels};
    struct step *step = lower_step(l, node, step_pooling, 2);
    if (step == NULL
            || !lower_scratch(
                    l, squares.layout.ndims, squares.layout.dims, factors))
        return false;
    struct view dst = *factors;
    squares.layout = dst.layout = layout_dense(4, image);
    step->alg = dnnl_pooling_avg_include_padding;
    step->strides[0] = step->strides[1] = 1;
    step->padding_l[0] = reach((lrn->size - 1) / 2, channels);
    step->padding_r[0] = reach(lrn->size / 2, channels);
    step->kernel[0] = step->padding_l[0] + 1 + step->padding_r[0];
    step->kernel[1] = 1;
    /* The average is of the window that is left, not of the size. */
    const double share = (double)step->kernel[0] / (double)lrn->size;
    step->post_ops[step->post_op_count++] =
            (struct post_op){.alg = dnnl_eltwise_linear,
                    .alpha = (float)((double)lrn->alpha * share),
                    .beta = lrn->bias};
    step->post_ops[step->post_op_count++] = (struct post_op){
            .alg = dnnl_eltwise_pow, .alpha = 1.0F, .beta = -lrn->beta};
    step_add_arg(step, DNNL_ARG_SRC, &squares);
    step_add_arg(step, DNNL_ARG_DST, &dst);
    return true;
}

static bool lower_even(struct lowering *l, const struct graph_node *node,
        const struct view *src)
{
    struct view squares, factors;
    if (!square(l, node, src, &squares) || !divide(l, node, squares, &factors))
        return false;
    struct step *step = lower_step(l, node, step_binary, 3);
    if (step == NULL) return false;
    step->alg = dnnl_binary_mul;
    step_add_arg(step, DNNL_ARG_SRC_0, src);
    step_add_arg(step, DNNL_ARG_SRC_1, &factors);
    return lower_finish_plain(l, step, node->output);
}

/* ---- Both ---------------------------------------------------------------- */

bool lower_lrn(struct lowering *l, const struct graph_node *node)
{
    const struct graph_lrn *lrn = &node->u.lrn;
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    if (lrn->size % 2 == 0) return lower_even(l, node, &src);
    struct step *step = lower_step(l, node, step_lrn, 2);
    if (step == NULL) return false;
    step->alg = dnnl_lrn_across_channels;
    step->size = lrn->size;
    step->alpha = lrn->alpha;
    step->beta = lrn->beta;
    step->epsilon = lrn->bias;
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish_plain(l, step, node->output);
}
