/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders between host and device, and between devices that share no buffers.
 */
#ifndef DNNL_CACHE_GPU_CROSS_REORDER_H
#define DNNL_CACHE_GPU_CROSS_REORDER_H

#include "src/gpu/primitive/execution.h"

/* Enqueues the execution of a reorder whose descriptor crosses contexts. The
 * host's memory is used until it is done; another device's is read before this
 * returns. dnnl_invalid_arguments if a memory is not where the descriptor has
 * it. */
dnnl_status_t cross_reorder_run(const struct execution *e);

#endif /* DNNL_CACHE_GPU_CROSS_REORDER_H */
