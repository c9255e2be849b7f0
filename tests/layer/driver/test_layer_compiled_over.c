/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that compiles programs which have kernels, as NVIDIA's: it builds
 * none of them while a kernel is there, however often they are compiled
 * meanwhile. */
#include "application.h"

#include "test.h"

static const char *const as_nvidia[] = {
        "FAKE_OPENCL_PLATFORM_NAME=NVIDIA CUDA", "FAKE_OPENCL_NVIDIA=1", NULL};

static const char source[] = "#ifdef WRONG\n"
                             "#error this is wrong\n"
                             "#endif\n"
                             "kernel void one(global float *x) { *x = 1.0f; }";

static void build_over(void *user)
{
    static const char *const options[] = {"", "-DB", "-DWRONG", "-DC"};
    struct application a;
    cl_int error = CL_SUCCESS;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA");
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    for (int i = 0; i < 4; i++) {
        EXPECT_EQ(i == 2 ? CL_COMPILE_PROGRAM_FAILURE : CL_SUCCESS,
                clCompileProgram(program, 0, NULL, options[i], 0, NULL, NULL,
                        NULL, NULL));
        EXPECT_EQ(CL_INVALID_OPERATION,
                clBuildProgram(program, 0, NULL, "-DD", NULL, NULL));
    }
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    build(program, "-DD");
    expect_built(program, a.devices[0], "-DD", "one");
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    application_close(&a);
}

TEST_C(LayerCompiledOver, IsNotBuiltWhileThereAreKernels)
{
    ASSERT_EQ(0, run_application(as_nvidia, build_over, NULL));
    ASSERT_EQ(0, run_application(as_nvidia, build_over, NULL));
    EXPECT_EQ(1, counted("hits"));
}
