/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a command: made, waiting, executed, gone. */
#include "fake_command.h"

#include <stdlib.h>
#include <string.h>

/* Commands that were submitted and not begun, of all queues, oldest first. */
static struct command *waiting;

static void launch_fini(struct command_launch *launch)
{
    for (size_t i = 0; i < launch->narguments; i++)
        free((void *)(uintptr_t)launch->arguments[i].value);
    free(launch->arguments);
}

/* Lets go of what it holds. The event is told before, if it was submitted. */
static void command_destroy(struct command *command)
{
    for (size_t i = 0; i < command->nwait + command->nafter; i++)
        object_drop(command->events[i]);
    for (size_t i = 0; i < command->nobjects; i++)
        object_drop(command->objects[i]);
    launch_fini(&command->launch);
    free(command->events);
    free(command->objects);
    object_drop(command->event);
    object_drop(command->queue);
    free(command);
}

void command_discard(struct command *command)
{
    if (command != NULL) command_destroy(command);
}

static cl_int events_append(
        struct command *command, cl_uint n, const cl_event *events)
{
    size_t count = command->nwait + command->nafter;
    cl_event *grown =
            realloc(command->events, (count + n + 1) * sizeof(cl_event));

    if (grown == NULL) return CL_OUT_OF_HOST_MEMORY;
    command->events = grown;
    for (cl_uint i = 0; i < n; i++) {
        object_hold(events[i]);
        grown[count + i] = events[i];
    }
    return CL_SUCCESS;
}

static cl_int append_after(struct command *command, cl_event event)
{
    cl_int st;

    if (event == NULL || event->status <= CL_COMPLETE) return CL_SUCCESS;
    st = events_append(command, 1, &event);
    if (st == CL_SUCCESS) command->nafter++;
    return st;
}

cl_int command_create(struct command **command, cl_command_queue queue,
        cl_command_type type, cl_uint nwait, const cl_event *wait)
{
    struct command *made = NULL;
    cl_int st = object_check(queue, OBJECT_QUEUE);

    if (st == CL_SUCCESS) st = events_check(queue->context, nwait, wait);
    if (st != CL_SUCCESS) return st;
    made = calloc(1, sizeof(*made));
    if (made == NULL) return CL_OUT_OF_HOST_MEMORY;
    made->queue = queue;
    object_hold(queue);
    st = event_create(&made->event, queue->context, queue, type);
    if (st != CL_SUCCESS) goto out;
    object_hold(made->event);
    object_disown(made->event);
    st = events_append(made, nwait, wait);
    if (st != CL_SUCCESS) goto out;
    made->nwait = nwait;
    /* An in-order queue is a chain; in any other only barriers hold back. */
    if ((queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        st = append_after(made, queue->last);
    else
        st = append_after(made, queue->barrier);
    if (st != CL_SUCCESS) goto out;
    *command = made;
    made = NULL;
out:
    command_discard(made);
    return st;
}

cl_int command_keep(struct command *command, void *object)
{
    void **grown =
            realloc(command->objects, (command->nobjects + 1) * sizeof(void *));

    if (grown == NULL) return CL_OUT_OF_HOST_MEMORY;
    command->objects = grown;
    object_hold(object);
    grown[command->nobjects++] = object;
    return CL_SUCCESS;
}

static void replace(cl_event *place, cl_event event)
{
    object_hold(event);
    object_drop(*place);
    *place = event;
}

cl_int command_make_barrier(struct command *command, bool hold_back)
{
    cl_int st = CL_SUCCESS;

    for (struct command *other = waiting;
            other != NULL && command->nwait == 0 && st == CL_SUCCESS;
            other = other->next)
        if (other->queue == command->queue)
            st = append_after(command, other->event);
    if (st == CL_SUCCESS && hold_back)
        replace(&command->queue->barrier, command->event);
    return st;
}

static void copy_box(const struct command_copy *copy)
{
    for (size_t z = 0; z < copy->region[2]; z++)
        for (size_t y = 0; y < copy->region[1]; y++)
            memmove(copy->to + z * copy->to_pitch[1] + y * copy->to_pitch[0],
                    copy->from + z * copy->from_pitch[1]
                            + y * copy->from_pitch[0],
                    copy->region[0]);
}

static void fill_range(const struct command_fill *fill)
{
    for (size_t at = 0; at < fill->size; at += fill->pattern_size)
        memcpy(fill->to + at, fill->pattern, fill->pattern_size);
}

/* The body may take long and may call OpenCL: it runs without the lock. */
static void run_body(const struct command_launch *launch)
{
    void *user;
    fake_opencl_body *body = launch_body(launch->launch.kernel, &user);

    if (body == NULL) return;
    driver_unlock();
    body(&launch->launch, launch->narguments, launch->arguments, user);
    driver_lock();
}

/* A queue holds events only while they are not complete: they hold it. */
static void forget(cl_event *place, cl_event event)
{
    if (*place != event) return;
    *place = NULL;
    object_drop(event);
}

static void execute(struct command *command)
{
    cl_int status = CL_COMPLETE;

    for (size_t i = 0; i < command->nwait; i++)
        if (command->events[i]->status < 0)
            status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (status == CL_COMPLETE) {
        event_advance(command->event, CL_SUBMITTED);
        event_advance(command->event, CL_RUNNING);
        if (command->work == WORK_COPY) copy_box(&command->copy);
        if (command->work == WORK_FILL) fill_range(&command->fill);
        if (command->work == WORK_LAUNCH) run_body(&command->launch);
    }
    event_advance(command->event, status);
    forget(&command->queue->last, command->event);
    forget(&command->queue->barrier, command->event);
    command->queue->pending--;
    command_destroy(command);
    driver_changed();
}

static bool can_begin(const struct command *command)
{
    for (size_t i = 0; i < command->nwait + command->nafter; i++)
        if (command->events[i]->status > CL_COMPLETE) return false;
    return true;
}

void commands_run(void)
{
    struct command **place = &waiting;

    while (*place != NULL) {
        struct command *command = *place;

        if (!can_begin(command)) {
            place = &command->next;
            continue;
        }
        *place = command->next;
        execute(command);
        /* What it ended may have been waited for by an older one, and the
         * list may have changed while a body ran. */
        place = &waiting;
    }
}

cl_int command_submit(struct command *command, bool blocking, cl_event *event)
{
    struct command **end = &waiting;
    cl_event own = command->event;
    cl_int st = CL_SUCCESS;

    while (*end != NULL)
        end = &(*end)->next;
    command->next = NULL;
    *end = command;
    command->queue->pending++;
    replace(&command->queue->last, own);
    object_hold(own);
    object_drop(command->queue->launched);
    command->queue->launched = NULL;
    if (event != NULL) {
        object_retain(own, OBJECT_EVENT);
        *event = own;
    }
    commands_run();
    while (blocking && own->status > CL_COMPLETE)
        driver_wait();
    if (blocking && own->status < 0)
        st = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    object_drop(own);
    return st;
}

void queue_drain(cl_command_queue queue)
{
    object_hold(queue);
    while (queue->pending != 0)
        driver_wait();
    object_drop(queue);
}

cl_int CL_API_CALL fake_clFinish(cl_command_queue queue)
{
    cl_int st = call_enter(CALL_clFinish, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS) st = object_check(queue, OBJECT_QUEUE);
    if (st == CL_SUCCESS) queue_drain(queue);
    return call_leave(CALL_clFinish, st);
}

cl_int CL_API_CALL fake_clFlush(cl_command_queue queue)
{
    cl_int st = call_enter(CALL_clFlush, "queue=%p", (const void *)queue);

    if (st == CL_SUCCESS) st = object_check(queue, OBJECT_QUEUE);
    return call_leave(CALL_clFlush, st);
}
