/* SPDX-License-Identifier: Apache-2.0 */
#include "test_world.h"

#include <stdint.h>
#include <string.h>

static cl_mem buffer(const struct world *world, size_t size, const void *data)
{
    cl_int st;
    cl_mem memory = clCreateBuffer(world->context,
            data != NULL ? CL_MEM_COPY_HOST_PTR : 0, size,
            (void *)(uintptr_t)data, &st);

    EXPECT_EQ(CL_SUCCESS, st);
    return memory;
}

static void expect_content(
        const struct world *world, cl_mem memory, const char *expected)
{
    char bytes[64] = "";

    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(world->queue, memory, CL_TRUE, 0,
                                  strlen(expected), bytes, 0, NULL, NULL));
    EXPECT_STR_EQ(expected, bytes);
}

TEST_WORLD(FakeMemory, ReadsWritesCopiesFills)
{
    cl_mem a, b;

    a = buffer(world, 8, "abcdefgh");
    b = buffer(world, 8, NULL);
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueFillBuffer(world->queue, b, "xy", 2, 0, 8, 0, NULL, NULL));
    expect_content(world, b, "xyxyxyxy");
    EXPECT_EQ(CL_SUCCESS,
            clEnqueueCopyBuffer(world->queue, a, b, 2, 0, 4, 0, NULL, NULL));
    expect_content(world, b, "cdefxyxy");
    EXPECT_EQ(CL_SUCCESS, clEnqueueWriteBuffer(world->queue, b, CL_FALSE, 6, 2,
                                  "!?", 0, NULL, NULL));
    expect_content(world, b, "cdefxy!?");
    EXPECT_EQ(CL_MEM_COPY_OVERLAP,
            clEnqueueCopyBuffer(world->queue, a, a, 0, 2, 4, 0, NULL, NULL));
    EXPECT_EQ(CL_INVALID_VALUE,
            clEnqueueCopyBuffer(world->queue, a, b, 6, 0, 4, 0, NULL, NULL));
    EXPECT_EQ(CL_INVALID_VALUE, clEnqueueFillBuffer(world->queue, b, "xyz", 3,
                                        0, 6, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(a));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(b));
}

TEST_WORLD(FakeMemory, CopiesBoxes)
{
    const size_t at[3] = {1, 1, 0}, zero[3] = {0, 0, 0}, box[3] = {2, 2, 1};
    char host[4] = {'.', '.', '.', '.'};
    cl_mem a, b;

    a = buffer(world, 16, "abcdefghijklmnop");
    b = buffer(world, 4, "----");
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBufferRect(world->queue, a, CL_TRUE, at,
                                  zero, box, 4, 0, 0, 0, host, 0, NULL, NULL));
    EXPECT_BYTES_EQ("fgjk", 4, host, 4);
    EXPECT_EQ(CL_SUCCESS, clEnqueueCopyBufferRect(world->queue, a, b, at, zero,
                                  box, 4, 0, 0, 0, 0, NULL, NULL));
    expect_content(world, b, "fgjk");
    EXPECT_EQ(
            CL_SUCCESS, clEnqueueWriteBufferRect(world->queue, a, CL_TRUE, at,
                                zero, box, 4, 0, 0, 0, "1234", 0, NULL, NULL));
    expect_content(world, a, "abcde12hi34lmnop");
    EXPECT_EQ(CL_INVALID_VALUE,
            clEnqueueReadBufferRect(world->queue, b, CL_TRUE, at, zero, box, 4,
                    0, 0, 0, host, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(a));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(b));
}

TEST_WORLD(FakeMemory, MapsAndShares)
{
    const cl_buffer_region region = {128, 128}, crooked = {1, 128};
    char host[256] = "host", *mapped;
    cl_mem memory, sub;
    cl_uint maps = 0;
    cl_int st;

    memory = clCreateBuffer(
            world->context, CL_MEM_USE_HOST_PTR, sizeof(host), host, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    mapped = clEnqueueMapBuffer(world->queue, memory, CL_TRUE, CL_MAP_WRITE, 1,
            8, 0, NULL, NULL, &st);
    EXPECT_PTR_EQ(host + 1, mapped);
    EXPECT_EQ(CL_SUCCESS, clGetMemObjectInfo(memory, CL_MEM_MAP_COUNT,
                                  sizeof(maps), &maps, NULL));
    EXPECT_EQ(1, maps);
    EXPECT_EQ(CL_SUCCESS, clEnqueueUnmapMemObject(
                                  world->queue, memory, mapped, 0, NULL, NULL));
    EXPECT_EQ(CL_INVALID_VALUE, clEnqueueUnmapMemObject(world->queue, memory,
                                        mapped, 0, NULL, NULL));

    sub = clCreateSubBuffer(
            memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &st);
    EXPECT_EQ(CL_SUCCESS, st);
    EXPECT_EQ(CL_SUCCESS, clEnqueueWriteBuffer(world->queue, sub, CL_TRUE, 0, 3,
                                  "sub", 0, NULL, NULL));
    EXPECT_BYTES_EQ("sub", 3, host + 128, 3);
    EXPECT_NULL(clCreateSubBuffer(
            memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &crooked, &st));
    EXPECT_EQ(CL_MISALIGNED_SUB_BUFFER_OFFSET, st);
    /* A sub-buffer keeps its parent. */
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    expect_content(world, sub, "sub");
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(sub));
}

TEST_WORLD(FakeMemory, RefusesBadBuffers)
{
    cl_int st;

    EXPECT_NULL(clCreateBuffer(world->context, 0, 0, NULL, &st));
    EXPECT_EQ(CL_INVALID_BUFFER_SIZE, st);
    EXPECT_NULL(clCreateBuffer(world->context, 0, SIZE_MAX / 2, NULL, &st));
    EXPECT_EQ(CL_INVALID_BUFFER_SIZE, st);
    EXPECT_NULL(
            clCreateBuffer(world->context, CL_MEM_COPY_HOST_PTR, 8, NULL, &st));
    EXPECT_EQ(CL_INVALID_HOST_PTR, st);
    EXPECT_NULL(clCreateBuffer(world->context,
            CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 8, NULL, &st));
    EXPECT_EQ(CL_INVALID_VALUE, st);
    EXPECT_EQ(0, fake_opencl_misuses());
}

struct turn {
    int *count;
    int turn;
};

static void CL_CALLBACK take_turn(cl_mem memory, void *user)
{
    struct turn *turn = user;

    (void)memory;
    turn->turn = ++*turn->count;
}

TEST_WORLD(FakeMemory, CallsDestructorsInReverse)
{
    int count = 0;
    struct turn first = {&count, 0}, second = {&count, 0};
    cl_mem memory;

    memory = buffer(world, 8, NULL);
    EXPECT_EQ(CL_SUCCESS,
            clSetMemObjectDestructorCallback(memory, take_turn, &first));
    EXPECT_EQ(CL_SUCCESS,
            clSetMemObjectDestructorCallback(memory, take_turn, &second));
    EXPECT_EQ(CL_SUCCESS, clRetainMemObject(memory));
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    EXPECT_EQ(0, count);
    EXPECT_EQ(CL_SUCCESS, clReleaseMemObject(memory));
    EXPECT_EQ(2, first.turn);
    EXPECT_EQ(1, second.turn);
}

TEST_WORLD(FakeMemory, DoesWithoutImages)
{
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    cl_image_desc desc;
    cl_int st;

    memset(&desc, 0, sizeof(desc));
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    EXPECT_NULL(clCreateImage(world->context, 0, &format, &desc, NULL, &st));
    EXPECT_EQ(CL_INVALID_OPERATION, st);
    EXPECT_EQ(1, fake_opencl_count("clCreateImage"));
    EXPECT_NULL(clSVMAlloc(world->context, CL_MEM_READ_WRITE, 16, 0));
}
