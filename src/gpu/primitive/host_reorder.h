/* SPDX-License-Identifier: Apache-2.0 */
/* Reorders between host and device. */
#ifndef DNNL_CACHE_GPU_HOST_REORDER_H
#define DNNL_CACHE_GPU_HOST_REORDER_H

#include "gpu/primitive/execution.h"

/* Enqueues the execution of a reorder whose descriptor has a host_engine; the
 * host's memory is used until it is done. dnnl_invalid_arguments if a memory is
 * not where the descriptor has it. */
dnnl_status_t host_reorder_run(const struct execution *e);

#endif /* DNNL_CACHE_GPU_HOST_REORDER_H */
