/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_jobs.h: builds whose capture is to be done, and in which order. The
 * worker's lock (capture_worker.c) guards a list; a job that is in none is its
 * holder's.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_JOBS_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_JOBS_H

#include "layer/capture/later_forms.h"

/* ---- One job ------------------------------------------------------------- */

struct job {
    struct job *next;
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    uint64_t due_ns;               /* 0: at once */
    bool needs_idle;               /* not for the worker */
    bool has_no_worker;            /* another thread does it later */
    bool is_urgent; /* the worker's, and the application is done */
    /* It takes long: within a budget at the end, else by the journal. */
    bool is_costly;
    /* Of what the driver has compiled for launches: as late as possible. */
    bool is_of_compiled;
    uint64_t pause_ns; /* until it is looked at again */
};

/* It is done at the end of the process, or by no worker. */
bool job_is_for_end(const struct job *job);

/* The application holds the context until then. */
bool job_waits_for_application(const struct job *job);

/* Releases its references. The caller frees it. */
void job_put(struct job *job);

/* No launch can come: the application has neither program nor kernels. */
bool job_is_let_go(const struct job *job);

/* Does it, without a lock, and releases its references. False: what the driver
 * has compiled could not be had alone, and the driver compiles more at the end,
 * within a budget. *left: forms that were left out. */
bool job_do(struct job *job, struct missing_forms **left);

/* ---- The list ------------------------------------------------------------ */

/* Limits the jobs without a worker, and the urgent ones: an application that
 * builds for ever must not run out of memory. */
enum { jobs_most = 1024 };

/* Zeroed: none. */
struct jobs {
    struct job *first;
    size_t without_worker;
    size_t urgent;
};

void jobs_add(struct jobs *jobs, struct job *job);

/* All that follow take a job out; NULL: there is none. */

/* The one that begins first; one for the end only if is_end is true, and then
 * without waiting for anything. NULL: none begins now; *next_ns is the time of
 * the next one, 0 if there is none. */
struct job *jobs_take(
        struct jobs *jobs, uint64_t now, bool is_end, uint64_t *next_ns);

/* One of the program that any thread may do now. */
struct job *jobs_take_for_anybody(
        struct jobs *jobs, const struct layer_program *program);

/* One of the context that waits for an idle driver, or for the application. */
struct job *jobs_take_of_context(struct jobs *jobs, cl_context context);

/* One of the program, whoever was to do it. */
struct job *jobs_take_of_program(
        struct jobs *jobs, const struct layer_program *program);

/* Those of a build (NULL: of all of the program's) are due now. Returns the
 * jobs that are not to be done. */
struct job *jobs_make_due(struct jobs *jobs,
        const struct layer_program *program, const struct build *build);

/* Is there one of the build (NULL: of any of the program's)? */
bool jobs_have(const struct jobs *jobs, const struct layer_program *program,
        const struct build *build);

/* In a child of fork(): they are the parent's. */
void jobs_forget(struct jobs *jobs);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_JOBS_H */
