/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transforms.c: an application of clFFT's. Writes what three transforms of
 * fixed data give, forth and back, to a file: complex and real, of one and two
 * dimensions, in place and not.
 *
 *     transforms FILE
 */
#include <clFFT.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { max_points = 4 * 1024 };

struct transform {
    clfftDim dims;
    size_t lengths[2];
    size_t batch;
    bool real, in_place;
};

static const struct transform transforms[] = {
        {CLFFT_1D, {1024, 1}, 4, false, true},
        {CLFFT_1D, {60, 1}, 2, false, false},
        {CLFFT_2D, {16, 32}, 1, true, false},
};

struct device {
    cl_context context;
    cl_command_queue queue;
};

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS) return;
    fprintf(stderr, "transforms: %s failed with %d\n", what, (int)status);
    exit(1);
}

static void open_device(struct device *device)
{
    cl_platform_id platform;
    cl_device_id id;
    cl_int error;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL),
            "clGetDeviceIDs");
    device->context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    check(error, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, id, 0, &error);
    check(error, "clCreateCommandQueue");
}

static cl_mem make_buffer(const struct device *device, size_t size)
{
    cl_int error;
    cl_mem buffer = clCreateBuffer(
            device->context, CL_MEM_READ_WRITE, size, NULL, &error);
    check(error, "clCreateBuffer");
    return buffer;
}

static clfftPlanHandle make_plan(const struct device *device,
        const struct transform *transform, bool back)
{
    const size_t *lengths = transform->lengths;
    const size_t half = lengths[0] / 2 + 1;
    clfftPlanHandle plan;
    clfftLayout from = CLFFT_COMPLEX_INTERLEAVED, to = from;
    check(clfftCreateDefaultPlan(
                  &plan, device->context, transform->dims, lengths),
            "clfftCreateDefaultPlan");
    if (transform->real) {
        size_t real_strides[] = {1, lengths[0]};
        size_t strides[] = {1, half};
        from = back ? CLFFT_HERMITIAN_INTERLEAVED : CLFFT_REAL;
        to = back ? CLFFT_REAL : CLFFT_HERMITIAN_INTERLEAVED;
        clfftSetPlanInStride(
                plan, transform->dims, back ? strides : real_strides);
        clfftSetPlanOutStride(
                plan, transform->dims, back ? real_strides : strides);
        clfftSetPlanDistance(plan, (back ? half : lengths[0]) * lengths[1],
                (back ? lengths[0] : half) * lengths[1]);
    }
    clfftSetPlanPrecision(plan, CLFFT_SINGLE);
    clfftSetLayout(plan, from, to);
    clfftSetResultLocation(
            plan, transform->in_place ? CLFFT_INPLACE : CLFFT_OUTOFPLACE);
    clfftSetPlanBatchSize(plan, transform->batch);
    check(clfftBakePlan(
                  plan, 1, (cl_command_queue *)&device->queue, NULL, NULL),
            "clfftBakePlan");
    return plan;
}

static void run(const struct device *device, clfftPlanHandle plan, bool back,
        cl_mem *from, cl_mem *to)
{
    check(clfftEnqueueTransform(plan, back ? CLFFT_BACKWARD : CLFFT_FORWARD, 1,
                  (cl_command_queue *)&device->queue, 0, NULL, NULL, from, to,
                  NULL),
            "clfftEnqueueTransform");
}

static void write_buffer(const struct device *device, cl_mem buffer,
        size_t size, void *data, FILE *file)
{
    check(clEnqueueReadBuffer(
                  device->queue, buffer, CL_TRUE, 0, size, data, 0, NULL, NULL),
            "clEnqueueReadBuffer");
    if (fwrite(data, 1, size, file) != size) check(-1, "fwrite");
}

/* There, and back again. */
static void transform_data(const struct device *device,
        const struct transform *transform, FILE *file)
{
    static float data[2 * max_points + 256];
    const size_t points =
            transform->lengths[0] * transform->lengths[1] * transform->batch;
    const size_t values = transform->real ? points : 2 * points;
    const size_t half = transform->lengths[0] / 2 + 1;
    const size_t spectrum =
            2 * (transform->real ? half * transform->lengths[1] : points);
    cl_mem a = make_buffer(device, sizeof data);
    cl_mem b = make_buffer(device, sizeof data);
    for (size_t i = 0; i < values; i++)
        data[i] = (float)((i * 37 + 11) % 101) / 101.0F;
    check(clEnqueueWriteBuffer(device->queue, a, CL_TRUE, 0,
                  values * sizeof *data, data, 0, NULL, NULL),
            "clEnqueueWriteBuffer");
    clfftPlanHandle forth = make_plan(device, transform, false);
    clfftPlanHandle back =
            transform->real ? make_plan(device, transform, true) : forth;
    run(device, forth, false, &a, transform->in_place ? NULL : &b);
    write_buffer(device, transform->in_place ? a : b, spectrum * sizeof *data,
            data, file);
    run(device, back, true, transform->in_place ? &a : &b,
            transform->in_place ? NULL : &a);
    write_buffer(device, a, values * sizeof *data, data, file);
    if (back != forth) clfftDestroyPlan(&back);
    clfftDestroyPlan(&forth);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

int main(int argc, char **argv)
{
    struct device device;
    clfftSetupData setup;
    FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: transforms FILE\n");
        return 2;
    }
    open_device(&device);
    check(clfftInitSetupData(&setup), "clfftInitSetupData");
    check(clfftSetup(&setup), "clfftSetup");
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        transform_data(&device, &transforms[i], file);
    check(clfftTeardown(), "clfftTeardown");
    clReleaseCommandQueue(device.queue);
    clReleaseContext(device.context);
    return fclose(file) == 0 ? 0 : 1;
}
