/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An OpenCL layer that makes a queue as lazy as OpenCL lets it be: what is
 * enqueued begins when the queue is flushed, finished or waited for, no
 * earlier. A blocking write returns when the data may go, before they are
 * written. Who submits to one queue what the other's commands make, without
 * having waited for that one, finds nothing there: an order that most drivers
 * keep by chance.
 *
 *     OPENCL_LAYERS=liblate_commands_layer.so program
 *
 * With LATE_COMMANDS_FLUSHED_STAY=1 a queue that was flushed last is not waited
 * for by clFinish(), which returns at once, as Mesa 22.3's (rusticl): an event
 * or a blocking call is.
 *
 * Not held back are commands that this project does not use.
 */
#include "small_layer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const char layer_name[] = "late commands";

/* ---- Gates ----------------------------------------------------------------
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the gates */

/* What the commands of a queue wait for, until it is opened. */
static struct gate {
    struct gate *next;
    cl_command_queue queue;
    cl_event event;
    bool is_flushed; /* and nothing was enqueued since */
} * gates;

static bool flushed_stay; /* since layer_init() */

static cl_event create_event(cl_command_queue queue)
{
    cl_context context = NULL;
    cl_int error = target->clGetCommandQueueInfo(
            queue, CL_QUEUE_CONTEXT, sizeof(context), &context, NULL);

    return error == CL_SUCCESS ? target->clCreateUserEvent(context, &error)
                               : NULL;
}

static struct gate *find_locked(cl_command_queue queue)
{
    struct gate *gate = gates;

    while (gate != NULL && gate->queue != queue)
        gate = gate->next;
    return gate;
}

/* Makes one for the queue; the lock is held. NULL: the call is passed on as it
 * is, and its error is the driver's to tell. */
static struct gate *add_gate(cl_command_queue queue)
{
    struct gate *gate = malloc(sizeof(*gate));
    cl_event event = create_event(queue);

    if (gate == NULL || event == NULL) {
        if (event != NULL) target->clReleaseEvent(event);
        free(gate);
        return NULL;
    }
    *gate = (struct gate){gates, queue, event, false};
    gates = gate;
    return gate;
}

/* The event that a command of the queue must wait for, retained; or NULL. */
static cl_event close_gate(cl_command_queue queue)
{
    struct gate *gate;
    cl_event event = NULL;

    pthread_mutex_lock(&lock);
    gate = find_locked(queue);
    if (gate == NULL) gate = add_gate(queue);
    if (gate != NULL) gate->is_flushed = false;
    if (gate != NULL && target->clRetainEvent(gate->event) == CL_SUCCESS)
        event = gate->event;
    pthread_mutex_unlock(&lock);
    return event;
}

static void open_gate(cl_command_queue queue)
{
    struct gate **place = &gates;
    struct gate *gate;

    pthread_mutex_lock(&lock);
    while (*place != NULL && (*place)->queue != queue)
        place = &(*place)->next;
    gate = *place;
    if (gate != NULL) *place = gate->next;
    pthread_mutex_unlock(&lock);
    if (gate == NULL) return;
    target->clSetUserEventStatus(gate->event, CL_COMPLETE);
    target->clReleaseEvent(gate->event);
    free(gate);
}

static bool note_flush(cl_command_queue queue)
{
    struct gate *gate;

    pthread_mutex_lock(&lock);
    gate = find_locked(queue);
    if (gate != NULL) gate->is_flushed = true;
    pthread_mutex_unlock(&lock);
    return gate != NULL;
}

static bool was_flushed_last(cl_command_queue queue)
{
    const struct gate *gate;
    bool was;

    pthread_mutex_lock(&lock);
    gate = find_locked(queue);
    was = gate != NULL && gate->is_flushed;
    pthread_mutex_unlock(&lock);
    return was;
}

/* ---- Wait lists -----------------------------------------------------------
 */

/* An application's, and the gate. */
struct late {
    cl_event gate;
    cl_uint count;
    cl_event *events;
};

static struct late begin_late(
        cl_command_queue queue, cl_uint count, const cl_event *events)
{
    struct late late = {.gate = close_gate(queue)};

    late.events = malloc((count + (size_t)1) * sizeof(*late.events));
    if (late.events == NULL) abort();
    for (cl_uint i = 0; events != NULL && i < count; i++)
        late.events[late.count++] = events[i];
    if (late.gate != NULL) late.events[late.count++] = late.gate;
    return late;
}

static const cl_event *list_of(const struct late *late)
{
    return late->count > 0 ? late->events : NULL;
}

static cl_int end_late(struct late *late, cl_int error)
{
    if (late->gate != NULL) target->clReleaseEvent(late->gate);
    free(late->events);
    return error;
}

/* ---- Commands that are held back ------------------------------------------
 */

static cl_int CL_API_CALL enqueue_launch(cl_command_queue queue,
        cl_kernel kernel, cl_uint dim, const size_t *offset,
        const size_t *global, const size_t *local, cl_uint count,
        const cl_event *events, cl_event *event)
{
    struct late late = begin_late(queue, count, events);

    return end_late(
            &late, target->clEnqueueNDRangeKernel(queue, kernel, dim, offset,
                           global, local, late.count, list_of(&late), event));
}

static cl_int CL_API_CALL enqueue_fill(cl_command_queue queue, cl_mem memory,
        const void *pattern, size_t pattern_size, size_t offset, size_t size,
        cl_uint count, const cl_event *events, cl_event *event)
{
    struct late late = begin_late(queue, count, events);

    return end_late(&late,
            target->clEnqueueFillBuffer(queue, memory, pattern, pattern_size,
                    offset, size, late.count, list_of(&late), event));
}

static cl_int CL_API_CALL enqueue_unmap(cl_command_queue queue, cl_mem memory,
        void *mapped, cl_uint count, const cl_event *events, cl_event *event)
{
    struct late late = begin_late(queue, count, events);

    return end_late(&late, target->clEnqueueUnmapMemObject(queue, memory,
                                   mapped, late.count, list_of(&late), event));
}

static void CL_CALLBACK free_data(cl_event event, cl_int status, void *data)
{
    (void)event;
    (void)status;
    free(data);
}

/* Writes from a copy of the data, which it owns. */
static cl_int write_copy(cl_command_queue queue, cl_mem memory, size_t offset,
        size_t size, void *data, const struct late *late, cl_event *event)
{
    cl_event written = NULL;
    cl_int error = target->clEnqueueWriteBuffer(queue, memory, CL_FALSE, offset,
            size, data, late->count, list_of(late), &written);

    if (error != CL_SUCCESS) {
        free(data);
        return error;
    }
    error = target->clSetEventCallback(written, CL_COMPLETE, free_data, data);
    if (error == CL_SUCCESS && event != NULL)
        *event = written;
    else
        target->clReleaseEvent(written);
    return error;
}

static cl_int CL_API_CALL enqueue_write(cl_command_queue queue, cl_mem memory,
        cl_bool blocking, size_t offset, size_t size, const void *from,
        cl_uint count, const cl_event *events, cl_event *event)
{
    struct late late = begin_late(queue, count, events);
    void *data = blocking && from != NULL ? malloc(size) : NULL;

    if (data == NULL)
        return end_late(&late,
                target->clEnqueueWriteBuffer(queue, memory, CL_FALSE, offset,
                        size, from, late.count, list_of(&late), event));
    memcpy(data, from, size);
    return end_late(
            &late, write_copy(queue, memory, offset, size, data, &late, event));
}

static cl_int CL_API_CALL enqueue_read(cl_command_queue queue, cl_mem memory,
        cl_bool blocking, size_t offset, size_t size, void *to, cl_uint count,
        const cl_event *events, cl_event *event)
{
    struct late late;

    if (blocking) {
        open_gate(queue);
        return target->clEnqueueReadBuffer(queue, memory, blocking, offset,
                size, to, count, events, event);
    }
    late = begin_late(queue, count, events);
    return end_late(
            &late, target->clEnqueueReadBuffer(queue, memory, blocking, offset,
                           size, to, late.count, list_of(&late), event));
}

/* ---- Calls that flush -----------------------------------------------------
 */

static void *CL_API_CALL enqueue_map(cl_command_queue queue, cl_mem memory,
        cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
        cl_uint count, const cl_event *events, cl_event *event, cl_int *errcode)
{
    open_gate(queue);
    return target->clEnqueueMapBuffer(queue, memory, blocking, flags, offset,
            size, count, events, event, errcode);
}

static cl_int CL_API_CALL flush(cl_command_queue queue)
{
    if (flushed_stay && note_flush(queue)) return CL_SUCCESS;
    open_gate(queue);
    return target->clFlush(queue);
}

static cl_int CL_API_CALL finish(cl_command_queue queue)
{
    if (flushed_stay && was_flushed_last(queue)) return CL_SUCCESS;
    open_gate(queue);
    return target->clFinish(queue);
}

static cl_int CL_API_CALL wait_for_events(cl_uint count, const cl_event *events)
{
    for (cl_uint i = 0; events != NULL && i < count; i++) {
        cl_command_queue queue = NULL; /* a user event has none */

        if (target->clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE,
                    sizeof(queue), &queue, NULL)
                        == CL_SUCCESS
                && queue != NULL)
            open_gate(queue);
    }
    return target->clWaitForEvents(count, events);
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    open_gate(queue);
    return target->clReleaseCommandQueue(queue);
}

/* ---- The layer ------------------------------------------------------------
 */

bool layer_init(cl_icd_dispatch *own)
{
    flushed_stay = getenv("LATE_COMMANDS_FLUSHED_STAY") != NULL;
    own->clEnqueueNDRangeKernel = enqueue_launch;
    own->clEnqueueFillBuffer = enqueue_fill;
    own->clEnqueueUnmapMemObject = enqueue_unmap;
    own->clEnqueueWriteBuffer = enqueue_write;
    own->clEnqueueReadBuffer = enqueue_read;
    own->clEnqueueMapBuffer = enqueue_map;
    own->clFlush = flush;
    own->clFinish = finish;
    own->clWaitForEvents = wait_for_events;
    own->clReleaseCommandQueue = release_queue;
    return true;
}
