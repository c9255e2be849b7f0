/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives of shapes that only execution tells (DNNL_RUNTIME_DIM_VAL). The
 * program is made without them, the launch is planned with the memories'. */
#ifndef DNNL_CACHE_GPU_RUNTIME_DIMS_H
#define DNNL_CACHE_GPU_RUNTIME_DIMS_H

#include "src/gpu/memory/memory.h"
#include "src/gpu/primitive/primitive_desc.h"

/* Plans a launch of the descriptor's kernel for memories, one by tensor. *plan
 * is the caller's to free, NULL if there is no element to compute. program is
 * the plan that the program was made by. Statuses: dnnl_invalid_arguments
 * (layouts that contradict the descriptor's, or each other);
 * dnnl_unimplemented; dnnl_out_of_memory. */
dnnl_status_t runtime_dims_plan(const struct dnnl_primitive_desc *pd,
        struct dnnl_memory *const *memories,
        const struct primitive_plan *program, struct primitive_plan **plan);

#endif /* DNNL_CACHE_GPU_RUNTIME_DIMS_H */
