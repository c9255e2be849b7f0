/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of primitives share when they plan a launch. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PLAN_H
#define DNNL_CACHE_GPU_PRIMITIVES_PLAN_H

#include "gpu/primitive_desc.h"

/* Mirrors the struct of this name in kernels/common.cl. */
struct elementwise_params {
    cl_int count; /* elements */
    cl_int ndims; /* of the arrays below; the last is innermost */
    cl_int src_offset;
    cl_int dst_offset;
    cl_float alpha;
    cl_float beta;
    cl_int dims[DNNL_MAX_NDIMS];
    cl_int src_strides[DNNL_MAX_NDIMS];
    cl_int dst_strides[DNNL_MAX_NDIMS];
};

/* Adds -D<macro>=<function of kernels/post_ops.cl>. */
dnnl_status_t plan_add_eltwise(
        struct primitive_plan *plan, const char *macro, dnnl_alg_kind_t alg);

/* Plans one work-item an element, for a kernel whose parameters are
 * elementwise_params: fills params, grid and memories (src, dst), and adds
 * -DSTRIDED unless both tensors are dense with one layout, and -DITEMS=, the
 * local size. */
dnnl_status_t plan_elementwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct dnnl_memory_desc *src,
        const struct dnnl_memory_desc *dst, float alpha, float beta);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PLAN_H */
