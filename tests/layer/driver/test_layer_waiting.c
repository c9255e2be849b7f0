/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What waits for its capture while the application goes on building: not
 * without end.
 */
#include "application.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] = "kernel void one(global float *x) { *x = 1.0f; }";

/* So many builds wait at most, of those that the application is done with. */
enum { most_waiting = 1024 };

/* ---- Refused builds ------------------------------------------------------ */

/* An application that tries to build until nobody has a kernel any more. */
static void try_again_and_again(void *user)
{
    struct application a;
    cl_int error = CL_SUCCESS;
    (void)user;
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    build(program, "-DA");
    cl_kernel kernel = clCreateKernel(program, "one", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    for (int i = 0; i < most_waiting + 10; i++)
        EXPECT_EQ(CL_INVALID_OPERATION,
                clBuildProgram(program, 0, NULL, "-DB", NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    use_program(&a, "other", "");
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(a.context));
}

TEST_C(LayerWaiting, IsNotLongerForBuildsThatAreRefused)
{
    static const char *const late[] = {
            "FAKE_OPENCL_PLATFORM_NAME=Portable Computing Language", NULL};
    ASSERT_EQ(0, run_application(late, try_again_and_again, NULL));
    EXPECT_EQ(2, counted("kept"));
    EXPECT_EQ(0, counted("not_kept"));
}

/* ---- Without end --------------------------------------------------------- */

static size_t programs_alive(void)
{
    struct fake_opencl_objects objects = {0};
    (void)fake_opencl_live_objects(&objects);
    return objects.programs;
}

/* Faster than the driver tells what it compiled. */
static void build_for_long(void *user)
{
    const bool *anew = user;
    struct application a;
    char options[32];
    application_open(&a, 1);
    cl_program program = program_of_source(&a, source);
    for (int i = 0; i < 2 * most_waiting; i++) {
        (void)snprintf(options, sizeof options, "-DN=%d", i);
        build(program, options);
        if (!*anew) {
            EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
            program = program_of_source(&a, source);
        }
    }
    EXPECT_LE(programs_alive(), most_waiting + 4);
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(program));
    _Exit(test_has_failed());
}

TEST_C(LayerWaiting, HasAnEnd)
{
    static const char *const slow[] = {"FAKE_OPENCL_SIZES_MS=1000",
            "FAKE_OPENCL_BUILD_MS=0", "DNNL_CACHE_PERSISTENT=0", NULL};
    bool anew = true;
    EXPECT_EQ(0, run_application(slow, build_for_long, &anew));
    anew = false;
    EXPECT_EQ(0, run_application(slow, build_for_long, &anew));
}
