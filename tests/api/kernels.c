/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"

#include "test.h"

const char *const other_source =
        "__kernel void scale(__global float *x) { x[0] = 3.0f; }\n";

dnnl_cache_kernel_t kernel_of(
        const_dnnl_cache_program_desc_t desc, const char *name)
{
    dnnl_cache_kernel_t kernel = NULL;
    EXPECT_OK(dnnl_cache_kernel_create(&kernel, desc, name));
    return kernel;
}

cl_kernel object_of(const_dnnl_cache_kernel_t kernel)
{
    cl_kernel object = NULL;
    EXPECT_OK(dnnl_cache_kernel_get_cl_kernel(kernel, &object));
    return object;
}

cl_program program_of(const_dnnl_cache_kernel_t kernel)
{
    cl_program program = NULL;
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(object_of(kernel), CL_KERNEL_PROGRAM,
                                  sizeof program, &program, NULL));
    return program;
}

cl_uint argument_count(const_dnnl_cache_kernel_t kernel)
{
    cl_uint count = 0;
    EXPECT_EQ(CL_SUCCESS, clGetKernelInfo(object_of(kernel), CL_KERNEL_NUM_ARGS,
                                  sizeof count, &count, NULL));
    return count;
}
