/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/kernel_pool.h"

#include "gpu/cl_status.h"

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
