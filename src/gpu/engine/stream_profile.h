/* SPDX-License-Identifier: Apache-2.0 */
/* How long the executions on a stream took on its device. */
#ifndef DNNL_CACHE_GPU_STREAM_PROFILE_H
#define DNNL_CACHE_GPU_STREAM_PROFILE_H

#include "dnnl_cache.h"

#include <stdbool.h>
#include <stddef.h>

/* The commands of one execution. */
struct profiled_commands {
    cl_event *events; /* owned, each of them too */
    size_t count;
    bool is_incomplete; /* a command could not be kept: there is no time */
};

/* Adds a command; the event is retained. */
void profiled_commands_add(struct profiled_commands *commands, cl_event event);
void profiled_commands_fini(struct profiled_commands *commands);

struct stream_profile;

/* NULL: out of memory. Pair with stream_profile_destroy(), where NULL is fine.
 */
struct stream_profile *stream_profile_create(void);
void stream_profile_destroy(struct stream_profile *profile);

/* Adds an execution, whose commands it takes over. From any thread. */
dnnl_status_t stream_profile_add(
        struct stream_profile *profile, struct profiled_commands *commands);

#endif /* DNNL_CACHE_GPU_STREAM_PROFILE_H */
