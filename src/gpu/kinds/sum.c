/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/lines.h"
#include "src/gpu/kinds/staging.h"

#include <stdio.h>
#include <string.h>

/* What kernels/sum.cl has names for. */
enum { MAX_SOURCES = 64 };
/* Ways in which the sources are laid out. Each takes room in the params, most
 * sources have the same. */
enum { MAX_LAYOUTS = DIMENSION_SOURCES };

/* Bytes of arguments that every device's kernels may have, of which a buffer
 * takes 8. */
enum { MAX_ARGUMENTS_SIZE = 1024, BUFFER_ARGUMENT_SIZE = 8 };

/* ---- Geometry ------------------------------------------------------------ */

struct geometry {
    int layout_count;
    const struct dnnl_memory_desc *layouts[MAX_LAYOUTS];
    int layout_of[MAX_SOURCES];
    /* The dimensions, large strides of dst first, merged where all tensors
     * allow. The last is the lines'; there is at least one. */
    int dim_count;
    struct dimension dims[DNNL_MAX_NDIMS];
    int strided; /* STRIDED, 0: one dense line */
};

static bool same_places(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b)
{
    for (int d = 0; d < a->ndims; d++)
        if (a->dims[d] != 1 && a->strides[d] != b->strides[d]) return false;
    return a->offset0 == b->offset0;
}

static bool find_layouts(
        const struct dnnl_primitive_desc *pd, struct geometry *g)
{
    g->layout_count = 0;
    for (int i = 0; i < pd->number_count; i++) {
        const struct dnnl_memory_desc *src =
                pd_tensor(pd, DNNL_ARG_MULTIPLE_SRC + i);
        int l = 0;
        while (l < g->layout_count && !same_places(src, g->layouts[l]))
            l++;
        if (l == MAX_LAYOUTS) return false;
        if (l == g->layout_count) g->layouts[g->layout_count++] = src;
        g->layout_of[i] = l;
    }
    return true;
}

static void find_dims(const struct dnnl_memory_desc *dst, struct geometry *g)
{
    int count = 0;
    for (int d = 0; d < dst->ndims; d++) {
        struct dimension dim = {dst->dims[d], dst->strides[d], {0}};
        for (int l = 0; l < g->layout_count; l++)
            dim.src[l] = g->layouts[l]->strides[d];
        count = dimensions_insert(g->dims, count, dim);
    }
    g->dim_count = dimensions_merge(g->dims, count);
}

static bool is_dense_line(const struct geometry *g)
{
    bool is_dense = g->dim_count == 1 && g->dims[0].dst == 1;
    for (int l = 0; l < g->layout_count; l++)
        is_dense = is_dense && g->dims[0].src[l] == 1;
    return is_dense;
}

static size_t params_size(const struct geometry *g, int sources)
{
    int places = 2 + g->strided;
    int words = 3 + g->strided + places * (1 + g->layout_count) + sources;
    return 4 * (size_t)words;
}

/* False if the kernel's arguments have no room for so many layouts. */
static bool find_geometry(
        const struct dnnl_primitive_desc *pd, struct geometry *g)
{
    size_t buffers = BUFFER_ARGUMENT_SIZE * (size_t)(pd->number_count + 1);
    if (!find_layouts(pd, g)) return false;
    find_dims(pd_tensor(pd, DNNL_ARG_DST), g);
    if (g->dim_count == 0) {
        /* One element. */
        g->dims[0].size = g->dims[0].dst = 1;
        for (int l = 0; l < g->layout_count; l++)
            g->dims[0].src[l] = 1;
        g->dim_count = 1;
    }
    g->strided = is_dense_line(g) ? 0 : plan_strided(g->dim_count);
    size_t size = params_size(g, pd->number_count);
    return size <= PLAN_PARAMS_SIZE && size + buffers <= MAX_ARGUMENTS_SIZE;
}

/* ---- Parameters ---------------------------------------------------------- */

/* The words of the kernel's struct sum_params, in order. */
struct words {
    cl_int *next;
};

static void put(struct words *w, dnnl_dim_t value)
{
    *w->next++ = (cl_int)value;
}

/* The dimension of lines that takes place i of STRIDED; NULL: one of size 1
 * stands there. */
static const struct dimension *line_dim(const struct geometry *g, int i)
{
    int from = i - (g->strided - (g->dim_count - 1));
    return from >= 0 ? &g->dims[from] : NULL;
}

static void put_src_places(struct words *w, const struct geometry *g, int l)
{
    put(w, g->layouts[l]->offset0);
    put(w, g->dims[g->dim_count - 1].src[l]);
    for (int i = 0; i < g->strided; i++)
        put(w, line_dim(g, i) != NULL ? line_dim(g, i)->src[l] : 0);
}

static void put_dst_places(struct words *w, const struct geometry *g,
        const struct dnnl_memory_desc *dst)
{
    put(w, dst->offset0);
    put(w, g->dims[g->dim_count - 1].dst);
    for (int i = 0; i < g->strided; i++)
        put(w, line_dim(g, i) != NULL ? line_dim(g, i)->dst : 0);
}

/* Fills the params; returns the number of runs. */
static size_t put_params(const struct dnnl_primitive_desc *pd,
        const struct geometry *g, struct primitive_plan *plan)
{
    cl_int words[PLAN_PARAMS_SIZE / sizeof(cl_int)];
    struct words w = {words};
    dnnl_dim_t run = (dnnl_dim_t)plan_elementwise_run(pd->facts);
    dnnl_dim_t line = g->dims[g->dim_count - 1].size;
    dnnl_dim_t line_runs = (line + run - 1) / run;
    dnnl_dim_t runs = line_runs;
    for (int i = 0; i < g->dim_count - 1; i++)
        runs *= g->dims[i].size;
    put(&w, runs);
    put(&w, line_runs);
    put(&w, line);
    for (int i = 0; i < g->strided; i++)
        put(&w, line_dim(g, i) != NULL ? line_dim(g, i)->size : 1);
    put_dst_places(&w, g, pd_tensor(pd, DNNL_ARG_DST));
    for (int l = 0; l < g->layout_count; l++)
        put_src_places(&w, g, l);
    memcpy(w.next, pd->numbers, sizeof(float) * (size_t)pd->number_count);
    plan_set_params(plan, words, params_size(g, pd->number_count));
    return (size_t)runs;
}

/* ---- The plan ------------------------------------------------------------ */

static dnnl_status_t add_options(const struct dnnl_primitive_desc *pd,
        const struct geometry *g, struct primitive_plan *plan)
{
    int count = pd->number_count;
    dnnl_status_t st =
            plan_add_option(plan, "-DEIGHTS=%d -DONES=%d -DLAYOUTS=%d",
                    count / 8, count % 8, g->layout_count);
    for (int i = 0; i < count && st == dnnl_success; i++) {
        char macro[16];
        (void)snprintf(macro, sizeof macro, "SRC_%02o", (unsigned)i);
        st = plan_add_type(plan, macro, pd->tensors[i].md.data_type);
        if (st == dnnl_success && g->layout_count > 1)
            st = plan_add_option(
                    plan, "-DLAYOUT_%02o=%d", (unsigned)i, g->layout_of[i]);
    }
    if (st == dnnl_success && g->strided > 0)
        st = plan_add_option(plan, "-DSTRIDED=%d", g->strided);
    return st;
}

static dnnl_status_t plan_sum(
        const struct dnnl_primitive_desc *pd, struct primitive_plan *plan)
{
    struct geometry g;
    if (!find_geometry(pd, &g)) return plan_decline(plan, LACK_SUM_LAYOUTS);
    size_t runs = put_params(pd, &g, plan);
    plan_set_kernel(plan, "sum", kernel_sum_cl);
    for (int i = 0; i < pd->number_count; i++)
        plan->memories[plan->memory_count++] = DNNL_ARG_MULTIPLE_SRC + i;
    plan->memories[plan->memory_count++] = DNNL_ARG_DST;
    dnnl_status_t st = plan_set_elements(plan, pd->facts, runs);
    if (st == dnnl_success)
        st = plan_add_option(plan, "-DRUN=%d", plan_elementwise_run(pd->facts));
    if (st == dnnl_success) st = add_options(pd, &g, plan);
    if (st == dnnl_success)
        st = plan_add_type(plan, "DST", pd_tensor(pd, DNNL_ARG_DST)->data_type);
    return st == dnnl_success ? plan_add_tail(plan, pd) : st;
}

/* ---- Descriptors --------------------------------------------------------- */

static const struct primitive_kind sum_kind = {
        dnnl_sum, "ocl:sum:simple", plan_sum, uses_no_post_ops};

/* NULL: nothing. */
static const char *find_fault(const_dnnl_memory_desc_t dst, int n,
        const_dnnl_memory_desc_t const *srcs)
{
    for (int i = 0; i < n; i++) {
        if (srcs[i] == NULL) return REFUSAL_NULL;
        if (memory_desc_is_zero(srcs[i])) return REFUSAL_NDIMS;
        if (srcs[i]->format_kind == dnnl_format_kind_any) return REFUSAL_ANY;
        if (!memory_desc_same_dims(srcs[i], srcs[0])) return REFUSAL_DIMS;
    }
    return dst == NULL || memory_desc_same_dims(dst, srcs[0]) ? NULL
                                                              : REFUSAL_DIMS;
}

/* LACK_NONE: nothing. */
static enum lack find_unsupported(const struct dnnl_primitive_desc *pd)
{
    struct geometry g;
    const enum lack lack = plan_find_unsupported(pd);
    if (lack != LACK_NONE) return lack;
    return find_geometry(pd, &g) ? LACK_NONE : LACK_SUM_LAYOUTS;
}

dnnl_status_t dnnl_sum_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine,
        const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs,
        const_dnnl_primitive_attr_t attr)
{
    struct staging staging;
    if (staging_begin_list(&staging, &attr, n, &src_descs, &dst_desc))
        return staging_end(&staging, primitive_desc,
                dnnl_sum_primitive_desc_create(&staging.operation, engine,
                        dst_desc, n, scales, src_descs, attr));
    if (primitive_desc == NULL || engine == NULL || scales == NULL
            || src_descs == NULL)
        return refuse(dnnl_sum, REFUSAL_NULL);
    if (n < 1) return refuse(dnnl_sum, "no sources");
    const char *why = find_fault(dst_desc, n, src_descs);
    if (why != NULL) return refuse(dnnl_sum, why);
    if (n > MAX_SOURCES) return decline(dnnl_sum, LACK_SUM_SOURCES);
    struct dnnl_memory_desc dst = dst_desc != NULL ? *dst_desc : *src_descs[0];
    if (dst_desc == NULL) {
        dst.format_kind = dnnl_format_kind_any;
        dst.offset0 = 0;
    }
    memory_desc_set_like(&dst, src_descs[0]);

    struct dnnl_primitive_desc *pd;
    dnnl_status_t st = primitive_desc_start(&pd, engine, &sum_kind, attr);
    if (st != dnnl_success) return st;
    for (int i = 0; i < n; i++)
        primitive_desc_add(pd, DNNL_ARG_MULTIPLE_SRC + i, false, src_descs[i]);
    primitive_desc_add(pd, DNNL_ARG_DST, true, &dst);
    primitive_desc_set_numbers(pd, scales, n);
    if (pd->failure == dnnl_success) {
        const enum lack lack = find_unsupported(pd);
        if (lack != LACK_NONE) return primitive_desc_decline(pd, lack);
    }
    return primitive_desc_finish(pd, primitive_desc);
}
