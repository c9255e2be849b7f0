/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory descriptors: shape, type and layout of a tensor.
 */
#ifndef DNNL_CACHE_GPU_MEMORY_DESC_H
#define DNNL_CACHE_GPU_MEMORY_DESC_H

#include "dnnl_cache.h"

#include <stdbool.h>

/* Plain value; copied by assignment. Unused dimensions are 0. Any dimension,
 * stride or offset0 may be DNNL_RUNTIME_DIM_VAL. */
struct dnnl_memory_desc {
    int ndims;
    dnnl_data_type_t data_type;
    dnnl_format_kind_t format_kind;
    dnnl_dim_t offset0; /* elements */
    dnnl_dims_t dims;
    dnnl_dims_t strides; /* elements; meaningful if format_kind is blocked; of
                            a dimension in blocks: from block to block */
    /* Blocks innermost in memory, from the outermost on; none if the layout is
     * plain. */
    int inner_nblks;
    dnnl_dims_t inner_blks;  /* their sizes */
    dnnl_dims_t inner_idxs;  /* their dimensions */
    dnnl_dims_t padded_dims; /* dims rounded up to blocks */
};

/* The empty descriptor. */
extern const struct dnnl_memory_desc memory_desc_zero;

bool memory_desc_is_zero(const struct dnnl_memory_desc *md);

/* True if strides alone say where elements are: blocked, without blocks. What
 * kernels other than reorder's can have. */
bool memory_desc_is_plain(const struct dnnl_memory_desc *md);

/* True if something is DNNL_RUNTIME_DIM_VAL. */
bool memory_desc_has_runtime(const struct dnnl_memory_desc *md);

/* Writes how many neighbours of each dimension a block has; 1: no blocks. */
void memory_desc_block_dims(
        const struct dnnl_memory_desc *md, dnnl_dims_t blocks);

/* Number of elements, 0 for an empty tensor, padding not counted;
 * DNNL_RUNTIME_DIM_VAL if a dimension is. */
dnnl_dim_t memory_desc_nelems(const struct dnnl_memory_desc *md);

/* Starts a descriptor of checked rank, dimensions and type, of layout any. The
 * number of its elements, empty dimensions counted as 1, fits what it is made
 * of: no product of some of its dimensions overflows. On failure *md is the
 * empty one. */
dnnl_status_t memory_desc_start(struct dnnl_memory_desc *md, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type);

/* Checks that sizes and offsets of the tensor, in bytes, stay below 2^63. */
bool memory_desc_size_fits(const struct dnnl_memory_desc *md);

/* Sets padded_dims of dims and blocks. */
void memory_desc_pad(struct dnnl_memory_desc *md);

/* A dimension's stride, 0 if it has one element: then that is repeated. */
static inline dnnl_dim_t memory_desc_repeated_stride(
        const struct dnnl_memory_desc *md, int d)
{
    return md->dims[d] == 1 ? 0 : md->strides[d];
}

/* Gives the caller a copy of his own. */
dnnl_status_t memory_desc_give(
        const struct dnnl_memory_desc *md, dnnl_memory_desc_t *out);

/* Gives a descriptor of layout any the dense layout with its last dimension
 * innermost; leaves others as they are. */
void memory_desc_set_plain(struct dnnl_memory_desc *md);

/* Writes the first ndims dimensions, those with large strides first. */
void memory_desc_order(const struct dnnl_memory_desc *md, int ndims,
        int order[DNNL_MAX_NDIMS]);

/* Gives md, if its layout is any, the dimension order of like (which has as
 * many dimensions or more), dense. */
void memory_desc_set_like(
        struct dnnl_memory_desc *md, const struct dnnl_memory_desc *like);

/* True if the layout is plain, every element has a place of its own and there
 * are no gaps. */
bool memory_desc_is_dense(const struct dnnl_memory_desc *md);

/* True if all dimensions and the reach of all strides are known and fit
 * kernels' 32-bit indices. */
bool memory_desc_fits_int32(const struct dnnl_memory_desc *md);

/* True if both have the same rank and dimensions. */
bool memory_desc_same_dims(
        const struct dnnl_memory_desc *a, const struct dnnl_memory_desc *b);

/* Writes what an ID says of a descriptor, role first, to `at`, which has room
 * for memory_desc_id_size() bytes, and returns the end. Strides of dimensions
 * of size 1 count as they are. What there is past the strides are blocks. */
uint8_t *memory_desc_write_id(
        const struct dnnl_memory_desc *md, uint32_t role, uint8_t *at);

static inline size_t memory_desc_id_size(const struct dnnl_memory_desc *md)
{
    return 24 + 16 * (size_t)md->ndims + 8 * (size_t)md->inner_nblks;
}

#endif /* DNNL_CACHE_GPU_MEMORY_DESC_H */
