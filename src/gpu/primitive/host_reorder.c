/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/primitive/host_reorder.h"

#include "gpu/device/cl_status.h"

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
static dnnl_status_t copy(const struct execution *e,
        const struct dnnl_memory *host, const struct dnnl_memory *other)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    size_t size = dnnl_memory_desc_get_size(&pd->tensors[0].md);
    cl_mem buffer = execution_buffer(e, other);
    if (buffer == NULL) return dnnl_invalid_arguments;
    return pd->host_is_src
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

static dnnl_status_t make_staging(struct dnnl_memory *staging,
        const struct dnnl_primitive_desc *pd, const struct dnnl_memory *host)
{
    cl_int error;
    *staging = *host;
    staging->engine = pd->engine;
    staging->buffer = clCreateBuffer(
            pd->engine->context, CL_MEM_READ_WRITE, host->size, NULL, &error);
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
    bool is_read_back = !p->pd->host_is_src;
    struct execution on_device = *e;
    struct dnnl_memory staging;
    cl_event written = NULL;
    cl_event computed = NULL;
    dnnl_status_t st = make_staging(&staging, p->pd, host);
    if (st != dnnl_success) return st;
    on_device.memories[side] = &staging;
    on_device.dep_count = 1;
    on_device.deps = &written;
    if (is_read_back) on_device.event = &computed;
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

dnnl_status_t host_reorder_run(const struct execution *e)
{
    const struct dnnl_primitive_desc *pd = e->primitive->pd;
    int side = pd->host_is_src ? 0 : 1;
    const struct dnnl_memory *host = e->memories[side];
    if (host->engine->kind != dnnl_cpu || host->pointer == NULL)
        return dnnl_invalid_arguments;
    return primitive_desc_is_copy(pd) ? copy(e, host, e->memories[1 - side])
                                      : run_staged(e, host, side);
}
