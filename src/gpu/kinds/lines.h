/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that walk over two tensors in lines. All functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_LINES_H
#define DNNL_CACHE_GPU_PRIMITIVES_LINES_H

#include "src/gpu/primitive/dimensions.h"
#include "src/gpu/primitive/plan.h"

enum { MAX_LINE_DIMS = DNNL_MAX_NDIMS - 1 };

/* Mirrors the struct of this name in kernels/common.cl. */
struct elementwise_params {
    cl_int runs;
    cl_int line_runs;
    cl_int line;
    cl_int src_offset;
    cl_int dst_offset;
    cl_int src_stride;
    cl_int dst_stride;
    cl_float alpha;
    cl_float beta;
    cl_int dims[MAX_LINE_DIMS];
    cl_int src_strides[MAX_LINE_DIMS];
    cl_int dst_strides[MAX_LINE_DIMS];
};

/* Plans a launch over all elements, for a kernel whose parameters are
 * elementwise_params: fills params, grid and memories (src, dst), and adds
 * -DITEMS=, the local size, -DRUN=, the elements of a work-item, and unless
 * both tensors are one dense line of the same order -DSTRIDED=, the number of
 * dimensions of lines that the kernel looks at. */
dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta);

/* STRIDED of kernels/common.cl for tensors of so many dimensions, the lines'
 * own among them. */
int plan_strided(int count);

/* The parts of plan_elementwise(), for geometries that two descriptors do not
 * tell. plan_lines() fills all of params but offsets and numbers from the
 * dimensions, in any order, which it sorts and merges. It returns the number of
 * dimensions that are left, 0 if the tensors are one dense line, -1 if they are
 * too many. plan_set_lines() plans the launch of the params, for at least that
 * many dimensions. plan_groups() is the number of groups for the params. */
int plan_lines(struct elementwise_params *p, const struct engine_facts *facts,
        struct dimension *dims, int count);
dnnl_status_t plan_set_lines(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct elementwise_params *p,
        int dims);
size_t plan_groups(
        const struct elementwise_params *p, const struct engine_facts *facts);

/* Fills in the lines of sorted and merged dimensions, in runs of so many
 * elements. */
void plan_fill_lines(struct elementwise_params *p, const struct dimension *dims,
        int count, int run);

/* Like plan_elementwise() for a kernel whose lines are those in the direction
 * of axis: one run, taken by a work-group of so many items, each. STRIDED
 * always; RUN, the neighbours that a work-item takes at a time, is 1. */
dnnl_status_t plan_along(struct primitive_plan *plan,
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis, size_t items);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_LINES_H */
