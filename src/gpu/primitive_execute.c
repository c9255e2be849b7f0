/* SPDX-License-Identifier: Apache-2.0 */
#include "common/clock.h"
#include "common/log.h"
#include "gpu/cl_status.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/primitive.h"
#include "gpu/runtime_dims.h"
#include "gpu/stream.h"
#include "gpu/verbose.h"

#include <stdlib.h>

/* Memory by tensor of the descriptor. */
struct bound {
    struct dnnl_memory *memories[PD_MAX_TENSORS];
};

/* Sorts the arguments to the descriptor's tensors. */
static dnnl_status_t bind(const struct dnnl_primitive_desc *pd, int nargs,
        const dnnl_exec_arg_t *args, struct bound *bound)
{
    for (int t = 0; t < pd->tensor_count; t++)
        bound->memories[t] = NULL;
    for (int a = 0; a < nargs; a++) {
        if (args[a].memory == NULL) continue;
        for (int t = 0; t < pd->tensor_count; t++) {
            if (pd->tensors[t].arg != args[a].arg) continue;
            if (bound->memories[t] != NULL) return dnnl_invalid_arguments;
            bound->memories[t] = args[a].memory;
        }
    }
    for (int t = 0; t < pd->tensor_count; t++) {
        const struct dnnl_memory *m = bound->memories[t];
        const struct dnnl_memory_desc *md = &pd->tensors[t].md;
        if (m == NULL
                || (!memory_desc_has_runtime(md)
                        && m->size < dnnl_memory_desc_get_size(md)))
            return dnnl_invalid_arguments;
    }
    return dnnl_success;
}

/* A memory's buffer, if the kernel may use it. */
static cl_mem usable_buffer(
        const struct dnnl_primitive_desc *pd, const struct dnnl_memory *m)
{
    return m->engine->kind == dnnl_gpu
                           && m->engine->context == pd->engine->context
                   ? m->buffer
                   : NULL;
}

/* The buffer of one of the descriptor's tensors. */
static cl_mem find_buffer(const struct dnnl_primitive_desc *pd,
        const struct bound *bound, int arg)
{
    for (int t = 0; t < pd->tensor_count; t++)
        if (pd->tensors[t].arg == arg)
            return usable_buffer(pd, bound->memories[t]);
    return NULL;
}

static bool have_buffers(const struct dnnl_primitive_desc *pd,
        const struct bound *bound, const struct primitive_plan *plan)
{
    for (size_t i = 0; i < plan->pass_count; i++)
        if (find_buffer(pd, bound, plan->passes[i].memory) == NULL)
            return false;
    return true;
}

/* Launches the passes, all after deps; *event, if it is wanted, is that of
 * their common end. */
static dnnl_status_t launch_passes(const struct dnnl_primitive *p,
        const struct primitive_plan *plan, cl_command_queue queue,
        cl_kernel kernel, const struct bound *bound,
        struct launch_arguments *arguments, cl_uint dep_count,
        const cl_event *deps, cl_event *event)
{
    cl_event ends[PLAN_MAX_MEMORIES];
    cl_uint end_count = 0;
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; i < plan->pass_count && st == dnnl_success; i++) {
        const struct plan_pass *pass = &plan->passes[i];
        arguments->memories[0] = find_buffer(p->pd, bound, pass->memory);
        arguments->params = pass->params;
        arguments->groups = &pass->groups;
        st = launch(p->pd->engine, queue, kernel, plan, arguments, false,
                dep_count, deps, event != NULL ? &ends[end_count] : NULL);
        if (st == dnnl_success && event != NULL) end_count++;
    }
    if (st == dnnl_success && event != NULL)
        st = cl_status(
                clEnqueueMarkerWithWaitList(queue, end_count, ends, event),
                "clEnqueueMarkerWithWaitList");
    while (end_count > 0)
        clReleaseEvent(ends[--end_count]);
    return st;
}

static dnnl_status_t run_kernel(const struct dnnl_primitive *p,
        const struct primitive_plan *plan, cl_command_queue queue,
        const struct bound *bound, cl_uint dep_count, const cl_event *deps,
        cl_event *event)
{
    const struct dnnl_primitive_desc *pd = p->pd;
    struct primitive_impl *impl = p->impl;
    struct launch_arguments arguments;
    arguments.params = plan->params;
    arguments.groups = plan->groups;
    for (size_t i = 0; i < plan_memory_count(plan); i++) {
        arguments.memories[i] = find_buffer(pd, bound, plan->memories[i]);
        if (arguments.memories[i] == NULL) return dnnl_invalid_arguments;
    }
    if (!have_buffers(pd, bound, plan)) return dnnl_invalid_arguments;
    cl_kernel kernel;
    dnnl_status_t st = kernel_pool_take(&impl->kernel->pool, &kernel);
    if (st != dnnl_success) return st;
    if (plan->pass_count > 0)
        st = launch_passes(p, plan, queue, kernel, bound, &arguments, dep_count,
                deps, event);
    else
        st = launch(pd->engine, queue, kernel, plan, &arguments, false,
                dep_count, deps, event);
    kernel_pool_give(&impl->kernel->pool, kernel);
    return st;
}

/* A reorder between host and device: bytes as they are. */
static dnnl_status_t copy_host(const struct dnnl_primitive_desc *pd,
        cl_command_queue queue, const struct bound *bound, cl_uint dep_count,
        const cl_event *deps, cl_event *event)
{
    const struct dnnl_memory *src = bound->memories[0];
    const struct dnnl_memory *dst = bound->memories[1];
    const struct dnnl_memory *host = pd->host_is_src ? src : dst;
    cl_mem buffer = usable_buffer(pd, pd->host_is_src ? dst : src);
    size_t size = dnnl_memory_desc_get_size(&pd->tensors[0].md);
    const cl_event *list = dep_count > 0 ? deps : NULL;
    if (host->engine->kind != dnnl_cpu || host->pointer == NULL
            || buffer == NULL)
        return dnnl_invalid_arguments;
    if (pd->host_is_src)
        return cl_status(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, size,
                                 host->pointer, dep_count, list, event),
                "clEnqueueWriteBuffer");
    return cl_status(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, size,
                             host->pointer, dep_count, list, event),
            "clEnqueueReadBuffer");
}

/* ---- Staging ------------------------------------------------------------- */
/*
 * A reorder that changes bytes between host and device has a buffer on the
 * device for the time of one execution: what the host has is written there,
 * also where it is the destination, whose gaps stay as they are; the kernel
 * runs; the destination is read back. Events order the three on any queue.
 */

static dnnl_status_t make_staging(const struct dnnl_primitive_desc *pd,
        const struct dnnl_memory *host, struct dnnl_memory *staging)
{
    cl_int error;
    *staging = *host;
    staging->engine = pd->engine;
    staging->buffer = clCreateBuffer(
            pd->engine->context, CL_MEM_READ_WRITE, host->size, NULL, &error);
    return cl_status(error, "clCreateBuffer");
}

/* After deps; *written is the event. */
static dnnl_status_t fill_staging(cl_command_queue queue,
        const struct dnnl_memory *host, const struct dnnl_memory *staging,
        cl_uint dep_count, const cl_event *deps, cl_event *written)
{
    return cl_status(clEnqueueWriteBuffer(queue, staging->buffer, CL_FALSE, 0,
                             host->size, host->pointer, dep_count,
                             dep_count > 0 ? deps : NULL, written),
            "clEnqueueWriteBuffer");
}

static dnnl_status_t read_staging(cl_command_queue queue,
        const struct dnnl_memory *staging, const struct dnnl_memory *host,
        const cl_event *computed, cl_event *event)
{
    return cl_status(clEnqueueReadBuffer(queue, staging->buffer, CL_FALSE, 0,
                             host->size, host->pointer, 1, computed, event),
            "clEnqueueReadBuffer");
}

static void release_event(cl_event event)
{
    if (event != NULL) clReleaseEvent(event);
}

static dnnl_status_t run_staged(const struct dnnl_primitive *p,
        cl_command_queue queue, const struct bound *bound, cl_uint dep_count,
        const cl_event *deps, cl_event *event)
{
    const struct dnnl_primitive_desc *pd = p->pd;
    int side = pd->host_is_src ? 0 : 1;
    const struct dnnl_memory *host = bound->memories[side];
    struct bound on_device = *bound;
    struct dnnl_memory staging;
    cl_event written = NULL;
    cl_event computed = NULL;
    if (host->engine->kind != dnnl_cpu || host->pointer == NULL)
        return dnnl_invalid_arguments;
    dnnl_status_t st = make_staging(pd, host, &staging);
    if (st != dnnl_success) return st;
    on_device.memories[side] = &staging;
    st = fill_staging(queue, host, &staging, dep_count, deps, &written);
    if (st == dnnl_success)
        st = run_kernel(p, &p->impl->plan, queue, &on_device, 1, &written,
                pd->host_is_src ? event : &computed);
    if (st == dnnl_success && !pd->host_is_src)
        st = read_staging(queue, &staging, host, &computed, event);
    release_event(written);
    release_event(computed);
    /* It lives until what was enqueued is done. */
    clReleaseMemObject(staging.buffer);
    return st;
}

/* ---- Shapes that execution tells ----------------------------------------- */

static dnnl_status_t run_nothing(cl_command_queue queue, cl_uint dep_count,
        const cl_event *deps, cl_event *event)
{
    if (event == NULL) return dnnl_success;
    return cl_status(clEnqueueMarkerWithWaitList(queue, dep_count,
                             dep_count > 0 ? deps : NULL, event),
            "clEnqueueMarkerWithWaitList");
}

static dnnl_status_t run_runtime_dims(const struct dnnl_primitive *p,
        cl_command_queue queue, const struct bound *bound, cl_uint dep_count,
        const cl_event *deps, cl_event *event)
{
    struct primitive_plan *plan = NULL;
    dnnl_status_t st =
            runtime_dims_plan(p->pd, bound->memories, &p->impl->plan, &plan);
    if (st == dnnl_success)
        st = plan == NULL ? run_nothing(queue, dep_count, deps, event)
                          : run_kernel(p, plan, queue, bound, dep_count, deps,
                                  event);
    free(plan);
    return st;
}

/* ---- Execution ----------------------------------------------------------- */

static dnnl_status_t execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args,
        const cl_event *deps, int dep_count, cl_event *return_event)
{
    if (primitive == NULL || stream == NULL || nargs < 0 || dep_count < 0
            || (args == NULL && nargs > 0) || (deps == NULL && dep_count > 0))
        return dnnl_invalid_arguments;
    const struct dnnl_primitive_desc *pd = primitive->pd;
    if (stream->engine != pd->engine) return dnnl_invalid_arguments;
    struct bound bound;
    dnnl_status_t st = bind(pd, nargs, args, &bound);
    if (st != dnnl_success) return st;

    cl_event event = NULL;
    cl_event *wanted =
            return_event != NULL && stream->is_out_of_order ? &event : NULL;
    cl_uint count = (cl_uint)dep_count;
    if (pd->is_empty)
        st = run_nothing(stream->queue, count, deps, wanted);
    else if (primitive_desc_is_copy(pd))
        st = copy_host(pd, stream->queue, &bound, count, deps, wanted);
    else if (pd->host_engine != NULL)
        st = run_staged(primitive, stream->queue, &bound, count, deps, wanted);
    else if (pd->has_runtime_dims)
        st = run_runtime_dims(
                primitive, stream->queue, &bound, count, deps, wanted);
    else
        st = run_kernel(primitive, &primitive->impl->plan, stream->queue,
                &bound, count, deps, wanted);
    if (st == dnnl_success && return_event != NULL) *return_event = event;
    return st;
}

/* Waits for the stream before and after, for a line with the time. */
static dnnl_status_t execute_profiled(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args,
        const cl_event *deps, int dep_count, cl_event *return_event)
{
    if (!log_profiles_execution() || stream == NULL)
        return execute(
                primitive, stream, nargs, args, deps, dep_count, return_event);
    (void)dnnl_stream_wait(stream);
    uint64_t start = clock_ns();
    dnnl_status_t st = execute(
            primitive, stream, nargs, args, deps, dep_count, return_event);
    if (st != dnnl_success) return st;
    (void)dnnl_stream_wait(stream);
    verbose_execution(primitive->pd, clock_ns() - start);
    return st;
}

dnnl_status_t dnnl_primitive_execute(const_dnnl_primitive_t primitive,
        dnnl_stream_t stream, int nargs, const dnnl_exec_arg_t *args)
{
    return execute_profiled(primitive, stream, nargs, args, NULL, 0, NULL);
}

dnnl_status_t dnnl_ocl_interop_primitive_execute(
        const_dnnl_primitive_t primitive, dnnl_stream_t stream, int nargs,
        const dnnl_exec_arg_t *args, const cl_event *deps, int ndeps,
        cl_event *return_event)
{
    return execute_profiled(
            primitive, stream, nargs, args, deps, ndeps, return_event);
}
