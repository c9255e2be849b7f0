/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/normalization.h"
#include "src/gpu/kinds/staging.h"

#include <string.h>

/* A group of neighbouring channels of one batch element is a set. */
static dnnl_status_t plan_group_normalization(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    dnnl_dim_t groups = pd->size;
    dnnl_dim_t channels = dst->dims[1] / groups;
    struct normalized_dims dims;
    memset(&dims, 0, sizeof dims);
    dims.dims[dims.sets++] = (struct dimension){
            dst->dims[0], dst->strides[0], {src->strides[0], groups, 0}};
    dims.dims[dims.sets++] =
            (struct dimension){groups, dst->strides[1] * channels,
                    {src->strides[1] * channels, 1, channels}};
    normalized_dims_add_member(&dims, pd, 1, 1);
    dims.dims[dims.sets].size = channels;
    for (int d = 2; d < dst->ndims; d++)
        normalized_dims_add_member(&dims, pd, d, 0);
    return normalization_plan(pd, plan, &dims);
}

static const struct primitive_kind group_normalization_kind = {
        dnnl_group_normalization, "ocl:group_normalization:simple",
        plan_group_normalization, uses_src_scales | uses_dst_scales};

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_group_normalization_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, src_desc,
                        dst_desc, groups, epsilon, flags, attr));
    struct normalization n = {.kind = &group_normalization_kind,
            .prop_kind = prop_kind,
            .scale_type = dnnl_f32,
            .groups = groups,
            .epsilon = epsilon,
            .flags = flags};
    dnnl_status_t st = normalization_start(&n, primitive_desc, engine, src_desc,
            dst_desc, dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift);
    if (st != dnnl_success) return st;
    n.channels = n.src.dims[1];
    if (groups < 1 || n.channels % groups != 0)
        return refuse(dnnl_group_normalization, "bad number of groups");
    st = normalization_set_statistics(
            &n, 2, (dnnl_dims_t){n.src.dims[0], groups});
    if (st != dnnl_success) return st;
    return normalization_create(primitive_desc, engine, &n, attr);
}
