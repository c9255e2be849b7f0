/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that a real driver (PoCL) loads when it must: what was not used was
 * not loaded, and what was computes the right numbers, in the process and with
 * a fork() between the build and the kernel.
 */
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { path_size = 512, cannot_be_tested = 77, programs = 4, used = 2 };

struct plan {
    bool forks;
};

static bool find_device(cl_device_id *device)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return false;
    for (cl_uint i = 0; i < count && i < 8; i++) {
        char name[128] = "";
        (void)clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language") == 0)
            return clGetDeviceIDs(
                           platforms[i], CL_DEVICE_TYPE_ALL, 1, device, NULL)
                   == CL_SUCCESS;
    }
    return false;
}

static cl_program make(cl_context context, int number)
{
    char text[128];
    const char *source = text;
    cl_int error = CL_SUCCESS;
    (void)snprintf(text, sizeof text,
            "kernel void f(global int *o) { o[get_global_id(0)] = %d; }",
            40 + number);
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return program;
}

static int value_of(
        cl_context context, cl_command_queue queue, cl_program program)
{
    const size_t one = 1;
    cl_int value = -1;
    cl_int error = CL_SUCCESS;
    cl_mem out = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, sizeof value, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof out, &out));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  &one, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, out, CL_TRUE, 0,
                                  sizeof value, &value, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clReleaseKernel(kernel));
    (void)clReleaseMemObject(out);
    return value;
}

static void fork_once(void)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    EXPECT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
}

static int build_many_and_use_few(void *user)
{
    const struct plan *plan = user;
    cl_program all[programs];
    cl_device_id device;
    cl_int error = CL_SUCCESS;
    if (!find_device(&device)) exit(cannot_be_tested);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, NULL);
    for (int i = 0; i < programs; i++)
        all[i] = make(context, i);
    if (plan->forks) fork_once();
    for (int i = 0; i < used; i++)
        EXPECT_EQ(40 + i, value_of(context, queue, all[i]));
    for (int i = 0; i < programs; i++)
        EXPECT_EQ(CL_SUCCESS, clReleaseProgram(all[i]));
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseContext(context);
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS); /* the layer's end */
}

static const char *in_folder(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%.400s/%s", test_directory(), name);
    return path;
}

/* False: it cannot be tested. */
static bool expect_counts(struct plan plan, unsigned hits, unsigned unloaded)
{
    char path[path_size];
    char store[path_size + 32];
    char pocl[path_size + 32];
    char counts[path_size + 32];
    char wanted[2][64];
    (void)snprintf(
            store, sizeof store, "DNNL_CACHE_DIR=%s", in_folder(path, "store"));
    (void)snprintf(
            pocl, sizeof pocl, "POCL_CACHE_DIR=%s", in_folder(path, "pocl"));
    (void)snprintf(counts, sizeof counts, "DNNL_CACHE_STATS=%s",
            in_folder(path, "counts"));
    const char *const variables[] = {"OPENCL_LAYERS=" LAYER,
            "POCL_KERNEL_CACHE=0", store, pocl, counts, NULL};
    (void)unlink(path);
    const int code =
            layer_process_run(variables, build_many_and_use_few, &plan);
    if (code == cannot_be_tested) return false;
    EXPECT_EQ(0, code);
    char *text = layer_process_read_file(path);
    (void)snprintf(wanted[0], sizeof wanted[0], "\"hits\":%u,", hits);
    (void)snprintf(
            wanted[1], sizeof wanted[1], "\"unloaded_hits\":%u,", unloaded);
    for (int i = 0; i < 2; i++)
        if (text == NULL || strstr(text, wanted[i]) == NULL)
            test_fail(__FILE__, __LINE__, "not %s in %s", wanted[i],
                    text != NULL ? text : "nothing");
    free(text);
    return true;
}

/* The journal has what was launched; the process makes the binaries itself. */
TEST_C(LayerLazyDevice, LoadsWhatIsUsed)
{
    const struct plan plain = {false};
    const struct plan forking = {true};
    if (!expect_counts(plain, 0, 0)) SKIP_TEST("there is no PoCL");
    expect_counts(plain, programs, 0);
    expect_counts(plain, programs, programs - used);
    expect_counts(forking, programs, 0);
}
