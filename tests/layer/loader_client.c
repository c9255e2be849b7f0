/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: loader_client
 * An application for scripts/loaders.py, which starts it with several loaders:
 * linked with libOpenCL.so.1 and nothing else of ours, on the first device that
 * its loader has. Builds three programs, launches a kernel of each on the
 * numbers from 0 on, and prints what became of them. Ends with 0 if each is
 * right.
 */
#include <CL/cl.h>

#include <stdio.h>
#include <stdlib.h>

enum { program_count = 3, item_count = 64 };

struct client {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_mem buffer;
};

static void check(cl_int error, const char *what)
{
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "loader_client: %s: %d\n", what, (int)error);
    exit(1);
}

/* Which one it is says dnnl-cache-run; that there is one, this. */
static void open_client(struct client *c)
{
    cl_platform_id platform;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &c->device, NULL),
            "clGetDeviceIDs");
    c->context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &error);
    check(error, "clCreateContext");
    c->queue = clCreateCommandQueue(c->context, c->device, 0, &error);
    check(error, "clCreateCommandQueue");
    c->buffer = clCreateBuffer(c->context, CL_MEM_READ_WRITE,
            item_count * sizeof(float), NULL, &error);
    check(error, "clCreateBuffer");
}

static void close_client(const struct client *c)
{
    check(clReleaseMemObject(c->buffer), "clReleaseMemObject");
    check(clReleaseCommandQueue(c->queue), "clReleaseCommandQueue");
    check(clReleaseContext(c->context), "clReleaseContext");
}

static void launch(const struct client *c, cl_program program)
{
    const size_t global = item_count;
    const size_t local = item_count / 4;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    check(error, "clCreateKernel");
    check(clSetKernelArg(kernel, 0, sizeof c->buffer, &c->buffer),
            "clSetKernelArg");
    check(clEnqueueNDRangeKernel(
                  c->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
            "clEnqueueNDRangeKernel");
    check(clFinish(c->queue), "clFinish");
    check(clReleaseKernel(kernel), "clReleaseKernel");
}

/* The sum of what the kernel wrote. */
static float run_program(const struct client *c, int number)
{
    char text[160];
    const char *source = text;
    float values[item_count];
    float sum = 0;
    cl_int error;
    (void)snprintf(text, sizeof text,
            "kernel void f(global float *x)\n"
            "{ size_t i = get_global_id(0); x[i] = i * BASE + %d; }\n",
            number);
    cl_program program =
            clCreateProgramWithSource(c->context, 1, &source, NULL, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &c->device, "-DBASE=2", NULL, NULL),
            "clBuildProgram");
    launch(c, program);
    check(clEnqueueReadBuffer(c->queue, c->buffer, CL_TRUE, 0, sizeof values,
                  values, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    for (int i = 0; i < item_count; i++)
        sum += values[i];
    check(clReleaseProgram(program), "clReleaseProgram");
    return sum;
}

int main(void)
{
    struct client client;
    int wrong = 0;
    open_client(&client);
    for (int i = 0; i < program_count; i++) {
        const float sum = run_program(&client, i);
        /* Twice the numbers below item_count, and i for each of them. */
        const float expected =
                (float)(item_count * (item_count - 1) + i * item_count);
        wrong |= sum < expected || sum > expected;
        printf("%g\n", (double)sum);
    }
    close_client(&client);
    return wrong;
}
