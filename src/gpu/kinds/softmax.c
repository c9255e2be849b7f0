/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"
#include "src/gpu/memory/data_type.h"

/* Are lines to be read by vectors? */
static bool has_vectors(const struct dnnl_primitive_desc *pd)
{
    return !plan_is_gpu_like(pd->facts)
           && pd_tensor(pd, DNNL_ARG_SRC)->strides[pd->axis] == 1
           && pd_tensor(pd, DNNL_ARG_DST)->strides[pd->axis] == 1;
}

static dnnl_status_t plan_softmax(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    plan_set_kernel(plan, "softmax", kernel_softmax_cl);
    dnnl_status_t st = plan_add_types(plan, src, dst);
    if (st == dnnl_success && pd->alg_kind == dnnl_softmax_log)
        st = plan_add_option(plan, "-DLOG");
    if (st == dnnl_success)
        st = plan_along(plan, src, dst, pd->axis,
                has_vectors(pd) ? 1 : plan_line_items(pd->facts));
    if (st == dnnl_success && has_vectors(pd))
        st = plan_add_option(plan, "-DVECTORS");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind softmax_kind = {dnnl_softmax,
        "ocl:softmax:group", plan_softmax, uses_src_scales | uses_dst_scales};

static bool takes_type(dnnl_data_type_t type)
{
    return data_type_is_float(type) || data_type_is_byte(type);
}

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    if (!takes_type(src->data_type) || !takes_type(dst->data_type)
            || !plan_takes_types(pd->facts, src, dst))
        return LACK_TYPES;
    return plan_find_misfits(src, dst);
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        int softmax_axis, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_softmax_forward_primitive_desc_create(&staging.operation,
                        engine, prop_kind, alg_kind, src_desc, dst_desc,
                        softmax_axis, attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL)
        return refuse(dnnl_softmax, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_softmax, REFUSAL_PROP_KIND);
    if (alg_kind != dnnl_softmax_accurate && alg_kind != dnnl_softmax_log)
        return refuse(dnnl_softmax, REFUSAL_ALG_KIND);
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (softmax_axis < 0 || softmax_axis >= src.ndims)
        return refuse(dnnl_softmax, "bad axis");
    const char *why = plan_set_like(&dst, &src);
    if (why != NULL) return refuse(dnnl_softmax, why);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &softmax_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->alg_kind = alg_kind;
    pd->axis = softmax_axis;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    const enum lack lack = find_unsupported(pd, &src, &dst);
    if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    return primitive_desc_finish(pd, primitive_desc);
}
