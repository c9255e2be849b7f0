/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/buffers.h"

#include "model/base/half.h"

#include <stdlib.h>

static size_t bytes_of(int64_t words)
{
    return (size_t)words * word_bytes;
}

bool buffer_is_needed(const struct buffer *b)
{
    return b->parent < 0 && b->first <= b->last;
}

cl_int buffers_init(struct buffers *buffers, const struct plan *plan,
        cl_context context, cl_device_id device)
{
    cl_bool unified = CL_FALSE;
    cl_int error = CL_SUCCESS;
    *buffers = (struct buffers){.plan = plan, .context = context};
    buffers->mems = calloc((size_t)plan->buffer_count + 1, sizeof(cl_mem));
    if (buffers->mems == NULL) return CL_OUT_OF_HOST_MEMORY;
    clGetDeviceInfo(device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified,
            &unified, NULL);
    buffers->is_host_memory = unified == CL_TRUE;
    buffers->queue = clCreateCommandQueue(context, device, 0, &error);
    return error;
}

cl_int buffers_allocate(struct buffers *buffers)
{
    const struct plan *plan = buffers->plan;
    cl_int error = CL_SUCCESS;
    if (plan->arena > 0)
        buffers->arena = clCreateBuffer(buffers->context, CL_MEM_READ_WRITE,
                bytes_of(plan->arena), NULL, &error);
    for (int i = 0; i < plan->buffer_count && error == CL_SUCCESS; i++)
        if (plan->buffers[i].kind == buffer_input)
            buffers->mems[i] =
                    clCreateBuffer(buffers->context, CL_MEM_READ_WRITE,
                            bytes_of(plan->buffers[i].words), NULL, &error);
    return error;
}

/* ---- Use ----------------------------------------------------------------- */

cl_mem buffers_of(const struct buffers *buffers, const struct view *view)
{
    int64_t base;
    const int root = plan_root(buffers->plan, view->buffer, &base);
    return buffers->plan->buffers[root].kind == buffer_activation
                   ? buffers->arena
                   : buffers->mems[root];
}

size_t buffers_begin(const struct buffers *buffers, const struct view *view)
{
    return bytes_of((plan_base(buffers->plan, view) + view->layout.offset)
                    * element_words(view->element));
}

/* Elements of a view as they lie, between the first and the last. */
static cl_int read_raw(
        const struct buffers *buffers, const struct view *view, void *data)
{
    struct layout layout = view->layout;
    const size_t size = bytes_of(view_words(view));
    void *all = malloc(size);
    layout.offset = 0;
    if (all == NULL) return CL_OUT_OF_HOST_MEMORY;
    const cl_int error = clEnqueueReadBuffer(buffers->queue,
            buffers_of(buffers, view), CL_TRUE, buffers_begin(buffers, view),
            size, all, 0, NULL, NULL);
    if (error == CL_SUCCESS)
        layout_gather(
                &layout, bytes_of(element_words(view->element)), all, data);
    free(all);
    return error;
}

/* A blocking write would not do: that it returned says only that the data may
 * go. Intel's driver for processors has not written them by then, and other
 * queues do not wait for this one. */
static cl_int write_raw(
        struct buffers *buffers, const struct view *view, const void *data)
{
    const cl_int error = clEnqueueWriteBuffer(buffers->queue,
            buffers_of(buffers, view), CL_FALSE, buffers_begin(buffers, view),
            bytes_of(view_words(view)), data, 0, NULL, NULL);
    const cl_int finished = clFinish(buffers->queue);
    return error != CL_SUCCESS ? error : finished;
}

cl_int buffers_read(
        const struct buffers *buffers, const struct view *view, void *data)
{
    const size_t count = (size_t)layout_count(&view->layout);
    float *floats = data;
    if (view->element != element_f16) return read_raw(buffers, view, data);
    uint16_t *halves = malloc(count * sizeof *halves);
    if (halves == NULL) return CL_OUT_OF_HOST_MEMORY;
    const cl_int error = read_raw(buffers, view, halves);
    for (size_t i = 0; error == CL_SUCCESS && i < count; i++)
        floats[i] = half_to_float(halves[i]);
    free(halves);
    return error;
}

cl_int buffers_write(
        struct buffers *buffers, const struct view *view, const void *data)
{
    const size_t count = (size_t)layout_count(&view->layout);
    const float *floats = data;
    if (view->element != element_f16) return write_raw(buffers, view, data);
    uint16_t *halves = malloc(count * sizeof *halves);
    if (halves == NULL) return CL_OUT_OF_HOST_MEMORY;
    for (size_t i = 0; i < count; i++)
        halves[i] = half_from_float(floats[i]);
    const cl_int error = write_raw(buffers, view, halves);
    free(halves);
    return error;
}

void buffers_fini(struct buffers *buffers)
{
    for (int i = 0; buffers->mems != NULL && i < buffers->plan->buffer_count;
            i++)
        if (buffers->mems[i] != NULL) clReleaseMemObject(buffers->mems[i]);
    free(buffers->mems);
    if (buffers->arena != NULL) clReleaseMemObject(buffers->arena);
    if (buffers->queue != NULL) clReleaseCommandQueue(buffers->queue);
    *buffers = (struct buffers){0};
}
