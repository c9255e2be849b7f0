/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"

static dnnl_status_t plan_eltwise(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    plan_set_kernel(plan, "eltwise", kernel_eltwise_cl);
    dnnl_status_t st =
            plan_add_eltwise(plan, "ELTWISE", pd->alg_kind, pd->beta);
    if (st == dnnl_success) st = plan_add_types(plan, src, dst);
    if (st == dnnl_success)
        st = plan_elementwise(plan, pd->facts, src, dst, pd->alpha, pd->beta);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind eltwise_kind = {
        dnnl_eltwise, "ocl:eltwise:simple", plan_eltwise, 0};

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        float alpha, float beta, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_eltwise_forward_primitive_desc_create(&staging.operation,
                        engine, prop_kind, alg_kind, src_desc, dst_desc, alpha,
                        beta, attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL)
        return refuse(dnnl_eltwise, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_eltwise, REFUSAL_PROP_KIND);
    if (!eltwise_is_valid(alg_kind, alpha, beta))
        return refuse(dnnl_eltwise, "bad algorithm, alpha or beta");
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (memory_desc_is_zero(&src)) return refuse(dnnl_eltwise, REFUSAL_NDIMS);
    const char *why = plan_set_like(&dst, &src);
    if (why != NULL) return refuse(dnnl_eltwise, why);
    const enum lack lack = plan_find_misfits(&src, &dst);
    if (lack != LACK_NONE) return decline_pair(dnnl_eltwise, lack, &src, &dst);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &eltwise_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->alg_kind = alg_kind;
    pd->alpha = alpha;
    pd->beta = beta;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    if (!plan_takes_types(pd->facts, &src, &dst))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}
