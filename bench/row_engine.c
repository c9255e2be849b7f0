/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine's blob beside what could be kept in its place: the driver's
 * binary of the probe, from which the facts are asked anew.
 */
#include "row.h"

#include "failure.h"
#include "replay.h"

enum { PAIRS = 101, MOST_PAIRS = 2001 };

/* The binary of the probe, made by the driver alone. */
static bool probe_binary(struct bench *bench, struct bytes *binary)
{
    cl_program program;
    cl_kernel kernel;
    if (!bench_need_engine(bench)) return false;
    cl_context context = device_context(&bench->device);
    if (context == NULL) return false;
    bool done = replay_source(&bench->device, context, &bench->probe.recipe,
            binary, &program, &kernel);
    if (done) {
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    clReleaseContext(context);
    return done;
}

bool measure_engine_blob_size(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct bytes binary = {NULL, 0};
    (void)row;
    (void)subject;
    bool done = probe_binary(bench, &binary);
    if (done)
        set_result(
                result, (double)bench->engine_blob.size, (double)binary.size);
    bytes_fini(&binary);
    return done;
}

struct work {
    struct bench *bench;
    struct bytes binary;
};

static bool load_blob(void *arg, double *value)
{
    struct work *w = arg;
    const struct bytes *blob = &w->bench->engine_blob;
    dnnl_engine_t engine = NULL;
    cl_context context = device_context(&w->bench->device);
    if (context == NULL) return false;
    uint64_t start = clock_ns();
    bool done = succeeded(
            dnnl_ocl_interop_engine_create_from_cache_blob(&engine,
                    w->bench->device.id, context, blob->size, blob->data),
            "dnnl_ocl_interop_engine_create_from_cache_blob");
    *value = (double)(clock_ns() - start);
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
    return done;
}

static bool ask_limits(cl_kernel kernel, cl_device_id device)
{
    size_t size;
    return cl_succeeded(clGetKernelWorkGroupInfo(kernel, device,
                                CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                sizeof size, &size, NULL),
                   "clGetKernelWorkGroupInfo")
           && cl_succeeded(
                   clGetKernelWorkGroupInfo(kernel, device,
                           CL_KERNEL_WORK_GROUP_SIZE, sizeof size, &size, NULL),
                   "clGetKernelWorkGroupInfo");
}

static bool load_binary(void *arg, double *value)
{
    struct work *w = arg;
    const struct device *device = &w->bench->device;
    dnnl_engine_t engine = NULL;
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    cl_context context = device_context(device);
    if (context == NULL) return false;
    uint64_t start = clock_ns();
    bool done = succeeded(dnnl_ocl_interop_engine_create(
                                  &engine, device->id, context),
                        "dnnl_ocl_interop_engine_create")
                && replay_binary(device, context, &w->bench->probe.recipe,
                        &w->binary, &program, &kernel)
                && ask_limits(kernel, device->id);
    *value = (double)(clock_ns() - start);
    if (kernel != NULL) clReleaseKernel(kernel);
    if (program != NULL) clReleaseProgram(program);
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
    return done;
}

bool measure_engine_blob_load(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct work w = {bench, {NULL, 0}};
    struct side ours = {load_blob, &w};
    struct side reference = {load_binary, &w};
    (void)subject;
    bool done = probe_binary(bench, &w.binary)
                && measure_pairs(ours, reference,
                        effort_of(bench->repeat, PAIRS, MOST_PAIRS),
                        row->target, row->name, result);
    bytes_fini(&w.binary);
    return done;
}
