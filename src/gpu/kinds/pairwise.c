/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/kinds/pairwise.h"

#include <string.h>

enum { MORE_SOURCES = PLAN_MAX_ELEMENT_SOURCES - 1 };

/* Mirrors struct elementwise_params of kernels/common.cl with PAIRS. */
struct pairwise_params {
    struct elementwise_params first; /* source, and what is common */
    struct {
        cl_int offset;
        cl_int stride;
        cl_int strides[MAX_LINE_DIMS];
    } more[MORE_SOURCES];
};

/* The dimensions of all tensors, sorted and merged. Returns their number. */
static int find_dimensions(struct dimension dims[DNNL_MAX_NDIMS],
        const struct plan_source *sources, int source_count,
        const struct dnnl_memory_desc *dst)
{
    int count = 0;
    for (int d = 0; d < dst->ndims; d++) {
        struct dimension dim = {dst->dims[d], dst->strides[d], {0}};
        for (int s = 0; s < source_count; s++)
            dim.src[s] = memory_desc_repeated_stride(sources[s].md, d);
        count = dimensions_insert(dims, count, dim);
    }
    return dimensions_merge(dims, count);
}

/* Tells where another source's lines are; false unless they are dense. */
static bool fill_more(struct pairwise_params *p, int index,
        const struct dnnl_memory_desc *md, const struct dimension *dims,
        int count)
{
    int source = index + 1;
    int front = MAX_LINE_DIMS - (count - 1);
    p->more[index].offset = (cl_int)md->offset0;
    p->more[index].stride = count > 0 ? (cl_int)dims[count - 1].src[source] : 1;
    for (int i = 0; i < count - 1; i++)
        p->more[index].strides[front + i] = (cl_int)dims[i].src[source];
    return count <= 1 && p->more[index].stride == 1;
}

dnnl_status_t plan_pairwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct plan_source *sources,
        int source_count, const struct dnnl_memory_desc *dst)
{
    struct dimension dims[DNNL_MAX_NDIMS];
    struct pairwise_params p;
    memset(&p, 0, sizeof p);
    int count = find_dimensions(dims, sources, source_count, dst);
    plan_fill_lines(&p.first, dims, count, plan_elementwise_run(facts));
    p.first.src_offset = (cl_int)sources[0].md->offset0;
    p.first.dst_offset = (cl_int)dst->offset0;
    bool is_dense =
            count <= 1 && p.first.src_stride == 1 && p.first.dst_stride == 1;
    for (int s = 1; s < source_count; s++)
        is_dense = fill_more(&p, s - 1, sources[s].md, dims, count) && is_dense;
    dnnl_status_t st =
            plan_set_lines(plan, facts, &p.first, is_dense ? 0 : count);
    plan_set_params(plan, &p, sizeof p);
    for (int s = 0; s < source_count; s++)
        plan->memories[s] = sources[s].arg;
    plan->memories[source_count] = DNNL_ARG_DST;
    plan->memory_count = (size_t)source_count + 1;
    return st == dnnl_success ? plan_add_option(plan, "-DPAIRS") : st;
}
