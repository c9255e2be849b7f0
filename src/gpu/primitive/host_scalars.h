/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of an execution that are numbers on the host. */
#ifndef DNNL_CACHE_GPU_HOST_SCALARS_H
#define DNNL_CACHE_GPU_HOST_SCALARS_H

#include "src/gpu/primitive/execution.h"

/* Memories on the device, with the numbers. */
struct host_scalars {
    struct dnnl_memory *memories; /* owned; NULL: none */
    int count;
};

/* Puts memories on the device in the place of the execution's host scalars.
 * dnnl_invalid_arguments: attributes ask for a host scalar where there is none,
 * or the other way round. Pair with host_scalars_end(), also after a failure.
 */
dnnl_status_t host_scalars_begin(
        struct host_scalars *scalars, struct execution *e);

/* Releases them; commands that were enqueued keep what they use. */
void host_scalars_end(struct host_scalars *scalars);

#endif /* DNNL_CACHE_GPU_HOST_SCALARS_H */
