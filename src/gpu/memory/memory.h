/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_GPU_MEMORY_H
#define DNNL_CACHE_GPU_MEMORY_H

#include "src/gpu/memory/memory_desc.h"

struct dnnl_memory {
    struct dnnl_engine *engine; /* retained; fixed */
    struct dnnl_memory_desc md; /* fixed */
    size_t size;                /* of md, bytes; fixed */
    cl_mem buffer;   /* dnnl_gpu: retained, NULL: none; see set_mem_object */
    void *pointer;   /* dnnl_cpu; NULL: none */
    void *allocated; /* dnnl_cpu: ours to free */
};

#endif /* DNNL_CACHE_GPU_MEMORY_H */
