/* SPDX-License-Identifier: Apache-2.0 */
/* The tensors that dropout and stochastic rounding bring: the mask, the
 * probability, the seeds. */
#ifndef DNNL_CACHE_GPU_RANDOM_TENSORS_H
#define DNNL_CACHE_GPU_RANDOM_TENSORS_H

#include "src/gpu/primitive/primitive_desc.h"

/* Checks these attributes against what the kind takes, and adds their tensors.
 * dnnl_unimplemented: not of this kind, this type or this layout. */
dnnl_status_t random_tensors_add(struct dnnl_primitive_desc *pd);

/* Are the elements of a mask where dst's are, from the first one on? */
bool random_tensors_is_mask_of(const struct dnnl_memory_desc *mask,
        const struct dnnl_memory_desc *dst);

#endif /* DNNL_CACHE_GPU_RANDOM_TENSORS_H */
