/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_GPU_STREAM_H
#define DNNL_CACHE_GPU_STREAM_H

#include "src/gpu/engine/stream_profile.h"

#include <stdbool.h>

/* Fixed once created. */
struct dnnl_stream {
    struct dnnl_engine *engine; /* retained */
    cl_command_queue queue;     /* retained; NULL on dnnl_cpu */
    bool is_out_of_order;
    struct stream_profile *profile; /* owned; NULL: not asked for */
};

#endif /* DNNL_CACHE_GPU_STREAM_H */
