/* SPDX-License-Identifier: Apache-2.0 */
#include "test_world.h"

#include <string.h>

/* A kernel with a buffer, a value and local memory, all set. */
struct launcher {
    struct world world;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory;
};

static void launcher_open(struct launcher *l)
{
    const float factor = 3.0f;
    float data[4] = {1, 2, 3, 4};
    cl_int st;

    world_open(&l->world);
    l->program = world_build(&l->world,
            "kernel void scale(global float *data, float factor, "
            "local float *tmp) {}\n"
            "kernel __attribute__((reqd_work_group_size(8, 1, 1))) "
            "void fixed() {}",
            "");
    l->kernel = clCreateKernel(l->program, "scale", &st);
    EXPECT_EQ(CL_SUCCESS, st);
    l->memory = clCreateBuffer(
            l->world.context, CL_MEM_COPY_HOST_PTR, sizeof(data), data, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS,
            clSetKernelArg(l->kernel, 0, sizeof(cl_mem), &l->memory));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(l->kernel, 1, 4, &factor));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(l->kernel, 2, 64, NULL));
}

static void launcher_close(struct launcher *l)
{
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(l->memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(l->kernel));
    EXPECT_EQ(CL_SUCCESS, clReleaseProgram(l->program));
    world_close(&l->world);
}

#define TEST_LAUNCHER(suite, name)                               \
    TEST_WITH(suite, name, struct launcher, l, launcher_open(l), \
            launcher_close(l))

static cl_int launch(const struct launcher *l, size_t global, size_t local)
{
    return clEnqueueNDRangeKernel(l->world.queue, l->kernel, 1, NULL, &global,
            local != 0 ? &local : NULL, 0, NULL, NULL);
}

static void scale(const struct fake_opencl_launch *launched, size_t narguments,
        const struct fake_opencl_arg *arguments, void *user)
{
    float *data = arguments[0].memory;
    float factor;

    EXPECT_EQ(3, narguments);
    EXPECT_EQ(16, arguments[0].memory_size);
    EXPECT_EQ(64, arguments[2].size);
    EXPECT_NULL(arguments[2].value);
    memcpy(&factor, arguments[1].value, sizeof(factor));
    for (size_t i = 0; i < launched->global[0]; i++)
        data[i] *= factor;
    ++*(int *)user;
}

/* rusticl's queues keep the kernel of their last command. */
TEST_C(FakeLaunch, MayKeepTheKernel)
{
    for (int keeps = 0; keeps < 2; keeps++) {
        const cl_int expected = keeps ? CL_INVALID_OPERATION : CL_SUCCESS;
        struct launcher l;
        launcher_open(&l);
        fake_opencl_set("KEEPS_LAUNCHED", keeps ? "1" : "0");
        EXPECT_EQ(CL_SUCCESS, launch(&l, 8, 4));
        EXPECT_EQ(CL_SUCCESS, clFinish(l.world.queue));
        EXPECT_EQ(CL_SUCCESS, clReleaseKernel(l.kernel));
        EXPECT_EQ(expected, clBuildProgram(l.program, 0, NULL, "", NULL, NULL));
        EXPECT_EQ(CL_SUCCESS,
                clEnqueueBarrierWithWaitList(l.world.queue, 0, NULL, NULL));
        EXPECT_EQ(
                CL_SUCCESS, clBuildProgram(l.program, 0, NULL, "", NULL, NULL));
        l.kernel = clCreateKernel(l.program, "scale", NULL);
        launcher_close(&l);
    }
    fake_opencl_reset();
}

TEST_LAUNCHER(FakeLaunch, RunsBodiesAndRemembersLaunches)
{
    const size_t offset[2] = {1, 2}, global[2] = {4, 8}, local[2] = {2, 4};
    struct fake_opencl_launch last;
    float data[4];
    int runs = 0;

    EXPECT_FALSE(fake_opencl_last_launch(&last));
    EXPECT_EQ(CL_SUCCESS, launch(l, 4, 2));
    fake_opencl_set_kernel_body("scale", scale, &runs);
    EXPECT_EQ(CL_SUCCESS, launch(l, 4, 0));
    EXPECT_EQ(1, runs);
    EXPECT_EQ(
            CL_SUCCESS, clEnqueueReadBuffer(l->world.queue, l->memory, CL_TRUE,
                                0, sizeof(data), data, 0, NULL, NULL));
    EXPECT_EQ(12, data[3]);
    EXPECT_TRUE(fake_opencl_last_launch(&last));
    EXPECT_STR_EQ("scale", last.kernel);
    EXPECT_EQ(2, last.number);
    EXPECT_EQ(0, last.local[0]);

    fake_opencl_set_kernel_body("scale", NULL, NULL);
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(l->world.queue, l->kernel, 2,
                                  offset, global, local, 0, NULL, NULL));
    EXPECT_EQ(1, runs);
    EXPECT_TRUE(fake_opencl_last_launch(&last));
    EXPECT_EQ(2, last.work_dim);
    EXPECT_EQ(2, last.offset[1]);
    EXPECT_EQ(8, last.global[1]);
    EXPECT_EQ(1, last.global[2]);
    EXPECT_EQ(4, last.local[1]);
}

TEST_LAUNCHER(FakeLaunch, ChecksSizes)
{
    const size_t eight = 8, sixteen = 16;
    cl_kernel fixed;
    cl_int st;

    EXPECT_EQ(CL_INVALID_WORK_GROUP_SIZE, launch(l, 10, 4));
    EXPECT_EQ(CL_INVALID_WORK_ITEM_SIZE, launch(l, 512, 512));
    fake_opencl_set("KERNEL_WORK_GROUP_SIZE", "32");
    EXPECT_EQ(CL_INVALID_WORK_GROUP_SIZE, launch(l, 64, 64));
    EXPECT_EQ(CL_SUCCESS, launch(l, 64, 32));
    EXPECT_EQ(CL_SUCCESS, launch(l, 0, 0));
    fake_opencl_set("DEVICE_VERSION", "OpenCL 1.2 x");
    EXPECT_EQ(CL_INVALID_GLOBAL_WORK_SIZE, launch(l, 0, 0));
    fake_opencl_set("LOCAL_MEM_SIZE", "63");
    EXPECT_EQ(CL_OUT_OF_RESOURCES, launch(l, 64, 32));
    EXPECT_EQ(CL_INVALID_WORK_DIMENSION,
            clEnqueueNDRangeKernel(l->world.queue, l->kernel, 4, NULL, &eight,
                    NULL, 0, NULL, NULL));

    fixed = clCreateKernel(l->program, "fixed", &st);
    EXPECT_EQ(CL_INVALID_WORK_GROUP_SIZE,
            clEnqueueNDRangeKernel(l->world.queue, fixed, 1, NULL, &sixteen,
                    &sixteen, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(l->world.queue, fixed, 1, NULL,
                                  &sixteen, &eight, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(fixed));
}

TEST_LAUNCHER(FakeLaunch, ChecksArguments)
{
    const double wide = 1;
    cl_kernel fresh, clone;
    cl_mem none = NULL;
    cl_int st;

    EXPECT_EQ(CL_INVALID_ARG_INDEX, clSetKernelArg(l->kernel, 3, 4, &wide));
    EXPECT_EQ(CL_INVALID_ARG_SIZE,
            clSetKernelArg(l->kernel, 1, sizeof(wide), &wide));
    EXPECT_EQ(CL_INVALID_ARG_SIZE,
            clSetKernelArg(l->kernel, 0, sizeof(l->memory) / 2, &l->memory));
    EXPECT_EQ(CL_INVALID_ARG_VALUE, clSetKernelArg(l->kernel, 1, 4, NULL));
    EXPECT_EQ(CL_INVALID_ARG_VALUE, clSetKernelArg(l->kernel, 2, 4, &wide));
    EXPECT_EQ(CL_INVALID_ARG_SIZE, clSetKernelArg(l->kernel, 2, 0, NULL));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(l->kernel, 0, sizeof(none), &none));
    EXPECT_EQ(CL_SUCCESS, launch(l, 4, 0));

    fresh = clCreateKernel(l->program, "scale", &st);
    clone = clCloneKernel(l->kernel, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(l->kernel));
    l->kernel = fresh;
    EXPECT_EQ(CL_INVALID_KERNEL_ARGS, launch(l, 4, 0));
    l->kernel = clone;
    EXPECT_EQ(CL_SUCCESS, launch(l, 4, 0));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(fresh));
}

static void CL_CALLBACK note_status(cl_event event, cl_int status, void *user)
{
    cl_int *noted = user;

    (void)event;
    *noted = status;
}

/* What waits for a user event runs when it is set, with what it was given. */
TEST_LAUNCHER(FakeEvent, HoldsCommandsBack)
{
    const float other = 100.0f;
    const size_t global = 4;
    cl_event user, launched, marker;
    cl_int st, status = 1, noted = 1;
    cl_ulong start = 0, end = 0;
    float data[4];
    int runs = 0;

    fake_opencl_set_kernel_body("scale", scale, &runs);
    user = clCreateUserEvent(l->world.context, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(l->world.queue, l->kernel, 1,
                                  NULL, &global, NULL, 1, &user, &launched));
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(l->kernel, 1, 4, &other));
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueMarkerWithWaitList(l->world.queue, 0, NULL, &marker));
    EXPECT_EQ(CL_SUCCESS,
            clSetEventCallback(marker, CL_COMPLETE, note_status, &noted));
    EXPECT_EQ(0, runs);
    EXPECT_EQ(CL_SUCCESS,
            clGetEventInfo(launched, CL_EVENT_COMMAND_EXECUTION_STATUS,
                    sizeof(status), &status, NULL));
    EXPECT_EQ(CL_QUEUED, status);
    EXPECT_EQ(CL_PROFILING_INFO_NOT_AVAILABLE,
            clGetEventProfilingInfo(launched, CL_PROFILING_COMMAND_START,
                    sizeof(start), &start, NULL));
    EXPECT_EQ(1, noted);

    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    EXPECT_EQ(1, runs);
    EXPECT_EQ(CL_COMPLETE, noted);
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &marker));
    EXPECT_EQ(
            CL_SUCCESS, clEnqueueReadBuffer(l->world.queue, l->memory, CL_TRUE,
                                0, sizeof(data), data, 0, NULL, NULL));
    EXPECT_EQ(12, data[3]);
    EXPECT_EQ(CL_SUCCESS,
            clGetEventProfilingInfo(launched, CL_PROFILING_COMMAND_START,
                    sizeof(start), &start, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clGetEventProfilingInfo(launched, CL_PROFILING_COMMAND_END,
                    sizeof(end), &end, NULL));
    EXPECT_LE(start, end);
    EXPECT_EQ(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(user));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(launched));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(marker));
}

/* A failed event fails what names it; in-order followers run all the same. */
TEST_LAUNCHER(FakeEvent, PassesFailuresOn)
{
    const size_t global = 4;
    cl_event user, launched, marker;
    cl_int st, status = 1;
    int runs = 0;

    fake_opencl_set_kernel_body("scale", scale, &runs);
    user = clCreateUserEvent(l->world.context, &st);
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(l->world.queue, l->kernel, 1,
                                  NULL, &global, NULL, 1, &user, &launched));
    EXPECT_EQ(CL_SUCCESS, clEnqueueMarker(l->world.queue, &marker));
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(user, -7));
    EXPECT_EQ(0, runs);
    EXPECT_EQ(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
            clWaitForEvents(1, &launched));
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &marker));
    /* Told at once where the state was passed already. */
    EXPECT_EQ(CL_SUCCESS,
            clSetEventCallback(launched, CL_RUNNING, note_status, &status));
    EXPECT_EQ(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, status);
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(user));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(launched));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(marker));
}

TEST_LAUNCHER(FakeEvent, LetsOutOfOrderQueuesOvertake)
{
    cl_command_queue queue;
    cl_event user, barrier;
    cl_int st, status = 1;
    int runs = 0;
    const size_t global = 4;

    fake_opencl_set_kernel_body("scale", scale, &runs);
    queue = clCreateCommandQueue(l->world.context, l->world.device,
            CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    user = clCreateUserEvent(l->world.context, &st);
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, l->kernel, 1, NULL,
                                  &global, NULL, 1, &user, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, l->kernel, 1, NULL,
                                  &global, NULL, 0, NULL, NULL));
    EXPECT_EQ(1, runs);
    EXPECT_EQ(
            CL_SUCCESS, clEnqueueBarrierWithWaitList(queue, 0, NULL, &barrier));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, l->kernel, 1, NULL,
                                  &global, NULL, 0, NULL, NULL));
    EXPECT_EQ(1, runs);
    EXPECT_EQ(CL_SUCCESS,
            clGetEventInfo(barrier, CL_EVENT_COMMAND_EXECUTION_STATUS,
                    sizeof(status), &status, NULL));
    EXPECT_EQ(CL_QUEUED, status);
    EXPECT_EQ(CL_SUCCESS, clSetUserEventStatus(user, CL_COMPLETE));
    EXPECT_EQ(CL_SUCCESS, clFinish(queue));
    EXPECT_EQ(3, runs);
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(user));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(barrier));
    EXPECT_EQ(CL_SUCCESS, clReleaseCommandQueue(queue));
}

TEST_LAUNCHER(FakeEvent, ChecksWaitLists)
{
    cl_event event;

    EXPECT_EQ(CL_INVALID_EVENT_WAIT_LIST,
            clEnqueueMarkerWithWaitList(l->world.queue, 1, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueMarkerWithWaitList(l->world.queue, 0, NULL, &event));
    /* An event keeps its queue and context. */
    EXPECT_EQ(CL_SUCCESS, clWaitForEvents(1, &event));
    EXPECT_EQ(CL_SUCCESS, clReleaseEvent(event));
}
