/* SPDX-License-Identifier: Apache-2.0 */
/* Build queues with processes, on a real driver. */
#include "programs.h"

#include "test.h"
#include "test_platform.h"

#include <stdio.h>
#include <string.h>

enum { programs = 3 };

static void number_source(char text[256], unsigned n)
{
    snprintf(text, 256,
            "__kernel void k(__global int *x)\n"
            "{ x[get_global_id(0)] = (int)get_global_id(0) + %u; }\n",
            n);
}

static void expect_numbers(dnnl_cache_program_t program, cl_context context,
        cl_device_id device, unsigned n)
{
    enum { count = 4 };
    const size_t global = count;
    cl_int numbers[count] = {0};
    cl_int error;
    cl_kernel kernel = NULL;
    ASSERT_OK(dnnl_cache_program_get_kernel(program, "k", &kernel));
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    cl_mem memory = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof numbers, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL,
                                  &global, NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, memory, CL_TRUE, 0,
                                  sizeof numbers, numbers, 0, NULL, NULL));
    for (unsigned i = 0; i < count; i++)
        EXPECT_EQ(n + i, numbers[i]);
    clReleaseKernel(kernel);
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
}

TEST_C(BuildProcessDevice, CompilesWhereTheDriverDoesOneAtATime)
{
    const uint64_t minutes = 120000000000u;
    dnnl_cache_build_queue_options_t options =
            DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT;
    dnnl_cache_build_progress_t progress = DNNL_CACHE_BUILD_PROGRESS_INIT;
    dnnl_cache_build_queue_t queue;
    dnnl_cache_build_job_t jobs[programs];
    dnnl_engine_t engine = NULL;
    char name[256] = "";
    char text[256];
    cl_platform_id platform = NULL;
    cl_int error;
    cl_device_id device = test_platform_device();
    if (device == NULL) SKIP_TEST("no OpenCL device");
    if (!test_platform_takes_threads())
        SKIP_TEST("two threads must not use this driver at once");
    ASSERT_EQ(CL_SUCCESS, clGetDeviceInfo(device, CL_DEVICE_PLATFORM,
                                  sizeof platform, &platform, NULL));
    ASSERT_EQ(CL_SUCCESS, clGetPlatformInfo(platform, CL_PLATFORM_NAME,
                                  sizeof name, name, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    ASSERT_EQ(CL_SUCCESS, error);
    ASSERT_OK(dnnl_ocl_interop_engine_create(&engine, device, context));
    options.workers = 2;
    options.processes = dnnl_cache_build_processes_where_useful;
    ASSERT_OK(dnnl_cache_build_queue_create(&queue, &options));
    for (unsigned i = 0; i < programs; i++) {
        number_source(text, i);
        dnnl_cache_program_desc_t desc =
                describe(engine, text, "-DX=1 -cl-std=CL1.2");
        EXPECT_OK(dnnl_cache_build_queue_submit(
                queue, desc, 0, NULL, NULL, &jobs[i]));
        EXPECT_OK(dnnl_cache_program_desc_destroy(desc));
    }
    for (unsigned i = 0; i < programs; i++) {
        dnnl_cache_program_t program = NULL;
        ASSERT_OK(dnnl_cache_build_job_wait(jobs[i], minutes, &program));
        EXPECT_EQ(dnnl_cache_origin_compiled, info_of(program).origin);
        expect_numbers(program, context, device, i);
        EXPECT_OK(dnnl_cache_program_destroy(program));
        EXPECT_OK(dnnl_cache_build_job_destroy(jobs[i]));
    }
    EXPECT_OK(dnnl_cache_build_queue_get_progress(queue, &progress));
    EXPECT_EQ(strcmp(name, "Portable Computing Language") == 0 ? programs : 0,
            progress.by_processes);
    EXPECT_OK(dnnl_cache_build_queue_destroy(queue));
    EXPECT_OK(dnnl_engine_destroy(engine));
    clReleaseContext(context);
}
