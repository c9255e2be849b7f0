/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DNNL_CACHE_FAILED_BUILDS on a real driver, by the logs that it writes: builds
 * that fail are answered as by the driver, and a header that appears is
 * compiled. Each step is a process.
 */
#include "failed_records.h"
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { no_driver = 77, path_size = 700, log_size = 8192, minute = 61 };

static const char *const sources[] = {
        "__kernel void f(__global int *x)\n{ *x = no_such_name; }\n",
        "#include \"appears.h\"\n__kernel void f(__global int *x) {*x = 1;}\n",
        "#error no such thing\n",
};

enum { source_count = sizeof sources / sizeof *sources };

/* Of the header. */
static const char *folder_option(void)
{
    static char option[path_size];
    (void)snprintf(option, sizeof option, "-I%.500s", test_directory());
    return option;
}

/* ---- A client ------------------------------------------------------------ */

enum { most_devices = 2 };

/* How many there are. */
static cl_uint find_devices(cl_device_id devices[most_devices])
{
    cl_platform_id all[16];
    cl_uint count = 0;
    if (clGetPlatformIDs(16, all, &count) != CL_SUCCESS) count = 0;
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        cl_uint found = 0;
        clGetPlatformInfo(all[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, "Portable Computing Language") != NULL
                && clGetDeviceIDs(all[i], CL_DEVICE_TYPE_ALL, most_devices,
                           devices, &found)
                           == CL_SUCCESS)
            return found < most_devices ? found : most_devices;
    }
    return 0;
}

/* Without what PoCL calls its copy of the source, another name each time. */
static void write_log(FILE *out, char *log)
{
    for (char *at = log; *at != '\0'; at++) {
        const char *name = at;
        if (strncmp(at, "/", 1) == 0 && strstr(at, "tempfile") != NULL)
            while (*at != '\0' && *at != ':' && !isspace((unsigned char)*at))
                at++;
        if (at != name) fputs("FILE", out);
        fputc(*at, out);
        if (*at == '\0') break;
    }
}

static void ask(FILE *out, cl_program program, cl_device_id device)
{
    static char log[log_size];
    char options[path_size] = "";
    cl_build_status status = 77;
    cl_program_binary_type type = 77;
    size_t number = 77, size = 77, bytes = 77;
    cl_int error = 77;
    cl_uint count = 77;
    memset(log, 0, sizeof log);
    error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS,
            sizeof status, &status, NULL);
    fprintf(out, "status %d %d\n", error, status);
    error = clGetProgramBuildInfo(
            program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL);
    fprintf(out, "type %d %x\n", error, type);
    error = clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_OPTIONS,
            sizeof options, options, &size);
    fprintf(out, "options %d %s\n", error, options);
    error = clGetProgramBuildInfo(
            program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(out, "log %d ", error);
    write_log(out, log);
    error = clGetProgramBuildInfo(program, device,
            CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, sizeof bytes, &bytes,
            NULL);
    fprintf(out, "\nglobals %d %zu\n", error, bytes);
    error = clGetProgramInfo(
            program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL);
    fprintf(out, "number %d %zu\n", error, number);
    error = clGetProgramInfo(
            program, CL_PROGRAM_KERNEL_NAMES, sizeof log, log, NULL);
    fprintf(out, "names %d\n", error);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    fprintf(out, "kernel %d %d\n", error, kernel != NULL);
    if (kernel != NULL) clReleaseKernel(kernel);
    error = clCreateKernelsInProgram(program, 0, NULL, &count);
    fprintf(out, "kernels %d\n", error);
}

/* Writes what it is answered to the file of this name in the test's folder. */
static int probe(void *user)
{
    char path[path_size];
    cl_int error = CL_SUCCESS;
    cl_device_id devices[most_devices];
    const cl_uint count = find_devices(devices);
    if (count == 0) return no_driver;
    cl_context context =
            clCreateContext(NULL, count, devices, NULL, NULL, &error);
    (void)snprintf(path, sizeof path, "%.500s/%s", test_directory(),
            (const char *)user);
    FILE *out = fopen(path, "we");
    EXPECT_NOT_NULL(out);
    for (int i = 0; out != NULL && i < source_count; i++) {
        cl_program program = clCreateProgramWithSource(context, 1,
                (const char **)(uintptr_t)&sources[i], NULL, &error);
        fprintf(out, "returned %d\n",
                clBuildProgram(program, 0, NULL, folder_option(), NULL, NULL));
        for (cl_uint k = 0; k < count; k++)
            ask(out, program, devices[k]);
        clReleaseProgram(program);
    }
    if (out != NULL) EXPECT_EQ(0, fclose(out));
    clReleaseContext(context);
    exit(test_has_failed());
}

/* ---- Its processes ------------------------------------------------------- */

static int run(bool is_layered)
{
    static char places[3][path_size];
    const char *const variables[] = {places[0], places[1], places[2],
            "POCL_KERNEL_CACHE=0", "POCL_DEVICES=pthread basic",
            "DNNL_CACHE_FAILED_BUILDS=1",
            is_layered ? "OPENCL_LAYERS=" LAYER : "OPENCL_LAYERS=", NULL};
    (void)snprintf(places[0], path_size, "POCL_CACHE_DIR=%s", in_test("pocl"));
    (void)snprintf(places[1], path_size, "DNNL_CACHE_DIR=%s", in_test("store"));
    (void)snprintf(
            places[2], path_size, "DNNL_CACHE_STATS=%s", in_test("statistics"));
    (void)unlink(in_test("statistics"));
    return layer_process_run(variables, probe,
            (void *)(uintptr_t)(is_layered ? "layered" : "plain"));
}

static unsigned long counted(const char *name)
{
    char quoted[64];
    unsigned long number = 0;
    (void)snprintf(quoted, sizeof quoted, "\"%s\":", name);
    char *text = layer_process_read_file(in_test("statistics"));
    EXPECT_NOT_NULL(text);
    const char *at = text != NULL ? strstr(text, quoted) : NULL;
    if (at != NULL) number = strtoul(at + strlen(quoted), NULL, 10);
    free(text);
    return number;
}

static void expect_same(void)
{
    char *plain = layer_process_read_file(in_test("plain"));
    char *layered = layer_process_read_file(in_test("layered"));
    EXPECT_NOT_NULL(plain);
    EXPECT_NOT_NULL(layered);
    if (plain != NULL && layered != NULL) EXPECT_STR_EQ(plain, layered);
    free(plain);
    free(layered);
}

TEST_C(LayerFailedDevice, AnswersAsTheDriverDoes)
{
    const int result = run(false);
    if (result == no_driver) SKIP_TEST("no PoCL");
    ASSERT_EQ(0, result);
    for (int i = 0; i < 3; i++) {
        ASSERT_EQ(0, run(true));
        expect_same();
        if (i == 0)
            EXPECT_EQ(
                    source_count, failed_records_age(in_test("store"), minute));
        if (i == 1) EXPECT_EQ(source_count, counted("failed_kept"));
    }
    EXPECT_EQ(source_count, counted("failed_answered"));
    EXPECT_EQ(0, counted("misses"));
    /* What was missing is there now. */
    FILE *header = fopen(in_test("appears.h"), "we");
    ASSERT_NOT_NULL(header);
    EXPECT_EQ(0, fclose(header));
    ASSERT_EQ(0, run(false));
    ASSERT_EQ(0, run(true));
    expect_same();
    EXPECT_EQ(source_count - 1, counted("failed_answered"));
    EXPECT_EQ(1, counted("misses"));
    /* And is missing again. */
    ASSERT_EQ(0, unlink(in_test("appears.h")));
    ASSERT_EQ(0, run(false));
    ASSERT_EQ(0, run(true));
    expect_same();
    EXPECT_EQ(source_count, counted("failed_answered"));
}
