/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/staging.h"
#include "src/gpu/memory/data_type.h"
#include "src/gpu/primitive/plan.h"

#include <string.h>

enum { SPATIAL = 3, MOST_DIMS = SPATIAL + 2 };

/* Strides of a tensor, missing spatial dimensions in front. */
struct lrn_strides {
    cl_int n, c, spatial[SPATIAL];
};

/* Mirrors the struct of this name in kernels/lrn.cl. */
struct lrn_params {
    cl_int results;
    cl_float alpha, beta, k;
    cl_int sizes[1 + SPATIAL];
    cl_int half[1 + SPATIAL];
    cl_int src_offset;
    struct lrn_strides src;
    cl_int dst_offset;
    struct lrn_strides dst;
    struct lrn_strides workspace;
};

/* ---- Planning ------------------------------------------------------------ */

static void fill_strides(
        struct lrn_strides *strides, const struct dnnl_memory_desc *md)
{
    int missing = MOST_DIMS - md->ndims;
    strides->n = (cl_int)md->strides[0];
    strides->c = (cl_int)md->strides[1];
    for (int d = 2; d < md->ndims; d++)
        strides->spatial[missing + d - 2] = (cl_int)md->strides[d];
}

/* How far a window reaches to both sides, in each dimension but the batch. */
static void fill_window(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory_desc *dst, struct lrn_params *p)
{
    bool is_across = pd->alg_kind == dnnl_lrn_across_channels;
    int missing = MOST_DIMS - dst->ndims;
    dnnl_dim_t half = (pd->size - 1) / 2;
    for (int i = 0; i < 1 + SPATIAL; i++) {
        bool is_used = i == 0 || i > missing;
        int d = i == 0 ? 1 : i - missing + 1;
        dnnl_dim_t size = is_used ? dst->dims[d] : 1;
        bool is_within = is_used && is_across == (i == 0);
        p->sizes[i] = (cl_int)size;
        p->half[i] = !is_within ? 0 : (cl_int)(half < size ? half : size);
    }
}

static void fill_params(
        const struct dnnl_primitive_desc *pd, struct lrn_params *p)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct dnnl_memory_desc *workspace =
            pd_tensor(pd, DNNL_ARG_WORKSPACE);
    bool is_across = pd->alg_kind == dnnl_lrn_across_channels;
    double places = is_across ? (double)pd->size : 1.0; /* of a window */
    for (int d = 2; d < dst->ndims && !is_across; d++)
        places *= (double)pd->size;
    memset(p, 0, sizeof *p);
    p->results = (cl_int)memory_desc_nelems(dst);
    /* The window counts as a whole, also where it is cut. */
    p->alpha = (float)((double)pd->alpha / places);
    p->beta = pd->beta;
    p->k = pd->bias;
    fill_window(pd, dst, p);
    p->src_offset = (cl_int)src->offset0;
    p->dst_offset = (cl_int)dst->offset0;
    fill_strides(&p->src, src);
    fill_strides(&p->dst, dst);
    if (workspace != NULL) fill_strides(&p->workspace, workspace);
}

static dnnl_status_t plan_lrn(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    bool has_workspace = pd_tensor(pd, DNNL_ARG_WORKSPACE) != NULL;
    struct lrn_params p;
    fill_params(pd, &p);
    plan_set_kernel(plan, "lrn", kernel_lrn_cl);
    plan_set_params(plan, &p, sizeof p);
    plan->memories[plan->memory_count++] = DNNL_ARG_SRC;
    if (has_workspace)
        plan->memories[plan->memory_count++] = DNNL_ARG_WORKSPACE;
    plan->memories[plan->memory_count++] = DNNL_ARG_DST;
    dnnl_status_t st = plan_set_elements(plan, pd->facts, (size_t)p.results);
    if (st == dnnl_success && has_workspace)
        st = plan_add_option(plan, "-DWORKSPACE");
    if (st == dnnl_success && pd->alg_kind == dnnl_lrn_across_channels)
        st = plan_add_option(plan, "-DACROSS");
    if (st == dnnl_success) st = plan_add_channels_inner(plan, dst);
    if (st == dnnl_success)
        st = plan_add_types(plan, pd_tensor(pd, DNNL_ARG_SRC), dst);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind lrn_kind = {
        dnnl_lrn, "ocl:lrn:simple", plan_lrn, 0};

/* ---- Creation ------------------------------------------------------------ */

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct engine_facts *facts,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    dnnl_data_type_t type = src->data_type;
    if (!data_type_is_float(type) || dst->data_type != type
            || !plan_takes_type(facts, type))
        return LACK_TYPES;
    return plan_find_misfits(src, dst);
}

/* What was raised to a power, laid out as dst is, without its gaps. */
static void add_workspace(
        struct dnnl_primitive_desc *pd, const struct dnnl_memory_desc *dst)
{
    struct dnnl_memory_desc md;
    (void)memory_desc_start(&md, dst->ndims, dst->dims, dnnl_f32);
    memory_desc_set_like(&md, dst);
    primitive_desc_add(pd, DNNL_ARG_WORKSPACE, true, &md);
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_lrn_forward_primitive_desc_create(&staging.operation,
                        engine, prop_kind, alg_kind, src_desc, dst_desc,
                        local_size, alpha, beta, k, attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL)
        return refuse(dnnl_lrn, REFUSAL_NULL);
    if (!plan_is_forward(prop_kind)) return refuse(dnnl_lrn, REFUSAL_PROP_KIND);
    if (alg_kind != dnnl_lrn_across_channels
            && alg_kind != dnnl_lrn_within_channel)
        return refuse(dnnl_lrn, REFUSAL_ALG_KIND);
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (src.ndims < 2 || src.ndims > MOST_DIMS)
        return refuse(dnnl_lrn, REFUSAL_NDIMS);
    if (local_size < 1) return refuse(dnnl_lrn, "bad local size");
    const char *why = plan_set_like(&dst, &src);
    if (why != NULL) return refuse(dnnl_lrn, why);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &lrn_kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = prop_kind;
    pd->alg_kind = alg_kind;
    pd->size = local_size;
    pd->alpha = alpha;
    pd->beta = beta;
    pd->bias = k;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    const enum lack lack = find_unsupported(pd->facts, &src, &dst);
    if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    if (prop_kind == dnnl_forward_training) add_workspace(pd, &dst);
    return primitive_desc_finish(pd, primitive_desc);
}
