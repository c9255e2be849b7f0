/* SPDX-License-Identifier: Apache-2.0 */
/* Events: states, times, callbacks. */
#include "fake_command.h"

#include <stdlib.h>
#include <time.h>

typedef void(CL_CALLBACK event_callback_function)(cl_event, cl_int, void *);

static void event_notify(const struct notice *notice)
{
    ((event_callback_function *)notice->function)(
            (cl_event)notice->handle, notice->status, notice->user);
}

static cl_ulong now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (cl_ulong)time.tv_sec * 1000000000u + (cl_ulong)time.tv_nsec;
}

static void event_destroy(struct object *object)
{
    cl_event event = (cl_event)object;
    struct event_callback *callback;

    while ((callback = event->callbacks) != NULL) {
        event->callbacks = callback->next;
        free(callback->notice);
        free(callback);
    }
    object_drop(event->queue);
    object_drop(event->context);
}

cl_int event_create(cl_event *event, cl_context context, cl_command_queue queue,
        cl_command_type type)
{
    cl_event made;
    cl_int st =
            object_create(&made, sizeof(*made), OBJECT_EVENT, event_destroy);

    if (st != CL_SUCCESS) return st;
    made->context = context;
    object_hold(context);
    made->queue = queue;
    object_hold(queue);
    made->type = type;
    made->status = queue != NULL ? CL_QUEUED : CL_SUBMITTED;
    made->profiling = queue != NULL
                      && (queue->properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    made->times[0] = now();
    *event = made;
    return CL_SUCCESS;
}

/* A callback for a state is due in that state, and after an error in any. */
static void post_due(cl_event event)
{
    struct event_callback **place = &event->callbacks;
    struct event_callback *callback;

    while ((callback = *place) != NULL) {
        if (event->status > callback->at) {
            place = &callback->next;
            continue;
        }
        *place = callback->next;
        notice_post(callback->notice, &event->base,
                event->status < 0 ? event->status : callback->at);
        free(callback);
    }
}

void event_advance(cl_event event, cl_int status)
{
    event->status = status;
    if (status == CL_SUBMITTED) event->times[1] = now();
    if (status == CL_RUNNING) event->times[2] = now();
    if (status <= CL_COMPLETE) event->times[3] = now();
    post_due(event);
    driver_changed();
}

cl_int events_check(cl_context context, cl_uint nwait, const cl_event *wait)
{
    if ((nwait == 0) != (wait == NULL)) return CL_INVALID_EVENT_WAIT_LIST;
    for (cl_uint i = 0; i < nwait; i++) {
        if (object_check(wait[i], OBJECT_EVENT) != CL_SUCCESS)
            return CL_INVALID_EVENT_WAIT_LIST;
        if (wait[i]->context != context) return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

static cl_int wait_for(cl_uint n, const cl_event *list)
{
    cl_int st = CL_SUCCESS;

    if (n == 0 || list == NULL) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < n; i++) {
        st = object_check(list[i], OBJECT_EVENT);
        if (st != CL_SUCCESS) return st;
        if (list[i]->context != list[0]->context) return CL_INVALID_CONTEXT;
    }
    /* Held: another thread may release one meanwhile. */
    for (cl_uint i = 0; i < n; i++)
        object_hold(list[i]);
    for (cl_uint i = 0; i < n; i++) {
        while (list[i]->status > CL_COMPLETE)
            driver_wait();
        if (list[i]->status < 0)
            st = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    }
    for (cl_uint i = 0; i < n; i++)
        object_drop(list[i]);
    return st;
}

cl_int CL_API_CALL fake_clWaitForEvents(cl_uint n, const cl_event *list)
{
    cl_int st = call_enter(CALL_clWaitForEvents, "events=%u", n);

    if (st == CL_SUCCESS) st = wait_for(n, list);
    return call_leave(CALL_clWaitForEvents, st);
}

static cl_int event_info(
        cl_event event, cl_event_info param, const struct answer *answer)
{
    cl_int st = object_check(event, OBJECT_EVENT);

    if (st != CL_SUCCESS) return st;
    switch (param) {
    case CL_EVENT_COMMAND_QUEUE:
        return answer_pointer(answer, event->queue);
    case CL_EVENT_CONTEXT:
        return answer_pointer(answer, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return answer_uint(answer, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        return answer_int(answer, event->status);
    case CL_EVENT_REFERENCE_COUNT:
        return answer_uint(answer, event->base.external);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetEventInfo(cl_event event, cl_event_info param,
        size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetEventInfo, "event=%p param=0x%x",
            (const void *)event, param);

    if (st == CL_SUCCESS) st = event_info(event, param, &answer);
    return call_leave(CALL_clGetEventInfo, st);
}

static cl_int profiling_info(
        cl_event event, cl_profiling_info param, const struct answer *answer)
{
    cl_int st = object_check(event, OBJECT_EVENT);

    if (st != CL_SUCCESS) return st;
    if (!event->profiling || event->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (param) {
    case CL_PROFILING_COMMAND_QUEUED:
    case CL_PROFILING_COMMAND_SUBMIT:
    case CL_PROFILING_COMMAND_START:
    case CL_PROFILING_COMMAND_END:
        return answer_ulong(
                answer, event->times[param - CL_PROFILING_COMMAND_QUEUED]);
    case CL_PROFILING_COMMAND_COMPLETE:
        return answer_ulong(answer, event->times[3]);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL fake_clGetEventProfilingInfo(cl_event event,
        cl_profiling_info param, size_t capacity, void *value, size_t *size_ret)
{
    const struct answer answer = {capacity, value, size_ret};
    cl_int st = call_enter(CALL_clGetEventProfilingInfo, "event=%p param=0x%x",
            (const void *)event, param);

    if (st == CL_SUCCESS) st = profiling_info(event, param, &answer);
    return call_leave(CALL_clGetEventProfilingInfo, st);
}

cl_int CL_API_CALL fake_clRetainEvent(cl_event event)
{
    cl_int st = call_enter(CALL_clRetainEvent, "event=%p", (const void *)event);

    if (st == CL_SUCCESS) st = object_retain(event, OBJECT_EVENT);
    return call_leave(CALL_clRetainEvent, st);
}

cl_int CL_API_CALL fake_clReleaseEvent(cl_event event)
{
    cl_int st =
            call_enter(CALL_clReleaseEvent, "event=%p", (const void *)event);
    cl_int done = object_release(event, OBJECT_EVENT);

    return call_leave(CALL_clReleaseEvent, st != CL_SUCCESS ? st : done);
}

cl_event CL_API_CALL fake_clCreateUserEvent(cl_context context, cl_int *errcode)
{
    cl_event event = NULL;
    cl_int st = call_enter(
            CALL_clCreateUserEvent, "context=%p", (const void *)context);

    if (st == CL_SUCCESS) st = object_check(context, OBJECT_CONTEXT);
    if (st == CL_SUCCESS)
        st = event_create(&event, context, NULL, CL_COMMAND_USER);
    call_leave_with(CALL_clCreateUserEvent, st, errcode);
    return event;
}

static cl_int user_event_set(cl_event event, cl_int status)
{
    cl_int st = object_check(event, OBJECT_EVENT);

    if (st != CL_SUCCESS) return st;
    if (event->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
    if (status > CL_COMPLETE) return CL_INVALID_VALUE;
    if (event->status <= CL_COMPLETE) return CL_INVALID_OPERATION;
    event_advance(event, status);
    commands_run();
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clSetUserEventStatus(cl_event event, cl_int status)
{
    cl_int st = call_enter(CALL_clSetUserEventStatus, "event=%p status=%d",
            (const void *)event, (int)status);

    if (st == CL_SUCCESS) st = user_event_set(event, status);
    return call_leave(CALL_clSetUserEventStatus, st);
}

static cl_int event_callback_add(
        cl_event event, cl_int at, event_callback_function *notify, void *user)
{
    struct event_callback *callback;
    cl_int st = object_check(event, OBJECT_EVENT);

    if (st != CL_SUCCESS) return st;
    if (notify == NULL || at < CL_COMPLETE || at > CL_SUBMITTED)
        return CL_INVALID_VALUE;
    callback = calloc(1, sizeof(*callback));
    if (callback == NULL) return CL_OUT_OF_HOST_MEMORY;
    st = notice_create(
            &callback->notice, event_notify, (void (*)(void))notify, user);
    if (st != CL_SUCCESS) {
        free(callback);
        return st;
    }
    callback->at = at;
    callback->next = event->callbacks;
    event->callbacks = callback;
    post_due(event);
    return CL_SUCCESS;
}

cl_int CL_API_CALL fake_clSetEventCallback(
        cl_event event, cl_int at, event_callback_function *notify, void *user)
{
    cl_int st = call_enter(CALL_clSetEventCallback, "event=%p state=%d",
            (const void *)event, (int)at);

    if (st == CL_SUCCESS) st = event_callback_add(event, at, notify, user);
    return call_leave(CALL_clSetEventCallback, st);
}
