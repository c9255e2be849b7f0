/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/dimensions.h"

int dimensions_insert(struct dimension *sorted, int count, struct dimension d)
{
    int i = count;
    if (d.size == 1) return count;
    for (; i > 0 && sorted[i - 1].dst < d.dst; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = d;
    return count + 1;
}

int dimensions_sort(struct dimension sorted[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis)
{
    int count = 0;
    for (int d = 0; d < dst->ndims; d++)
        if (d != axis)
            count = dimensions_insert(sorted, count,
                    (struct dimension){
                            dst->dims[d], dst->strides[d], {src->strides[d]}});
    return count;
}

/* Do all tensors step over the inner dimension as one with the outer? */
static bool do_follow(
        const struct dimension *outer, const struct dimension *inner)
{
    for (int i = 0; i < DIMENSION_SOURCES; i++)
        if (outer->src[i] != inner->size * inner->src[i]) return false;
    return outer->dst == inner->size * inner->dst;
}

int dimensions_merge(struct dimension *dims, int count)
{
    int left = 0;
    for (int i = 0; i < count; i++) {
        struct dimension inner = dims[i];
        if (left > 0 && do_follow(&dims[left - 1], &inner))
            inner.size *= dims[--left].size;
        dims[left++] = inner;
    }
    return left;
}

int dimensions_find(struct dimension dims[DNNL_MAX_NDIMS],
        const struct dnnl_memory_desc *src, const struct dnnl_memory_desc *dst,
        int axis)
{
    return dimensions_merge(dims, dimensions_sort(dims, src, dst, axis));
}
