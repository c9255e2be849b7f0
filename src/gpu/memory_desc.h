/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory descriptors: shape, type and layout of a tensor.
 */
#ifndef DNNL_CACHE_GPU_MEMORY_DESC_H
#define DNNL_CACHE_GPU_MEMORY_DESC_H

#include "dnnl_cache.h"

#include <stdbool.h>

/* Plain value; copied by assignment. Unused dimensions are 0. */
struct dnnl_memory_desc {
    int ndims;
    dnnl_data_type_t data_type;
    dnnl_format_kind_t format_kind;
    dnnl_dim_t offset0; /* elements */
    dnnl_dims_t dims;
    dnnl_dims_t strides; /* elements; meaningful if format_kind is blocked */
};

/* The empty descriptor. */
extern const struct dnnl_memory_desc memory_desc_zero;

bool memory_desc_is_zero(const struct dnnl_memory_desc *md);

/* Number of elements, 0 for an empty tensor. */
dnnl_dim_t memory_desc_nelems(const struct dnnl_memory_desc *md);

/* Gives a descriptor of layout any the dense layout with its last dimension
 * innermost; leaves others as they are. */
void memory_desc_set_plain(struct dnnl_memory_desc *md);

/* Gives md, if its layout is any, the dimension order of like (which has the
 * same rank), dense. */
void memory_desc_set_like(
        struct dnnl_memory_desc *md, const struct dnnl_memory_desc *like);

/* True if every element has a place of its own and there are no gaps. */
bool memory_desc_is_dense(const struct dnnl_memory_desc *md);

/* True if all dimensions and the reach of all strides fit kernels' 32-bit
 * indices. */
bool memory_desc_fits_int32(const struct dnnl_memory_desc *md);

/* True if both have the same rank and dimensions. */
bool memory_desc_same_dims(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b);

/* Writes what an ID says of a descriptor, role first, to `at`, which has room
 * for memory_desc_id_size() bytes, and returns the end. Strides of dimensions
 * of size 1 count as they are. */
uint8_t *memory_desc_write_id(
        const struct dnnl_memory_desc *md, uint32_t role, uint8_t *at);

static inline size_t memory_desc_id_size(const struct dnnl_memory_desc *md)
{
    return 24 + 16 * (size_t)md->ndims;
}

#endif /* DNNL_CACHE_GPU_MEMORY_DESC_H */
