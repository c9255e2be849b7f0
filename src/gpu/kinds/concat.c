/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A concat is a copy of every source into its part of dst: as many launches of
 * the reorder kernel, which multiplies by the source's scale if it has one.
 */
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"

#include <stdlib.h>
#include <string.h>

/* ---- The plan ------------------------------------------------------------ */

/* Fills the pass that copies source i to where it starts along the axis.
 * Returns what plan_lines() does. */
static int plan_copy(const struct dnnl_primitive_desc *pd, int i,
        dnnl_dim_t start, struct plan_pass *pass)
{
    const struct dnnl_memory_desc *src = &pd->tensors[i].md;
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct dimension dims[DNNL_MAX_NDIMS];
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)(dst->offset0 + start * dst->strides[pd->axis]);
    for (int d = 0; d < src->ndims; d++)
        dims[d] = (struct dimension){
                src->dims[d], dst->strides[d], {src->strides[d]}};
    int count = plan_lines(&p, pd->facts, dims, src->ndims);
    pass->memory = pd->tensors[i].arg;
    pass->groups = plan_groups(&p, pd->facts);
    memcpy(pass->params, &p, sizeof p);
    return count;
}

/* Sources come first, dst after them. */
static int source_count(const struct dnnl_primitive_desc *pd)
{
    int n = 0;
    while (pd->tensors[n].arg != DNNL_ARG_DST)
        n++;
    return n;
}

/* Tells each pass its source's scale. One without a scale is given the source
 * in its place, which the kernel does not read. *type: of all scales, undef if
 * there are none. */
static dnnl_status_t set_scales(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, dnnl_data_type_t *type)
{
    const struct dnnl_primitive_attr *attr = &pd->attr;
    *type = dnnl_data_type_undef;
    for (int i = 0; i < attr->quantization_count; i++) {
        const struct quantization *q = &attr->quantizations[i];
        if (q->mask != 0) return plan_decline(plan, LACK_SOURCE_SCALES);
        if (i > 0 && q->data_type != *type)
            return plan_decline(plan, LACK_MIXED_SCALES);
        *type = q->data_type;
    }
    if (*type == dnnl_data_type_undef) return dnnl_success;
    for (size_t i = 0; i < plan->pass_count; i++) {
        struct plan_pass *pass = &plan->passes[i];
        const int arg = DNNL_ARG_ATTR_SCALES | pass->memory;
        struct elementwise_params p;
        memcpy(&p, pass->params, sizeof p);
        p.alpha = attr_quantization(attr, arg) != NULL ? 1.0f : 0.0f;
        memcpy(pass->params, &p, sizeof p);
        pass->third = p.alpha != 0.0f ? arg : pass->memory;
    }
    return dnnl_success;
}

static dnnl_status_t plan_concat(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    int n = source_count(pd);
    int dims = 0; /* one kernel for all: it looks at as many as any needs */
    dnnl_dim_t start = 0;
    struct elementwise_params p;
    _Static_assert(sizeof p <= PLAN_PASS_PARAMS_SIZE, "room for the params");
    plan->passes = calloc((size_t)n, sizeof *plan->passes);
    if (plan->passes == NULL) return dnnl_out_of_memory;
    for (int i = 0; i < n; i++) {
        const struct dnnl_memory_desc *src = &pd->tensors[i].md;
        if (memory_desc_nelems(src) == 0) continue;
        int count = plan_copy(pd, i, start, &plan->passes[plan->pass_count++]);
        if (count > dims) dims = count;
        start += src->dims[pd->axis];
    }
    dnnl_data_type_t scale;
    dnnl_status_t st = set_scales(pd, plan, &scale);
    memcpy(&p, plan->passes[0].params, sizeof p);
    plan_set_kernel(plan, "reorder", kernel_reorder_cl);
    if (st == dnnl_success)
        st = plan_add_types(
                plan, &pd->tensors[0].md, pd_tensor(pd, DNNL_ARG_DST));
    if (st == dnnl_success) st = plan_set_lines(plan, pd->facts, &p, dims);
    plan->memories[0] = plan->passes[0].memory;
    if (st == dnnl_success && scale != dnnl_data_type_undef) {
        plan->memories[plan->memory_count++] = plan->passes[0].third;
        st = plan_add_type(plan, "SRC_SCALE", scale);
    }
    if (plan->pass_count == 1) plan->pass_count = 0; /* a launch like others */
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind concat_kind = {dnnl_concat,
        "ocl:concat:simple", plan_concat,
        uses_multiple_src_scales | kernel_scales_inputs | uses_no_post_ops};

/* ---- Descriptors --------------------------------------------------------- */

/* True if the source has all of dst's dimensions but the axis. */
static bool fits_beside(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *first, int axis)
{
    if (src->ndims != first->ndims || src->data_type != first->data_type
            || src->format_kind == dnnl_format_kind_any)
        return false;
    for (int d = 0; d < src->ndims; d++)
        if (d != axis && src->dims[d] != first->dims[d]) return false;
    return true;
}

/* Fills dims with those of all sources together. */
static bool join(
        const_dnnl_memory_desc_t const *srcs, int n, int axis, dnnl_dims_t dims)
{
    for (int i = 0; i < n; i++)
        if (srcs[i] == NULL || axis < 0 || axis >= srcs[i]->ndims
                || !fits_beside(srcs[i], srcs[0], axis))
            return false;
    memcpy(dims, srcs[0]->dims, sizeof srcs[0]->dims);
    for (int i = 1; i < n; i++)
        if (__builtin_add_overflow(
                    dims[axis], srcs[i]->dims[axis], &dims[axis]))
            return false;
    return true;
}

/* dst as described, or of those dims if it is not. */
static dnnl_status_t find_dst(const_dnnl_memory_desc_t dst_desc,
        const struct dnnl_memory_desc *src, const dnnl_dims_t dims,
        struct dnnl_memory_desc *dst)
{
    dnnl_memory_desc_t made;
    dnnl_status_t st = dnnl_memory_desc_create_with_tag(
            &made, src->ndims, dims, src->data_type, dnnl_format_tag_any);
    if (st != dnnl_success) return st;
    *dst = dst_desc != NULL ? *dst_desc : *made;
    if (!memory_desc_same_dims(dst, made)) st = dnnl_invalid_arguments;
    dnnl_memory_desc_destroy(made);
    if (st == dnnl_success) memory_desc_set_like(dst, src);
    return st;
}

dnnl_status_t dnnl_concat_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    if (staging_begin_list(&staging, &attr, n, &src_descs, &dst_desc))
        return staging_end(&staging, primitive_desc,
                dnnl_concat_primitive_desc_create(&staging.operation, engine,
                        dst_desc, n, concat_dimension, src_descs, attr));
    dnnl_dims_t dims;
    struct dnnl_memory_desc dst;
    if (primitive_desc == NULL || engine == NULL || src_descs == NULL)
        return refuse(dnnl_concat, REFUSAL_NULL);
    if (n < 1) return refuse(dnnl_concat, "no sources");
    if (!join(src_descs, n, concat_dimension, dims))
        return refuse(
                dnnl_concat, "sources or an axis that do not fit together");
    if (n >= PD_MAX_TENSORS) return decline(dnnl_concat, LACK_CONCAT_SOURCES);
    dnnl_status_t st = find_dst(dst_desc, src_descs[0], dims, &dst);
    if (st == dnnl_invalid_arguments) return refuse(dnnl_concat, REFUSAL_DIMS);
    if (st != dnnl_success) return st;

    struct dnnl_primitive_desc *pd;
    st = primitive_desc_start(&pd, engine, &concat_kind, attr);
    if (st != dnnl_success) return st;
    pd->axis = concat_dimension;
    for (int i = 0; i < n; i++)
        primitive_desc_add(pd, DNNL_ARG_MULTIPLE_SRC + i, false, src_descs[i]);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    if (pd->failure == dnnl_success) {
        const enum lack lack = plan_find_unsupported(pd);
        if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    }
    return primitive_desc_finish(pd, primitive_desc);
}
