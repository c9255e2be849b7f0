/* SPDX-License-Identifier: Apache-2.0 */
#include "layer_task.h"

#include "failure.h"
#include "samples.h"

#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PLATFORMS = 16, ELEMENTS = 256 };

/* A product of matrices of TILE x TILE, once in each work-group. */
static const char source[] =
        "__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
        "void multiply(const __global float *a, __global float *b)\n"
        "{\n"
        "    __local float left[TILE][TILE];\n"
        "    __local float right[TILE][TILE];\n"
        "    int x = get_local_id(0), y = get_local_id(1);\n"
        "    float sum = 0.0f;\n"
        "    left[y][x] = a[y * TILE + x];\n"
        "    right[y][x] = b[y * TILE + x];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    for (int i = 0; i < TILE; i++)\n"
        "        sum += left[y][i] * right[i][x];\n"
        "    b[y * TILE + x] = sum;\n"
        "}\n";

/* The application. */
struct app {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem memory[2];
};

/* ---- Opening ------------------------------------------------------------- */

static bool find_device(struct app *app, const char *wanted)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint count = 0;
    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
        char name[256] = "";
        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strcasestr(name, wanted != NULL ? wanted : "") != NULL
                && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1,
                           &app->device, NULL)
                           == CL_SUCCESS)
            return true;
    }
    failure_set("no OpenCL device of a platform named %s",
            wanted != NULL ? wanted : "anything");
    return false;
}

static bool app_open(struct app *app, const char *platform)
{
    cl_int error = CL_SUCCESS;
    memset(app, 0, sizeof *app);
    if (!find_device(app, platform)) return false;
    app->context = clCreateContext(NULL, 1, &app->device, NULL, NULL, &error);
    if (!cl_succeeded(error, "clCreateContext")) return false;
    app->queue = clCreateCommandQueueWithProperties(
            app->context, app->device, NULL, &error);
    for (int i = 0; error == CL_SUCCESS && i < 2; i++)
        app->memory[i] = clCreateBuffer(app->context, CL_MEM_READ_WRITE,
                ELEMENTS * sizeof(float), NULL, &error);
    return cl_succeeded(error, "a queue and its memory");
}

static void app_close(struct app *app)
{
    for (int i = 0; i < 2; i++)
        if (app->memory[i] != NULL) clReleaseMemObject(app->memory[i]);
    if (app->queue != NULL) clReleaseCommandQueue(app->queue);
    if (app->context != NULL) clReleaseContext(app->context);
}

/* ---- Programs ------------------------------------------------------------ */

static cl_kernel build(cl_program program, const char *options)
{
    cl_kernel kernel = NULL;
    cl_int error = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (cl_succeeded(error, "clBuildProgram")) {
        kernel = clCreateKernel(program, "multiply", &error);
        cl_succeeded(error, "clCreateKernel");
    }
    return kernel;
}

/* The kernel, which keeps its program; how long it took. */
static cl_kernel build_source(
        const struct app *app, const char *options, double *ns)
{
    const char *text = source;
    const uint64_t start = clock_ns();
    cl_int error;
    cl_program program =
            clCreateProgramWithSource(app->context, 1, &text, NULL, &error);
    if (!cl_succeeded(error, "clCreateProgramWithSource")) return NULL;
    cl_kernel kernel = build(program, options);
    *ns = (double)(clock_ns() - start);
    clReleaseProgram(program);
    return kernel;
}

static bool run(const struct app *app, cl_kernel kernel, size_t tile)
{
    const size_t size[2] = {tile, tile};
    cl_int error = CL_SUCCESS;
    for (cl_uint i = 0; error == CL_SUCCESS && i < 2; i++)
        error = clSetKernelArg(kernel, i, sizeof(cl_mem), &app->memory[i]);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(
                app->queue, kernel, 2, NULL, size, size, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(app->queue);
    return cl_succeeded(error, "a run");
}

static bool task_build(const struct app *app, double *values)
{
    cl_kernel first =
            build_source(app, "-DTILE=16", &values[layer_build_first]);
    cl_kernel next = NULL;
    bool done = first != NULL;
    if (done) {
        const uint64_t start = clock_ns();
        done = run(app, first, 16);
        values[layer_build_run] = (double)(clock_ns() - start);
    }
    if (done) next = build_source(app, "-DTILE=8", &values[layer_build_next]);
    done = done && next != NULL && run(app, next, 8);
    if (first != NULL) clReleaseKernel(first);
    if (next != NULL) clReleaseKernel(next);
    return done;
}

/* As frameworks do: all that may be needed is built, and a tenth is used. */
static bool task_many(const struct app *app, double *values)
{
    enum { PROGRAMS = 30, USED = 3, TILE = 8 };
    cl_program programs[PROGRAMS] = {NULL};
    cl_kernel kernels[USED] = {NULL};
    const char *text = source;
    cl_int error = CL_SUCCESS;
    bool done = true;
    const uint64_t start = clock_ns();
    for (int i = 0; done && i < PROGRAMS; i++) {
        char options[64];
        (void)snprintf(options, sizeof options, "-DTILE=%d -DOF=%d", TILE, i);
        programs[i] =
                clCreateProgramWithSource(app->context, 1, &text, NULL, &error);
        if (error == CL_SUCCESS)
            error = clBuildProgram(programs[i], 0, NULL, options, NULL, NULL);
        done = cl_succeeded(error, "one of many programs");
    }
    for (int i = 0; done && i < USED; i++) {
        kernels[i] = clCreateKernel(programs[i * 10], "multiply", &error);
        done = cl_succeeded(error, "clCreateKernel");
    }
    values[layer_many_kernels] = (double)(clock_ns() - start);
    for (int i = 0; done && i < USED; i++)
        done = run(app, kernels[i], TILE);
    values[layer_many_runs] = (double)(clock_ns() - start);
    for (int i = 0; i < USED; i++)
        if (kernels[i] != NULL) clReleaseKernel(kernels[i]);
    for (int i = 0; i < PROGRAMS; i++)
        if (programs[i] != NULL) clReleaseProgram(programs[i]);
    return done;
}

/* ---- Calls --------------------------------------------------------------- */

/* A kernel that the layer may have replaced, and objects that it leaves to the
 * driver: a program from a binary, and its kernel. */
struct objects {
    const struct app *app;
    cl_kernel replaced;
    cl_program program;
    cl_kernel kernel;
};

static bool from_binary(struct objects *o, cl_program origin)
{
    unsigned char *binary = NULL;
    size_t size = 0;
    cl_int error = clGetProgramInfo(
            origin, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL);
    if (error == CL_SUCCESS && size > 0) binary = malloc(size);
    if (binary != NULL)
        error = clGetProgramInfo(
                origin, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL);
    if (binary != NULL && error == CL_SUCCESS)
        o->program =
                clCreateProgramWithBinary(o->app->context, 1, &o->app->device,
                        &size, (const unsigned char **)&binary, NULL, &error);
    free(binary);
    if (!cl_succeeded(error, "a program from a binary")) return false;
    if (o->program == NULL) failure_set("the driver has no binaries");
    if (o->program != NULL) o->kernel = build(o->program, "-DTILE=16");
    return o->kernel != NULL;
}

static void call(const struct objects *o, enum layer_call which)
{
    cl_uint value;
    switch (which) {
    case layer_call_set_argument:
        clSetKernelArg(o->replaced, 0, sizeof(cl_mem), &o->app->memory[0]);
        break;
    case layer_call_device_info:
        clGetDeviceInfo(o->app->device, CL_DEVICE_VENDOR_ID, sizeof value,
                &value, NULL);
        break;
    case layer_call_retain_memory:
        clRetainMemObject(o->app->memory[0]);
        clReleaseMemObject(o->app->memory[0]);
        break;
    case layer_call_kernel_info:
        clGetKernelInfo(
                o->kernel, CL_KERNEL_NUM_ARGS, sizeof value, &value, NULL);
        break;
    case layer_call_program_info:
        clGetProgramInfo(
                o->program, CL_PROGRAM_NUM_DEVICES, sizeof value, &value, NULL);
        break;
    case layer_call_retain_kernel:
        clRetainKernel(o->kernel);
        clReleaseKernel(o->kernel);
        break;
    case layer_call_retain_program:
        clRetainProgram(o->program);
        clReleaseProgram(o->program);
        break;
    }
}

/* The fastest of some batches: what disturbs only makes calls slower. */
static double time_call(const struct objects *o, enum layer_call which)
{
    enum { BATCHES = 25, CALLS = 10000 };
    double fastest = 0;
    for (int batch = 0; batch < BATCHES; batch++) {
        const uint64_t start = clock_ns();
        for (int i = 0; i < CALLS; i++)
            call(o, which);
        const double ns = (double)(clock_ns() - start) / (double)CALLS;
        if (batch == 0 || ns < fastest) fastest = ns;
    }
    return fastest;
}

static bool task_calls(const struct app *app, double *values)
{
    struct objects objects = {.app = app};
    cl_program origin = NULL;
    double unused;
    objects.replaced = build_source(app, "-DTILE=16", &unused);
    bool done = objects.replaced != NULL
                && clGetKernelInfo(objects.replaced, CL_KERNEL_PROGRAM,
                           sizeof origin, &origin, NULL)
                           == CL_SUCCESS
                && from_binary(&objects, origin);
    for (int i = 0; done && i < LAYER_VALUES; i++)
        values[i] = time_call(&objects, (enum layer_call)i);
    if (objects.kernel != NULL) clReleaseKernel(objects.kernel);
    if (objects.program != NULL) clReleaseProgram(objects.program);
    if (objects.replaced != NULL) clReleaseKernel(objects.replaced);
    return done;
}

bool layer_task_run(
        enum layer_task task, const char *platform, double values[LAYER_VALUES])
{
    struct app app;
    bool done = app_open(&app, platform);
    if (done && task == layer_task_build) done = task_build(&app, values);
    if (done && task == layer_task_calls) done = task_calls(&app, values);
    if (done && task == layer_task_many) done = task_many(&app, values);
    app_close(&app);
    return done;
}
