/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shuffle is a copy between two views of the axis: as rows of group_size
 * elements in src, as columns in dst. The reorder kernel does it.
 */
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"

#include <string.h>

/* Fills the params; as plan_lines(). */
static int find_lines(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        struct elementwise_params *p)
{
    struct dimension dims[DNNL_MAX_NDIMS + 1];
    memset(p, 0, sizeof *p);
    p->src_offset = (cl_int)src->offset0;
    p->dst_offset = (cl_int)dst->offset0;
    for (int d = 0; d < src->ndims; d++)
        dims[d] = (struct dimension){
                src->dims[d], dst->strides[d], {src->strides[d]}};
    struct dimension *rows = &dims[pd->axis];
    struct dimension *columns = &dims[src->ndims];
    dnnl_dim_t count = rows->size / pd->size;
    *columns = (struct dimension){pd->size, rows->dst * count, {rows->src[0]}};
    *rows = (struct dimension){count, rows->dst, {rows->src[0] * pd->size}};
    return plan_lines(p, pd->facts, dims, src->ndims + 1);
}

static dnnl_status_t plan_shuffle(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct elementwise_params p;
    int dims = find_lines(pd, src, dst, &p);
    plan_set_kernel(plan, "reorder", kernel_reorder_cl);
    dnnl_status_t st = plan_add_types(plan, src, dst);
    if (st == dnnl_success) st = plan_set_lines(plan, pd->facts, &p, dims);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind shuffle_kind = {
        dnnl_shuffle, "ocl:shuffle:simple", plan_shuffle, uses_no_post_ops};

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    struct elementwise_params p;
    if (src->data_type != dst->data_type
            || !plan_takes_type(pd->facts, src->data_type))
        return LACK_TYPES;
    const enum lack lack = plan_find_misfits(src, dst);
    if (lack != LACK_NONE) return lack;
    /* An axis of nothing has groups of any size: no lines. */
    return memory_desc_nelems(dst) == 0 || find_lines(pd, src, dst, &p) >= 0
                   ? LACK_NONE
                   : LACK_SHUFFLE_DIMS;
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_shuffle_forward_primitive_desc_create(&staging.operation,
                        engine, prop_kind, src_desc, dst_desc, axis, group_size,
                        attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL)
        return refuse(dnnl_shuffle, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_shuffle, REFUSAL_PROP_KIND);
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (axis < 0 || axis >= src.ndims) return refuse(dnnl_shuffle, "bad axis");
    if (group_size < 1 || src.dims[axis] % group_size != 0)
        return refuse(dnnl_shuffle, "bad group size");
    const char *why = plan_set_like(&dst, &src);
    if (why != NULL) return refuse(dnnl_shuffle, why);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &shuffle_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->axis = axis;
    pd->size = group_size;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    const enum lack lack = find_unsupported(pd, &src, &dst);
    if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    return primitive_desc_finish(pd, primitive_desc);
}
