/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL runs classes of launches that a binary without intermediate code does
 * not have: by the kernel's function for all launches, with the same results,
 * and without compiling. What it compiles is counted as the shared objects that
 * it leaves in its folder.
 */
#include "dnnl_cache/sys/layer.h"
#include "src/binaries/pocl_finalise.h"

#include "test.h"
#include "test_platform.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 1 << 17 };

/* Each class has results of its own if it mistakes another for itself. */
static const char source[] =
        "__kernel void sums(__global uint *x, __local uint *t)\n"
        "{\n"
        "    const size_t l = get_local_id(0), g = get_local_size(0);\n"
        "    const size_t i = get_global_id(0) - get_global_offset(0);\n"
        "    uint sum = 0;\n"
        "    t[l] = x[i];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (size_t k = 0; k < g; k++) sum = 3 * sum + t[k];\n"
        "    x[i] = sum + (uint)get_global_offset(0);\n"
        "}\n"
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "void fixed(__global uint *x, __local uint *t)\n"
        "{\n"
        "    const size_t i = get_global_id(0) - get_global_offset(0);\n"
        "    t[get_local_id(0)] = x[i];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    x[i] = 5 * t[63 - get_local_id(0)] + (uint)get_group_id(0);\n"
        "}\n";

/* The first of each kernel is launched before the binary is asked for. */
static const struct launch {
    const char *kernel;
    size_t items;
    size_t group;
    size_t offset;
} launches[] = {{"sums", 256, 64, 0}, {"fixed", 256, 64, 0},
        {"sums", 256, 16, 0}, {"sums", 256, 64, 32}, {"sums", ITEMS, 64, 0},
        {"fixed", 256, 64, 64}, {"fixed", ITEMS, 64, 0}};
enum { SEEN = 2 };

struct world {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    uint32_t *items;
};

static size_t objects;

static int count_entry(const char *path, const struct stat *status, int flag)
{
    const size_t length = strlen(path);
    (void)status;
    if (flag == FTW_F && length > 3 && strcmp(path + length - 3, ".so") == 0)
        objects++;
    return 0;
}

/* In PoCL's folder now. */
static size_t count_objects(void)
{
    objects = 0;
    EXPECT_EQ(0, ftw(getenv("POCL_CACHE_DIR"), count_entry, 16));
    return objects;
}

/* PoCL reads the variable once, when it starts. */
static void world_open(struct world *w)
{
    cl_int error = CL_SUCCESS;
    setenv("POCL_CACHE_DIR", test_directory(), 1);
    w->device = test_platform_device();
    w->context = clCreateContext(NULL, 1, &w->device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    w->queue = clCreateCommandQueue(w->context, w->device, 0, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    w->items = calloc(ITEMS, sizeof *w->items);
    if (w->items == NULL) abort();
}

static void world_close(struct world *w)
{
    free(w->items);
    clReleaseCommandQueue(w->queue);
    clReleaseContext(w->context);
}

/* A hash of what a launch leaves in memory. */
static uint64_t run(struct world *w, cl_program program, const struct launch *l)
{
    const size_t bytes = l->items * sizeof *w->items;
    uint64_t hash = 5381;
    cl_int error = CL_SUCCESS;
    for (size_t i = 0; i < l->items; i++)
        w->items[i] = (uint32_t)(i * 2654435761u);
    cl_kernel kernel = clCreateKernel(program, l->kernel, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_mem memory = clCreateBuffer(w->context,
            CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, w->items, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof memory, &memory));
    EXPECT_EQ(CL_SUCCESS,
            clSetKernelArg(kernel, 1, l->group * sizeof(cl_uint), NULL));
    EXPECT_EQ(
            CL_SUCCESS, clEnqueueNDRangeKernel(w->queue, kernel, 1, &l->offset,
                                &l->items, &l->group, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(w->queue, memory, CL_TRUE, 0,
                                  bytes, w->items, 0, NULL, NULL));
    for (size_t i = 0; i < l->items; i++)
        hash = hash * 33 + w->items[i];
    clReleaseMemObject(memory);
    clReleaseKernel(kernel);
    return hash;
}

/* The binary after the launches that it is to have. */
static void read_binary(cl_program program, struct buffer *out)
{
    size_t size = 0;
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                  sizeof size, &size, NULL));
    uint8_t *room = buffer_reserve(out, size);
    ASSERT_TRUE(room != NULL);
    EXPECT_EQ(CL_SUCCESS, clGetProgramInfo(program, CL_PROGRAM_BINARIES,
                                  sizeof room, &room, NULL));
    out->size += size;
}

static cl_program load(struct world *w, const struct buffer *binary)
{
    cl_program program = NULL;
    const unsigned char *bytes = binary->data;
    EXPECT_OK(dnnl_cache_create_program_with_binary(&program, w->context, 1,
            &w->device, &binary->size, &bytes, NULL, NULL));
    EXPECT_EQ(
            CL_SUCCESS, clBuildProgram(program, 1, &w->device, "", NULL, NULL));
    return program;
}

static bool is_tested(cl_device_id device)
{
    cl_platform_id platform = NULL;
    char version[256] = "";
    return clGetDeviceInfo(
                   device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL)
                   == CL_SUCCESS
           && clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version,
                      version, NULL)
                      == CL_SUCCESS
           && pocl_finalise_is_tested(version);
}

TEST_C(PoclClasses, ThatAreMissingRunWithoutCompiling)
{
    struct world w;
    struct buffer binary = {NULL, 0, 0, false};
    struct buffer form = {NULL, 0, 0, false};
    struct blob_reason reason = {""};
    uint64_t expected[COUNT(launches)];
    const char *text = source;
    cl_int error = CL_SUCCESS;
    world_open(&w);
    if (!is_tested(w.device)) {
        world_close(&w);
        test_skip(__FILE__, __LINE__, "not a PoCL that was tested");
        return;
    }
    cl_program cold =
            clCreateProgramWithSource(w.context, 1, &text, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(cold, 1, &w.device, "", NULL, NULL));
    for (size_t i = 0; i < SEEN; i++)
        expected[i] = run(&w, cold, &launches[i]);
    read_binary(cold, &binary);
    const size_t compiled = count_objects();
    for (size_t i = SEEN; i < COUNT(launches); i++)
        expected[i] = run(&w, cold, &launches[i]);
    /* They are classes of their own. */
    EXPECT_EQ(compiled + COUNT(launches) - SEEN, count_objects());
    clReleaseProgram(cold);

    ASSERT_STATUS(dnnl_success,
            pocl_finalise(binary.data, binary.size, true, &form, &reason));
    cl_program warm = load(&w, &form);
    const size_t unpacked = count_objects();
    EXPECT_GT(unpacked, 0);
    for (size_t i = 0; i < COUNT(launches); i++)
        if (run(&w, warm, &launches[i]) != expected[i])
            test_fail(__FILE__, __LINE__, "launch %zu differs", i);
    EXPECT_EQ(unpacked, count_objects());
    clReleaseProgram(warm);
    buffer_fini(&binary);
    buffer_fini(&form);
    world_close(&w);
}
