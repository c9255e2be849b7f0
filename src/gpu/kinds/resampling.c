/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/staging.h"
#include "src/gpu/kinds/window.h"
#include "src/gpu/primitive/plan.h"

#include <string.h>

/* Mirrors the struct of this name in kernels/resampling.cl. */
struct resampling_params {
    cl_int results;
    cl_int channels;
    cl_int out[SPATIAL];
    cl_int in[SPATIAL];
    cl_int src_offset, src_n, src_c, src[SPATIAL];
    cl_int dst_offset, dst_n, dst_c, dst[SPATIAL];
    cl_int lines;
};

/* ---- Planning ------------------------------------------------------------ */

static void fill_params(const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, struct resampling_params *p)
{
    int spatial = src->ndims - 2;
    memset(p, 0, sizeof *p);
    p->results = (cl_int)memory_desc_nelems(dst);
    p->channels = (cl_int)dst->dims[1];
    const dnnl_dim_t line =
            dst->dims[plan_has_channels_inner(dst) ? 1 : dst->ndims - 1];
    p->lines = line > 0 ? p->results / (cl_int)line : 0;
    p->src_offset = (cl_int)src->offset0;
    p->src_n = (cl_int)src->strides[0];
    p->src_c = (cl_int)src->strides[1];
    p->dst_offset = (cl_int)dst->offset0;
    p->dst_n = (cl_int)dst->strides[0];
    p->dst_c = (cl_int)dst->strides[1];
    for (int i = 0; i < SPATIAL; i++) {
        int d = i - window_axis(spatial, 0);
        p->out[i] = d >= 0 ? (cl_int)dst->dims[2 + d] : 1;
        p->in[i] = d >= 0 ? (cl_int)src->dims[2 + d] : 1;
    }
    window_fill_strides(p->src, spatial, src->strides + 2);
    window_fill_strides(p->dst, spatial, dst->strides + 2);
}

/* True if the kernel's products of sizes do not fit an int. */
static bool are_products_wide(const struct resampling_params *p)
{
    for (int i = 0; i < SPATIAL; i++)
        if ((2 * (dnnl_dim_t)p->out[i] + 1) * p->in[i] > INT32_MAX
                || p->out[i] > INT32_MAX / 2)
            return true;
    return false;
}

static dnnl_status_t plan_resampling(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    struct resampling_params p;
    fill_params(src, dst, &p);
    plan_set_kernel(plan, "resampling", kernel_resampling_cl);
    plan_set_params(plan, &p, sizeof p);
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    const bool has_lines = pd->alg_kind == dnnl_resampling_nearest
                           && !plan_is_gpu_like(pd->facts);
    dnnl_status_t st =
            has_lines ? plan_set_groups(plan, 1, (size_t)p.lines)
                      : plan_set_elements(plan, pd->facts, (size_t)p.results);
    if (st == dnnl_success && has_lines) st = plan_add_option(plan, "-DLINES");
    if (st == dnnl_success) st = plan_add_types(plan, src, dst);
    if (st == dnnl_success && pd->alg_kind == dnnl_resampling_nearest)
        st = plan_add_option(plan, "-DNEAREST");
    if (st == dnnl_success && are_products_wide(&p))
        st = plan_add_option(plan, "-DWIDE");
    if (st == dnnl_success) st = plan_add_channels_inner(plan, dst);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind resampling_kind = {
        dnnl_resampling, "ocl:resampling:simple", plan_resampling, 0};

/* ---- Checking ------------------------------------------------------------ */

/* What a factor makes of a size, which must be given to a hair: a quotient of
 * sizes, rounded, is a factor, too. -1 if it is none. */
static dnnl_dim_t resized(dnnl_dim_t size, float factor)
{
    const double hair = 1e-6;
    double exact = (double)size * (double)factor;
    /* 0 times infinity is no number. */
    if (!(factor > 0.0f) || !(exact <= (double)INT32_MAX)) return -1;
    return (dnnl_dim_t)(exact * (1.0 + hair)); /* rounds down */
}

/* Does the number of elements fit, with the padding? */
static bool is_countable(const struct dnnl_memory_desc *md)
{
    dnnl_dim_t count = 1;
    for (int d = 0; d < md->ndims; d++)
        if (__builtin_mul_overflow(count, md->padded_dims[d], &count))
            return false;
    return true;
}

/* The descriptor that the factors make of src, in src's layout. */
static dnnl_status_t make_dst(struct dnnl_memory_desc *dst,
        const struct dnnl_memory_desc *src, const float *factors)
{
    dnnl_dims_t dims;
    memcpy(dims, src->dims, sizeof dims);
    for (int d = 2; d < src->ndims; d++) {
        dims[d] = resized(src->dims[d], factors[d - 2]);
        if (dims[d] < 0) return dnnl_invalid_arguments;
    }
    dnnl_status_t st = memory_desc_start(dst, src->ndims, dims, src->data_type);
    if (st != dnnl_success) return st;
    dst->inner_nblks = src->inner_nblks;
    memcpy(dst->inner_blks, src->inner_blks, sizeof dst->inner_blks);
    memcpy(dst->inner_idxs, src->inner_idxs, sizeof dst->inner_idxs);
    memory_desc_pad(dst);
    if (!is_countable(dst)) return dnnl_invalid_arguments;
    memory_desc_set_like(dst, src);
    return dnnl_success;
}

/* A dst that is not described has the blocks of src. */
static bool has_blocked_dst(
        const struct dnnl_memory_desc *src, const float *factors)
{
    return src != NULL && factors != NULL && src->inner_nblks > 0
           && src->ndims <= 2 + SPATIAL && !memory_desc_has_runtime(src);
}

/* The factors that make dst of src; those that were given may have been rounded
 * to it. */
static bool find_factors(float factors[SPATIAL],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    if (dst->ndims != src->ndims || dst->dims[0] != src->dims[0]
            || dst->dims[1] != src->dims[1])
        return false;
    for (int d = 2; d < src->ndims; d++) {
        dnnl_dim_t from = src->dims[d];
        dnnl_dim_t to = dst->dims[d];
        if (from == 0 && to != 0) return false;
        factors[d - 2] = from == 0 ? 1.0f : (float)((double)to / (double)from);
    }
    return true;
}

static dnnl_status_t create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const float factors[SPATIAL],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st =
            primitive_desc_start(&pd, engine, &resampling_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->alg_kind = alg_kind;
    primitive_desc_set_numbers(pd, factors, src->ndims - 2);
    primitive_desc_add(pd, DNNL_ARG_SRC, false, src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, dst);
    if (!plan_takes_types(pd->facts, src, dst))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    struct dnnl_memory_desc made;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (dst_desc == NULL && has_blocked_dst(src_desc, factors)
            && make_dst(&made, src_desc, factors) == dnnl_success)
        dst_desc = &made;
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_resampling_forward_primitive_desc_create(
                        &staging.operation, engine, prop_kind, alg_kind,
                        factors, src_desc, dst_desc, attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || (dst_desc == NULL && factors == NULL))
        return refuse(dnnl_resampling, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind))
        return refuse(dnnl_resampling, REFUSAL_PROP_KIND);
    if (alg_kind != dnnl_resampling_nearest
            && alg_kind != dnnl_resampling_linear)
        return refuse(dnnl_resampling, REFUSAL_ALG_KIND);
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst;
    float all[SPATIAL];
    if (src.ndims < 3 || src.ndims > 2 + SPATIAL)
        return refuse(dnnl_resampling, REFUSAL_NDIMS);
    if (src.format_kind == dnnl_format_kind_any)
        return refuse(dnnl_resampling, REFUSAL_ANY);
    if (memory_desc_has_runtime(&src))
        return decline_tensors(dnnl_resampling, LACK_RUNTIME, 1,
                &(const struct given_tensor){DNNL_ARG_SRC, &src});
    dnnl_status_t st = dnnl_success;
    if (dst_desc != NULL)
        dst = *dst_desc;
    else /* what factors are for */
        st = make_dst(&dst, &src, factors);
    if (st != dnnl_success)
        return refuse(dnnl_resampling, "factors that make no dst of src");
    if (!find_factors(all, &src, &dst))
        return refuse(dnnl_resampling, REFUSAL_DIMS);
    memory_desc_set_like(&dst, &src);
    const enum lack lack = plan_find_misfits(&src, &dst);
    if (lack != LACK_NONE)
        return decline_pair(dnnl_resampling, lack, &src, &dst);
    return create(
            primitive_desc, engine, prop_kind, alg_kind, all, &src, &dst, attr);
}
