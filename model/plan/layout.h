/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h: where the elements of a tensor are in a buffer.
 *
 * Reshaping, transposing, slicing and repeating change where one looks, not
 * what is there; so most of what an ONNX model does to shapes costs nothing
 * here. All functions are pure.
 */
#ifndef DNNL_CACHE_MODEL_PLAN_LAYOUT_H
#define DNNL_CACHE_MODEL_PLAN_LAYOUT_H

#include "dnnl_cache.h"

#include <stdbool.h>
#include <stdint.h>

enum { layout_max_dims = DNNL_MAX_NDIMS - 1 };

/* In elements. A stride of 0 repeats; strides of dimensions of one element
 * mean nothing. */
struct layout {
    int ndims;
    dnnl_dims_t dims; /* as long as the library reads them */
    dnnl_dims_t strides;
    int64_t offset;
};

/* A dense one, the last dimension innermost. */
struct layout layout_dense(int ndims, const int64_t *dims);

int64_t layout_count(const struct layout *layout);

/* True if the elements follow each other in the order of the dimensions. */
bool layout_is_dense(const struct layout *layout);

bool layout_has_dims(
        const struct layout *layout, int ndims, const int64_t *dims);

/* The same elements in the same order as other dimensions, of as many
 * elements. False if they have no strides then; out is as it was. */
bool layout_reshape(struct layout *out, const struct layout *in, int ndims,
        const int64_t *dims);

/* Dimension d becomes what permutation[d] was. */
struct layout layout_permute(const struct layout *in, const int *permutation);

/* Of a dimension, count elements from start on, each step after the last. */
struct layout layout_slice(const struct layout *in, int axis, int64_t start,
        int64_t count, int64_t step);

/* Repeats elements by ONNX's rules: dimensions are added in front, those of
 * one element become any number. False if it cannot be. */
bool layout_broadcast(struct layout *out, const struct layout *in, int ndims,
        const int64_t *dims);

/* Adds dimensions of one element in front, up to ndims of them in all. */
struct layout layout_lift(const struct layout *in, int ndims);

/* The descriptor of it, for elements of a type, a base further on in a buffer;
 * the caller destroys it. A tensor without dimensions has one of one element.
 * Statuses: those of dnnl_memory_desc_create_with_strides(). */
dnnl_status_t layout_describe(const struct layout *layout,
        dnnl_data_type_t type, int64_t base, dnnl_memory_desc_t *md);

/* Copies the elements, of `size` bytes each, in order, from where the layout
 * says they are in `from` to a dense array. */
void layout_gather(
        const struct layout *layout, size_t size, const void *from, void *to);

#endif /* DNNL_CACHE_MODEL_PLAN_LAYOUT_H */
