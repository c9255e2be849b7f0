/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNNL_CACHE_COMPILE_MODE on a real driver: programs that are built, compiled,
 * linked, built with a callback and for a part of a device. Each step is a
 * process.
 */
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { no_driver = 77, path_size = 700 };

static const char source[] =
        "__kernel void f(__global int *x) { *x = 40 + TWO; }";
static const char object[] = "int two(void) { return 2; }";
static const char user_of_object[] =
        "int two(void); __kernel void f(__global int *x) { *x = 40 + two(); }";

struct world {
    cl_device_id device;
    cl_device_id part; /* a sub-device, or the device */
    cl_context context;
};

/* ---- A client ------------------------------------------------------------ */

static cl_device_id find_device(void)
{
    cl_platform_id all[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        cl_device_id device = NULL;
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language") != NULL
                && clGetDeviceIDs(all[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                           == CL_SUCCESS)
            return device;
    }
    return NULL;
}

static bool open_world(struct world *w, bool of_part)
{
    const cl_device_partition_property ones[] = {
            CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[64];
    cl_uint count = 0;
    cl_int error;
    w->device = find_device();
    if (w->device == NULL) return false;
    w->part = w->device;
    if (of_part
            && clCreateSubDevices(w->device, ones, 64, parts, &count)
                       == CL_SUCCESS
            && count > 0)
        w->part = parts[0];
    w->context = clCreateContext(NULL, 1, &w->part, NULL, NULL, &error);
    return w->context != NULL;
}

static cl_program make(const struct world *w, const char *text)
{
    cl_int error = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(w->context, 1, &text, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    return program;
}

static void expect_result(const struct world *w, cl_program program)
{
    cl_int error = CL_SUCCESS;
    cl_int result = 0;
    const size_t one = 1;
    cl_command_queue queue =
            clCreateCommandQueue(w->context, w->part, 0, &error);
    cl_mem buffer = clCreateBuffer(
            w->context, CL_MEM_READ_WRITE, sizeof result, NULL, &error);
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

/* As of a source that does not compile, and the log says what it is. */
static void expect_failed(const struct world *w, cl_program program)
{
    cl_build_status status = 77;
    cl_int error = CL_SUCCESS;
    char log[4096] = "";
    EXPECT_EQ(CL_SUCCESS,
            clGetProgramBuildInfo(program, w->part, CL_PROGRAM_BUILD_STATUS,
                    sizeof status, &status, NULL));
    EXPECT_EQ(CL_BUILD_ERROR, status);
    EXPECT_EQ(CL_SUCCESS, clGetProgramBuildInfo(program, w->part,
                                  CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (strstr(log, "DNNL_CACHE_COMPILE_MODE=cached_only") == NULL)
        test_fail(__FILE__, __LINE__, "the log is: %s", log);
    EXPECT_NULL(clCreateKernel(program, "f", &error));
    EXPECT_TRUE(error != CL_SUCCESS);
}

static void CL_CALLBACK note_call(cl_program program, void *user)
{
    (void)program;
    atomic_fetch_add((atomic_int *)user, 1);
}

/* All that has a program built; is_there: it succeeds. */
static int use_all(void *user)
{
    const bool is_there = *(bool *)user;
    struct world w;
    atomic_int calls = 0;
    cl_int error = 77;
    if (!open_world(&w, false)) return no_driver;
    cl_program program = make(&w, source);
    EXPECT_EQ(is_there ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DTWO=2", NULL, NULL));
    if (is_there)
        expect_result(&w, program);
    else
        expect_failed(&w, program);
    clReleaseProgram(program);
    program = make(&w, source);
    (void)clBuildProgram(program, 0, NULL, "-DTWO=1+1", note_call, &calls);
    for (int i = 0; i < 60000 && atomic_load(&calls) == 0; i++)
        (void)usleep(1000);
    EXPECT_EQ(1, atomic_load(&calls));
    if (is_there)
        expect_result(&w, program);
    else
        expect_failed(&w, program);
    clReleaseProgram(program);
    cl_program parts[2] = {make(&w, object), make(&w, user_of_object)};
    for (int i = 0; i < 2; i++) {
        EXPECT_EQ(is_there ? CL_SUCCESS : CL_COMPILE_PROGRAM_FAILURE,
                clCompileProgram(
                        parts[i], 0, NULL, "", 0, NULL, NULL, NULL, NULL));
        if (!is_there) expect_failed(&w, parts[i]);
    }
    program =
            clLinkProgram(w.context, 0, NULL, "", 2, parts, NULL, NULL, &error);
    EXPECT_EQ(is_there ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE, error);
    if (is_there)
        expect_result(&w, program);
    else
        expect_failed(&w, program);
    clReleaseProgram(program);
    clReleaseProgram(parts[0]);
    clReleaseProgram(parts[1]);
    clReleaseContext(w.context);
    exit(test_has_failed());
}

/* PoCL takes a program of a part for one of the whole device. */
static int use_part(void *user)
{
    struct world w;
    (void)user;
    if (!open_world(&w, true)) return no_driver;
    cl_program program = make(&w, source);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, 0, NULL, "-DTWO=2", NULL, NULL));
    expect_result(&w, program);
    clReleaseProgram(program);
    program = make(&w, source);
    EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, NULL, "-DTWO=3-1", NULL, NULL));
    expect_failed(&w, program);
    clReleaseProgram(program);
    clReleaseContext(w.context);
    exit(test_has_failed());
}

/* ---- Its processes ------------------------------------------------------- */

/* What it exits with; *said: standard error, the caller's. */
static int run(
        int (*body)(void *user), bool is_there, const char *mode, char **said)
{
    static char places[3][path_size];
    const char *const variables[] = {places[0], places[1], places[2],
            "OPENCL_LAYERS=" LAYER, "DNNL_CACHE_CAPTURE_NOW=1",
            "POCL_KERNEL_CACHE=0", mode, NULL};
    const char *d = test_directory();
    (void)snprintf(places[0], path_size, "POCL_CACHE_DIR=%.500s/pocl", d);
    (void)snprintf(places[1], path_size, "DNNL_CACHE_DIR=%.500s/store", d);
    (void)snprintf(
            places[2], path_size, "DNNL_CACHE_STATS=%.500s/statistics", d);
    (void)unlink(strchr(places[2], '=') + 1);
    return layer_process_listen(said, variables, body, &is_there);
}

static unsigned long counted(const char *name)
{
    char path[path_size];
    char quoted[64];
    unsigned long number = 0;
    (void)snprintf(path, sizeof path, "%.500s/statistics", test_directory());
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    char *text = layer_process_read_file(path);
    EXPECT_NOT_NULL(text);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

enum { programs = 5 }; /* of use_all() */

#define MODE(name) "DNNL_CACHE_COMPILE_MODE=" name

TEST_C(LayerModes, OnADriver)
{
    char *said = NULL;
    const int result = run(use_all, false, MODE("cached_only"), &said);
    if (result == no_driver) {
        free(said);
        SKIP_TEST("no PoCL");
    }
    EXPECT_EQ(0, result);
    EXPECT_EQ(0, counted("kept"));
    /* Once, whatever the number of programs. */
    const char *first = strstr(said, "cached_only: not compiled");
    EXPECT_NOT_NULL(first);
    EXPECT_TRUE(first == NULL
                || strstr(first + 1, "cached_only: not compiled") == NULL);
    free(said);
    EXPECT_EQ(0, run(use_all, true, MODE("normal"), &said));
    free(said);
    EXPECT_EQ(programs, counted("kept"));
    EXPECT_EQ(0, run(use_all, true, MODE("cached_only"), &said));
    EXPECT_STR_EQ("", said);
    free(said);
    EXPECT_EQ(programs, counted("hits"));
    EXPECT_EQ(0, counted("misses"));
    EXPECT_EQ(0, run(use_part, true, MODE("cached_only"), &said));
    free(said);
    EXPECT_EQ(1, counted("hits"));
}

TEST_C(LayerModes, ReplaceAndCompareOnADriver)
{
    char *said = NULL;
    const int result = run(use_all, true, MODE("recompile"), &said);
    free(said);
    if (result == no_driver) SKIP_TEST("no PoCL");
    EXPECT_EQ(0, result);
    EXPECT_EQ(programs, counted("kept"));
    EXPECT_EQ(0, run(use_all, true, MODE("recompile"), &said));
    free(said);
    EXPECT_EQ(0, counted("hits"));
    EXPECT_EQ(programs, counted("recompile"));
    EXPECT_EQ(programs, counted("kept"));
    EXPECT_EQ(0, run(use_all, true, MODE("verify"), &said));
    EXPECT_NOT_NULL(strstr(
            said, "verify: 4 programs compared, 0 differ, 1 not compared\n"));
    free(said);
    EXPECT_EQ(programs, counted("hits"));
}
