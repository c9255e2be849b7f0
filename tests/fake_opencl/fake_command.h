/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands: what an enqueue makes. A command whose events are complete is
 * executed at once, by the thread that enqueued it; one that waits for a user
 * event, or for a command that does, is executed by the thread that completes
 * what it waits for. All functions here need the driver's lock.
 */
#ifndef DNNL_CACHE_TESTS_FAKE_COMMAND_H
#define DNNL_CACHE_TESTS_FAKE_COMMAND_H

#include "fake_internal.h"

enum command_work { WORK_NONE, WORK_COPY, WORK_FILL, WORK_LAUNCH };

/* A box of bytes in each of two memories. */
struct command_copy {
    uint8_t *to;
    const uint8_t *from;
    size_t region[3]; /* bytes, rows, slices */
    size_t to_pitch[2];
    size_t from_pitch[2];
};

struct command_fill {
    uint8_t *to;
    size_t size;
    uint8_t pattern[128];
    size_t pattern_size;
};

struct command_launch {
    struct fake_opencl_launch launch;
    size_t narguments;
    struct fake_opencl_arg *arguments; /* values are copies */
};

struct command {
    struct command *next;
    cl_command_queue queue; /* held */
    cl_event event;         /* held */
    size_t nwait;           /* events given, held: their errors count */
    size_t nafter;          /* events before it in the queue, held */
    cl_event *events;       /* the ones, then the others */
    size_t nobjects;
    void **objects; /* held: what it works on */
    enum command_work work;
    struct command_copy copy;
    struct command_fill fill;
    struct command_launch launch;
};

/* Begins a command after checking the queue and the events. */
cl_int command_create(struct command **command, cl_command_queue queue,
        cl_command_type type, cl_uint nwait, const cl_event *wait);
/* Keeps an object alive until the command is done. */
cl_int command_keep(struct command *command, void *object);
/* Makes the command wait for all there is in its queue, and all that follows
 * wait for it. */
cl_int command_make_barrier(struct command *command, bool hold_back);
/* Hands the command over and executes what can be; if asked to, waits until
 * it is done, and returns its error. *event, where not NULL, is the caller's.
 * The command is gone whatever comes of it. */
cl_int command_submit(struct command *command, bool blocking, cl_event *event);
/* For a command that was not submitted; NULL is fine. */
void command_discard(struct command *command);
/* Executes what an event's completion made possible. */
void commands_run(void);
/* Waits until the queue has executed everything. */
void queue_drain(cl_command_queue queue);

/* An event in the state CL_QUEUED; the reference is the application's. */
cl_int event_create(cl_event *event, cl_context context, cl_command_queue queue,
        cl_command_type type);
/* Enters a state; what waits for it hears of it. */
void event_advance(cl_event event, cl_int status);
/* Checks a wait list: the count and the events, of one context. */
cl_int events_check(cl_context context, cl_uint nwait, const cl_event *wait);

#endif /* DNNL_CACHE_TESTS_FAKE_COMMAND_H */
