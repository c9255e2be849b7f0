/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/stream.h"

#include "src/gpu/device/cl_status.h"
#include "src/gpu/engine/engine.h"
#include "src/gpu/engine/lacks.h"

#include <stdlib.h>

static void stream_free(struct dnnl_stream *s)
{
    if (s->queue != NULL) clReleaseCommandQueue(s->queue);
    stream_profile_destroy(s->profile);
    engine_release(s->engine);
    free(s);
}

/* Takes queue over, also on failure. */
static dnnl_status_t stream_make(dnnl_stream_t *stream,
        struct dnnl_engine *engine, cl_command_queue queue,
        cl_command_queue_properties properties)
{
    struct dnnl_stream *s = calloc(1, sizeof *s);
    if (s == NULL) {
        if (queue != NULL) clReleaseCommandQueue(queue);
        return dnnl_out_of_memory;
    }
    engine_retain(engine);
    s->engine = engine;
    s->queue = queue;
    s->is_out_of_order =
            (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    if ((properties & CL_QUEUE_PROFILING_ENABLE) != 0) {
        s->profile = stream_profile_create();
        if (s->profile == NULL) {
            stream_free(s);
            return dnnl_out_of_memory;
        }
    }
    *stream = s;
    return dnnl_success;
}

dnnl_status_t dnnl_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, unsigned flags)
{
    const unsigned order = dnnl_stream_in_order | dnnl_stream_out_of_order;
    cl_command_queue_properties properties = 0;
    if (stream == NULL || engine == NULL || (flags & order) == 0
            || (flags & order) == order
            || (flags & ~(order | dnnl_stream_profiling)) != 0)
        return dnnl_invalid_arguments;
    if ((flags & dnnl_stream_out_of_order) != 0)
        properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    if (engine->kind != dnnl_gpu)
        return (flags & dnnl_stream_profiling) != 0
                       ? lack_report("stream", LACK_PROFILING)
                       : stream_make(stream, engine, NULL, properties);
    if ((flags & dnnl_stream_profiling) != 0)
        properties |= CL_QUEUE_PROFILING_ENABLE;
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(
            engine->context, engine->device, properties, &error);
    if (error == CL_INVALID_QUEUE_PROPERTIES) return dnnl_unimplemented;
    dnnl_status_t st = cl_status(error, "clCreateCommandQueue");
    if (st != dnnl_success) return st;
    return stream_make(stream, engine, queue, properties);
}

dnnl_status_t dnnl_ocl_interop_stream_create(
        dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue)
{
    if (stream == NULL || engine == NULL || queue == NULL
            || engine->kind != dnnl_gpu)
        return dnnl_invalid_arguments;
    cl_context context = NULL;
    cl_device_id device = NULL;
    cl_command_queue_properties properties = 0;
    cl_int error = clGetCommandQueueInfo(
            queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (error == CL_SUCCESS)
        error = clGetCommandQueueInfo(
                queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (error == CL_SUCCESS)
        error = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                sizeof properties, &properties, NULL);
    dnnl_status_t st = cl_object_status(error, "clGetCommandQueueInfo");
    if (st != dnnl_success) return st;
    if (context != engine->context || device != engine->device)
        return dnnl_invalid_arguments;
    st = cl_status(clRetainCommandQueue(queue), "clRetainCommandQueue");
    if (st != dnnl_success) return st;
    /* Nobody would end the profile of a queue that is profiled for another
     * purpose. */
    return stream_make(stream, engine, queue,
            properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

dnnl_status_t dnnl_stream_get_engine(
        const_dnnl_stream_t stream, dnnl_engine_t *engine)
{
    if (stream == NULL || engine == NULL) return dnnl_invalid_arguments;
    *engine = stream->engine;
    return dnnl_success;
}

dnnl_status_t dnnl_ocl_interop_stream_get_command_queue(
        dnnl_stream_t stream, cl_command_queue *queue)
{
    if (stream == NULL || queue == NULL || stream->queue == NULL)
        return dnnl_invalid_arguments;
    *queue = stream->queue;
    return dnnl_success;
}

dnnl_status_t dnnl_stream_wait(dnnl_stream_t stream)
{
    if (stream == NULL) return dnnl_invalid_arguments;
    if (stream->queue == NULL) return dnnl_success;
    return cl_status(clFinish(stream->queue), "clFinish");
}

dnnl_status_t dnnl_stream_destroy(dnnl_stream_t stream)
{
    if (stream == NULL) return dnnl_success;
    /* Nothing can be done about a failure here. */
    if (stream->queue != NULL) (void)clFinish(stream->queue);
    stream_free(stream);
    return dnnl_success;
}
