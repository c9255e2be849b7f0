/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: a sum or the like over some dimensions, and what some of them do
 * before and after it. */
#include "model/lower/lower_internal.h"

#include <float.h>

struct reduction {
    dnnl_alg_kind_t alg;
    float p;               /* of norms */
    dnnl_alg_kind_t alone; /* what it is to each element by itself */
};

static struct reduction reduction_of(enum graph_op op)
{
    switch (op) {
    case graph_op_reduce_mean:
        return (struct reduction){dnnl_reduction_mean, 1, dnnl_eltwise_linear};
    case graph_op_reduce_max:
        return (struct reduction){dnnl_reduction_max, 1, dnnl_eltwise_linear};
    case graph_op_reduce_min:
        return (struct reduction){dnnl_reduction_min, 1, dnnl_eltwise_linear};
    case graph_op_reduce_prod:
        return (struct reduction){dnnl_reduction_mul, 1, dnnl_eltwise_linear};
    case graph_op_reduce_l1:
        return (struct reduction){
                dnnl_reduction_norm_lp_sum, 1, dnnl_eltwise_abs};
    case graph_op_reduce_l2:
        return (struct reduction){
                dnnl_reduction_norm_lp_sum, 2, dnnl_eltwise_abs};
    case graph_op_reduce_sum_square:
        return (struct reduction){
                dnnl_reduction_norm_lp_power_p_sum, 2, dnnl_eltwise_square};
    case graph_op_reduce_log_sum:
        return (struct reduction){dnnl_reduction_sum, 1, dnnl_eltwise_log};
    default:
        return (struct reduction){dnnl_reduction_sum, 1, dnnl_eltwise_linear};
    }
}

static struct post_op *append(struct step *step, dnnl_alg_kind_t alg)
{
    struct post_op *op = &step->post_ops[step->post_op_count++];
    *op = (struct post_op){.alg = alg};
    return op;
}

/* Where every dimension that is reduced has one element. */
static bool add_alone(struct lowering *l, const struct graph_node *node,
        dnnl_alg_kind_t alg, const struct view *src)
{
    struct step *step = lower_step(l, node, step_eltwise, 2);
    if (step == NULL) return false;
    step->alg = alg;
    step->alpha = 1.0f;
    step_add_arg(step, DNNL_ARG_SRC, src);
    return lower_finish_plain(l, step, node->output);
}

/* ln(sum of e^s) is m + ln(sum of e^(s - m)), which overflows nowhere if m is
 * the largest s. One that is infinite is no m: infinity less infinity is no
 * number. */
static bool add_log_sum_exp(struct lowering *l, const struct graph_node *node,
        const struct view *src, const struct graph_shape *shape)
{
    struct view largest, powers;
    struct step *max = lower_step(l, node, step_reduction, 2);
    if (max == NULL || !lower_scratch(l, shape->ndims, shape->dims, &largest)
            || !lower_scratch(l, src->layout.ndims, src->layout.dims, &powers))
        return false;
    max->alg = dnnl_reduction_max;
    max->alpha = 1.0f;
    struct post_op *clip = append(max, dnnl_eltwise_clip_v2);
    clip->alpha = -FLT_MAX;
    clip->beta = FLT_MAX;
    step_add_arg(max, DNNL_ARG_SRC, src);
    step_add_arg(max, DNNL_ARG_DST, &largest);
    struct step *exp = lower_step(l, node, step_binary, 3);
    if (exp == NULL) return false;
    exp->alg = dnnl_binary_sub;
    append(exp, dnnl_eltwise_exp);
    step_add_arg(exp, DNNL_ARG_SRC_0, src);
    step_add_arg(exp, DNNL_ARG_SRC_1, &largest);
    step_add_arg(exp, DNNL_ARG_DST, &powers);
    struct step *sum = lower_step(l, node, step_reduction, 2);
    if (sum == NULL) return false;
    sum->alg = dnnl_reduction_sum;
    sum->alpha = 1.0f;
    append(sum, dnnl_eltwise_log);
    append(sum, dnnl_binary_add)->src1 = largest;
    step_add_arg(sum, DNNL_ARG_SRC, &powers);
    return lower_finish_plain(l, sum, node->output);
}

/* What is no float is for a program of our own; of integers that is what gives
 * integers. */
static bool add_fold(struct lowering *l, const struct graph_node *node,
        const struct view *src)
{
    static const char *const names[] = {
            [graph_op_reduce_sum - graph_op_reduce_sum] = "sum",
            [graph_op_reduce_mean - graph_op_reduce_sum] = "mean",
            [graph_op_reduce_max - graph_op_reduce_sum] = "max",
            [graph_op_reduce_min - graph_op_reduce_sum] = "min",
            [graph_op_reduce_prod - graph_op_reduce_sum] = "prod",
            [graph_op_reduce_l1 - graph_op_reduce_sum] = "l1",
            [graph_op_reduce_l2 - graph_op_reduce_sum] = "l2",
            [graph_op_reduce_sum_square - graph_op_reduce_sum] = "sum_square",
            [graph_op_reduce_log_sum - graph_op_reduce_sum] = "log_sum",
            [graph_op_reduce_log_sum_exp - graph_op_reduce_sum] =
                    "log_sum_exp"};
    if (src->element == element_i64
            && (node->op == graph_op_reduce_l2
                    || node->op == graph_op_reduce_log_sum
                    || node->op == graph_op_reduce_log_sum_exp))
        return lower_refuse(l, node, "it is not there for integers");
    struct step *step = lower_step(l, node, step_fold, 2);
    if (step == NULL) return false;
    step->function = names[node->op - graph_op_reduce_sum];
    step->narrow = lower_narrow_type(l, node->output);
    step_add_arg(step, DNNL_ARG_SRC, src);
    return lower_finish_plain(l, step, node->output);
}

bool lower_reduce(struct lowering *l, const struct graph_node *node)
{
    const struct graph_shape *shape = &l->graph->tensors[node->output].shape;
    const struct reduction r = reduction_of(node->op);
    struct view src;
    if (!lower_input(l, node, 0, &src)) return false;
    if (!element_is_float(src.element)) return add_fold(l, node, &src);
    if (layout_has_dims(&src.layout, shape->ndims, shape->dims))
        return add_alone(l, node, r.alone, &src);
    if (node->op == graph_op_reduce_log_sum_exp)
        return add_log_sum_exp(l, node, &src, shape);
    struct step *step = lower_step(l, node, step_reduction, 2);
    if (step == NULL) return false;
    step->alg = r.alg;
    step->alpha = r.p;
    if (node->op == graph_op_reduce_log_sum) append(step, dnnl_eltwise_log);
    step_add_arg(step, DNNL_ARG_SRC, &src);
    return lower_finish_plain(l, step, node->output);
}
