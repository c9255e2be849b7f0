/* SPDX-License-Identifier: Apache-2.0 */
/* build_queue.h: programs that are built in the background. */
#ifndef DNNL_CACHE_BUILD_QUEUE_H
#define DNNL_CACHE_BUILD_QUEUE_H

#include "dnnl_cache/objects.h"
#include "dnnl_cache/program.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A queue builds programs on threads of its own, by priority, while the
 * application goes on with what it has. Each program submitted is a job.
 *
 * A job's program is built as by dnnl_cache_program_create(): it comes from
 * memory, from the attached store, or from the compiler, and is kept as other
 * programs are. Nothing is launched. Jobs whose descriptors have the same ID
 * share one build, and so does a thread that creates the program meanwhile with
 * dnnl_cache_program_create(): if the build has begun, the thread waits for it;
 * if not, the thread builds at once, and the job finds the program in memory.
 * So a program that is needed now is created as ever, with no regard to the
 * queue.
 *
 * The workers are threads of the calling process. A driver that compiles one
 * program at a time in a process (PoCL) gains nothing from a second worker, and
 * a program that is created or launched while a worker compiles another one
 * waits for the driver. For such a driver each worker may have a process that
 * compiles (processes below); the library starts no process unless it is told
 * to. "dnnl-cache replay" (docs/how_to/record_and_replay.md) fills a store
 * before it is needed.
 *
 * Callbacks are called with no lock of the library held, on the thread that
 * ends the job: a worker; a thread that waits without limit; the thread that
 * cancels the job or destroys the queue. A callback may use the library and the
 * queue, but not destroy the queue. It must return.
 *
 * The workers read the environment, as drivers do: while a job waits or is
 * built, no thread may change it. Destroy a queue before the process ends: a
 * driver that compiles while the process is taken down may crash. A child of
 * fork() has no workers: there, calls with a queue or a job of the parent are
 * dnnl_runtime_error, and destroy calls do nothing, and dnnl_success.
 */

/* Where a job is. */
typedef enum {
    dnnl_cache_build_waiting = 0,  /* not begun */
    dnnl_cache_build_building = 1, /* a thread builds it */
    dnnl_cache_build_done = 2,     /* the program is there */
    dnnl_cache_build_failed = 3,
    dnnl_cache_build_cancelled = 4
} dnnl_cache_build_state_t;

/* How far a queue is, in jobs. In callbacks the library sets struct_size to the
 * size that it knows. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    size_t submitted;   /* since the queue was created: the sum of the others */
    size_t waiting;     /* not begun */
    size_t building;    /* being built */
    size_t done;        /* whose program is there */
    size_t failed;      /* whose build failed */
    size_t cancelled;   /* that were cancelled */
    uint64_t left_ns; /* estimate for waiting and building; 0: not known yet */
    size_t by_processes; /* programs that worker processes compiled */
} dnnl_cache_build_progress_t;

/* The initial value of a dnnl_cache_build_progress_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_BUILD_PROGRESS_INIT                              \
    {                                                               \
        sizeof(dnnl_cache_build_progress_t), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* Called when a job has ended, exactly once for each, with what
 * dnnl_cache_build_job_wait() would return: dnnl_not_required if the job was
 * cancelled. The job is borrowed, and valid during the call even if its handle
 * was destroyed. */
typedef void (*dnnl_cache_build_callback_t)(
        dnnl_cache_build_job_t job, dnnl_status_t status, void *user);

/* Called after the callbacks of each build and of each cancellation. Threads
 * may call it at the same time. progress is valid during the call. */
typedef void (*dnnl_cache_build_progress_callback_t)(
        const dnnl_cache_build_progress_t *progress, void *user);

/* May a queue start processes that compile? Each worker has one at most, while
 * the queue lives. */
typedef enum {
    dnnl_cache_build_processes_never = 0,
    /* Where the driver compiles one program at a time in a process (PoCL). */
    dnnl_cache_build_processes_where_useful = 1,
    dnnl_cache_build_processes_always = 2
} dnnl_cache_build_processes_t;

/* Set struct_size with DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT. */
typedef struct {
    size_t struct_size; /* sizeof the struct */
    /* At most so many threads build, besides those that wait without limit. 0:
     * as many as the process may use processors. */
    uint32_t workers;
    dnnl_cache_build_progress_callback_t progress; /* or NULL */
    void *user;                                    /* of progress */
    dnnl_cache_build_processes_t processes;        /* 0: threads alone */
    /* Program of these processes, copied. NULL: the variable
     * DNNL_CACHE_BUILD_WORKER, else the one that is installed with the library.
     * Without one threads compile, and a message says so. */
    const char *worker;
    /* A process that takes longer for a program is killed. 0: ten minutes. */
    uint32_t process_timeout_ms;
} dnnl_cache_build_queue_options_t;

/* The initial value of a dnnl_cache_build_queue_options_t: struct_size is
 * set, all else is 0. */
#define DNNL_CACHE_BUILD_QUEUE_OPTIONS_INIT                      \
    {                                                            \
        sizeof(dnnl_cache_build_queue_options_t), 0, NULL, NULL, \
                dnnl_cache_build_processes_never, NULL, 0        \
    }

/* The largest number of workers. */
#define DNNL_CACHE_MAX_BUILD_WORKERS 256

/* Creates a queue, for programs of any engines. options may be NULL. No thread
 * is started before the first job; the threads receive no signals. The caller
 * destroys the queue. Statuses: dnnl_success; dnnl_invalid_arguments (queue
 * NULL, bad struct_size, too many workers); dnnl_out_of_memory. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_create(
        dnnl_cache_build_queue_t *queue,
        const dnnl_cache_build_queue_options_t *options);

/* Submits a program. Jobs of a higher priority are begun first, those of equal
 * priority in the order of submission. Computes the descriptor's ID on the
 * calling thread; the descriptor may be destroyed afterwards. callback (may be
 * NULL) gets user, which must live until the callback has returned. *job (job
 * may be NULL) receives a handle, which the caller destroys; without one the
 * job is built all the same. The callback may be called before this call
 * returns. Statuses: dnnl_success; dnnl_invalid_arguments (queue or
 * program_desc NULL); dnnl_out_of_memory (also: no thread can be started);
 * dnnl_runtime_error (the queue is being destroyed, or the ID cannot be
 * computed). After a failure callback is not called. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_submit(
        dnnl_cache_build_queue_t queue,
        const_dnnl_cache_program_desc_t program_desc, int priority,
        dnnl_cache_build_callback_t callback, void *user,
        dnnl_cache_build_job_t *job);

/* Waits until no job waits or is built, for timeout_ns at most; callbacks may
 * still be running then. Without a limit (UINT64_MAX) the calling thread builds
 * what waits, too. Statuses: dnnl_success, whatever came of the jobs;
 * dnnl_not_required: the time is up; dnnl_invalid_arguments (NULL);
 * dnnl_runtime_error: called inside a build that would then wait for itself.
 * Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_wait(
        dnnl_cache_build_queue_t queue, uint64_t timeout_ns);

/* Writes how far the queue is. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL, bad struct_size). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_get_progress(
        dnnl_cache_build_queue_t queue, dnnl_cache_build_progress_t *progress);

/* Cancels the jobs that wait, then waits until the workers have finished their
 * builds, and callbacks on them have returned. Handles of jobs stay valid.
 * Statuses: dnnl_success (also NULL); dnnl_runtime_error: called on a worker,
 * as in a callback; nothing is destroyed. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_queue_destroy(
        dnnl_cache_build_queue_t queue);

/* Waits until the job has ended, for timeout_ns at most (0 does not wait), and
 * gives its program: *program (program may be NULL) receives a new handle at
 * each call, which the caller destroys. Without a limit (UINT64_MAX) a job that
 * waits is built at once on the calling thread. Statuses: dnnl_success;
 * dnnl_not_required: the time is up, or the job was cancelled;
 * dnnl_invalid_arguments (job NULL); dnnl_runtime_error: also, called inside a
 * build that would then wait for itself; else what dnnl_cache_program_create()
 * returned: dnnl_cache_program_desc_get_build_log() has the compiler's log.
 * Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_wait(dnnl_cache_build_job_t job,
        uint64_t timeout_ns, dnnl_cache_program_t *program);

/* Changes the priority of a job that waits. A build that several jobs share has
 * the highest of theirs. Statuses: dnnl_success; dnnl_not_required: it does not
 * wait any more; dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_set_priority(
        dnnl_cache_build_job_t job, int priority);

/* Cancels a job: its callback is called before this call returns. A build that
 * no job wants is dropped if it has not begun. One that has begun cannot be
 * interrupted: it is finished, and its program is kept in memory like others.
 * Statuses: dnnl_success; dnnl_not_required: it has ended already;
 * dnnl_invalid_arguments (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_cancel(dnnl_cache_build_job_t job);

/* Writes where the job is. Statuses: dnnl_success; dnnl_invalid_arguments
 * (NULL). Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_get_state(
        dnnl_cache_build_job_t job, dnnl_cache_build_state_t *state);

/* Releases the caller's handle, which keeps the program alive once it is built;
 * the job goes on. Always dnnl_success. Since 0.1.0. */
dnnl_status_t DNNL_API dnnl_cache_build_job_destroy(dnnl_cache_build_job_t job);

#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_BUILD_QUEUE_H */
