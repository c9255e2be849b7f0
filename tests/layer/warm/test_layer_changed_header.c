/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PoCL's own header changes while a process that has the layer builds programs:
 * what it compiles then is not found by a process with the header as it was.
 * The header is a copy in a mount namespace, which only root may make.
 */
#include "layer_process.h"
#include "test.h"

#include <CL/cl.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

enum { path_size = 512, cannot_be_tested = 77 };

static const char first_source[] =
        "kernel void f(global int *o) { o[0] = 7; }\n";
/* Says which header the compiler has read. */
static const char second_source[] = "kernel void f(global int *o) {\n"
                                    "#ifdef DNNL_CACHE_TEST_PROBE\n"
                                    "o[0] = 2;\n"
                                    "#else\n"
                                    "o[0] = 1;\n"
                                    "#endif\n"
                                    "}\n";

static const char *const headers[] = {"/usr/share/pocl/include/_kernel.h",
        "/usr/local/share/pocl/include/_kernel.h"};

static const char *find_header(void)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (access(headers[i], R_OK) == 0) return headers[i];
    return NULL;
}

static const char *in_folder(char path[path_size], const char *name)
{
    (void)snprintf(path, path_size, "%.400s/%s", test_directory(), name);
    return path;
}

static cl_device_id find_device(void)
{
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_device_id device = NULL;
    if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS) return NULL;
    for (cl_uint i = 0; i < count && device == NULL; i++) {
        char name[128] = "";
        (void)clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcmp(name, "Portable Computing Language") == 0)
            (void)clGetDeviceIDs(
                    platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL);
    }
    return device;
}

/* What the program's kernel writes. */
static int value_of(cl_context context, cl_device_id device, const char *source)
{
    const size_t one = 1;
    cl_int value = -1;
    cl_int error = CL_SUCCESS;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    cl_mem out = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, sizeof value, NULL, &error);
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof out, &out));
    EXPECT_EQ(CL_SUCCESS, clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one,
                                  NULL, 0, NULL, NULL));
    EXPECT_EQ(CL_SUCCESS, clEnqueueReadBuffer(queue, out, CL_TRUE, 0,
                                  sizeof value, &value, 0, NULL, NULL));
    (void)clReleaseCommandQueue(queue);
    (void)clReleaseMemObject(out);
    (void)clReleaseKernel(kernel);
    (void)clReleaseProgram(program);
    return value;
}

/* The header as it was, with a line more if asked to, in place. */
static void write_header(const char *line)
{
    char command[3 * path_size];
    char path[path_size];
    char original[path_size];
    (void)snprintf(command, sizeof command, "(printf '%s'; cat '%s') >'%s'",
            line, in_folder(original, "original.h"), in_folder(path, "copy.h"));
    EXPECT_EQ(0, system(command));
}

static bool mount_copy(void)
{
    char path[path_size];
    return unshare(CLONE_NEWNS) == 0
           && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
           && mount(in_folder(path, "copy.h"), find_header(), NULL, MS_BIND,
                      NULL)
                      == 0;
}

struct step {
    bool is_updated; /* before the second program is built */
    int expected;    /* of it */
};

static int use_programs(void *user)
{
    const struct step *s = user;
    cl_int error = CL_SUCCESS;
    if (!mount_copy()) exit(cannot_be_tested);
    cl_device_id device = find_device();
    if (device == NULL) exit(cannot_be_tested);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    EXPECT_EQ(CL_SUCCESS, error);
    EXPECT_EQ(7, value_of(context, device, first_source));
    if (s->is_updated) write_header("#define DNNL_CACHE_TEST_PROBE 1\\n");
    EXPECT_EQ(s->expected, value_of(context, device, second_source));
    (void)clReleaseContext(context);
    exit(test_has_failed() ? EXIT_FAILURE : EXIT_SUCCESS); /* the layer's end */
}

static int run_step(struct step step)
{
    char store[path_size + 32];
    char pocl[path_size + 32];
    char path[path_size];
    (void)snprintf(
            store, sizeof store, "DNNL_CACHE_DIR=%s", in_folder(path, "store"));
    (void)snprintf(
            pocl, sizeof pocl, "POCL_CACHE_DIR=%s", in_folder(path, "pocl"));
    const char *const variables[] = {
            "OPENCL_LAYERS=" LAYER, store, pocl, "POCL_KERNEL_CACHE=0", NULL};
    return layer_process_run(variables, use_programs, &step);
}

TEST_C(LayerChangedHeader, MakesNoEntryOfTheHeaderAsItWas)
{
    char command[3 * path_size];
    char path[path_size];
    if (find_header() == NULL) SKIP_TEST("PoCL is not here");
    (void)snprintf(command, sizeof command, "cp '%s' '%s'", find_header(),
            in_folder(path, "original.h"));
    EXPECT_EQ(0, system(command));
    write_header("");
    const int result = run_step((struct step){true, 2});
    if (result == cannot_be_tested)
        SKIP_TEST("no mount namespace (needs root), or no PoCL");
    EXPECT_EQ(0, result);
    write_header("");
    EXPECT_EQ(0, run_step((struct step){false, 1}));
}
