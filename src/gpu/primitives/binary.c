/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitives/plan.h"

/* A source's scale: one number, which the kernel reads. */
static dnnl_status_t add_scale(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, int arg, const char *macro)
{
    const struct quantization *q =
            attr_quantization(&pd->attr, DNNL_ARG_ATTR_SCALES | arg);
    if (q == NULL) return dnnl_success;
    if (q->mask != 0 || !plan_takes_type(pd->facts, q->data_type))
        return dnnl_unimplemented;
    plan->memories[plan->memory_count++] = q->arg;
    return plan_add_type(plan, macro, q->data_type);
}

static dnnl_status_t plan_binary(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src0 =
            primitive_desc_tensor(pd, DNNL_ARG_SRC_0);
    const struct dnnl_memory_desc *src1 =
            primitive_desc_tensor(pd, DNNL_ARG_SRC_1);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    plan_set_kernel(plan, "binary", kernel_binary_cl);
    dnnl_status_t st = plan_add_binary(plan, "BINARY", pd->alg_kind);
    if (st == dnnl_success) st = plan_add_types(plan, src0, dst);
    if (st == dnnl_success) st = plan_add_type(plan, "SRC1", src1->data_type);
    if (st == dnnl_success)
        st = plan_pairwise(plan, pd->facts, src0, DNNL_ARG_SRC_1, src1, dst);
    if (st == dnnl_success) st = add_scale(pd, plan, DNNL_ARG_SRC_0, "SCALE_0");
    if (st == dnnl_success) st = add_scale(pd, plan, DNNL_ARG_SRC_1, "SCALE_1");
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind binary_kind = {dnnl_binary,
        "ocl:binary:simple", plan_binary,
        uses_src_scales | uses_src1_scales | kernel_scales_inputs};

/* Each dimension of dst is that of both sources, or of one if the other has
 * one element. */
static bool are_dims_consistent(const struct dnnl_memory_desc *src0,
        const struct dnnl_memory_desc *src1, const struct dnnl_memory_desc *dst)
{
    if (src0->ndims != dst->ndims || src1->ndims != dst->ndims) return false;
    for (int d = 0; d < dst->ndims; d++) {
        dnnl_dim_t size = dst->dims[d];
        bool same0 = src0->dims[d] == size;
        bool same1 = src1->dims[d] == size;
        if (!(same0 || src0->dims[d] == 1) || !(same1 || src1->dims[d] == 1)
                || !(same0 || same1))
            return false;
    }
    return true;
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const struct dnnl_memory_desc *src0,
        const struct dnnl_memory_desc *src1, const struct dnnl_memory_desc *dst,
        const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &binary_kind, attr);
    if (st != dnnl_success) return st;
    if (!plan_takes_type(pd->facts, src0->data_type)
            || !plan_takes_type(pd->facts, src1->data_type)
            || !plan_takes_type(pd->facts, dst->data_type)) {
        primitive_desc_release(pd);
        return dnnl_unimplemented;
    }
    pd->alg_kind = alg_kind;
    primitive_desc_add(pd, DNNL_ARG_SRC_0, false, src0);
    primitive_desc_add(pd, DNNL_ARG_SRC_1, false, src1);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_binary_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    if (primitive_desc == NULL || engine == NULL || src0_desc == NULL
            || src1_desc == NULL || dst_desc == NULL
            || !binary_is_valid(alg_kind))
        return dnnl_invalid_arguments;
    struct dnnl_memory_desc src0 = *src0_desc;
    struct dnnl_memory_desc src1 = *src1_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (memory_desc_is_zero(&src0) || src0.format_kind == dnnl_format_kind_any
            || !are_dims_consistent(&src0, &src1, &dst))
        return dnnl_invalid_arguments;
    memory_desc_set_like(&src1, &src0);
    memory_desc_set_like(&dst, &src0);
    if (!memory_desc_fits_int32(&src0) || !memory_desc_fits_int32(&src1)
            || !memory_desc_fits_int32(&dst) || !plan_can_write(&dst))
        return dnnl_unimplemented;
    return create(primitive_desc, engine, alg_kind, &src0, &src1, &dst, attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr)
{
    if (alg_kind == dnnl_binary_select) {
        bool is_given = primitive_desc != NULL && engine != NULL
                        && src0_desc != NULL && src1_desc != NULL
                        && src2_desc != NULL && dst_desc != NULL;
        return is_given ? dnnl_unimplemented : dnnl_invalid_arguments;
    }
    if (src2_desc != NULL && !memory_desc_is_zero(src2_desc))
        return dnnl_invalid_arguments;
    return dnnl_binary_primitive_desc_create(primitive_desc, engine, alg_kind,
            src0_desc, src1_desc, dst_desc, attr);
}
