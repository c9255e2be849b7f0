/* SPDX-License-Identifier: Apache-2.0 */
#include "run_kernel.h"

#include "test.h"

cl_uint run_kernel(dnnl_engine_t engine, const_dnnl_cache_program_t program,
        const char *name)
{
    cl_uint value = 0xdead;
    cl_kernel kernel = NULL;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_int error;
    const size_t one = 1;
    EXPECT_OK(dnnl_ocl_interop_engine_get_context(engine, &context));
    EXPECT_OK(dnnl_ocl_interop_get_device(engine, &device));
    EXPECT_OK(dnnl_cache_program_get_kernel(program, name, &kernel));
    if (test_has_failed()) return value;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_mem memory = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof value, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  &one, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, memory, CL_TRUE, 0,
                                  sizeof value, &value, 0, NULL, NULL));
    clReleaseMemObject(memory);
    clReleaseCommandQueue(queue);
    clReleaseKernel(kernel);
    return value;
}
