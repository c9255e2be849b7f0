/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warm_client PLATFORM THREADS ROUNDS [GATE]: each thread builds the same
 * programs from source, runs a kernel of each, compares what it made, and
 * releases them, again and again; begins when the pipe GATE is closed at its
 * other end. With WARM_CLIENT_ASKS in the environment it asks for the size of
 * each binary before it runs a kernel. Exits with 0 if every value was right, 1
 * for a wrong one, 2 if a call failed.
 */
#include <CL/cl.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PROGRAMS = 2, ITEMS = 64, MOST_THREADS = 64 };

static const char *const sources[PROGRAMS] = {
        "kernel void f(global int *out)\n"
        "{ out[get_global_id(0)] = 3 * (int)get_global_id(0) + 1; }\n",
        "kernel void f(global int *out)\n"
        "{ out[get_global_id(0)] = 5 * (int)get_global_id(0) + 2; }\n"};
static const int factors[PROGRAMS] = {3, 5};

static cl_context context;
static cl_device_id device;
static int rounds;
static pthread_barrier_t gate;
static atomic_int result;

static void fail(int code, const char *what, cl_int status)
{
    fprintf(stderr, "%s: %d\n", what, (int)status);
    atomic_store(&result, code);
}

static void check(const int *values, int program)
{
    for (int i = 0; i < ITEMS; i++)
        if (values[i] != factors[program] * i + program + 1) {
            fail(1, "wrong value", values[i]);
            return;
        }
}

static void run_kernel(cl_command_queue queue, cl_program program, int index)
{
    const size_t items = ITEMS;
    const size_t group = 16;
    int values[ITEMS] = {0};
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "f", &status);
    cl_mem out = clCreateBuffer(
            context, CL_MEM_WRITE_ONLY, sizeof(values), NULL, NULL);

    if (kernel == NULL || out == NULL) {
        fail(2, "clCreateKernel", status);
        return;
    }
    clSetKernelArg(kernel, 0, sizeof(out), &out);
    status = clEnqueueNDRangeKernel(
            queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        status = clEnqueueReadBuffer(
                queue, out, CL_TRUE, 0, sizeof(values), values, 0, NULL, NULL);
    if (status == CL_SUCCESS)
        check(values, index);
    else
        fail(2, "clEnqueueNDRangeKernel", status);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
}

static void run_program(cl_command_queue queue, int index)
{
    const char *source = sources[index];
    size_t size = 0;
    cl_int status;
    cl_program program =
            clCreateProgramWithSource(context, 1, &source, NULL, &status);

    if (program != NULL)
        status = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (status == CL_SUCCESS && getenv("WARM_CLIENT_ASKS") != NULL)
        status = clGetProgramInfo(
                program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
    if (status == CL_SUCCESS)
        run_kernel(queue, program, index);
    else
        fail(2, "clBuildProgram", status);
    clReleaseProgram(program);
}

static void *work(void *unused)
{
    cl_int status;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);

    if (queue == NULL) fail(2, "clCreateCommandQueue", status);
    for (int round = 0; round < rounds; round++)
        for (int index = 0; index < PROGRAMS; index++) {
            pthread_barrier_wait(&gate);
            run_program(queue, index);
        }
    if (queue != NULL) clReleaseCommandQueue(queue);
    return unused;
}

static void run_threads(unsigned count)
{
    pthread_t threads[MOST_THREADS];

    pthread_barrier_init(&gate, NULL, count);
    for (unsigned i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, work, NULL) != 0) abort();
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&gate);
}

static int find_device(const char *wanted)
{
    enum { MOST = 16 };
    cl_platform_id platforms[MOST];
    cl_uint count = 0;

    if (clGetPlatformIDs(MOST, platforms, &count) != CL_SUCCESS) return 0;
    for (cl_uint i = 0; i < count && i < MOST; i++) {
        char name[256] = "";

        clGetPlatformInfo(
                platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strstr(name, wanted) != NULL
                && clGetDeviceIDs(
                           platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL)
                           == CL_SUCCESS)
            return 1;
    }
    return 0;
}

static void wait_at(int file)
{
    char byte;

    while (read(file, &byte, 1) > 0)
        continue;
    close(file);
}

int main(int argc, char **argv)
{
    unsigned threads;

    if (argc < 4) return 64;
    threads = (unsigned)strtoul(argv[2], NULL, 10);
    rounds = (int)strtol(argv[3], NULL, 10);
    if (threads < 1 || threads > MOST_THREADS || !find_device(argv[1]))
        return 65;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (context == NULL) return 66;
    if (argc > 4) wait_at((int)strtol(argv[4], NULL, 10));
    run_threads(threads);
    clReleaseContext(context);
    return atomic_load(&result);
}
