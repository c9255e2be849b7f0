/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/primitive/cross_reorder.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/engine.h"

/* After deps; *event, if it is wanted, is the end. */
static dnnl_status_t write_from(const struct execution *e,
        const struct dnnl_memory *host, cl_mem buffer, size_t size,
        cl_event *event)
{
    return cl_status(clEnqueueWriteBuffer(e->queue, buffer, CL_FALSE, 0, size,
                             host->pointer, e->dep_count, e->deps, event),
            "clEnqueueWriteBuffer");
}

static dnnl_status_t read_to(const struct execution *e,
        const struct dnnl_memory *host, cl_mem buffer, size_t size,
        cl_uint dep_count, const cl_event *deps)
{
    return cl_status(clEnqueueReadBuffer(e->queue, buffer, CL_FALSE, 0, size,
                             host->pointer, dep_count, deps, e->event),
            "clEnqueueReadBuffer");
}

/* Bytes as they are. */
static dnnl_status_t copy_host(const struct execution *e,
        const struct dnnl_memory *host, const struct dnnl_memory *other)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    size_t size = dnnl_memory_desc_get_size(&pd->tensors[0].md);
    cl_mem buffer = execution_buffer(e, other);
    if (buffer == NULL) return dnnl_invalid_arguments;
    return pd->other_is_src
                   ? write_from(e, host, buffer, size, e->event)
                   : read_to(e, host, buffer, size, e->dep_count, e->deps);
}

/* ---- Staging ------------------------------------------------------------- */
/*
 * A reorder that changes bytes between host and device has a buffer on the
 * device for the time of one execution: what the host has is written there,
 * also where it is the destination, whose gaps stay as they are; the kernel
 * runs; the destination is read back. Events order the three on any queue.
 */

/* A memory of the reorder's engine that stands in for one of another. */
static dnnl_status_t make_staging(struct dnnl_memory *staging,
        const struct dnnl_primitive_desc *pd, const struct dnnl_memory *other,
        size_t size)
{
    cl_int error;
    *staging = *other;
    staging->engine = pd->engine;
    staging->size = size;
    staging->buffer = clCreateBuffer(
            pd->engine->context, CL_MEM_READ_WRITE, size, NULL, &error);
    return cl_status(error, "clCreateBuffer");
}

static void release_event(cl_event event)
{
    if (event != NULL) clReleaseEvent(event);
}

static dnnl_status_t run_staged(
        const struct execution *e, const struct dnnl_memory *host, int side)
{
    const struct dnnl_primitive *p = e->primitive;
    bool is_read_back = !p->pd->other_is_src;
    struct execution on_device = *e;
    struct dnnl_memory staging;
    cl_event written = NULL;
    cl_event computed = NULL;
    dnnl_status_t st = make_staging(&staging, p->pd, host, host->size);
    if (st != dnnl_success) return st;
    on_device.memories[side] = &staging;
    on_device.dep_count = 1;
    on_device.deps = &written;
    if (is_read_back) on_device.event = &computed;
    /* First: a call that fails must not leave a command behind that reads the
     * host's memory. */
    if (!execution_has_buffers(&on_device, p->impl->plan))
        st = dnnl_invalid_arguments;
    if (st == dnnl_success)
        st = write_from(e, host, staging.buffer, host->size, &written);
    if (st == dnnl_success)
        st = execution_run_kernel(&on_device, p->impl->plan);
    if (st == dnnl_success && is_read_back)
        st = read_to(e, host, staging.buffer, host->size, 1, &computed);
    release_event(written);
    release_event(computed);
    /* It lives until what was enqueued is done. */
    clReleaseMemObject(staging.buffer);
    return st;
}

/* ---- From another device ------------------------------------------------- */
/*
 * Contexts share no buffers, so bytes go through host memory: a buffer of the
 * reorder's engine is mapped, and the source is read into it. The call waits
 * for that; the kernel or the copy out of that buffer is only enqueued.
 */

/* Reads the source into a mapped buffer. */
static dnnl_status_t read_mapped(
        const struct dnnl_memory *from, void *mapped, size_t size)
{
    cl_command_queue queue;
    dnnl_status_t st = engine_queue(from->engine, &queue);
    if (st != dnnl_success) return st;
    return cl_status(clEnqueueReadBuffer(queue, from->buffer, CL_TRUE, 0, size,
                             mapped, 0, NULL, NULL),
            "clEnqueueReadBuffer");
}

/* Fills the staging buffer; *filled, which is to be released also after a
 * failure, is when it can be used. */
static dnnl_status_t fetch(const struct dnnl_memory *from,
        const struct dnnl_memory *staging, cl_event *filled)
{
    cl_command_queue queue;
    cl_int error;
    dnnl_status_t st = engine_queue(staging->engine, &queue);
    if (st != dnnl_success) return st;
    void *mapped = clEnqueueMapBuffer(queue, staging->buffer, CL_TRUE,
            CL_MAP_WRITE_INVALIDATE_REGION, 0, staging->size, 0, NULL, NULL,
            &error);
    st = cl_status(error, "clEnqueueMapBuffer");
    if (st != dnnl_success) return st;
    st = read_mapped(from, mapped, staging->size);
    dnnl_status_t unmapped =
            cl_status(clEnqueueUnmapMemObject(
                              queue, staging->buffer, mapped, 0, NULL, filled),
                    "clEnqueueUnmapMemObject");
    if (st == dnnl_success) st = unmapped;
    /* Another queue will wait for it. */
    return st == dnnl_success ? cl_status(clFlush(queue), "clFlush") : st;
}

static dnnl_status_t copy_buffer(const struct execution *e,
        const struct dnnl_memory *staging, const struct dnnl_memory *to)
{
    cl_mem buffer = execution_buffer(e, to);
    if (buffer == NULL) return dnnl_invalid_arguments;
    return cl_status(clEnqueueCopyBuffer(e->queue, staging->buffer, buffer, 0,
                             0, staging->size, e->dep_count, e->deps, e->event),
            "clEnqueueCopyBuffer");
}

/* The last of the stages, with the source in the staging buffer. */
static dnnl_status_t run_fetched(
        const struct execution *e, const struct dnnl_memory *to)
{
    const struct dnnl_primitive *p = e->primitive;
    return primitive_desc_is_copy(p->pd)
                   ? copy_buffer(e, e->memories[0], to)
                   : execution_run_kernel(e, p->impl->plan);
}

/* Is the memory one of the context that the descriptor names? */
static bool is_there(const struct dnnl_memory *m, const struct dnnl_engine *e)
{
    return m->engine != NULL && m->engine->kind == dnnl_gpu
           && m->engine->context == e->context && m->buffer != NULL;
}

static dnnl_status_t run_from_device(const struct execution *e)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    const struct dnnl_memory *from = e->memories[0];
    struct execution here = *e;
    struct dnnl_memory staging;
    cl_event filled = NULL;
    if (!is_there(from, pd->other_engine)
            || !is_there(e->memories[1], pd->engine))
        return dnnl_invalid_arguments;
    dnnl_status_t st = make_staging(
            &staging, pd, from, dnnl_memory_desc_get_size(&pd->tensors[0].md));
    if (st != dnnl_success) return st;
    if (e->dep_count > 0)
        st = cl_status(
                clWaitForEvents(e->dep_count, e->deps), "clWaitForEvents");
    if (st == dnnl_success) st = fetch(from, &staging, &filled);
    here.memories[0] = &staging;
    here.dep_count = 1;
    here.deps = &filled;
    if (st == dnnl_success) st = run_fetched(&here, e->memories[1]);
    release_event(filled);
    clReleaseMemObject(staging.buffer);
    return st;
}

/* ---- Both ---------------------------------------------------------------- */

static dnnl_status_t run_with_host(const struct execution *e)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    int side = pd->other_is_src ? 0 : 1;
    const struct dnnl_memory *host = e->memories[side];
    if (host->engine == NULL || host->engine->kind != dnnl_cpu
            || host->pointer == NULL)
        return dnnl_invalid_arguments;
    return primitive_desc_is_copy(pd)
                   ? copy_host(e, host, e->memories[1 - side])
                   : run_staged(e, host, side);
}

dnnl_status_t cross_reorder_run(const struct execution *e)
{
    return e->primitive->pd->other_engine->kind == dnnl_cpu
                   ? run_with_host(e)
                   : run_from_device(e);
}
