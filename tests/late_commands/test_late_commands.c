/* SPDX-License-Identifier: Apache-2.0 */
/* Under the layer the fake driver's commands begin when OpenCL says they must.
 */
#include "fake_opencl_control.h"
#include "test.h"

#include <stdint.h>
#include <string.h>

struct scene {
    cl_context context;
    cl_command_queue queue, other;
    cl_mem memory; /* a zero */
};

static void open_scene(struct scene *s)
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

/* Commands that were never waited for do not stay. */
static void close_scene(struct scene *s)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(s->memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(s->queue));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(s->other));
    EXPECT_EQ(CL_SUCCESS, clReleaseContext(s->context));
    EXPECT_EQ(0, fake_opencl_live_objects(NULL));
    EXPECT_EQ(0, fake_opencl_misuses());
}

/* The data of a blocking write are the caller's again. */
static void write_number(struct scene *s, uint32_t number, cl_event *event)
{
    EXPECT_EQ(CL_SUCCESS, clEnqueueWriteBuffer(s->queue, s->memory, CL_TRUE, 0,
                                  sizeof(number), &number, 0, NULL, event));
    memset(&number, 0xff, sizeof(number));
}

static uint32_t read_number(cl_command_queue queue, const struct scene *s)
{
    uint32_t number = 4711;

    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, s->memory, CL_TRUE, 0,
                                  sizeof(number), &number, 0, NULL, NULL));
    return number;
}

TEST_C(LateCommands, AreNotSeenByAnotherQueueUntilTheirsIsFinished)
{
    struct scene s;

    open_scene(&s);
    write_number(&s, 7, NULL);
    EXPECT_EQ(CL_SUCCESS, clFinish(s.other));
    EXPECT_EQ(0, read_number(s.other, &s));
    EXPECT_EQ(CL_SUCCESS, clFinish(s.queue));
    EXPECT_EQ(7, read_number(s.other, &s));
    close_scene(&s);
}

TEST_C(LateCommands, AreSeenByTheirQueue)
{
    struct scene s;

    open_scene(&s);
    write_number(&s, 7, NULL);
    EXPECT_EQ(7, read_number(s.queue, &s));
    write_number(&s, 8, NULL);
    EXPECT_EQ(7, read_number(s.other, &s));
    EXPECT_EQ(8, read_number(s.queue, &s));
    close_scene(&s);
}

TEST_C(LateCommands, AreDoneWhenTheirEventsWereWaitedFor)
{
    struct scene s;
    cl_event event = NULL;

    open_scene(&s);
    write_number(&s, 7, &event);
    EXPECT_EQ(0, read_number(s.other, &s));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(7, read_number(s.other, &s));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
    close_scene(&s);
}

TEST_C(LateCommands, FillsAndUnmappingsToo)
{
    struct scene s;
    const uint32_t seven = 7;
    uint32_t *mapped;
    cl_int st;

    open_scene(&s);
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueFillBuffer(s.queue, s.memory, &seven, sizeof(seven), 0,
                    sizeof(seven), 0, NULL, NULL));
    EXPECT_EQ(0, read_number(s.other, &s));
    mapped = clEnqueueMapBuffer(s.queue, s.memory, CL_TRUE, CL_MAP_WRITE, 0,
            sizeof(*mapped), 0, NULL, NULL, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(7, read_number(s.other, &s));
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueUnmapMemObject(s.queue, s.memory, mapped, 0, NULL, NULL));
    close_scene(&s);
}
