/* SPDX-License-Identifier: Apache-2.0 */
/* The part that dropout and stochastic rounding have in a tail (tail.c). */
#ifndef DNNL_CACHE_GPU_RANDOM_PLAN_H
#define DNNL_CACHE_GPU_RANDOM_PLAN_H

#include "src/gpu/primitive/primitive_desc.h"

/* RANDOM_MEMBERS of kernels/random.cl. */
struct random_places {
    cl_int dst;
    cl_int mask;
};

/* Has the descriptor a tail for them? */
bool random_plan_has_part(const struct dnnl_primitive_desc *pd);

struct random_places random_plan_places(const struct dnnl_primitive_desc *pd);

/* Adds the source, its options and its memories, last of the tail's.
 * dnnl_unimplemented: there is no room for them; dnnl_invalid_arguments: what
 * execution has brought as the mask is not laid out as dst. */
dnnl_status_t random_plan_add(
        struct primitive_plan *plan, const struct dnnl_primitive_desc *pd);

#endif /* DNNL_CACHE_GPU_RANDOM_PLAN_H */
