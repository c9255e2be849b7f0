/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_opencl_control.h"

#include <string.h>

#include "test.h"

static cl_platform_id the_platform(void)
{
    cl_platform_id platform = NULL;

    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &platform, NULL));
    return platform;
}

TEST_C(FakeOpencl, IsLoadedByTheLoader)
{
    char name[64] = "";

    fake_opencl_reset();
    EXPECT_EQ(CL_SUCCESS, clGetPlatformInfo(the_platform(), CL_PLATFORM_NAME,
                                  sizeof(name), name, NULL));
    EXPECT_STR_EQ("Fake OpenCL", name);
    EXPECT_GT(fake_opencl_count("clGetPlatformInfo"), 0);
}
