/* SPDX-License-Identifier: Apache-2.0 */
/* Lines about the creation and execution of primitives, in oneDNN's form. */
#ifndef DNNL_CACHE_GPU_VERBOSE_H
#define DNNL_CACHE_GPU_VERBOSE_H

#include "src/gpu/primitive/primitive.h"

/* Where a primitive came from, if lines were asked for: cache_miss (compiled),
 * cache_hit (it was in memory), kernel_cache_hit (its program was),
 * persistent_cache_hit (from a blob, the caller's or a store's),
 * persistent_cache_reject (compiled since a store's blob was refused),
 * nothing_to_compile. */
void verbose_creation(const struct dnnl_primitive *primitive, bool was_built);

/* A caller's blob was refused with this status: persistent_cache_reject. */
void verbose_rejection(
        const struct dnnl_primitive_desc *pd, dnnl_status_t why, uint64_t ns);

/* An execution that took so long, from an idle stream to an idle stream. */
void verbose_execution(const struct dnnl_primitive_desc *pd, uint64_t ns);

#endif /* DNNL_CACHE_GPU_VERBOSE_H */
