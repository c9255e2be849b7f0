/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/reference/library.md's example of the cache in memory, between the
 * marks, compiled and run as it is printed there: by two threads, then with a
 * source that does not compile.
 */
#include "test_platform.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

/* Listing: begin */
#include <dnnl_cache.h>
#include <stdio.h>
#include <stdlib.h>

/* Launches a kernel of the program that desc describes. Any thread may call it:
 * the first call builds the program, calls on other threads wait meanwhile, and
 * all later calls find it. */
dnnl_status_t scale(cl_command_queue queue,
        const_dnnl_cache_program_desc_t desc, cl_mem buffer, size_t count)
{
    dnnl_cache_kernel_t kernel;
    cl_kernel object;
    dnnl_status_t st = dnnl_cache_kernel_create(&kernel, desc, "scale");
    if (st != dnnl_success) {
        char log[1000];
        size_t size = sizeof log;
        if (dnnl_cache_program_desc_get_build_log(desc, &size, log)
                == dnnl_success)
            fprintf(stderr, "%s\n", log); /* "": not a compiler error */
        return st;
    }
    dnnl_cache_kernel_get_cl_kernel(kernel, &object);
    clSetKernelArg(object, 0, sizeof buffer, &buffer);
    cl_int error = clEnqueueNDRangeKernel(
            queue, object, 1, NULL, &count, NULL, 0, NULL, NULL);
    dnnl_cache_kernel_destroy(kernel); /* kept for the next launch */
    return error == CL_SUCCESS ? dnnl_success : dnnl_runtime_error;
}

/* Prints whether the program is kept, and the statistics of the caches. */
void report(const_dnnl_cache_program_desc_t desc)
{
    int cacheable;
    const char *reason;
    size_t size = 0;
    if (dnnl_cache_program_desc_is_cacheable(desc, &cacheable, &reason)
                    == dnnl_success
            && !cacheable)
        printf("compiled at each launch: %s\n", reason);
    dnnl_cache_get_statistics_json(&size, NULL);
    char *json = malloc(size);
    if (json != NULL
            && dnnl_cache_get_statistics_json(&size, json) == dnnl_success)
        fputs(json, stdout);
    free(json);
}
/* Listing: end */

enum { COUNT = 64 };

static void fail(const char *what)
{
    fprintf(stderr, "kernels_example: %s\n", what);
    exit(1);
}

struct launcher {
    pthread_t thread;
    cl_command_queue queue;
    const_dnnl_cache_program_desc_t desc;
    cl_mem buffer;
};

static void *launch(void *arg)
{
    const struct launcher *l = arg;
    for (int i = 0; i < 4; i++)
        if (scale(l->queue, l->desc, l->buffer, COUNT) != dnnl_success)
            fail("a launch");
    return NULL;
}

static dnnl_cache_program_desc_t describe(
        dnnl_engine_t engine, const char *source)
{
    dnnl_cache_program_desc_t desc;
    if (dnnl_cache_program_desc_create(&desc, engine, 1, &source, NULL, NULL)
            != dnnl_success)
        fail("describing a program");
    return desc;
}

/* Two threads double each number four times. */
static void launch_by_two(cl_context context, cl_command_queue queue,
        const_dnnl_cache_program_desc_t desc)
{
    struct launcher launchers[2];
    float numbers[COUNT];
    cl_int error;
    for (int i = 0; i < COUNT; i++)
        numbers[i] = (float)i;
    cl_mem buffer =
            clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    sizeof numbers, numbers, &error);
    if (error != CL_SUCCESS) fail("clCreateBuffer");
    for (int i = 0; i < 2; i++) {
        launchers[i] = (struct launcher){
                .queue = queue, .desc = desc, .buffer = buffer};
        if (pthread_create(&launchers[i].thread, NULL, launch, &launchers[i])
                != 0)
            fail("pthread_create");
    }
    for (int i = 0; i < 2; i++)
        pthread_join(launchers[i].thread, NULL);
    if (clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers,
                0, NULL, NULL)
            != CL_SUCCESS)
        fail("clEnqueueReadBuffer");
    for (int i = 0; i < COUNT; i++)
        if (numbers[i] != 256.0f * (float)i) fail("a wrong number");
    clReleaseMemObject(buffer);
}

static void expect_counts(void)
{
    dnnl_cache_statistics_t now = DNNL_CACHE_STATISTICS_INIT;
    if (dnnl_cache_get_statistics(&now) != dnnl_success
            || now.programs_compiled != 1
            || now.fast_kernel_hits + now.fast_kernel_waits != 7)
        fail("not built once");
}

int main(void)
{
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error;
    dnnl_engine_t engine = test_platform_engine();
    if (engine == NULL
            || dnnl_ocl_interop_engine_get_context(engine, &context)
                       != dnnl_success
            || dnnl_ocl_interop_get_device(engine, &device) != dnnl_success)
        fail("no engine");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    if (error != CL_SUCCESS) fail("clCreateCommandQueue");

    dnnl_cache_program_desc_t desc =
            describe(engine, "__kernel void scale(__global float *x)\n"
                             "{ x[get_global_id(0)] *= 2.0f; }\n");
    launch_by_two(context, queue, desc);
    expect_counts();
    report(desc);

    dnnl_cache_program_desc_t wrong =
            describe(engine, "__kernel void scale(__global float *x) { y(); }");
    if (scale(queue, wrong, NULL, COUNT) == dnnl_success) fail("no refusal");

    dnnl_cache_program_desc_destroy(wrong);
    dnnl_cache_program_desc_destroy(desc);
    clReleaseCommandQueue(queue);
    dnnl_engine_destroy(engine);
    return 0;
}
