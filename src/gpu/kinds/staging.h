/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a creation call takes tensors in blocked layouts: it calls itself with
 * plain ones in their place, and what comes of it becomes the operation of a
 * staged descriptor (primitive/staged.h), whose tensors are the given ones.
 *
 *     struct staging staging;
 *     const struct staged_argument arguments[] = {
 *             {DNNL_ARG_SRC, &src_desc}, {DNNL_ARG_DST, &dst_desc}};
 *     if (staging_begin(&staging, &attr, 2, arguments))
 *         return staging_end(&staging, primitive_desc,
 *                 dnnl_..._primitive_desc_create(&staging.operation, engine,
 *                         ..., src_desc, dst_desc, attr));
 */
#ifndef DNNL_CACHE_GPU_KINDS_STAGING_H
#define DNNL_CACHE_GPU_KINDS_STAGING_H

#include "src/gpu/primitive/attributes.h"

#include <stdbool.h>
#include <stddef.h>

/* An argument of a creation call. */
struct staged_argument {
    int arg;                      /* DNNL_ARG_* */
    const_dnnl_memory_desc_t *md; /* the call's variable; NULL in it: none */
};

/* A tensor in blocks, and what stands in for it. */
struct staging_tensor {
    int arg;
    struct dnnl_memory_desc given;
    struct dnnl_memory_desc plain; /* what the variable points to meanwhile */
};

struct staging {
    struct staging_tensor **tensors; /* owned, with what they point to */
    int count;
    const_dnnl_memory_desc_t *sources; /* owned; NULL: no list */
    size_t scratch_size;
    const struct dnnl_primitive_attr *attr; /* the caller's */
    struct dnnl_primitive_attr plain_attr;  /* with plain tensors of post-ops */
    dnnl_status_t failure;
    dnnl_primitive_desc_t operation; /* of the plain tensors, by the caller */
};

/* Replaces descriptors in blocks by plain ones of the same dimensions, and
 * *attr, if tensors of its post-ops have blocks, by a copy. False: nothing is
 * in blocks, nothing was changed. Else staging_end() follows. */
bool staging_begin(struct staging *staging, const_dnnl_primitive_attr_t *attr,
        size_t count, const struct staged_argument *arguments);

/* The same for a list of n sources, which is replaced by a copy, and dst. */
bool staging_begin_list(struct staging *staging,
        const_dnnl_primitive_attr_t *attr, int n,
        const_dnnl_memory_desc_t const **src_descs,
        const_dnnl_memory_desc_t *dst_desc);

/* Makes the staged descriptor of the operation, whose creation returned status,
 * and gives back all memory. Returns status if that is a failure. Other
 * statuses: dnnl_invalid_arguments (primitive_desc is NULL); dnnl_unimplemented
 * (no reorder moves one of the tensors; told); dnnl_out_of_memory. */
dnnl_status_t staging_end(struct staging *staging,
        dnnl_primitive_desc_t *primitive_desc, dnnl_status_t status);

#endif /* DNNL_CACHE_GPU_KINDS_STAGING_H */
