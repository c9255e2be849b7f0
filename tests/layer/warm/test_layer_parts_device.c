/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of sub-devices on a real driver: what each call answers without the
 * layer, with an empty store, and with the store that this filled. One entry is
 * for a device and all of its parts, whichever was there first.
 */
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { no_driver = 77, path_size = 700, most_parts = 8 };

static const char source[] =
        "__kernel void f(__global int *x) { *x = 40 + TWO; }";

/* ---- A client ------------------------------------------------------------ */

struct world {
    cl_device_id whole;
    cl_device_id parts[most_parts];
    cl_uint part_count;
    cl_device_id inner; /* a part of a part, or a part */
};

/* To be compared: nothing that is another at each run. */
static void say(const char *what, long long value)
{
    (void)fprintf(stderr, "%s: %lld\n", what, value);
}

static bool find_whole(struct world *w)
{
    cl_platform_id all[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language") != NULL
                && clGetDeviceIDs(
                           all[i], CL_DEVICE_TYPE_ALL, 1, &w->whole, NULL)
                           == CL_SUCCESS)
            return true;
    }
    return false;
}

/* Parts of a processor each; if there are two, the first one is all of them,
 * and has a part itself. */
static bool open_world(struct world *w)
{
    const cl_device_partition_property ones[] = {
            CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    *w = (struct world){.whole = NULL};
    if (!find_whole(w)
            || clCreateSubDevices(w->whole, ones, 0, NULL, &count) != CL_SUCCESS
            || count < 2 || count > most_parts
            || clCreateSubDevices(w->whole, ones, count, w->parts, NULL)
                       != CL_SUCCESS)
        return false;
    w->part_count = count;
    const cl_device_partition_property two[] = {
            CL_DEVICE_PARTITION_BY_COUNTS, 2, 0, 0};
    cl_device_id outer = NULL;
    w->inner = w->parts[0];
    if (clCreateSubDevices(w->whole, two, 1, &outer, NULL) == CL_SUCCESS
            && clCreateSubDevices(outer, ones, 1, &w->inner, NULL)
                       != CL_SUCCESS) {
        /* Not more than wanted are given. */
        cl_device_id inner[most_parts];
        if (clCreateSubDevices(outer, ones, 2, inner, NULL) == CL_SUCCESS) {
            w->inner = inner[0];
            clReleaseDevice(inner[1]);
        } else {
            w->inner = w->parts[0];
        }
    }
    return true;
}

static cl_context make_context(const cl_device_id *devices, cl_uint count)
{
    cl_int error = CL_SUCCESS;
    cl_context context =
            clCreateContext(NULL, count, devices, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return context;
}

static cl_program make_program(cl_context context)
{
    const char *text = source;
    cl_int error = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(context, 1, &text, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return program;
}

static void expect_result(
        cl_context context, cl_program program, cl_device_id device)
{
    cl_int error = CL_SUCCESS;
    cl_int result = 0;
    const size_t one = 1;
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_mem buffer = clCreateBuffer(
            context, CL_MEM_READ_WRITE, sizeof result, NULL, &error);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  &one, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0,
                                  sizeof result, &result, 0, NULL, NULL));
    EXPECT_EQ(42, result);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
}

/* What is said of a program for a device, which need not be one of its. */
static void look(cl_program program, cl_device_id device)
{
    cl_build_status status = 77;
    cl_program_binary_type type = 77;
    char text[512] = "";
    size_t multiple = 77;
    cl_int error = CL_SUCCESS;
    say("status",
            clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
                    sizeof status, &status, NULL));
    say("is", status);
    say("type", clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE,
                        sizeof type, &type, NULL));
    say("is", type);
    say("options", clGetProgramBuildInfo(program, device,
                           CL_PROGRAM_BUILD_OPTIONS, sizeof text, text, NULL));
    (void)fprintf(stderr, "are: %s\n", text);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    say("kernel", error);
    if (kernel == NULL) return;
    say("multiple", clGetKernelWorkGroupInfo(kernel, device,
                            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                            sizeof multiple, &multiple, NULL));
    say("is", (long long)multiple);
    clReleaseKernel(kernel);
}

static void look_at_devices(cl_program program, const struct world *w)
{
    cl_device_id devices[most_parts + 1] = {NULL};
    size_t sizes[most_parts + 1] = {0};
    size_t size = 0;
    say("devices", clGetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof devices,
                           devices, &size));
    const size_t count = size / sizeof *devices;
    say("are", (long long)count);
    for (size_t i = 0; i < count && i < COUNT(devices); i++) {
        long long which = -1;
        for (cl_uint j = 0; j < w->part_count; j++)
            if (devices[i] == w->parts[j]) which = j;
        say("is", devices[i] == w->whole   ? 100
                  : devices[i] == w->inner ? 101
                                           : which);
    }
    say("sizes", clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                         sizeof sizes, sizes, &size));
    for (size_t i = 0; i < size / sizeof *sizes; i++)
        say("is there", sizes[i] > 0);
}

/* A program of these devices, built for some of them, run on each. */
static void use(const struct world *w, const char *name,
        const cl_device_id *devices, cl_uint count, cl_uint listed,
        const char *options)
{
    (void)fprintf(stderr, "-- %s\n", name);
    cl_context context = make_context(devices, count);
    cl_program program = make_program(context);
    const cl_int result = clBuildProgram(
            program, listed, listed > 0 ? devices : NULL, options, NULL, NULL);
    say("build", result);
    look(program, devices[0]);
    look(program, devices[count - 1]);
    look(program, w->whole);
    look(program, w->parts[1]);
    look_at_devices(program, w);
    for (cl_uint i = 0; i < count; i++)
        if (result == CL_SUCCESS && (listed == 0 || i < listed))
            expect_result(context, program, devices[i]);
    clReleaseProgram(program);
    clReleaseContext(context);
}

/* A device that the context does not have. */
static void build_for_another(const struct world *w)
{
    (void)fprintf(stderr, "-- another\n");
    cl_context context = make_context(&w->parts[0], 1);
    cl_program program = make_program(context);
    say("other part",
            clBuildProgram(program, 1, &w->parts[1], "-DTWO=2", NULL, NULL));
    say("whole", clBuildProgram(program, 1, &w->whole, "-DTWO=2", NULL, NULL));
    look(program, w->parts[0]);
    say("own", clBuildProgram(program, 1, &w->parts[0], "-DTWO=2", NULL, NULL));
    look(program, w->parts[0]);
    clReleaseProgram(program);
    clReleaseContext(context);
}

static void compile_and_link(const struct world *w)
{
    (void)fprintf(stderr, "-- linked\n");
    cl_int error = CL_SUCCESS;
    cl_context context = make_context(w->parts, 2);
    cl_program object = make_program(context);
    say("compile", clCompileProgram(object, 0, NULL, "-DTWO=2", 0, NULL, NULL,
                           NULL, NULL));
    cl_program linked =
            clLinkProgram(context, 0, NULL, "", 1, &object, NULL, NULL, &error);
    say("link", error);
    if (linked != NULL) {
        look(linked, w->parts[0]);
        expect_result(context, linked, w->parts[0]);
        expect_result(context, linked, w->parts[1]);
        clReleaseProgram(linked);
    }
    clReleaseProgram(object);
    clReleaseContext(context);
}

static int use_all(void *user)
{
    struct world w;
    (void)user;
    if (!open_world(&w)) return no_driver;
    const cl_device_id mixed[] = {w.parts[0], w.whole, w.parts[1]};
    use(&w, "a part", w.parts, 1, 0, "-DTWO=2");
    use(&w, "the whole", &w.whole, 1, 0, "-DTWO=2");
    use(&w, "parts", w.parts, 2, 0, "-DTWO=2+0");
    use(&w, "one of parts", w.parts, 2, 1, "-DTWO=0+2");
    use(&w, "parts and whole", mixed, 3, 0, "-DTWO=2-0");
    use(&w, "a part of parts and whole", mixed, 3, 1, "-DTWO=3-1");
    use(&w, "a part of a part", &w.inner, 1, 0, "-DTWO=4-2");
    use(&w, "wrong", w.parts, 2, 0, "-DTWO=wrong");
    build_for_another(&w);
    compile_and_link(&w);
    exit(test_has_failed());
}

static int use_one_part(void *user)
{
    struct world w;
    (void)user;
    if (!open_world(&w)) return no_driver;
    use(&w, "part", &w.parts[1], 1, 0, "-DTWO=2");
    exit(test_has_failed());
}

static int use_whole(void *user)
{
    struct world w;
    (void)user;
    if (!open_world(&w)) return no_driver;
    use(&w, "whole", &w.whole, 1, 0, "-DTWO=2");
    exit(test_has_failed());
}

/* ---- Its processes ------------------------------------------------------- */

static int run(int (*body)(void *user), bool has_layer, char **said)
{
    static char places[3][path_size];
    const char *const variables[] = {places[0], places[1], places[2],
            "DNNL_CACHE_CAPTURE_NOW=1", "POCL_KERNEL_CACHE=0",
            has_layer ? "OPENCL_LAYERS=" LAYER : "OPENCL_LAYERS=", NULL};
    (void)snprintf(
            places[0], path_size, "POCL_CACHE_DIR=%.500s", in_test("pocl"));
    (void)snprintf(
            places[1], path_size, "DNNL_CACHE_DIR=%.500s", in_test("store"));
    (void)snprintf(places[2], path_size, "DNNL_CACHE_STATS=%.500s",
            in_test("statistics"));
    (void)unlink(in_test("statistics"));
    return layer_process_listen(said, variables, body, NULL);
}

static unsigned long counted(const char *name)
{
    char quoted[64];
    unsigned long number = 0;
    char *text = layer_process_read_file(in_test("statistics"));
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    EXPECT_NOT_NULL(text);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

/* The first line that is another one. */
static void expect_same(const char *name, const char *expected, const char *is)
{
    const char *line = expected;
    const char *part = expected;
    size_t at = 0;
    while (expected[at] != '\0' && expected[at] == is[at]) {
        if (expected[at] == '\n') line = expected + at + 1;
        if (expected[at] == '\n' && strncmp(line, "-- ", 3) == 0) part = line;
        at++;
    }
    if (expected[at] == is[at]) return;
    test_fail(__FILE__, __LINE__, "%s: %.40s... \"%.*s\", but: %.60s", name,
            part, (int)strcspn(line, "\n"), line,
            is + (size_t)(line - expected));
}

TEST_C(LayerParts, AreAnsweredTheSameColdAndWarm)
{
    char *bare = NULL;
    const int result = run(use_all, false, &bare);
    if (result == no_driver) {
        free(bare);
        SKIP_TEST("no PoCL of two processors");
    }
    EXPECT_EQ(0, result);
    for (int i = 0; i < 2; i++) {
        char *said = NULL;
        EXPECT_EQ(0, run(use_all, true, &said));
        expect_same(i == 0 ? "cold" : "warm", bare, said);
        free(said);
        if (i > 0) EXPECT_GT(counted("hits"), 0);
    }
    free(bare);
}

/* Whichever is there first. */
TEST_C(LayerParts, ShareAnEntryWithTheWhole)
{
    int (*const orders[][2])(void *user) = {
            {use_one_part, use_whole}, {use_whole, use_one_part}};
    for (size_t i = 0; i < COUNT(orders); i++) {
        char command[path_size];
        char *said = NULL;
        const int result = run(orders[i][0], true, &said);
        free(said);
        if (result == no_driver) SKIP_TEST("no PoCL of two processors");
        EXPECT_EQ(0, result);
        EXPECT_EQ(1, counted("kept"));
        EXPECT_EQ(0, run(orders[i][1], true, &said));
        free(said);
        EXPECT_EQ(1, counted("hits"));
        EXPECT_EQ(0, counted("misses"));
        (void)snprintf(
                command, sizeof command, "rm -rf '%.600s'", in_test("store"));
        EXPECT_EQ(0, system(command));
    }
}
