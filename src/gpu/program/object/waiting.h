/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that have a store which has not got them: to be captured together
 * (dnnl_cache_engine_capture()).
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_WAITING_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_WAITING_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct program;

/* Guarded by the lock in waiting.c. */
struct waiting_link {
    struct program *next;
    struct program **at; /* what points here; NULL: not in the list */
};

void waiting_add(struct program *program);
/* Before the program is freed; it need not be there. */
void waiting_remove(struct program *program);

/* Those of a context and device, or of all if context is NULL, each retained
 * for the caller, who frees the array. dnnl_success; dnnl_out_of_memory. */
dnnl_status_t waiting_list(cl_context context, cl_device_id device,
        struct program ***programs, size_t *count);

/* How many of them will be misses for ever, if nothing more happens
 * (program_is_never_captured()). */
uint64_t waiting_count_uncaptured(void);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_WAITING_H */
