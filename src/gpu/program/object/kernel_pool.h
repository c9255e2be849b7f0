/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel objects of one kernel. A kernel object carries its arguments, so each
 * launch under way needs one of its own.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_POOL_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_POOL_H

#include "dnnl_cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { KERNEL_POOL_SIZE = 16 };

struct kernel_pool {
    cl_program program; /* borrowed; fixed */
    const char *name;   /* borrowed; fixed */
    /* A bit for each argument that is a pointer to a buffer, and one that says
     * that the driver was asked for them. */
    atomic_uint_least64_t buffers;
    pthread_mutex_t lock; /* guards what follows; leaf */
    cl_kernel idle[KERNEL_POOL_SIZE];
    size_t idle_count;
};

/* Makes the pool with its first kernel: the one given, which it takes over on
 * success, or a new one if that is NULL. dnnl_cache_blob_stale if the program
 * has no such kernel; dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t kernel_pool_init(struct kernel_pool *pool, cl_program program,
        const char *name, cl_kernel kernel);
/* A zeroed pool is fine. */
void kernel_pool_fini(struct kernel_pool *pool);

/* A kernel for the caller alone, given back after its launch. */
dnnl_status_t kernel_pool_take(struct kernel_pool *pool, cl_kernel *kernel);
void kernel_pool_give(struct kernel_pool *pool, cl_kernel kernel);

/* Before that: takes the buffers from a kernel's arguments, of the first 63
 * those that the driver says are buffers. Some drivers keep alive what a kernel
 * object was given. */
void kernel_pool_forget_buffers(struct kernel_pool *pool, cl_kernel kernel);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_POOL_H */
