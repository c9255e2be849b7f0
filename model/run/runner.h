/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner.h: a plan on a device: its code, its memory, and one run after the
 * other.
 *
 *     runner_init_memory                 a context will do
 *     runner_init_code, runner_describe  nothing but the engine's probe is
 *                                        compiled
 *     runner_allocate                    memory for activations and inputs
 *     runner_upload                      any time after runner_init_memory(),
 *                                        on another thread if that helps
 *     runner_create                      each step's code, in any order
 *     runner_bind                        when all that is done
 *     runner_write, runner_submit,       as often as one likes
 *     runner_finish, runner_read
 *
 * One thread at a time, but for runner_upload() and, for different steps,
 * runner_create(). Calls that fail say why in failure, a text that names the
 * node if it is about one.
 */
#ifndef DNNL_CACHE_MODEL_RUN_RUNNER_H
#define DNNL_CACHE_MODEL_RUN_RUNNER_H

#include "model/base/failure.h"
#include "model/run/buffers.h"
#include "model/run/compiled.h"

#include <stdatomic.h>

struct bound_step;

struct runner {
    const struct plan *plan; /* borrowed */
    dnnl_engine_t engine;    /* borrowed */
    dnnl_stream_t stream;
    cl_command_queue queue;     /* the stream's */
    dnnl_stream_t first_stream; /* while another queue is used; else NULL */
    struct buffers buffers;
    cl_mem fault;          /* an int, of steps that can fail; NULL: none can */
    struct compiled *code; /* by step */
    struct bound_step *bound; /* by step */
};

/* runner_fini() is due in any case, before the engine goes. */
bool runner_init(struct runner *runner, const struct plan *plan,
        dnnl_engine_t engine, struct failure *failure);

/* The same in two steps: without an engine, which takes time to create; and on
 * a queue of the caller's, which is retained and runs in order (NULL: on one of
 * its own). */
bool runner_init_memory(struct runner *runner, const struct plan *plan,
        cl_context context, cl_device_id device, struct failure *failure);
bool runner_init_code(struct runner *runner, dnnl_engine_t engine,
        cl_command_queue queue, struct failure *failure);

/* Describes each step. *status tells dnnl_cache_miss (the probe is not in the
 * store, and nothing may be compiled) from other failures. */
bool runner_describe(
        struct runner *runner, dnnl_status_t *status, struct failure *failure);

bool runner_allocate(struct runner *runner, struct failure *failure);

/* By so many threads at most. */
bool runner_upload(struct runner *runner, int threads, struct failure *failure);

/* As compiled_create(), of step number s. */
dnnl_status_t runner_create(struct runner *runner, int s);
/* Says that it has failed so. */
bool runner_fail(const struct runner *runner, int s, dnnl_status_t status,
        struct failure *failure);

/* Gives each step its arguments, touches the memory of activations, and
 * launches programs that are short once: the first run is then like the
 * others. */
bool runner_bind(struct runner *runner, struct failure *failure);

/* Submits all steps to the queue and does not wait. `cancelled` ends that
 * between two steps; NULL: nobody cancels. */
bool runner_submit(struct runner *runner, const atomic_bool *cancelled,
        struct failure *failure);

/* Waits for what was submitted. Fails if an index was out of range; the next
 * run may be right. */
bool runner_finish(struct runner *runner, struct failure *failure);

/* Submits one step. */
bool runner_submit_step(struct runner *runner, int s, struct failure *failure);

/* Runs on another queue from now on, which is of the same device and context;
 * NULL: on the first one again. What was submitted before must be over. */
bool runner_use_queue(
        struct runner *runner, cl_command_queue queue, struct failure *failure);

/* The elements of a view, in order: layout_count() of them, of its type. */
bool runner_read(struct runner *runner, const struct view *view, void *data,
        struct failure *failure);
bool runner_write(struct runner *runner, const struct view *view,
        const void *data, struct failure *failure);

/* A zeroed one is fine. */
void runner_fini(struct runner *runner);

#endif /* DNNL_CACHE_MODEL_RUN_RUNNER_H */
