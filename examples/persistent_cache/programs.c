/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two OpenCL programs of the application's own. Their kernels are launched
 * before their blobs are taken: see cached_program().
 */
#include "reference.h"
#include "session.h"

#include <stdlib.h>

enum {
    group = 64, /* work-items in a work-group */
    rows = 64,
    columns = 1000,
    numbers = 1 << 20
};

static const char softmax_source[] =
        "/* One work-group to a row. */\n"
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "void softmax(__global const float *src, __global float *dst,\n"
        "        uint columns)\n"
        "{\n"
        "    __local float part[64];\n"
        "    const uint me = get_local_id(0);\n"
        "    src += get_group_id(0) * columns;\n"
        "    dst += get_group_id(0) * columns;\n"
        "    float largest = -INFINITY;\n"
        "    for (uint i = me; i < columns; i += 64)\n"
        "        largest = fmax(largest, src[i]);\n"
        "    part[me] = largest;\n"
        "    for (uint n = 32; n > 0; n /= 2) {\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "        if (me < n) part[me] = fmax(part[me], part[me + n]);\n"
        "    }\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    largest = part[0];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    float sum = 0.0f;\n"
        "    for (uint i = me; i < columns; i += 64)\n"
        "        sum += exp(src[i] - largest);\n"
        "    part[me] = sum;\n"
        "    for (uint n = 32; n > 0; n /= 2) {\n"
        "        barrier(CLK_LOCAL_MEM_FENCE);\n"
        "        if (me < n) part[me] += part[me + n];\n"
        "    }\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    sum = part[0];\n"
        "    for (uint i = me; i < columns; i += 64)\n"
        "        dst[i] = exp(src[i] - largest) / sum;\n"
        "}\n";

static const char axpby_source[] =
        "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
        "void axpby(__global const float *x, __global const float *y,\n"
        "        __global float *dst, float a, float b, uint count)\n"
        "{\n"
        "    for (uint i = get_global_id(0); i < count;\n"
        "            i += get_global_size(0))\n"
        "        dst[i] = a * x[i] + b * y[i];\n"
        "}\n";

static const float scale_x = 0.75f;
static const float scale_y = -2.5f;

/* One program while it is made and run. */
struct run {
    struct session *session;
    struct cached cached;
    dnnl_cache_program_desc_t desc;
    dnnl_cache_program_t program;
    cl_kernel kernel;
    cl_mem buffers[3]; /* the last one is the result */
    float *values[2];  /* the inputs */
    float *result;
    float *expected;
    size_t count; /* elements of each buffer */
    size_t groups;
};

static dnnl_status_t create(
        struct run *run, const char *kernel, const char *source)
{
    char options[512];
    const int length = snprintf(options, sizeof options, "-cl-std=CL1.2 %s",
            run->session->options->build_option);
    if (length < 0 || (size_t)length >= sizeof options)
        return dnnl_invalid_arguments;
    dnnl_status_t st = dnnl_cache_program_desc_create(
            &run->desc, run->session->engine, 1, &source, NULL, options);
    if (st == dnnl_success)
        st = cached_program(&run->cached, &run->program, run->desc);
    if (st == dnnl_success)
        st = dnnl_cache_program_get_kernel(run->program, kernel, &run->kernel);
    return st;
}

static bool make_buffers(struct run *run, int inputs)
{
    const cl_context context = run->session->device.context;
    const size_t bytes = run->count * sizeof(float);
    cl_int error;
    for (int i = 0; i < inputs; i++) {
        run->values[i] =
                session_random(run->count + 7 * (uint64_t)i, run->count, 4.0f);
        if (run->values[i] == NULL) return false;
        run->buffers[i] =
                clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                        bytes, run->values[i], &error);
        if (error != CL_SUCCESS) return false;
    }
    run->buffers[2] =
            clCreateBuffer(context, CL_MEM_WRITE_ONLY, bytes, NULL, &error);
    run->result = malloc(bytes);
    run->expected = malloc(bytes);
    return error == CL_SUCCESS && run->result != NULL && run->expected != NULL;
}

static dnnl_status_t launch(struct run *run, double *ms)
{
    const size_t global = run->groups * group;
    const size_t local = group;
    cl_command_queue queue;
    const dnnl_status_t st = dnnl_ocl_interop_stream_get_command_queue(
            run->session->stream, &queue);
    if (st != dnnl_success) return st;
    const double began = clock_ms();
    cl_int error = clEnqueueNDRangeKernel(
            queue, run->kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(queue);
    *ms = clock_ms() - began;
    if (error == CL_SUCCESS)
        error = clEnqueueReadBuffer(queue, run->buffers[2], CL_TRUE, 0,
                run->count * sizeof(float), run->result, 0, NULL, NULL);
    return error == CL_SUCCESS ? dnnl_success : dnnl_runtime_error;
}

/* Launches twice, keeping what the first launch made the driver compile. */
static dnnl_status_t use(struct run *run)
{
    struct report_object *report = run->cached.report;
    dnnl_status_t st = launch(run, &report->first_run_ms);
    if (st == dnnl_success)
        st = cached_program_keep(&run->cached, run->program);
    if (st == dnnl_success) st = launch(run, &report->second_run_ms);
    report->has_run = true;
    if (st == dnnl_success
            && !session_take_result(run->session, report, run->result,
                    run->session->options->check ? run->expected : NULL,
                    run->count))
        st = dnnl_runtime_error;
    return st;
}

static void run_fini(struct run *run)
{
    for (int i = 0; i < 3; i++)
        if (run->buffers[i] != NULL) clReleaseMemObject(run->buffers[i]);
    free(run->values[0]);
    free(run->values[1]);
    free(run->result);
    free(run->expected);
    if (run->kernel != NULL) clReleaseKernel(run->kernel);
    dnnl_cache_program_destroy(run->program);
    dnnl_cache_program_desc_destroy(run->desc);
    cached_fini(&run->cached);
}

static bool set_argument(
        const struct run *run, cl_uint index, size_t size, const void *value)
{
    return clSetKernelArg(run->kernel, index, size, value) == CL_SUCCESS;
}

static bool prepare_softmax(struct run *run)
{
    const cl_uint width = columns;
    run->groups = rows;
    run->count = (size_t)rows * columns;
    if (!make_buffers(run, 1)) return false;
    reference_softmax(run->expected, run->values[0], rows, columns);
    return set_argument(run, 0, sizeof(cl_mem), &run->buffers[0])
           && set_argument(run, 1, sizeof(cl_mem), &run->buffers[2])
           && set_argument(run, 2, sizeof width, &width);
}

static bool prepare_axpby(struct run *run)
{
    const cl_uint count = numbers;
    run->groups = 256;
    run->count = numbers;
    if (!make_buffers(run, 2)) return false;
    reference_axpby(run->expected, scale_x, run->values[0], scale_y,
            run->values[1], numbers);
    return set_argument(run, 0, sizeof(cl_mem), &run->buffers[0])
           && set_argument(run, 1, sizeof(cl_mem), &run->buffers[1])
           && set_argument(run, 2, sizeof(cl_mem), &run->buffers[2])
           && set_argument(run, 3, sizeof scale_x, &scale_x)
           && set_argument(run, 4, sizeof scale_y, &scale_y)
           && set_argument(run, 5, sizeof count, &count);
}

static dnnl_status_t run_program(struct session *session, const char *name,
        const char *source, bool (*prepare)(struct run *run))
{
    struct run run = {
            .session = session,
            .cached = session_begin(session, name, "program"),
    };
    const char *what = "creation";
    dnnl_status_t st = create(&run, name, source);
    if (st != dnnl_success) goto out;
    what = "data";
    if (!prepare(&run)) st = dnnl_out_of_memory;
    if (st != dnnl_success) goto out;
    what = "execution";
    st = use(&run);
out:
    if (st != dnnl_success) session_failed(name, what, st);
    run_fini(&run);
    return st;
}

dnnl_status_t programs_run(struct session *session)
{
    const dnnl_status_t st =
            run_program(session, "softmax", softmax_source, prepare_softmax);
    if (st != dnnl_success) return st;
    return run_program(session, "axpby", axpby_source, prepare_axpby);
}
