/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/pairwise.h"
#include "src/gpu/kinds/staging.h"

/* PReLU is a binary operation of src and weights. */
static dnnl_status_t plan_prelu(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *weights = pd_tensor(pd, DNNL_ARG_WEIGHTS);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct plan_source sources[] = {
            {DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}};
    plan_set_kernel(plan, "binary", kernel_binary_cl);
    dnnl_status_t st = plan_add_option(plan, "-DBINARY=prelu");
    if (st == dnnl_success) st = plan_add_types(plan, src, dst);
    if (st == dnnl_success)
        st = plan_add_type(plan, "SRC1", weights->data_type);
    if (st == dnnl_success)
        st = plan_pairwise(plan, pd->facts, sources, 2, dst);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind prelu_kind = {
        dnnl_prelu, "ocl:prelu:simple", plan_prelu, uses_no_post_ops};

/* Each dimension of the weights is that of src, or 1. */
static bool can_repeat(const struct dnnl_memory_desc *weights,
        const struct dnnl_memory_desc *src)
{
    if (weights->ndims != src->ndims) return false;
    for (int d = 0; d < src->ndims; d++)
        if (weights->dims[d] != 1 && weights->dims[d] != src->dims[d])
            return false;
    return true;
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_WEIGHTS, &weights_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 3, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_prelu_forward_primitive_desc_create(&staging.operation,
                        engine, prop_kind, src_desc, weights_desc, dst_desc,
                        attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || weights_desc == NULL || dst_desc == NULL)
        return refuse(dnnl_prelu, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_prelu, REFUSAL_PROP_KIND);
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc weights = *weights_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (memory_desc_is_zero(&src)) return refuse(dnnl_prelu, REFUSAL_NDIMS);
    if (src.format_kind == dnnl_format_kind_any)
        return refuse(dnnl_prelu, REFUSAL_ANY);
    if (!can_repeat(&weights, &src) || !memory_desc_same_dims(&src, &dst))
        return refuse(dnnl_prelu, REFUSAL_DIMS);
    memory_desc_set_like(&weights, &src);
    memory_desc_set_like(&dst, &src);
    enum lack lack = plan_find_misfits(&src, &dst);
    if (lack == LACK_NONE) lack = plan_find_misfit(&weights);
    if (lack != LACK_NONE)
        return decline_tensors(dnnl_prelu, lack, 3,
                (const struct given_tensor[]){{DNNL_ARG_SRC, &src},
                        {DNNL_ARG_WEIGHTS, &weights}, {DNNL_ARG_DST, &dst}});

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &prelu_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_WEIGHTS, false, &weights);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    if (!plan_takes_types(pd->facts, &src, &dst)
            || !plan_takes_type(pd->facts, weights.data_type))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}
