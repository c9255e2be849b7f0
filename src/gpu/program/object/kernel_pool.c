/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/program/object/kernel_pool.h"

#include "src/gpu/device/cl_status.h"

dnnl_status_t kernel_pool_init(struct kernel_pool *pool, cl_program program,
        const char *name, cl_kernel kernel)
{
    cl_int error = CL_SUCCESS;
    if (kernel == NULL) kernel = clCreateKernel(program, name, &error);
    if (error == CL_INVALID_KERNEL_NAME) return dnnl_cache_blob_stale;
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st != dnnl_success) return st;
    pthread_mutex_init(&pool->lock, NULL);
    pool->program = program;
    pool->name = name;
    atomic_init(&pool->buffers, 0);
    pool->idle[0] = kernel;
    pool->idle_count = 1;
    return dnnl_success;
}

void kernel_pool_fini(struct kernel_pool *pool)
{
    if (pool->program == NULL) return;
    while (pool->idle_count > 0)
        clReleaseKernel(pool->idle[--pool->idle_count]);
    pthread_mutex_destroy(&pool->lock);
}

dnnl_status_t kernel_pool_take(struct kernel_pool *pool, cl_kernel *kernel)
{
    cl_kernel idle = NULL;
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count > 0) idle = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);
    cl_int error = CL_SUCCESS;
    if (idle == NULL) idle = clCreateKernel(pool->program, pool->name, &error);
    dnnl_status_t st = cl_status(error, "clCreateKernel");
    if (st == dnnl_success) *kernel = idle;
    return st;
}

enum { MOST_ARGUMENTS = 63 };
static const uint64_t asked = UINT64_C(1) << MOST_ARGUMENTS;

static bool is_buffer(cl_kernel kernel, cl_uint index)
{
    cl_kernel_arg_address_qualifier space;
    cl_kernel_arg_access_qualifier access; /* images and pipes have one */
    return clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
                   sizeof space, &space, NULL)
                   == CL_SUCCESS
           && (space == CL_KERNEL_ARG_ADDRESS_GLOBAL
                   || space == CL_KERNEL_ARG_ADDRESS_CONSTANT)
           && clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_ACCESS_QUALIFIER,
                      sizeof access, &access, NULL)
                      == CL_SUCCESS
           && access == CL_KERNEL_ARG_ACCESS_NONE;
}

static uint64_t find_buffers(cl_kernel kernel)
{
    uint64_t buffers = asked;
    cl_uint count = 0;
    if (clGetKernelInfo(kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL)
            != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < MOST_ARGUMENTS; i++)
        if (is_buffer(kernel, i)) buffers |= UINT64_C(1) << i;
    return buffers;
}

void kernel_pool_forget_buffers(struct kernel_pool *pool, cl_kernel kernel)
{
    uint64_t buffers =
            atomic_load_explicit(&pool->buffers, memory_order_relaxed);
    if (buffers == 0) {
        /* Several threads may ask at once: they are told the same. */
        buffers = find_buffers(kernel);
        atomic_store_explicit(&pool->buffers, buffers, memory_order_relaxed);
    }
    buffers &= ~asked;
    for (cl_uint i = 0; buffers != 0; i++, buffers >>= 1)
        if ((buffers & 1) != 0)
            (void)clSetKernelArg(kernel, i, sizeof(cl_mem), NULL);
}

void kernel_pool_give(struct kernel_pool *pool, cl_kernel kernel)
{
    pthread_mutex_lock(&pool->lock);
    if (pool->idle_count < KERNEL_POOL_SIZE) {
        pool->idle[pool->idle_count++] = kernel;
        kernel = NULL;
    }
    pthread_mutex_unlock(&pool->lock);
    if (kernel != NULL) clReleaseKernel(kernel);
}
