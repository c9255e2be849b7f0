/* SPDX-License-Identifier: Apache-2.0 */
#include "late_scene.h"

#include "fake_opencl_control.h"
#include "test.h"

#include <string.h>

void late_scene_open(struct late_scene *s)
{
    cl_platform_id platform = NULL;
    cl_device_id device = NULL;
    uint32_t zero = 0;
    cl_int st;

    fake_opencl_reset();
    EXPECT_EQ(CL_SUCCESS, clGetPlatformIDs(1, &platform, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    s->context = clCreateContext(NULL, 1, &device, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    s->queue =
            clCreateCommandQueueWithProperties(s->context, device, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    s->other =
            clCreateCommandQueueWithProperties(s->context, device, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    s->memory = clCreateBuffer(s->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof(zero), &zero, &st);
    EXPECT_EQ(CL_SUCCESS, st);
}

void late_scene_close(struct late_scene *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(s->memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(s->queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(s->other));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(s->context));
    EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    EXPECT_EQ(0, fake_opencl_misuses());
}

void late_scene_write(struct late_scene *s, uint32_t number, cl_event *event)
{
    EXPECT_EQ(CL_SUCCESS, clEnqueueWriteBuffer(s->queue, s->memory, CL_TRUE, 0,
                                  sizeof(number), &number, 0, NULL, event));
    memset(&number, 0xff, sizeof(number));
}

uint32_t late_scene_read(cl_command_queue queue, const struct late_scene *s)
{
    uint32_t number = 4711;

    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, s->memory, CL_TRUE, 0,
                                  sizeof(number), &number, 0, NULL, NULL));
    return number;
}
