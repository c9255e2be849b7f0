/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/normalization.h"

#include "src/gpu/memory/data_type.h"

#include <string.h>

enum { MAX_AXES = MAX_NORMALIZED_DIMS - 1 };

/* Mirrors the struct of this name in kernels/normalization.cl. */
struct axes {
    cl_int count;
    cl_int sizes[MAX_AXES];
    cl_int src[MAX_AXES];
    cl_int dst[MAX_AXES];
    cl_int statistics[MAX_AXES];
    cl_int scale[MAX_AXES];
};

/* Mirrors the struct of this name in kernels/normalization.cl. */
struct normalization_params {
    cl_int sets;
    cl_int members;
    cl_int line_runs;
    cl_float epsilon;
    cl_int src_offset;
    cl_int dst_offset;
    cl_int statistics_offset;
    struct axes outer;
    struct axes inner;
};

static bool has_flag(const struct dnnl_primitive_desc *pd, unsigned flag)
{
    return (pd->flags & flag) != 0;
}

/* ---- Dimensions ---------------------------------------------------------- */

void normalized_dims_add_member(struct normalized_dims *dims,
        const struct dnnl_primitive_desc *pd, int d, dnnl_dim_t scale)
{
    const struct dnnl_memory_desc *src = pd_tensor(pd, DNNL_ARG_SRC);
    const struct dnnl_memory_desc *dst = pd_tensor(pd, DNNL_ARG_DST);
    dims->dims[dims->sets + dims->members++] = (struct dimension){
            dst->dims[d], dst->strides[d], {src->strides[d], 0, scale}};
}

/* Sorts and merges. Returns how many are left. */
static int join_dims(struct dimension joined[MAX_NORMALIZED_DIMS],
        const struct dimension *dims, int count)
{
    int used = 0;
    for (int i = 0; i < count; i++)
        used = dimensions_insert(joined, used, dims[i]);
    return dimensions_merge(joined, used);
}

/* Fills in dimensions, one of size 1 if there are none. Returns the number of
 * their elements. */
static cl_int fill_axes(
        struct axes *axes, const struct dimension *dims, int count)
{
    static const struct dimension one = {1, 0, {0}};
    cl_int elements = 1;
    axes->count = count > 0 ? count : 1;
    for (int i = 0; i < axes->count; i++) {
        const struct dimension *dim = count > 0 ? &dims[i] : &one;
        axes->sizes[i] = (cl_int)dim->size;
        axes->src[i] = (cl_int)dim->src[OF_SRC];
        axes->dst[i] = (cl_int)dim->dst;
        axes->statistics[i] = (cl_int)dim->src[OF_STATISTICS];
        axes->scale[i] = (cl_int)dim->src[OF_SCALE];
        elements *= axes->sizes[i];
    }
    return elements;
}

/* ---- Planning ------------------------------------------------------------ */

/* Runs of neighbours in dst, whatever set they belong to. */
static size_t fill_lines(struct normalization_params *p,
        const struct normalized_dims *dims, int run, size_t items)
{
    struct dimension all[MAX_NORMALIZED_DIMS];
    int count = join_dims(all, dims->dims, dims->sets + dims->members);
    int outer = count > 0 ? count - 1 : 0;
    p->sets = fill_axes(&p->outer, all, outer);
    p->members = fill_axes(&p->inner, all + outer, count - outer);
    p->line_runs = (p->members + run - 1) / run;
    size_t runs = (size_t)p->sets * (size_t)p->line_runs;
    return (runs + items - 1) / items;
}

static size_t fill_sets(
        struct normalization_params *p, const struct normalized_dims *dims)
{
    struct dimension joined[MAX_NORMALIZED_DIMS];
    int count = join_dims(joined, dims->dims, dims->sets);
    p->sets = fill_axes(&p->outer, joined, count);
    count = join_dims(joined, dims->dims + dims->sets, dims->members);
    p->members = fill_axes(&p->inner, joined, count);
    return (size_t)p->sets;
}

/* Adds the argument, and -D<macro>, if the descriptor has it. */
static dnnl_status_t add_memory(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, int arg, const char *macro)
{
    if (pd_tensor(pd, arg) == NULL) return dnnl_success;
    plan->memories[plan->memory_count++] = arg;
    return macro != NULL ? plan_add_option(plan, "-D%s", macro) : dnnl_success;
}

static dnnl_status_t add_memories(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const char *statistics =
            has_flag(pd, dnnl_use_global_stats) ? NULL : "SAVE";
    dnnl_status_t st = add_memory(pd, plan, DNNL_ARG_SRC, NULL);
    if (st == dnnl_success && has_flag(pd, dnnl_rms_norm))
        st = plan_add_option(plan, "-DRMS");
    if (st == dnnl_success) st = add_memory(pd, plan, DNNL_ARG_MEAN, NULL);
    if (st == dnnl_success)
        st = add_memory(pd, plan, DNNL_ARG_VARIANCE, statistics);
    if (st == dnnl_success)
        st = add_memory(pd, plan, DNNL_ARG_SCALE, "WITH_SCALE");
    if (st == dnnl_success)
        st = add_memory(pd, plan, DNNL_ARG_SHIFT, "WITH_SHIFT");
    if (st == dnnl_success)
        st = add_memory(pd, plan, DNNL_ARG_SRC_1, "WITH_ADD");
    if (st == dnnl_success)
        st = add_memory(pd, plan, DNNL_ARG_WORKSPACE, "WORKSPACE");
    return st == dnnl_success ? add_memory(pd, plan, DNNL_ARG_DST, NULL) : st;
}

static dnnl_status_t add_types(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    const struct dnnl_memory_desc *scale = pd_tensor(pd, DNNL_ARG_SCALE);
    if (scale == NULL) scale = pd_tensor(pd, DNNL_ARG_SHIFT);
    dnnl_status_t st = plan_add_types(
            plan, pd_tensor(pd, DNNL_ARG_SRC), pd_tensor(pd, DNNL_ARG_DST));
    if (st == dnnl_success && scale != NULL)
        st = plan_add_type(plan, "SCALE", scale->data_type);
    if (st == dnnl_success
            && has_flag(pd, dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu))
        st = plan_add_option(plan, "-DWITH_RELU");
    return st;
}

static void fill_params(
        const struct dnnl_primitive_desc *pd, struct normalization_params *p)
{
    const struct dnnl_memory_desc *statistics =
            pd_tensor(pd, DNNL_ARG_VARIANCE);
    memset(p, 0, sizeof *p);
    p->epsilon = pd->epsilon;
    p->src_offset = (cl_int)pd_tensor(pd, DNNL_ARG_SRC)->offset0;
    p->dst_offset = (cl_int)pd_tensor(pd, DNNL_ARG_DST)->offset0;
    if (statistics != NULL) p->statistics_offset = (cl_int)statistics->offset0;
}

/* Compilers make more of loops whose strides they know. */
static dnnl_status_t add_line(
        struct primitive_plan *plan, const struct axes *inner)
{
    if (inner->count > 1 || inner->src[0] > 1 || inner->dst[0] > 1
            || inner->statistics[0] > 1 || inner->scale[0] > 1)
        return dnnl_success;
    return plan_add_option(plan,
            "-DLINE_SRC=%d -DLINE_DST=%d -DLINE_STATISTICS=%d -DLINE_SCALE=%d",
            inner->src[0], inner->dst[0], inner->statistics[0],
            inner->scale[0]);
}

dnnl_status_t normalization_plan(const struct dnnl_primitive_desc *pd,
        struct primitive_plan *plan, const struct normalized_dims *dims)
{
    struct normalization_params p;
    size_t items = plan_elementwise_items(pd->facts);
    int run = plan_elementwise_run(pd->facts);
    bool is_given = has_flag(pd, dnnl_use_global_stats);
    fill_params(pd, &p);
    size_t groups =
            is_given ? fill_lines(&p, dims, run, items) : fill_sets(&p, dims);
    plan_set_kernel(plan, "normalization", kernel_normalization_cl);
    plan_set_params(plan, &p, sizeof p);
    dnnl_status_t st = plan_set_groups(plan, items, groups);
    if (st == dnnl_success && is_given)
        st = plan_add_option(plan, "-DGIVEN -DRUN_LENGTH=%d", run);
    if (st == dnnl_success) st = add_line(plan, &p.inner);
    if (st == dnnl_success) st = add_types(pd, plan);
    if (st == dnnl_success) st = add_memories(pd, plan);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

/* ---- Checking ------------------------------------------------------------ */

dnnl_status_t normalization_start(struct normalization *n,
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t src, const_dnnl_memory_desc_t dst,
        unsigned allowed_flags)
{
    dnnl_primitive_kind_t kind = n->kind->kind;
    if (primitive_desc == NULL || engine == NULL || src == NULL || dst == NULL)
        return refuse(kind, REFUSAL_NULL);
    if (!plan_is_forward(n->prop_kind)) return refuse(kind, REFUSAL_PROP_KIND);
    if ((n->flags & ~allowed_flags) != 0) return refuse(kind, "bad flags");
    n->src = *src;
    n->dst = *dst;
    if (n->src.ndims < 2 || n->src.ndims > 5)
        return refuse(kind, REFUSAL_NDIMS);
    if (n->src.format_kind == dnnl_format_kind_any)
        return refuse(kind, REFUSAL_ANY);
    if (!memory_desc_same_dims(&n->src, &n->dst))
        return refuse(kind, REFUSAL_DIMS);
    if (memory_desc_has_runtime(&n->src) || memory_desc_has_runtime(&n->dst))
        return decline_pair(kind, LACK_RUNTIME, &n->src, &n->dst);
    memory_desc_set_like(&n->dst, &n->src);
    return dnnl_success;
}

dnnl_status_t normalization_set_statistics(
        struct normalization *n, int ndims, const dnnl_dims_t dims)
{
    if (memory_desc_start(&n->statistics, ndims, dims, dnnl_f32)
            != dnnl_success)
        return refuse(n->kind->kind, "too many means and variances");
    memory_desc_set_plain(&n->statistics);
    return dnnl_success;
}

static bool is_element(dnnl_data_type_t type)
{
    return data_type_is_float(type) || data_type_is_byte(type);
}

static bool do_types_fit(
        const struct engine_facts *facts, const struct normalization *n)
{
    return is_element(n->src.data_type) && is_element(n->dst.data_type)
           && data_type_is_float(n->scale_type)
           && n->statistics.data_type == dnnl_f32
           && plan_takes_types(facts, &n->src, &n->dst)
           && plan_takes_type(facts, n->scale_type);
}

/* LACK_NONE: nothing. */
static enum lack find_unsupported(
        const struct engine_facts *facts, const struct normalization *n)
{
    if (!do_types_fit(facts, n)) return LACK_TYPES;
    enum lack lack = plan_find_misfits(&n->src, &n->dst);
    if (lack == LACK_NONE) lack = plan_find_misfit(&n->statistics);
    /* Outputs have a place of their own for every element. */
    if (lack == LACK_NONE && (n->flags & dnnl_use_global_stats) == 0
            && !plan_can_write(&n->statistics))
        lack = LACK_SHARED_MEANS;
    return lack;
}

/* ---- Creation ------------------------------------------------------------ */

static void add_statistics(
        struct dnnl_primitive_desc *pd, const struct normalization *n)
{
    bool is_given = has_flag(pd, dnnl_use_global_stats);
    if (!is_given && n->prop_kind != dnnl_forward_training) return;
    if (!has_flag(pd, dnnl_rms_norm))
        primitive_desc_add(pd, DNNL_ARG_MEAN, !is_given, &n->statistics);
    primitive_desc_add(pd, DNNL_ARG_VARIANCE, !is_given, &n->statistics);
}

static void add_scale_and_shift(
        struct dnnl_primitive_desc *pd, const struct normalization *n)
{
    struct dnnl_memory_desc md;
    (void)memory_desc_start(&md, 1, (dnnl_dims_t){n->channels}, n->scale_type);
    memory_desc_set_plain(&md);
    if (has_flag(pd, dnnl_use_scale))
        primitive_desc_add(pd, DNNL_ARG_SCALE, false, &md);
    if (has_flag(pd, dnnl_use_shift))
        primitive_desc_add(pd, DNNL_ARG_SHIFT, false, &md);
}

/* Says where results were above 0; laid out as dst. */
static void add_workspace(
        struct dnnl_primitive_desc *pd, const struct normalization *n)
{
    struct dnnl_memory_desc md = n->dst;
    if (n->prop_kind != dnnl_forward_training
            || !has_flag(pd, dnnl_fuse_norm_relu | dnnl_fuse_norm_add_relu))
        return;
    md.data_type = dnnl_u8;
    md.offset0 = 0;
    primitive_desc_add(pd, DNNL_ARG_WORKSPACE, true, &md);
}

dnnl_status_t normalization_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const struct normalization *n,
        const_dnnl_primitive_attr_t attr)
{
    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, n->kind, attr);
    if (st != dnnl_success) return st;
    pd->prop_kind = n->prop_kind;
    pd->epsilon = n->epsilon;
    pd->flags = n->flags;
    pd->size = n->groups;
    const enum lack lack = find_unsupported(pd->facts, n);
    primitive_desc_add(pd, DNNL_ARG_SRC, false, &n->src);
    if (lack != LACK_NONE) {
        primitive_desc_add(pd, DNNL_ARG_DST, true, &n->dst);
        return primitive_desc_decline(pd, lack);
    }
    if (has_flag(pd, dnnl_fuse_norm_add_relu))
        primitive_desc_add(pd, DNNL_ARG_SRC_1, false, &n->dst);
    add_statistics(pd, n);
    add_scale_and_shift(pd, n);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &n->dst);
    add_workspace(pd, n);
    return primitive_desc_finish(pd, primitive_desc);
}
