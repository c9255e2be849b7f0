/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/staging.h"
#include "src/gpu/primitive/dimensions.h"
#include "src/gpu/primitive/plan.h"

#include <string.h>

enum { MAX_KEPT = DNNL_MAX_NDIMS - 1 };

/* Mirrors the struct of this name in kernels/reduction.cl. */
struct reduction_params {
    cl_int results;
    cl_int length;
    cl_int src_offset;
    cl_int dst_offset;
    cl_float power;
    cl_float epsilon;
    cl_int kept_dims[MAX_KEPT];
    cl_int kept_src[MAX_KEPT];
    cl_int kept_dst[MAX_KEPT];
    cl_int reduced_dims[DNNL_MAX_NDIMS];
    cl_int reduced_src[DNNL_MAX_NDIMS];
};

/* ---- Planning ------------------------------------------------------------ */

/* The elements of src that make one of dst. */
static struct dnnl_memory_desc reduced_part(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    struct dnnl_memory_desc part = *src;
    for (int d = 0; d < src->ndims; d++)
        if (dst->dims[d] == src->dims[d]) part.dims[d] = 1;
    return part;
}

static void fill_kept(
        struct reduction_params *p, const struct dimension *kept, int count)
{
    for (int i = 0; i < MAX_KEPT; i++) {
        int from = i - (MAX_KEPT - count);
        p->kept_dims[i] = from >= 0 ? (cl_int)kept[from].size : 1;
        p->kept_src[i] = from >= 0 ? (cl_int)kept[from].src[0] : 0;
        p->kept_dst[i] = from >= 0 ? (cl_int)kept[from].dst : 0;
    }
}

static void fill_reduced(
        struct reduction_params *p, const struct dimension *reduced, int count)
{
    for (int i = 0; i < DNNL_MAX_NDIMS; i++) {
        int from = i - (DNNL_MAX_NDIMS - count);
        p->reduced_dims[i] = from >= 0 ? (cl_int)reduced[from].size : 1;
        p->reduced_src[i] = from >= 0 ? (cl_int)reduced[from].src[0] : 0;
    }
}

/* Of how many dimensions the kernel looks, for count in use: each costs a
 * division. */
static int kept_in_use(int count)
{
    return count <= 3 ? 3 : MAX_KEPT;
}

static int reduced_in_use(int count)
{
    return count <= 1 ? 1 : count <= 3 ? 3 : DNNL_MAX_NDIMS;
}

/* Fewer results are worth a group each, whatever the layout. */
enum { FEW_RESULTS = 4096 };

/* Neighbouring items read neighbours: those of one result if they are the
 * innermost, else those of neighbouring results. */
static bool wants_groups(const struct reduction_params *p, size_t items)
{
    bool is_inner =
            p->results == 1
            || p->reduced_src[DNNL_MAX_NDIMS - 1] <= p->kept_src[MAX_KEPT - 1];
    return (size_t)p->length >= 2 * items
           && (is_inner || p->results < FEW_RESULTS);
}

static dnnl_status_t set_grid(const struct dnnl_primitive_desc *pd,
        const struct reduction_params *p, struct primitive_plan *plan)
{
    size_t items = plan_line_items(pd->facts);
    size_t results = (size_t)p->results;
    if (!wants_groups(p, items))
        return plan_set_elements(plan, pd->facts, results);
    dnnl_status_t st = plan_set_groups(plan, items, results);
    return st == dnnl_success ? plan_add_option(plan, "-DGROUP") : st;
}

/* What the kernel does, in its words. */
static const char *steps_of(dnnl_alg_kind_t alg)
{
    static const char *const steps[] = {"-DMAX", "-DMIN", "-DSUM", "-DMUL",
            "-DSUM -DMEAN", "-DNORM -DROOT -DAT_LEAST", "-DNORM -DROOT",
            "-DNORM -DAT_LEAST", "-DNORM"};
    return steps[alg - dnnl_reduction_max];
}

static dnnl_status_t plan_reduction(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    const struct dnnl_memory_desc part = reduced_part(src, dst);
    struct dimension kept[DNNL_MAX_NDIMS];
    struct dimension reduced[DNNL_MAX_NDIMS];
    int kept_count = dimensions_find(kept, src, dst, DIMENSIONS_ALL);
    int reduced_count = dimensions_find(reduced, &part, &part, DIMENSIONS_ALL);
    struct reduction_params p;
    memset(&p, 0, sizeof p);
    p.results = (cl_int)memory_desc_nelems(dst);
    p.length = (cl_int)memory_desc_nelems(&part);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)dst->offset0;
    p.power = pd->power;
    p.epsilon = pd->epsilon;
    fill_kept(&p, kept, kept_count);
    fill_reduced(&p, reduced, reduced_count);
    plan_set_kernel(plan, "reduction", kernel_reduction_cl);
    plan_set_params(plan, &p, sizeof p);
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    dnnl_status_t st = plan_add_types(plan, src, dst);
    if (st == dnnl_success)
        st = plan_add_option(plan, "%s -DKEPT=%d -DREDUCED=%d",
                steps_of(pd->alg_kind), kept_in_use(kept_count),
                reduced_in_use(reduced_count));
    if (st == dnnl_success) st = set_grid(pd, &p, plan);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

static const struct primitive_kind reduction_kind = {
        dnnl_reduction, "ocl:reduction:simple", plan_reduction, 0};

/* ---- Checking ------------------------------------------------------------ */

/* Each dimension of dst is that of src or 1, and they are not all the same. */
static bool are_dims_consistent(
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst)
{
    if (src->ndims != dst->ndims) return false;
    for (int d = 0; d < src->ndims; d++)
        if (dst->dims[d] != src->dims[d] && dst->dims[d] != 1) return false;
    return !memory_desc_same_dims(src, dst);
}

static bool is_alg_valid(dnnl_alg_kind_t alg_kind, float p)
{
    if (alg_kind < dnnl_reduction_max
            || alg_kind > dnnl_reduction_norm_lp_power_p_sum)
        return false;
    return alg_kind < dnnl_reduction_norm_lp_max || p >= 1.0f;
}

dnnl_status_t dnnl_reduction_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    const struct staged_argument arguments[] = {
            {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
    if (staging_begin(&staging, &attr, 2, arguments))
        return staging_end(&staging, primitive_desc,
                dnnl_reduction_primitive_desc_create(&staging.operation, engine,
                        alg_kind, src_desc, dst_desc, p, eps, attr));
    if (primitive_desc == NULL || engine == NULL || src_desc == NULL
            || dst_desc == NULL)
        return refuse(dnnl_reduction, REFUSAL_NULL);
    if (!is_alg_valid(alg_kind, p))
        return refuse(dnnl_reduction, "bad algorithm or p");
    struct dnnl_memory_desc src = *src_desc;
    struct dnnl_memory_desc dst = *dst_desc;
    if (memory_desc_has_runtime(&src) || memory_desc_has_runtime(&dst))
        return decline_pair(dnnl_reduction, LACK_RUNTIME, &src, &dst);
    if (src.format_kind == dnnl_format_kind_any)
        return refuse(dnnl_reduction, REFUSAL_ANY);
    if (!are_dims_consistent(&src, &dst))
        return refuse(dnnl_reduction, REFUSAL_DIMS);
    memory_desc_set_like(&dst, &src);
    const enum lack lack = plan_find_misfits(&src, &dst);
    if (lack != LACK_NONE)
        return decline_pair(dnnl_reduction, lack, &src, &dst);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &reduction_kind, attr);
    if (st != dnnl_success) return st;
    pd->alg_kind = alg_kind;
    pd->power = p;
    pd->epsilon = eps;
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &src);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    if (!plan_takes_types(pd->facts, &src, &dst))
        return primitive_desc_decline(pd, LACK_TYPES);
    return primitive_desc_finish(pd, primitive_desc);
}
