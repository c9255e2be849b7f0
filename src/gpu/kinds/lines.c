/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/lines.h"

#include <string.h>

/* The innermost dimension is the lines', the others are those of lines. */
void plan_fill_lines(struct elementwise_params *p, const struct dimension *dims,
        int count, int run)
{
    const struct dimension one = {1, 1, {1}};
    const struct dimension *line = count > 0 ? &dims[count - 1] : &one;
    dnnl_dim_t lines = 1;
    for (int i = 0; i < MAX_LINE_DIMS; i++) {
        int from = i - (MAX_LINE_DIMS - (count - 1));
        bool is_used = from >= 0 && from < count - 1;
        p->dims[i] = is_used ? (cl_int)dims[from].size : 1;
        p->src_strides[i] = is_used ? (cl_int)dims[from].src[0] : 0;
        p->dst_strides[i] = is_used ? (cl_int)dims[from].dst : 0;
        lines *= p->dims[i];
    }
    p->line = (cl_int)line->size;
    p->src_stride = (cl_int)line->src[0];
    p->dst_stride = (cl_int)line->dst;
    p->line_runs = (cl_int)((line->size + run - 1) / run);
    p->runs = (cl_int)(lines * p->line_runs);
}

/* Most layouts come down to a few dimensions; each costs a division. */
int plan_strided(int count)
{
    return count <= 4 ? 3 : MAX_LINE_DIMS;
}

static dnnl_status_t add_strided(struct primitive_plan *plan, int count)
{
    return plan_add_option(plan, "-DSTRIDED=%d", plan_strided(count));
}

static dnnl_status_t set_lines(struct primitive_plan *plan,
        const struct elementwise_params *p, size_t items, size_t groups,
        int run)
{
    plan_set_params(plan, p, sizeof *p);
    plan->memories[0] = DNNL_ARG_SRC;
    plan->memories[1] = DNNL_ARG_DST;
    plan->memory_count = 2;
    dnnl_status_t st = plan_set_groups(plan, items, groups);
    return st == dnnl_success ? plan_add_option(plan, "-DRUN=%d", run) : st;
}

int plan_lines(struct elementwise_params *p, const struct engine_facts *facts,
        struct dimension *dims, int count)
{
    int sorted = 0;
    for (int i = 0; i < count; i++)
        sorted = dimensions_insert(dims, sorted, dims[i]);
    count = dimensions_merge(dims, sorted);
    if (count > DNNL_MAX_NDIMS) return -1;
    plan_fill_lines(p, dims, count, plan_elementwise_run(facts));
    bool is_dense = count <= 1 && p->src_stride == 1 && p->dst_stride == 1;
    return is_dense ? 0 : count > 0 ? count : 1;
}

size_t plan_groups(
        const struct elementwise_params *p, const struct engine_facts *facts)
{
    size_t items = plan_elementwise_items(facts);
    return ((size_t)p->runs + items - 1) / items;
}

dnnl_status_t plan_set_lines(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct elementwise_params *p,
        int dims)
{
    dnnl_status_t st = set_lines(plan, p, plan_elementwise_items(facts),
            plan_groups(p, facts), plan_elementwise_run(facts));
    return st == dnnl_success && dims > 0 ? add_strided(plan, dims) : st;
}

dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)dst->offset0;
    p.alpha = alpha;
    p.beta = beta;
    int count = plan_lines(
            &p, facts, dims, dimensions_sort(dims, src, dst, DIMENSIONS_ALL));
    return plan_set_lines(plan, facts, &p, count);
}

/* ---- Along an axis ------------------------------------------------------- */

dnnl_status_t plan_along(struct primitive_plan *plan,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis, size_t items)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    struct elementwise_params p;
    memset(&p, 0, sizeof p);
    int count = dimensions_find(dims, src, dst, axis);
    dims[count++] = (struct dimension){
            dst->dims[axis], dst->strides[axis], {src->strides[axis]}};
    plan_fill_lines(&p, dims, count, (int)dst->dims[axis]);
    p.src_offset = (cl_int)src->offset0;
    p.dst_offset = (cl_int)dst->offset0;
    dnnl_status_t st = set_lines(plan, &p, items, (size_t)p.runs, 1);
    return st == dnnl_success ? add_strided(plan, count) : st;
}
