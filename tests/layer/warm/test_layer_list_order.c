/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL as two devices, and programs that are built for a list of both in
 * another order than the context's: PoCL (3.1) returns the binaries in the
 * order of the list. Each device finds its own later. And PoCL as two devices
 * that are equal: one entry serves both.
 */
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { path_size = 512, cannot_be_tested = 77, device_count = 2 };

static const char source[] =
        "kernel void f(global int *o) { o[get_global_id(0)] = 44; }\n";

static const char *in_folder(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%.400s/%s", test_directory(), name);
    return path;
}

/* False: the driver is not there, or does not give two devices. */
static bool find_devices(cl_device_id devices[device_count])
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return false;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[128] = "";
        cl_uint found = 0;
        (void)clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language") == 0
                && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
                           device_count, devices, &found)
                           == CL_SUCCESS)
            return found == device_count;
    }
    return false;
}

static int value_on(cl_context context, cl_device_id device, cl_kernel kernel)
{
    const size_t one = 1;
    cl_int value = -1;
    cl_mem out = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, sizeof value, NULL, NULL);
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof out, &out));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, out, CL_TRUE, 0,
                                  sizeof value, &value, 0, NULL, NULL));
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseMemObject(out);
    return value;
}

/* Which devices a context has, and in which order a program is built for them:
 * numbers of devices. */
struct step {
    cl_uint count;
    int in_context[device_count];
    int in_list[device_count];
};

static int build_and_run(void *user)
{
    const struct step *step = user;
    const char *text = source;
    cl_device_id all[device_count];
    cl_device_id in_context[device_count];
    cl_device_id in_list[device_count];
    cl_int error = CL_SUCCESS;
    if (!find_devices(all)) exit(cannot_be_tested);
    for (cl_uint i = 0; i < step->count; i++) {
        in_context[i] = all[step->in_context[i]];
        in_list[i] = all[step->in_list[i]];
    }
    cl_context context =
            clCreateContext(NULL, step->count, in_context, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_program program =
            clCreateProgramWithSource(context, 1, &text, NULL, &error);
    EXPECT_EQ(CL_SUCCESS,
            clBuildProgram(program, step->count, in_list, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    for (cl_uint i = 0; i < step->count; i++)
        EXPECT_EQ(44, value_on(context, in_list[i], kernel));
    (void)clReleaseKernel(kernel);
    (void)clReleaseProgram(program);
    (void)clReleaseContext(context);
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS); /* the layer's end */
}

/* Runs the step in a process where PoCL has these devices and this cache, and
 * looks at what the layer counted. False: it cannot be tested. */
static bool expect_counts_of(const char *devices, const char *own_cache,
        struct step step, const char *hits, const char *kept)
{
    char path[path_size];
    char store[path_size + 32];
    char pocl[path_size + 32];
    char counts[path_size + 32];
    (void)snprintf(
            store, sizeof store, "DNNL_CACHE_DIR=%s", in_folder(path, "store"));
    (void)snprintf(
            pocl, sizeof pocl, "POCL_CACHE_DIR=%s", in_folder(path, "pocl"));
    (void)snprintf(counts, sizeof counts, "DNNL_CACHE_STATS=%s",
            in_folder(path, "counts"));
    const char *const variables[] = {"OPENCL_LAYERS=" LAYER,
            "DNNL_CACHE_CAPTURE_NOW=1", devices, own_cache, store, pocl, counts,
            NULL};
    (void)unlink(path);
    const int code = layer_process_run(variables, build_and_run, &step);
    if (code == cannot_be_tested) return false;
    EXPECT_EQ(0, code);
    char *text = layer_process_read_file(path);
    if (text == NULL || strstr(text, hits) == NULL
            || strstr(text, kept) == NULL)
        test_fail(__FILE__, __LINE__, "not %s %s in %s", hits, kept,
                text != NULL ? text : "nothing");
    free(text);
    return true;
}

static bool expect_counts(struct step step, const char *hits, const char *kept)
{
    return expect_counts_of("POCL_DEVICES=pthread basic", "POCL_KERNEL_CACHE=0",
            step, hits, kept);
}

TEST_C(LayerListOrder, IsNotTakenForThatOfTheBinaries)
{
    const struct step reversed = {2, {0, 1}, {1, 0}};
    const struct step in_order = {2, {0, 1}, {0, 1}};
    const struct step first = {1, {0}, {0}};
    const struct step second = {1, {1}, {1}};
    if (!expect_counts(reversed, "\"hits\":0,", "\"kept\":2,"))
        SKIP_TEST("PoCL does not give two devices");
    expect_counts(reversed, "\"hits\":1,", "\"kept\":0,");
    expect_counts(in_order, "\"hits\":1,", "\"kept\":0,");
    expect_counts(first, "\"hits\":1,", "\"kept\":0,");
    expect_counts(second, "\"hits\":1,", "\"kept\":0,");
}

/* Each load unpacks into a folder of its own where PoCL's cache is off, and
 * both into one where it is on. */
static void expect_one_entry(const char *own_cache)
{
    static const char devices[] = "POCL_DEVICES=pthread pthread";
    const struct step both = {2, {0, 1}, {0, 1}};
    const struct step reversed = {2, {0, 1}, {1, 0}};
    const struct step first = {1, {0}, {0}};
    const struct step second = {1, {1}, {1}};
    if (!expect_counts_of(
                devices, own_cache, both, "\"hits\":0,", "\"kept\":1,"))
        SKIP_TEST("PoCL does not give two devices");
    expect_counts_of(devices, own_cache, both, "\"hits\":1,", "\"kept\":0,");
    expect_counts_of(
            devices, own_cache, reversed, "\"hits\":1,", "\"kept\":0,");
    expect_counts_of(devices, own_cache, first, "\"hits\":1,", "\"kept\":0,");
    expect_counts_of(devices, own_cache, second, "\"hits\":1,", "\"kept\":0,");
}

TEST_C(LayerListOrder, OfEqualDevicesHasOneEntryWithPoclsCacheOff)
{
    expect_one_entry("POCL_KERNEL_CACHE=0");
}

TEST_C(LayerListOrder, OfEqualDevicesHasOneEntryWithPoclsCacheOn)
{
    expect_one_entry("POCL_KERNEL_CACHE=1");
}
