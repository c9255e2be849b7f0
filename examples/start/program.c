/* SPDX-License-Identifier: Apache-2.0 */
/*
 * program.c: OpenCL code of your own that starts warm.
 *
 *     cc program.c -o program \
 *         $(pkg-config --cflags --libs dnnl_cache_persistent_cache)
 *     ./program kept      compiled in 610 ms, right
 *     ./program kept      loaded in 4 ms, right
 *
 * The times are from the first call of the library to the result.
 */
#include <dnnl_cache.h>
#include <dnnl_cache/persistent_cache.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 4096 };

/* For each number from 1 on: how many steps until it is 1. */
static const char *const source =
        "__kernel void steps(__global uint *out)\n"
        "{\n"
        "    uint i = get_global_id(0), n = i + 1, steps = 0;\n"
        "    while (n != 1) {\n"
        "        n = n % 2 == 0 ? n / 2 : 3 * n + 1;\n"
        "        steps++;\n"
        "    }\n"
        "    out[i] = steps;\n"
        "}\n";
static const char *const options = "-cl-std=CL1.2";

/* Ends the program if a call fails. */
static void check(bool done, const char *call)
{
    if (done) return;
    (void)fprintf(stderr, "program: it failed: %s\n", call);
    exit(1);
}
#define CHECK(call) check((call) == dnnl_success, #call)
#define CHECK_CL(call) check((call) == CL_SUCCESS, #call)

static cl_device_id first_device(void)
{
    cl_platform_id platforms[16];
    cl_uint found = 0;
    CHECK_CL(clGetPlatformIDs(16, platforms, &found));
    for (cl_uint i = 0; i < found && i < 16; i++) {
        cl_device_id device;
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                == CL_SUCCESS)
            return device;
    }
    check(false, "finding an OpenCL device");
    return NULL;
}

static void launch(cl_context context, cl_device_id device, cl_kernel kernel,
        cl_uint *result)
{
    const size_t items = count;
    cl_int error;
    cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, device, NULL, &error);
    check(error == CL_SUCCESS, "clCreateCommandQueueWithProperties");
    cl_mem buffer = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, count * sizeof *result, NULL, &error);
    check(error == CL_SUCCESS, "clCreateBuffer");
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK_CL(clEnqueueNDRangeKernel(
            queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    CHECK_CL(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0,
            count * sizeof *result, result, 0, NULL, NULL));
    CHECK_CL(clReleaseMemObject(buffer));
    CHECK_CL(clReleaseCommandQueue(queue));
}

static bool is_right(const cl_uint *result)
{
    for (cl_uint i = 0; i < count; i++) {
        cl_uint steps = 0;
        for (cl_uint n = i + 1; n != 1; steps++)
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        if (result[i] != steps) return false;
    }
    return true;
}

static double now_ms(void)
{
    struct timespec now;
    check(timespec_get(&now, TIME_UTC) == TIME_UTC, "timespec_get");
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    static cl_uint result[count];
    if (argc != 2 || argv[1][0] == '-') {
        (void)fprintf(stderr, "usage: program FOLDER\n");
        return 2;
    }
    const char *const folder = argv[1];
    cl_int error;
    cl_device_id device = first_device();
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error == CL_SUCCESS, "clCreateContext");
    dnnl_engine_t engine;
    dnnl_cache_program_desc_t desc;
    dnnl_cache_program_t program;
    cl_kernel kernel;
    const double began = now_ms();

    /* ---- What is new ----------------------------------------------------- */
    /* Once, at the start, on the main thread; it says so if it cannot. */
    (void)dnnl_cache_persistent_set_dir(folder);
    /* An engine is the library's handle of your device and context. */
    CHECK(dnnl_ocl_interop_engine_create(&engine, device, context));

    /* For each program, in place of clCreateProgramWithSource(),
     * clBuildProgram() and clCreateKernel(). */
    CHECK(dnnl_cache_program_desc_create(
            &desc, engine, 1, &source, NULL, options));
    CHECK(dnnl_cache_program_create(&program, desc));
    CHECK(dnnl_cache_program_get_kernel(program, "steps", &kernel));

    /* ---- As it was ------------------------------------------------------- */
    launch(context, device, kernel, result);
    const double took = now_ms() - began;

    dnnl_cache_creation_info_t info = DNNL_CACHE_CREATION_INFO_INIT;
    CHECK(dnnl_cache_program_get_creation_info(program, &info));
    const bool right = is_right(result);
    printf("%s in %.0f ms, %s\n",
            info.origin == dnnl_cache_origin_store_hit ? "loaded" : "compiled",
            took, right ? "right" : "WRONG");
    CHECK_CL(clReleaseKernel(kernel));
    CHECK(dnnl_cache_program_destroy(program));
    CHECK(dnnl_cache_program_desc_destroy(desc));
    CHECK(dnnl_engine_destroy(engine));
    CHECK_CL(clReleaseContext(context));
    return right ? 0 : 3;
}
