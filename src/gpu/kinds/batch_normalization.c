/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/normalization.h"
#include "src/gpu/kinds/staging.h"

#include <string.h>

/* A channel is a set. */
static dnnl_status_t plan_batch_normalization(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct normalized_dims dims;
    memset(&dims, 0, sizeof dims);
    dims.dims[dims.sets++] = (struct dimension){
            dst->dims[1], dst->strides[1], {src->strides[1], 1, 1}};
    for (int d = 0; d < dst->ndims; d++)
        if (d != 1) normalized_dims_add_member(&dims, pd, d, 0);
    return normalization_plan(pd, plan, &dims);
}

static const struct primitive_kind batch_normalization_kind = {
        dnnl_batch_normalization, "ocl:batch_normalization:simple",
        plan_batch_normalization, 0};

/* Integers are for inference with known statistics. */
static bool do_types_match(const struct normalization *n)
{
    dnnl_data_type_t type = n->src.data_type;
    return type == n->dst.data_type && type != dnnl_u8
           && (type != dnnl_s8
                   || (n->prop_kind == dnnl_forward_inference
                           && (n->flags & dnnl_use_global_stats) != 0));
}

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    /* What is added to the result is laid out as dst. */
    const_dnnl_memory_desc_t addend_desc = dst_desc;
    const bool has_addend = (flags & dnnl_fuse_norm_add_relu) != 0;
    const struct staged_argument arguments[] = {{DNNL_ARG_SRC, &src_desc},
            {DNNL_ARG_DST, &dst_desc}, {DNNL_ARG_SRC_1, &addend_desc}};
    if (staging_begin(&staging, &attr, has_addend ? 3 : 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_batch_normalization_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, src_desc,
                        dst_desc, epsilon, flags, attr));
    const unsigned fused = dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu;
    struct normalization n = {.kind = &batch_normalization_kind,
            .prop_kind = prop_kind,
            .scale_type = dnnl_f32,
            .epsilon = epsilon,
            .flags = flags};
    dnnl_status_t st = normalization_start(&n, primitive_desc, engine, src_desc,
            dst_desc,
            dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift | fused);
    if (st != dnnl_success) return st;
    if ((flags & fused) == fused)
        return refuse(dnnl_batch_normalization, "bad flags");
    if (!do_types_match(&n))
        return decline_pair(
                dnnl_batch_normalization, LACK_TYPES, &n.src, &n.dst);
    n.channels = n.src.dims[1];
    st = normalization_set_statistics(&n, 1, (dnnl_dims_t){n.channels});
    if (st != dnnl_success) return st;
    return normalization_create(primitive_desc, engine, &n, attr);
}
