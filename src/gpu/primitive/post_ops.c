/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/attributes.h"

#include <stdlib.h>
#include <string.h>

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops)
{
    if (post_ops == NULL) return dnnl_invalid_arguments;
    struct dnnl_post_ops *p = calloc(1, sizeof *p);
    if (p == NULL) return dnnl_out_of_memory;
    *post_ops = p;
    return dnnl_success;
}

void post_ops_fini(struct dnnl_post_ops *post_ops)
{
    for (int i = 0; i < post_ops->count; i++) {
        free(post_ops->ops[i].src1);
        free(post_ops->ops[i].src2);
    }
    free(post_ops->ops);
    *post_ops = (struct dnnl_post_ops){0, NULL};
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops)
{
    if (post_ops != NULL) post_ops_fini(post_ops);
    free(post_ops);
    return dnnl_success;
}

/* Replaces a borrowed descriptor, if there is one, by a copy. */
static dnnl_status_t own(struct dnnl_memory_desc **md)
{
    return *md != NULL ? memory_desc_give(*md, md) : dnnl_success;
}

/* Appends a copy of op. */
static dnnl_status_t append(
        struct dnnl_post_ops *post_ops, const struct post_op *op)
{
    struct post_op copy = *op;
    if (post_ops->count == DNNL_CACHE_MAX_POST_OPS) return dnnl_out_of_memory;
    if (post_ops->ops == NULL)
        post_ops->ops = calloc(DNNL_CACHE_MAX_POST_OPS, sizeof *post_ops->ops);
    if (post_ops->ops == NULL) return dnnl_out_of_memory;
    if (own(&copy.src1) != dnnl_success) return dnnl_out_of_memory;
    if (own(&copy.src2) != dnnl_success) {
        free(copy.src1);
        return dnnl_out_of_memory;
    }
    post_ops->ops[post_ops->count++] = copy;
    return dnnl_success;
}

dnnl_status_t post_ops_copy(
        struct dnnl_post_ops *copy, const struct dnnl_post_ops *post_ops)
{
    dnnl_status_t st = dnnl_success;
    *copy = (struct dnnl_post_ops){0, NULL};
    for (int i = 0; i < post_ops->count && st == dnnl_success; i++)
        st = append(copy, &post_ops->ops[i]);
    if (st != dnnl_success) post_ops_fini(copy);
    return st;
}

dnnl_status_t dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops)
{
    if (post_ops == NULL || existing_post_ops == NULL)
        return dnnl_invalid_arguments;
    struct dnnl_post_ops *p = malloc(sizeof *p);
    if (p == NULL) return dnnl_out_of_memory;
    dnnl_status_t st = post_ops_copy(p, existing_post_ops);
    if (st == dnnl_success)
        *post_ops = p;
    else
        free(p);
    return st;
}

/* ---- Appending ----------------------------------------------------------- */

dnnl_alg_kind_t eltwise_forward_alg(dnnl_alg_kind_t alg)
{
    switch (alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd:
        return dnnl_eltwise_relu;
    case dnnl_eltwise_tanh_use_dst_for_bwd:
        return dnnl_eltwise_tanh;
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return dnnl_eltwise_elu;
    case dnnl_eltwise_sqrt_use_dst_for_bwd:
        return dnnl_eltwise_sqrt;
    case dnnl_eltwise_logistic_use_dst_for_bwd:
        return dnnl_eltwise_logistic;
    case dnnl_eltwise_exp_use_dst_for_bwd:
        return dnnl_eltwise_exp;
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
        return dnnl_eltwise_clip_v2;
    default:
        return alg;
    }
}

bool eltwise_is_valid(dnnl_alg_kind_t alg, float alpha, float beta)
{
    dnnl_alg_kind_t forward = eltwise_forward_alg(alg);
    if (forward < dnnl_eltwise_relu || forward > dnnl_eltwise_hardswish)
        return false;
    switch (alg) {
    /* Else the sign of dst does not tell that of src. */
    case dnnl_eltwise_relu_use_dst_for_bwd:
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return alpha >= 0.0f;
    case dnnl_eltwise_clip_v2_use_dst_for_bwd:
    /* Bounds the wrong way round, or none at all. */
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
        return alpha <= beta;
    default:
        return true;
    }
}

bool binary_is_valid(dnnl_alg_kind_t alg)
{
    return alg >= dnnl_binary_add && alg <= dnnl_binary_ne;
}

dnnl_status_t dnnl_post_ops_append_eltwise(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, float alpha, float beta)
{
    if (post_ops == NULL || !eltwise_is_valid(alg_kind, alpha, beta))
        return dnnl_invalid_arguments;
    return append(post_ops, &(struct post_op){.kind = dnnl_eltwise,
                                    .alg_kind = alg_kind,
                                    .alpha = alpha,
                                    .beta = beta});
}

dnnl_status_t dnnl_post_ops_append_sum(dnnl_post_ops_t post_ops, float scale,
        int32_t zero_point, dnnl_data_type_t data_type)
{
    if (post_ops == NULL
            || (data_type != dnnl_data_type_undef
                    && dnnl_data_type_size(data_type) == 0))
        return dnnl_invalid_arguments;
    return append(post_ops, &(struct post_op){.kind = dnnl_sum,
                                    .alpha = scale,
                                    .zero_point = zero_point,
                                    .data_type = data_type});
}

/* All of it is known before execution. */
static bool is_operand(const_dnnl_memory_desc_t md)
{
    if (md == NULL || memory_desc_is_zero(md)) return false;
    for (int d = 0; d < md->ndims; d++)
        if (md->dims[d] == DNNL_RUNTIME_DIM_VAL) return false;
    return true;
}

dnnl_status_t dnnl_post_ops_append_binary(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc)
{
    return dnnl_post_ops_append_binary_v2(post_ops, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc,
        const_dnnl_memory_desc_t src2_desc)
{
    const bool is_select = alg_kind == dnnl_binary_select;
    if (post_ops == NULL || !is_operand(src1_desc)
            || !(is_select ? is_operand(src2_desc) : binary_is_valid(alg_kind)))
        return dnnl_invalid_arguments;
    if (is_select && src2_desc->format_kind == dnnl_format_kind_host_scalar)
        return dnnl_invalid_arguments;
    struct dnnl_memory_desc src1 = *src1_desc;
    struct dnnl_memory_desc src2 = is_select ? *src2_desc : memory_desc_zero;
    return append(post_ops, &(struct post_op){.kind = dnnl_binary,
                                    .alg_kind = alg_kind,
                                    .src1 = &src1,
                                    .src2 = is_select ? &src2 : NULL});
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask)
{
    if (post_ops == NULL || mask < 0 || mask >= 1 << DNNL_MAX_NDIMS)
        return dnnl_invalid_arguments;
    return append(
            post_ops, &(struct post_op){.kind = dnnl_prelu, .mask = mask});
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops,
        dnnl_data_type_t weights_data_type, dnnl_data_type_t bias_data_type,
        dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
        dnnl_dim_t stride_size, dnnl_dim_t padding_l_size)
{
    if (post_ops == NULL || dnnl_data_type_size(weights_data_type) == 0
            || (bias_data_type != dnnl_data_type_undef
                    && dnnl_data_type_size(bias_data_type) == 0)
            || dnnl_data_type_size(dst_data_type) == 0 || kernel_size <= 0
            || stride_size <= 0 || padding_l_size >= kernel_size)
        return dnnl_invalid_arguments;
    return append(
            post_ops, &(struct post_op){.kind = dnnl_convolution,
                              .depthwise = {weights_data_type, bias_data_type,
                                      dst_data_type, kernel_size, stride_size,
                                      padding_l_size}});
}

/* ---- Reading ------------------------------------------------------------- */

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops)
{
    return post_ops != NULL ? post_ops->count : 0;
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(
        const_dnnl_post_ops_t post_ops, int index)
{
    return post_ops != NULL && index >= 0 && index < post_ops->count
                   ? post_ops->ops[index].kind
                   : dnnl_undefined_primitive;
}

/* The step, if it is one of that kind. */
static const struct post_op *step_of(
        const_dnnl_post_ops_t post_ops, int index, dnnl_primitive_kind_t kind)
{
    return dnnl_post_ops_get_kind(post_ops, index) == kind
                   ? &post_ops->ops[index]
                   : NULL;
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops,
        int index, dnnl_alg_kind_t *alg_kind, float *alpha, float *beta)
{
    const struct post_op *op = step_of(post_ops, index, dnnl_eltwise);
    if (op == NULL) return dnnl_invalid_arguments;
    if (alg_kind != NULL) *alg_kind = op->alg_kind;
    if (alpha != NULL) *alpha = op->alpha;
    if (beta != NULL) *beta = op->beta;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops,
        int index, float *scale, int32_t *zero_point,
        dnnl_data_type_t *data_type)
{
    const struct post_op *op = step_of(post_ops, index, dnnl_sum);
    if (op == NULL) return dnnl_invalid_arguments;
    if (scale != NULL) *scale = op->alpha;
    if (zero_point != NULL) *zero_point = op->zero_point;
    if (data_type != NULL) *data_type = op->data_type;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops,
        int index, dnnl_alg_kind_t *alg_kind,
        const_dnnl_memory_desc_t *src1_desc)
{
    return dnnl_post_ops_get_params_binary_v2(
            post_ops, index, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops,
        int index, dnnl_alg_kind_t *alg_kind,
        const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc)
{
    const struct post_op *op = step_of(post_ops, index, dnnl_binary);
    if (op == NULL) return dnnl_invalid_arguments;
    if (alg_kind != NULL) *alg_kind = op->alg_kind;
    if (src1_desc != NULL) *src1_desc = op->src1;
    if (src2_desc != NULL)
        *src2_desc = op->src2 != NULL ? op->src2 : &memory_desc_zero;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_prelu(
        const_dnnl_post_ops_t post_ops, int index, int *mask)
{
    const struct post_op *op = step_of(post_ops, index, dnnl_prelu);
    if (op == NULL) return dnnl_invalid_arguments;
    if (mask != NULL) *mask = op->mask;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops,
        int index, dnnl_data_type_t *weights_data_type,
        dnnl_data_type_t *bias_data_type, dnnl_data_type_t *dst_data_type,
        dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
        dnnl_dim_t *padding_l_size)
{
    const struct post_op *op = step_of(post_ops, index, dnnl_convolution);
    if (op == NULL) return dnnl_invalid_arguments;
    const struct depthwise *dw = &op->depthwise;
    if (weights_data_type != NULL) *weights_data_type = dw->weights_type;
    if (bias_data_type != NULL) *bias_data_type = dw->bias_type;
    if (dst_data_type != NULL) *dst_data_type = dw->dst_type;
    if (kernel_size != NULL) *kernel_size = dw->kernel;
    if (stride_size != NULL) *stride_size = dw->stride;
    if (padding_l_size != NULL) *padding_l_size = dw->padding;
    return dnnl_success;
}
