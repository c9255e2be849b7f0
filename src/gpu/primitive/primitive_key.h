/* SPDX-License-Identifier: Apache-2.0 */
/* How a primitive is told apart: in memory by its key, elsewhere by the ID.
 * Both hold the operation, encoded once. */
#ifndef DNNL_CACHE_GPU_PRIMITIVE_KEY_H
#define DNNL_CACHE_GPU_PRIMITIVE_KEY_H

#include "src/gpu/primitive/primitive_desc.h"

/* Sets a descriptor's key and its hash, when all else is set. */
dnnl_status_t primitive_key_make(struct dnnl_primitive_desc *pd);

/* The cache blob ID, computed at first use; size 0 if not cacheable. Borrowed
 * from the descriptor. Any thread. */
dnnl_status_t primitive_key_id(
        const struct dnnl_primitive_desc *pd, const uint8_t **id, size_t *size);

#endif /* DNNL_CACHE_GPU_PRIMITIVE_KEY_H */
