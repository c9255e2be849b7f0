/* SPDX-License-Identifier: Apache-2.0 */
/* The dimensions of dst and of sources of its shape, sorted and joined. All
 * functions are pure. */
#ifndef DNNL_CACHE_GPU_PRIMITIVES_DIMENSIONS_H
#define DNNL_CACHE_GPU_PRIMITIVES_DIMENSIONS_H

#include "src/gpu/memory/memory_desc.h"

enum { DIMENSION_SOURCES = 10 };

/* A dimension of the tensors of a kernel, with their strides; 0 where a tensor
 * does not have it, and of sources that there are not. */
struct dimension {
    dnnl_dim_t size;
    dnnl_dim_t dst;
    dnnl_dim_t src[DIMENSION_SOURCES];
};

/* Puts a dimension among the first count, those with large strides in dst
 * first; one of a single element is left out. Returns the new count. */
int dimensions_insert(struct dimension *sorted, int count, struct dimension d);

enum { DIMENSIONS_ALL = -1 };

/* The dimensions of more than one element of dst but axis, or all of them,
 * those with large strides in dst first. Returns their number. */
int dimensions_sort(struct dimension sorted[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis);

/* Makes one dimension of sorted ones that follow each other in all tensors.
 * Returns how many are left. */
int dimensions_merge(struct dimension *dims, int count);

/* Both: the dimensions sorted, then merged. */
int dimensions_find(struct dimension dims[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis);

#endif /* DNNL_CACHE_GPU_PRIMITIVES_DIMENSIONS_H */
