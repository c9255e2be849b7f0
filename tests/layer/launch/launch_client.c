/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launch_client PLATFORM STEP ...: builds a program of the kernels f and g from
 * source, and does these steps:
 *
 *     KERNEL/GLOBAL/LOCAL   launches a kernel, x by y by z as in 64x2, LOCAL 0:
 *                           as the driver likes; checks the result and the
 *                           local size of work-items if that is given
 *     KERNEL/each/N         launches a kernel in the local sizes 3 to N + 2
 *     ask                   asks for the size of the binary
 *     offset                the next launch has a global offset
 *     NAME=VALUE            sets a variable
 *     kill                  ends by SIGKILL
 *
 * Exits with 0 if every value was right, 1 for a wrong one, 2 if a call failed.
 */
#include <CL/cl.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
        "kernel void f(global int *out)\n"
        "{ out[get_global_id(0) + get_global_id(1)] = 3; }\n"
        "kernel void g(global int *out)\n"
        "{ out[get_global_id(0) + get_global_id(1)] = 4; }\n";

enum { most = 1 << 17 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem out;
static int has_offset;

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "%s: %d\n", what, (int)status);
    exit(2);
}

static void find_device(const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16; i++) {
        char name[256] = "";
        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, wanted) != NULL
                && clGetDeviceIDs(
                           platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                           == CL_SUCCESS)
            return;
    }
    check(CL_DEVICE_NOT_FOUND, wanted);
}

static void build(void)
{
    const char *text = source;
    cl_int status;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    out = clCreateBuffer(
            context, CL_MEM_READ_WRITE, most * sizeof(int), NULL, &status);
    check(status, "clCreateBuffer");
    program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL),
            "clBuildProgram");
}

/* How many dimensions "64x2" has. */
static cl_uint read_sizes(const char *text, size_t sizes[3])
{
    cl_uint count = 0;
    while (count < 3) {
        char *end;
        sizes[count++] = strtoull(text, &end, 10);
        if (*end != 'x') break;
        text = end + 1;
    }
    return count;
}

static void launch(const char *name, cl_uint dimensions, const size_t global[3],
        const size_t local[3])
{
    static const size_t offset[] = {5, 0, 0};
    int value = 0;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, name, &status);
    check(status, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof out, &out), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(queue, kernel, dimensions,
                  has_offset ? offset : NULL, global,
                  local[0] != 0 ? local : NULL, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    has_offset = 0;
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 5 * sizeof value,
                  sizeof value, &value, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    clReleaseKernel(kernel);
    if (value != (name[0] == 'f' ? 3 : 4)) exit(1);
}

static void run(const char *step)
{
    const char name[] = {step[0], '\0'};
    const char *const slash = strchr(step + 2, '/');
    size_t global[3];
    size_t local[3];
    if (slash == NULL) exit(2);
    if (strncmp(step + 2, "each/", 5) != 0) {
        const cl_uint dimensions = read_sizes(step + 2, global);
        read_sizes(slash + 1, local);
        launch(name, dimensions, global, local);
        return;
    }
    const size_t last = strtoull(slash + 1, NULL, 10) + 2;
    for (local[0] = 3; local[0] <= last; local[0]++) {
        global[0] = 2 * local[0];
        launch(name, 1, global, local);
    }
}

static void take(char *step)
{
    size_t size;
    if (strchr(step, '=') != NULL)
        putenv(step);
    else if (strcmp(step, "ask") == 0)
        check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size,
                      &size, NULL),
                "clGetProgramInfo");
    else if (strcmp(step, "offset") == 0)
        has_offset = 1;
    else if (strcmp(step, "kill") == 0)
        raise(SIGKILL);
    else
        run(step);
}

int main(int argc, char **argv)
{
    if (argc < 2) return 64;
    find_device(argv[1]);
    build();
    for (int i = 2; i < argc; i++)
        take(argv[i]);
    clReleaseProgram(program);
    clReleaseMemObject(out);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
