/* SPDX-License-Identifier: Apache-2.0 */
#include "test_world.h"

void world_open(struct world *world)
{
    const cl_queue_properties properties[] = {
            CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
    cl_int st;

    fake_opencl_reset();
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &world->platform, NULL));
    EXPECT_EQ(CL_SUCCESS, clGetDeviceIDs(world->platform, CL_DEVICE_TYPE_ALL, 1,
                                  &world->device, NULL));
    world->context = clCreateContext(NULL, 1, &world->device, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    world->queue = clCreateCommandQueueWithProperties(
            world->context, world->device, properties, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    fake_opencl_reset();
}

void world_close(struct world *world)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(world->queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(world->context));
    EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    EXPECT_EQ(0, fake_opencl_misuses());
    fake_opencl_reset();
}

cl_program world_build(
        const struct world *world, const char *source, const char *options)
{
    cl_int st;
    cl_program program =
            clCreateProgramWithSource(world->context, 1, &source, NULL, &st);

    EXPECT_EQ(CL_SUCCESS, st);
    st = clBuildProgram(program, 1, &world->device, options, NULL, NULL);
    EXPECT_EQ(CL_SUCCESS, st);
    if (st == CL_SUCCESS) return program;
    clReleaseProgram(program);
    return NULL;
}
