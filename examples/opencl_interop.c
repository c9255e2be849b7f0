/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl_interop.c: an application with a context, a queue, a buffer and a
 * kernel of its own, and a primitive that uses them. The kernel writes numbers,
 * the primitive applies relu to them in place, and the application reads them.
 * The queue is in order, so no waiting is needed in between.
 *
 *     opencl_interop              on the first GPU, or another device
 *     opencl_interop PLATFORM     on one of a platform with that in its name
 */
#include "support/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 100 };

static const char *const source =
        "__kernel void count_down(__global float *out)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    out[i] = 10 - i;\n"
        "}\n";

/* End the program if a call fails. */
static void check(dnnl_status_t status, const char *call)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "opencl_interop: %s: %s\n", call, dnnl_status2str(status));
    exit(1);
}
#define CHECK(call) check(call, #call)

static void check_cl(cl_int error, const char *call)
{
    if (error == CL_SUCCESS) return;
    fprintf(stderr, "opencl_interop: %s: OpenCL error %d\n", call, (int)error);
    exit(1);
}
#define CHECK_CL(call) check_cl(call, #call)

/* ---- The application's own OpenCL ---------------------------------------- */

static cl_kernel make_kernel(const struct device *device)
{
    cl_int error;
    const char *text = source;
    cl_program program =
            clCreateProgramWithSource(device->context, 1, &text, NULL, &error);
    check_cl(error, "clCreateProgramWithSource");
    CHECK_CL(clBuildProgram(program, 1, &device->id, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "count_down", &error);
    check_cl(error, "clCreateKernel");
    clReleaseProgram(program); /* the kernel keeps it */
    return kernel;
}

static void enqueue_count_down(
        cl_command_queue queue, cl_kernel kernel, cl_mem buffer)
{
    const size_t items = count;
    CHECK_CL(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    CHECK_CL(clEnqueueNDRangeKernel(
            queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
}

/* ---- The library, on top of it ------------------------------------------- */

/* All objects of the library refer to the application's, and keep them alive.
 */
struct relu {
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_memory_t memory;
    dnnl_primitive_t primitive;
};

static void relu_init(struct relu *r, const struct device *device,
        cl_command_queue queue, cl_mem buffer)
{
    dnnl_memory_desc_t md;
    dnnl_primitive_desc_t pd;
    CHECK(dnnl_ocl_interop_engine_create(
            &r->engine, device->id, device->context));
    CHECK(dnnl_ocl_interop_stream_create(&r->stream, r->engine, queue));
    CHECK(dnnl_memory_desc_create_with_tag(
            &md, 1, (dnnl_dims_t){count}, dnnl_f32, dnnl_x));
    CHECK(dnnl_ocl_interop_memory_create(
            &r->memory, md, r->engine, dnnl_ocl_interop_buffer, buffer));
    CHECK(dnnl_eltwise_forward_primitive_desc_create(&pd, r->engine,
            dnnl_forward_inference, dnnl_eltwise_relu, md, md, 0.0f, 0.0f,
            NULL));
    CHECK(dnnl_primitive_create(&r->primitive, pd));
    CHECK(dnnl_primitive_desc_destroy(pd));
    CHECK(dnnl_memory_desc_destroy(md));
}

static void enqueue_relu(const struct relu *r)
{
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, r->memory}, {DNNL_ARG_DST, r->memory}};
    CHECK(dnnl_primitive_execute(r->primitive, r->stream, 2, args));
}

static void relu_fini(const struct relu *r)
{
    CHECK(dnnl_primitive_destroy(r->primitive));
    CHECK(dnnl_memory_destroy(r->memory));
    CHECK(dnnl_stream_destroy(r->stream));
    CHECK(dnnl_engine_destroy(r->engine));
}

int main(int argc, char **argv)
{
    struct device device;
    struct relu relu;
    float result[count];
    bool right = true;
    cl_int error;
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        printf("usage: opencl_interop [PART OF THE PLATFORM'S NAME]\n");
        return 0;
    }
    if (!device_open(&device, argc > 1 ? argv[1] : "")) return 1;
    cl_command_queue queue =
            clCreateCommandQueue(device.context, device.id, 0, &error);
    check_cl(error, "clCreateCommandQueue");
    cl_mem buffer = clCreateBuffer(
            device.context, CL_MEM_READ_WRITE, sizeof result, NULL, &error);
    check_cl(error, "clCreateBuffer");
    cl_kernel kernel = make_kernel(&device);
    relu_init(&relu, &device, queue, buffer);

    enqueue_count_down(queue, kernel, buffer);
    enqueue_relu(&relu);
    CHECK_CL(clEnqueueReadBuffer(
            queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));

    int positive = 0;
    for (int i = 0; i < count; i++) {
        if (result[i] > 0.0f) positive++;
        if (result[i] != (i < 10 ? (float)(10 - i) : 0.0f)) right = false;
    }
    printf("on %s: %d of %d numbers are positive, %s\n", device.name, positive,
            count, right ? "right" : "WRONG");
    relu_fini(&relu);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    device_close(&device);
    return right ? 0 : 3;
}
