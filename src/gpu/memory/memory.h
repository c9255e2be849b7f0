/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_GPU_MEMORY_H
#define DNNL_CACHE_GPU_MEMORY_H

#include "src/gpu/memory/memory_desc.h"

struct dnnl_memory {
    struct dnnl_engine *engine; /* retained; fixed; NULL: scalar is all */
    struct dnnl_memory_desc md; /* fixed */
    size_t size;                /* of md, bytes; fixed */
    cl_mem buffer;   /* dnnl_gpu: retained, NULL: none; see set_mem_object */
    void *pointer;   /* dnnl_cpu; NULL: none */
    void *allocated; /* dnnl_cpu: ours to free */
    uint64_t scalar; /* without engine: the number, in its first bytes */
};

/* Is it a number on the host, without engine, buffer and pointer? */
static inline bool memory_is_host_scalar(const struct dnnl_memory *memory)
{
    return memory->engine == NULL;
}

#endif /* DNNL_CACHE_GPU_MEMORY_H */
