/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_queue.h: builds that wait for a thread, the most urgent first.
 *
 * A job is what was submitted, a task what is built: jobs of the same program
 * share a task. A task leaves the queue when it has ended, or when no job of it
 * is left and no thread has begun it.
 */
#ifndef DNNL_CACHE_GPU_PROGRAM_QUEUE_BUILD_QUEUE_H
#define DNNL_CACHE_GPU_PROGRAM_QUEUE_BUILD_QUEUE_H

#include "src/common/waits.h"
#include "src/gpu/program/create/build_process.h"
#include "src/gpu/program/create/program_api.h"

/* A table that cannot grow refuses the entry instead of ending the process. */
#ifndef HASH_NONFATAL_OOM
#define HASH_NONFATAL_OOM 1
#endif
#include <uthash.h>

#include <pthread.h>

struct build_task {
    atomic_int references; /* its jobs', the queue's, the builder's */
    struct dnnl_cache_program_desc *desc; /* retained; fixed */
    struct buffer key; /* context and program key; empty: has no ID, is not
                          shared; fixed */

    /* Guarded by the queue's lock. */
    dnnl_cache_build_state_t state;
    int priority;            /* the highest of its jobs' */
    struct build_task *prev; /* in the queue's list of its state */
    struct build_task *next;
    struct dnnl_cache_build_job *jobs; /* that have not ended */
    size_t job_count;
    UT_hash_handle hh; /* in the queue's table, unless key is empty */

    struct work work; /* who waits for the task: common/waits.h */

    /* Written by the builder, before the state says that the task has ended. */
    dnnl_status_t status;
    struct program_made made;
    bool by_process; /* compiled by the worker's */
    uint64_t end_ns;
};

struct dnnl_cache_build_job {
    struct dnnl_cache_build_queue *queue; /* retained; fixed */
    struct build_task *task;              /* retained; fixed */
    struct dnnl_cache_program_desc *desc; /* retained; fixed */
    dnnl_cache_build_callback_t callback; /* or NULL; fixed */
    void *user;                           /* of callback */
    atomic_int references; /* the handle's, and one until it has ended */

    /* Guarded by the queue's lock. */
    dnnl_cache_build_state_t state; /* waiting until it has ended */
    int priority;
    struct dnnl_cache_build_job *next; /* of the same task */
};

struct dnnl_cache_build_queue {
    atomic_int references;            /* the handle's and the jobs' */
    long process;                     /* that has the workers; fixed */
    uint32_t workers;                 /* at most; fixed */
    struct build_processes processes; /* fixed */
    dnnl_cache_build_progress_callback_t progress; /* or NULL; fixed */
    void *user;                                    /* of progress */

    pthread_mutex_t lock;       /* guards the rest, tasks and jobs; leaf */
    pthread_cond_t has_work;    /* a task waits, or is_ending */
    pthread_cond_t has_ended;   /* a job or a task has */
    struct build_task *waiting; /* the most urgent first */
    size_t waiting_tasks;
    struct build_task *building; /* in any order */
    struct build_task *by_key;   /* both */
    pthread_t *threads;          /* those started */
    uint32_t started;
    uint32_t idle;
    bool is_ending;
    dnnl_cache_build_progress_t counts; /* but left_ns */
    uint64_t built;                     /* tasks */
    uint64_t built_ns;                  /* time of all these */
};

static inline bool build_has_ended(dnnl_cache_build_state_t state)
{
    return state >= dnnl_cache_build_done;
}

/* ---- Life ---------------------------------------------------------------- */

/* A task that waits, of one reference, without a job; NULL: out of memory.
 * Takes the key over, also on failure. */
struct build_task *build_task_create(
        const struct dnnl_cache_program_desc *desc, struct buffer *key);
void build_task_release(struct build_task *task);
void build_job_release(struct dnnl_cache_build_job *job);
void build_queue_release(struct dnnl_cache_build_queue *q);

/* ---- The lists: under the queue's lock ----------------------------------- */

/* The task of that key that has not ended, or NULL. */
struct build_task *build_queue_find_locked(
        struct dnnl_cache_build_queue *q, const struct buffer *key);

/* Adds a new task, which has a priority, and takes the caller's reference over.
 * A table that cannot grow does without the task: it is not shared. */
void build_queue_add_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task);

/* Gives the task a job. */
void build_queue_join_locked(struct dnnl_cache_build_queue *q,
        struct build_task *task, struct dnnl_cache_build_job *job);

/* Gives a task that waits the highest priority of its jobs, and its place. */
void build_queue_rank_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task);

/* Ends a job without its program. A task that waits and has no other job leaves
 * the queue: *dropped is the queue's reference, else NULL. The caller goes on
 * with build_job_report(). */
void build_queue_cancel_locked(struct dnnl_cache_build_queue *q,
        struct dnnl_cache_build_job *job, struct build_task **dropped);

/* Takes a task that waits: the caller is its builder. */
void build_queue_take_locked(
        struct dnnl_cache_build_queue *q, struct build_task *task);

void build_queue_progress_locked(const struct dnnl_cache_build_queue *q,
        dnnl_cache_build_progress_t *progress);

/* ---- Without the lock ---------------------------------------------------- */

/* Calls back for a job that has ended, and gives up the reference that it had
 * until then. */
void build_job_report(struct dnnl_cache_build_job *job, dnnl_status_t status);

/* Calls back with how far the queue is. */
void build_queue_report(struct dnnl_cache_build_queue *q);

/* Builds a task that the caller has taken, ends its jobs and calls back. */
void build_task_run(struct dnnl_cache_build_queue *q, struct build_task *task);

/* ---- Workers ------------------------------------------------------------- */

/* Makes sure of a worker for one more task than wait, if there may be more
 * workers. False: there is none at all. Under the lock. */
bool build_queue_staff_locked(struct dnnl_cache_build_queue *q);

/* True if the calling thread is one of them. */
bool build_queue_is_worker(const struct dnnl_cache_build_queue *q);

#endif /* DNNL_CACHE_GPU_PROGRAM_QUEUE_BUILD_QUEUE_H */
