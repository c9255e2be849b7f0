/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/normalization.h"
#include "src/gpu/kinds/staging.h"

#include <string.h>

/* A line in the direction of the last dimension is a set. */
static dnnl_status_t plan_layer_normalization(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct dnnl_memory_desc *statistics =
            pd_tensor(pd, DNNL_ARG_VARIANCE);
    struct normalized_dims dims;
    memset(&dims, 0, sizeof dims);
    for (int d = 0; d < dst->ndims - 1; d++)
        dims.dims[dims.sets++] = (struct dimension){dst->dims[d],
                dst->strides[d],
                {src->strides[d],
                        statistics != NULL ? statistics->strides[d] : 0, 0}};
    normalized_dims_add_member(&dims, pd, dst->ndims - 1, 1);
    return normalization_plan(pd, plan, &dims);
}

static const struct primitive_kind layer_normalization_kind = {
        dnnl_layer_normalization, "ocl:layer_normalization:simple",
        plan_layer_normalization, uses_src_scales | uses_dst_scales};

/* One number a line, laid out like src if the caller does not say. */
static dnnl_status_t take_statistics(
        struct normalization *n, const_dnnl_memory_desc_t given)
{
    struct dnnl_memory_desc lines;
    dnnl_status_t st =
            memory_desc_start(&lines, n->src.ndims - 1, n->src.dims, dnnl_f32);
    if (st != dnnl_success
            || (given != NULL && !memory_desc_same_dims(&lines, given)))
        return refuse(dnnl_layer_normalization,
                "statistics of other dimensions than the lines'");
    n->statistics = given != NULL ? *given : lines;
    memory_desc_set_like(&n->statistics, &n->src);
    return dnnl_success;
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_layer_normalization_forward_primitive_desc_create_v2(
                        &staging.operation, engine, prop_kind, src_desc,
                        dst_desc, stat_desc, scale_shift_data_type, epsilon,
                        flags, attr));
    struct normalization n = {.kind = &layer_normalization_kind,
            .prop_kind = prop_kind,
            .scale_type = scale_shift_data_type,
            .epsilon = epsilon,
            .flags = flags};
    dnnl_status_t st =
            normalization_start(&n, primitive_desc, engine, src_desc, dst_desc,
                    dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift
                            | dnnl_rms_norm);
    if (st == dnnl_success) st = take_statistics(&n, stat_desc);
    if (st != dnnl_success) return st;
    n.channels = n.src.dims[n.src.ndims - 1];
    return normalization_create(primitive_desc, engine, &n, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_memory_desc_t stat_desc,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr)
{
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(
            primitive_desc, engine, prop_kind, src_desc, dst_desc, stat_desc,
            dnnl_f32, epsilon, flags, attr);
}
