/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h: a process that does a job after another for this one.
 *
 * Who starts workers decides what they are given, how long that may take, and
 * what becomes of a job whose worker died: a build queue (one worker a thread),
 * a model (all steps of one), a refresh (jobs of a journal). A worker ends when
 * nobody speaks with it any more, so that it is not left behind.
 */
#ifndef DNNL_CACHE_WORKER_WORKER_H
#define DNNL_CACHE_WORKER_WORKER_H

#include "src/platform/process.h"
#include "src/worker/message.h"

/* A zeroed one does not run. */
struct worker {
    struct process process;
    struct channel channel; /* to it and back */
};

/* Is there a process, running or to be waited for? */
static inline bool worker_is_there(const struct worker *worker)
{
    return worker->process.number != 0;
}

/* The plan without an input: that is the channel. 0 or an errno value. */
int worker_start(struct worker *worker, const struct process_plan *plan);

/* Lets it end, as a worker without a job does at once; one that has not ended
 * after so long is killed. Returns how it ended. Fine for one that does not
 * run. */
struct process_end worker_end(struct worker *worker, uint64_t patience_ns);

/* ---- In the worker ------------------------------------------------------- */

/* One kind of job, which may take the order over and leave a zeroed one. An
 * answer with a subject is sent; false ends the process, with
 * worker_exit_failed. */
struct worker_job {
    enum message_subject subject;
    bool (*run)(void *user, struct message *order, struct message *answer);
};

/* Exit statuses. */
enum {
    worker_exit_done = 0,     /* there is nobody who asks any more */
    worker_exit_failed = 1,   /* or this process was not started as one */
    worker_exit_version = 125 /* who asks is of another version */
};

struct worker_service {
    const struct worker_job *jobs; /* that this program does */
    size_t count;
    void *user;
    struct channel channel; /* while it serves */
};

/* Does jobs until nobody asks any more, the first order (NULL: none) before
 * those that come. Returns the exit status. */
int worker_serve(struct worker_service *service, struct message *first);

#endif /* DNNL_CACHE_WORKER_WORKER_H */
