/* SPDX-License-Identifier: Apache-2.0 */
/* weight_memory.h: memory for what may be hundreds of megabytes, written once
 * and read by every run. */
#ifndef DNNL_CACHE_MODEL_BASE_WEIGHT_MEMORY_H
#define DNNL_CACHE_MODEL_BASE_WEIGHT_MEMORY_H

#include <stddef.h>

/* Like malloc(), but never NULL for 0 bytes; given back by free(). */
void *weight_malloc(size_t size);

#endif /* DNNL_CACHE_MODEL_BASE_WEIGHT_MEMORY_H */
