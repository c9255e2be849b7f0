/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/kernel.h"

#include <stdlib.h>
#include <string.h>

dnnl_status_t kernel_create(struct program *program, const char *name,
        cl_kernel first, struct kernel **out)
{
    size_t size = strlen(name) + 1;
    struct kernel *kernel = calloc(1, sizeof *kernel + size);
    if (kernel == NULL) return dnnl_out_of_memory;
    atomic_init(&kernel->references, 1);
    memcpy(kernel->name, name, size);
    dnnl_status_t st =
            kernel_pool_init(&kernel->pool, program->cl, kernel->name, first);
    if (st != dnnl_success) {
        free(kernel);
        return st;
    }
    program_retain(program);
    kernel->program = program;
    program_use_kernel(&program->use, name);
    *out = kernel;
    return dnnl_success;
}

void kernel_retain(struct kernel *kernel)
{
    atomic_fetch_add_explicit(&kernel->references, 1, memory_order_relaxed);
}

void kernel_release(struct kernel *kernel)
{
    if (kernel == NULL) return;
    if (atomic_fetch_sub_explicit(&kernel->references, 1, memory_order_acq_rel)
            != 1)
        return;
    kernel_pool_fini(&kernel->pool);
    program_release(kernel->program);
    free(kernel);
}

static void cache_retain(void *value)
{
    kernel_retain(value);
}

static void cache_release(void *value)
{
    kernel_release(value);
}

const struct cache_ops kernel_cache_ops = {.retain = cache_retain,
        .release = cache_release,
        .is_builders_own = program_is_builders_own};
