/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that walk over several sources and dst in lines. All functions are
 * pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_PAIRWISE_H
#define DNNL_CACHE_GPU_PRIMITIVES_PAIRWISE_H

#include "src/gpu/kinds/lines.h"

/* A source of an element-wise kernel. */
struct plan_source {
    int arg; /* DNNL_ARG_* */
    const struct dnnl_memory_desc *md;
};

enum { PLAN_MAX_ELEMENT_SOURCES = 3 };

/* Like plan_elementwise() for a kernel of two or three sources, with -DPAIRS:
 * memories are the sources, then dst. A dimension of one element is repeated
 * in a source that has less than dst. */
dnnl_status_t plan_pairwise(struct primitive_plan *plan,
        const struct engine_facts *facts, const struct plan_source *sources,
        int source_count, const struct dnnl_memory_desc *dst);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_PAIRWISE_H */
