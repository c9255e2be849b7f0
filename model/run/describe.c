/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/describe.h"

#include <stdlib.h>

dnnl_status_t describe_view(const struct plan *plan, const struct view *view,
        dnnl_memory_desc_t *md)
{
    if (!element_is_float(view->element)) return dnnl_unimplemented;
    return layout_describe(&view->layout,
            view->element == element_f16 ? dnnl_f16 : dnnl_f32,
            plan_base(plan, view), md);
}

/* ---- A step's tensors and attributes ------------------------------------- */

struct description {
    const struct step *step;
    dnnl_engine_t engine;
    dnnl_memory_desc_t *mds;    /* as step->args */
    dnnl_primitive_attr_t attr; /* NULL: default */
    /* Of mds, as the calls name them; NULL if the step has none of it. */
    const_dnnl_memory_desc_t src, weights, bias, dst;
};

/* The descriptor of an argument, NULL if the step has none of it. */
static const_dnnl_memory_desc_t md_of(const struct description *d, int arg)
{
    for (int i = 0; i < d->step->arg_count; i++)
        if (d->step->args[i].arg == arg) return d->mds[i];
    return NULL;
}

static bool is_binary(dnnl_alg_kind_t alg)
{
    return alg >= dnnl_binary_add && alg <= dnnl_binary_ne;
}

static dnnl_status_t append_post_op(
        const struct plan *plan, dnnl_post_ops_t ops, const struct post_op *op)
{
    dnnl_memory_desc_t md = NULL;
    if (!is_binary(op->alg))
        return dnnl_post_ops_append_eltwise(ops, op->alg, op->alpha, op->beta);
    dnnl_status_t st = describe_view(plan, &op->src1, &md);
    if (st == dnnl_success) st = dnnl_post_ops_append_binary(ops, op->alg, md);
    dnnl_memory_desc_destroy(md);
    return st;
}

static dnnl_status_t add_post_ops(
        const struct plan *plan, struct description *d)
{
    dnnl_post_ops_t ops = NULL;
    if (d->step->post_op_count == 0) return dnnl_success;
    dnnl_status_t st = dnnl_primitive_attr_create(&d->attr);
    if (st == dnnl_success) st = dnnl_post_ops_create(&ops);
    for (int i = 0; i < d->step->post_op_count && st == dnnl_success; i++)
        st = append_post_op(plan, ops, &d->step->post_ops[i]);
    if (st == dnnl_success) st = dnnl_primitive_attr_set_post_ops(d->attr, ops);
    dnnl_post_ops_destroy(ops);
    return st;
}

static dnnl_status_t init(struct description *d, const struct plan *plan,
        const struct step *step, dnnl_engine_t engine)
{
    *d = (struct description){.step = step, .engine = engine};
    d->mds = calloc((size_t)step->arg_count, sizeof(dnnl_memory_desc_t));
    if (d->mds == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = dnnl_success;
    for (int i = 0; i < step->arg_count && st == dnnl_success; i++)
        st = describe_view(plan, &step->args[i].view, &d->mds[i]);
    d->src = md_of(d, DNNL_ARG_SRC);
    d->weights = md_of(d, DNNL_ARG_WEIGHTS);
    d->bias = md_of(d, DNNL_ARG_BIAS);
    d->dst = md_of(d, DNNL_ARG_DST);
    return st == dnnl_success ? add_post_ops(plan, d) : st;
}

static void fini(struct description *d)
{
    for (int i = 0; i < d->step->arg_count && d->mds != NULL; i++)
        dnnl_memory_desc_destroy(d->mds[i]);
    free(d->mds);
    dnnl_primitive_attr_destroy(d->attr);
}

/* ---- Kinds of primitives ------------------------------------------------- */

static dnnl_status_t create_window(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const struct step *s = d->step;
    if (s->kind == step_pooling)
        return dnnl_pooling_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, d->src, d->dst, s->strides,
                s->kernel, s->dilates, s->padding_l, s->padding_r, d->attr);
    if (s->kind == step_deconvolution)
        return dnnl_deconvolution_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, d->src, d->weights, d->bias,
                d->dst, s->strides, s->dilates, s->padding_l, s->padding_r,
                d->attr);
    return dnnl_convolution_forward_primitive_desc_create(pd, d->engine,
            dnnl_forward_inference, s->alg, d->src, d->weights, d->bias, d->dst,
            s->strides, s->dilates, s->padding_l, s->padding_r, d->attr);
}

static dnnl_status_t create_normalization(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const struct step *s = d->step;
    switch (s->kind) {
    case step_lrn:
        return dnnl_lrn_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, d->src, d->dst, s->size,
                s->alpha, s->beta, s->epsilon, d->attr);
    case step_batch_normalization:
        return dnnl_batch_normalization_forward_primitive_desc_create(pd,
                d->engine, dnnl_forward_inference, d->src, d->dst, s->epsilon,
                s->flags, d->attr);
    case step_group_normalization:
        return dnnl_group_normalization_forward_primitive_desc_create(pd,
                d->engine, dnnl_forward_inference, d->src, d->dst, s->size,
                s->epsilon, s->flags, d->attr);
    default:
        return dnnl_layer_normalization_forward_primitive_desc_create(pd,
                d->engine, dnnl_forward_inference, d->src, d->dst, NULL,
                s->epsilon, s->flags, d->attr);
    }
}

static dnnl_status_t create_elementwise(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const struct step *s = d->step;
    switch (s->kind) {
    case step_binary:
        return dnnl_binary_primitive_desc_create(pd, d->engine, s->alg, d->src,
                md_of(d, DNNL_ARG_SRC_1), d->dst, d->attr);
    case step_prelu:
        return dnnl_prelu_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, d->src, d->weights, d->dst, d->attr);
    case step_reorder:
        return dnnl_reorder_primitive_desc_create(
                pd, d->src, d->engine, d->dst, d->engine, d->attr);
    default:
        return dnnl_eltwise_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, d->src, d->dst, s->alpha,
                s->beta, d->attr);
    }
}

static dnnl_status_t create_gru(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const dnnl_rnn_direction_t way = (dnnl_rnn_direction_t)d->step->axis;
    const_dnnl_memory_desc_t h = md_of(d, DNNL_ARG_SRC_ITER);
    const_dnnl_memory_desc_t weights = md_of(d, DNNL_ARG_WEIGHTS_ITER);
    if (d->step->alg == dnnl_lbr_gru)
        return dnnl_lbr_gru_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, way, d->src, h, d->weights, weights,
                d->bias, d->dst, NULL, dnnl_rnn_flags_undef, d->attr);
    return dnnl_gru_forward_primitive_desc_create(pd, d->engine,
            dnnl_forward_inference, way, d->src, h, d->weights, weights,
            d->bias, d->dst, NULL, dnnl_rnn_flags_undef, d->attr);
}

static dnnl_status_t create_recurrent(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const struct step *s = d->step;
    const dnnl_rnn_direction_t way = (dnnl_rnn_direction_t)s->axis;
    const_dnnl_memory_desc_t h = md_of(d, DNNL_ARG_SRC_ITER);
    const_dnnl_memory_desc_t weights = md_of(d, DNNL_ARG_WEIGHTS_ITER);
    if (s->alg == dnnl_vanilla_lstm)
        return dnnl_lstm_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, way, d->src, h,
                md_of(d, DNNL_ARG_SRC_ITER_C), d->weights, weights,
                md_of(d, DNNL_ARG_WEIGHTS_PEEPHOLE), NULL, d->bias, d->dst,
                NULL, md_of(d, DNNL_ARG_DST_ITER_C), dnnl_rnn_flags_undef,
                d->attr);
    if (s->alg == dnnl_vanilla_rnn)
        return dnnl_vanilla_rnn_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->activation, way, d->src, h,
                d->weights, weights, d->bias, d->dst, NULL,
                dnnl_rnn_flags_undef, 0.0f, 0.0f, d->attr);
    return create_gru(d, pd);
}

static dnnl_status_t create_other(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    const struct step *s = d->step;
    switch (s->kind) {
    case step_matmul:
        return dnnl_matmul_primitive_desc_create(
                pd, d->engine, d->src, d->weights, d->bias, d->dst, d->attr);
    case step_softmax:
        return dnnl_softmax_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, d->src, d->dst, s->axis,
                d->attr);
    case step_reduction:
        return dnnl_reduction_primitive_desc_create(
                pd, d->engine, s->alg, d->src, d->dst, s->alpha, 0.0f, d->attr);
    case step_recurrent:
        return create_recurrent(d, pd);
    case step_resampling:
        return dnnl_resampling_forward_primitive_desc_create(pd, d->engine,
                dnnl_forward_inference, s->alg, NULL, d->src, d->dst, d->attr);
    case step_concat: /* the sources are the arguments before the last */
        return dnnl_concat_primitive_desc_create(pd, d->engine, d->dst,
                s->arg_count - 1, s->axis,
                (const_dnnl_memory_desc_t const *)d->mds, d->attr);
    default:
        return dnnl_invalid_arguments;
    }
}

static dnnl_status_t create(
        const struct description *d, dnnl_primitive_desc_t *pd)
{
    switch (d->step->kind) {
    case step_convolution:
    case step_deconvolution:
    case step_pooling:
        return create_window(d, pd);
    case step_lrn:
    case step_batch_normalization:
    case step_group_normalization:
    case step_layer_normalization:
        return create_normalization(d, pd);
    case step_eltwise:
    case step_binary:
    case step_prelu:
    case step_reorder:
        return create_elementwise(d, pd);
    default:
        return create_other(d, pd);
    }
}

dnnl_status_t describe_step(const struct plan *plan, const struct step *step,
        dnnl_engine_t engine, dnnl_primitive_desc_t *pd)
{
    struct description d;
    dnnl_status_t st = init(&d, plan, step, engine);
    if (st == dnnl_success) st = create(&d, pd);
    fini(&d);
    return st;
}
