/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/engine.h"
#include "gpu/primitives/plan.h"

/* ---- On the device ------------------------------------------------------- */

static dnnl_status_t plan_reorder(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src =
            primitive_desc_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst =
            primitive_desc_tensor(pd, DNNL_ARG_DST);
    plan_set_kernel(plan, "reorder", kernel_reorder_cl);
    dnnl_status_t st = plan_add_types(plan, src, dst);
    if (st == dnnl_success)
        st = plan_elementwise(plan, pd->facts, src, dst, 0.0f, 0.0f);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind reorder_kind = {
        dnnl_reorder, "ocl:reorder:simple", plan_reorder};

static dnnl_status_t create_on_device(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, const_dnnl_primitive_attr_t attr)
{
    if (!memory_desc_fits_int32(src) || !memory_desc_fits_int32(dst)
            || !plan_can_write(dst))
        return dnnl_unimplemented;
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &reorder_kind, attr);
    if (st != dnnl_success) return st;
    if (!plan_takes_type(pd->facts, src->data_type)
            || !plan_takes_type(pd->facts, dst->data_type)) {
        primitive_desc_release(pd);
        return dnnl_unimplemented;
    }
    primitive_desc_add(pd, DNNL_ARG_SRC, false, src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    return primitive_desc_finish(pd, primitive_desc);
}

/* ---- Between host and device --------------------------------------------- */

static const struct primitive_kind copy_kind = {
        dnnl_reorder, "ocl:reorder:copy", NULL};

/* Bytes are copied as they are: one type, one dense layout, no post-ops. */
static bool is_copy(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, const_dnnl_primitive_attr_t attr)
{
    bool empty = memory_desc_nelems(src) == 0;
    return dnnl_memory_desc_equal(src, dst) && src->offset0 == 0
           && (empty || memory_desc_is_dense(src))
           && (attr == NULL || attr->post_ops.count == 0);
}

static dnnl_status_t create_copy(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t src_engine, const struct dnnl_memory_desc *src,
        dnnl_engine_t dst_engine, const struct dnnl_memory_desc *dst,
        const_dnnl_primitive_attr_t attr)
{
    bool host_is_src = src_engine->kind == dnnl_cpu;
    dnnl_engine_t host = host_is_src ? src_engine : dst_engine;
    dnnl_engine_t device = host_is_src ? dst_engine : src_engine;
    if (device->kind != dnnl_gpu || !is_copy(src, dst, attr))
        return dnnl_unimplemented;
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, device, &copy_kind, attr);
    if (st != dnnl_success) return st;
    engine_retain(host);
    pd->host_engine = host;
    pd->host_is_src = host_is_src;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_reorder_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr)
{
    if (primitive_desc == NULL || src_desc == NULL || src_engine == NULL
            || dst_desc == NULL || dst_engine == NULL)
        return dnnl_invalid_arguments;
    if (memory_desc_is_zero(src_desc) || memory_desc_is_zero(dst_desc)
            || src_desc->format_kind == dnnl_format_kind_any
            || dst_desc->format_kind == dnnl_format_kind_any
            || !memory_desc_same_dims(src_desc, dst_desc))
        return dnnl_invalid_arguments;
    if (src_engine->kind == dnnl_cpu || dst_engine->kind == dnnl_cpu)
        return create_copy(primitive_desc, src_engine, src_desc, dst_engine,
                dst_desc, attr);
    if (src_engine != dst_engine) return dnnl_unimplemented;
    return create_on_device(
            primitive_desc, src_engine, src_desc, dst_desc, attr);
}
