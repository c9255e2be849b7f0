/* SPDX-License-Identifier: Apache-2.0 */
/* What a step does for its result before it writes it. */
#include "model/graph/fold_parts.h"
#include "model/lower/lower_internal.h"

#include <math.h>

/* The node that alone takes a tensor, or graph_none. */
static int only_reader(const struct lowering *l, int tensor)
{
    return l->uses[tensor] == 1 ? l->reader[tensor] : graph_none;
}

static struct post_op *append(
        struct step *step, dnnl_alg_kind_t alg, float alpha, float beta)
{
    struct post_op *op = &step->post_ops[step->post_op_count++];
    *op = (struct post_op){.alg = alg, .alpha = alpha, .beta = beta};
    return op;
}

/* ---- Functions of one element -------------------------------------------- */

/* Those that are one of the library's; alpha and beta are the node's. */
static dnnl_alg_kind_t plain_function(enum graph_op op)
{
    switch (op) {
    case graph_op_leaky_relu:
        return dnnl_eltwise_relu;
    case graph_op_elu:
        return dnnl_eltwise_elu;
    case graph_op_clip:
        return dnnl_eltwise_clip_v2;
    default:
        return dnnl_alg_kind_undef;
    }
}

/* Those without parameters of the model's, with the library's. */
struct fixed_function {
    dnnl_alg_kind_t alg;
    float alpha, beta;
};

static struct fixed_function fixed_function(enum graph_op op)
{
    static const struct fixed_function table[graph_op_count] = {
            /* Not the library's relu, which multiplies by 0: of -inf that is
             * NaN. */
            [graph_op_relu] = {dnnl_eltwise_clip_v2, 0.0f, INFINITY},
            [graph_op_sigmoid] = {dnnl_eltwise_logistic, 0.0f, 0.0f},
            [graph_op_tanh] = {dnnl_eltwise_tanh, 0.0f, 0.0f},
            [graph_op_hard_swish] = {dnnl_eltwise_hardswish, 1.0f / 6.0f, 0.5f},
            [graph_op_softplus] = {dnnl_eltwise_soft_relu, 1.0f, 0.0f},
            [graph_op_mish] = {dnnl_eltwise_mish, 0.0f, 0.0f},
            [graph_op_abs] = {dnnl_eltwise_abs, 0.0f, 0.0f},
            [graph_op_neg] = {dnnl_eltwise_linear, -1.0f, 0.0f},
            [graph_op_exp] = {dnnl_eltwise_exp, 0.0f, 0.0f},
            [graph_op_log] = {dnnl_eltwise_log, 0.0f, 0.0f},
            [graph_op_sqrt] = {dnnl_eltwise_sqrt, 0.0f, 0.0f},
            [graph_op_reciprocal] = {dnnl_eltwise_pow, 1.0f, -1.0f},
            [graph_op_round] = {dnnl_eltwise_round, 0.0f, 0.0f}};
    return table[op];
}

/* Whole numbers of 17 bits between alpha and beta: as fractions that are below
 * 1 and exact, of which -0 is none any more. The library's hard sigmoid is 1
 * for NaN, so 2^16 is NaN then, and the hard swish makes 0 of that alone. */
static void append_saturate(struct step *step, float alpha, float beta)
{
    append(step, dnnl_eltwise_clip_v2, alpha, beta);
    append(step, dnnl_eltwise_hardsigmoid, 0x1p-17f, 0.5f);
    append(step, dnnl_eltwise_linear, 0x1p17f, -0x1p16f);
    append(step, dnnl_eltwise_hardswish, -1.0f, 0x1p16f);
}

/* Post-ops that a function may take. */
static int most_post_ops(enum graph_op op)
{
    return op == graph_op_saturate ? 4 : 3;
}

bool lower_append_function(struct step *step, const struct graph_node *node)
{
    const float alpha = node->u.eltwise.alpha, beta = node->u.eltwise.beta;
    const struct fixed_function fixed = fixed_function(node->op);
    const dnnl_alg_kind_t plain = plain_function(node->op);
    if (step->post_op_count + most_post_ops(node->op) > step_max_post_ops)
        return false;
    if (fixed.alg != dnnl_alg_kind_undef) {
        append(step, fixed.alg, fixed.alpha, fixed.beta);
    } else if (plain != dnnl_alg_kind_undef) {
        append(step, plain, alpha, beta);
    } else if (node->op == graph_op_hard_sigmoid) {
        /* Not the library's, which has a number for NaN. */
        append(step, dnnl_eltwise_linear, alpha, beta);
        append(step, dnnl_eltwise_clip_v2, 0.0f, 1.0f);
    } else if (node->op == graph_op_saturate) {
        append_saturate(step, alpha, beta);
    } else if (node->op == graph_op_selu) {
        append(step, dnnl_eltwise_elu, alpha, 0.0f);
        append(step, dnnl_eltwise_linear, beta, 0.0f);
    } else if (node->op == graph_op_celu) {
        append(step, dnnl_eltwise_linear, 1.0f / alpha, 0.0f);
        append(step, dnnl_eltwise_elu, 1.0f, 0.0f);
        append(step, dnnl_eltwise_linear, alpha, 0.0f);
    } else {
        return false;
    }
    return true;
}

/* ---- Functions of two ---------------------------------------------------- */

static dnnl_alg_kind_t binary_alg(enum graph_op op)
{
    switch (op) {
    case graph_op_add:
        return dnnl_binary_add;
    case graph_op_sub:
        return dnnl_binary_sub;
    case graph_op_mul:
        return dnnl_binary_mul;
    case graph_op_div:
        return dnnl_binary_div;
    default:
        return dnnl_alg_kind_undef;
    }
}

bool lower_exponent(const struct lowering *l, const struct graph_node *node,
        float *exponent)
{
    const struct graph_tensor *base = lower_tensor(l, node, 0);
    const struct graph_tensor *other = lower_tensor(l, node, 1);
    if (base->type != graph_type_f32 || other->type != graph_type_f32
            || other->data == NULL || graph_shape_count(&other->shape) != 1)
        return false;
    *exponent = (float)fold_read_float(other, 0);
    return true;
}

/* The result to a constant power. */
static bool append_power(const struct lowering *l, struct step *step,
        const struct graph_node *node, int tensor)
{
    float exponent;
    if (node->op != graph_op_pow || node->inputs[0] != tensor
            || step->post_op_count + 1 > step_max_post_ops
            || !graph_shape_equal(&l->graph->tensors[tensor].shape,
                    &l->graph->tensors[node->output].shape)
            || !lower_exponent(l, node, &exponent))
        return false;
    append(step, dnnl_eltwise_pow, 1.0f, exponent);
    return true;
}

/* The result and another tensor that is there already: a shortcut, a bias. */
static bool append_binary(struct lowering *l, struct step *step,
        const struct graph_node *node, int tensor)
{
    const struct graph_tensor *out = &l->graph->tensors[node->output];
    const struct graph_tensor *in = &l->graph->tensors[tensor];
    const dnnl_alg_kind_t alg = binary_alg(node->op);
    const int other = node->inputs[0] == tensor ? 1 : 0;
    struct view src1;
    if (alg == dnnl_alg_kind_undef || out->type != graph_type_f32
            || !graph_shape_equal(&in->shape, &out->shape)
            || step->post_op_count + 2 > step_max_post_ops)
        return false;
    if (other == 0 && alg == dnnl_binary_div) return false;
    if (l->views[node->inputs[other]].buffer < 0
            && lower_tensor(l, node, other)->data == NULL)
        return false;
    if (!lower_input(l, node, other, &src1)) return false;
    /* A tensor without dimensions has one of one element in the library. */
    src1.layout = layout_lift(
            &src1.layout, out->shape.ndims > 0 ? out->shape.ndims : 1);
    if (other == 0 && alg == dnnl_binary_sub) {
        append(step, dnnl_eltwise_linear, -1.0f, 0.0f);
        append(step, dnnl_binary_add, 0.0f, 0.0f)->src1 = src1;
    } else {
        append(step, alg, 0.0f, 0.0f)->src1 = src1;
    }
    return true;
}

/* ---- The chain ----------------------------------------------------------- */

/* Does the step write its result as the tensor has it? Post-ops with another
 * tensor need its dimensions. */
bool lower_tail(struct lowering *l, struct step *step, int *tensor)
{
    for (;;) {
        const int n = only_reader(l, *tensor);
        if (n == graph_none) return true;
        const struct graph_node *node = &l->graph->nodes[n];
        if (!lower_append_function(step, node)
                && !append_power(l, step, node, *tensor)
                && !append_binary(l, step, node, *tensor))
            return l->failure->text[0] == '\0';
        l->done[n] = true;
        *tensor = node->output;
    }
}
