/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as the library keeps them: shared by all that launch them. */
#ifndef DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_H
#define DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_H

#include "src/gpu/program/object/kernel_pool.h"
#include "src/gpu/program/object/program.h"

/* A kernel of a program, shared by all that launch it. */
struct kernel {
    atomic_int references;
    struct program *program; /* retained; fixed */
    struct kernel_pool pool;
    char name[]; /* fixed */
};

/* What a cache does with its kernels; free_memory is its owner's. */
extern const struct cache_ops kernel_cache_ops;

/* A kernel of a program, which it retains; it takes first over, a kernel
 * object, unless that is NULL or it fails. */
dnnl_status_t kernel_create(struct program *program, const char *name,
        cl_kernel first, struct kernel **out);
void kernel_retain(struct kernel *kernel);
void kernel_release(struct kernel *kernel);

#endif /* DNNL_CACHE_GPU_PROGRAM_OBJECT_KERNEL_H */
