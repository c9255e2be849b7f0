/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_worker.h: the layer's own thread, the jobs that it has, and what is
 * left of them at the end; capture.h says which are when. The calls of
 * capture.h that start and stop it are here, too. Thread-safe.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_WORKER_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_WORKER_H

#include "layer/capture/capture_jobs.h"

/* Takes over a job. False: it is the caller's, since there are too many, or
 * nobody may do it. is_watched: of its context (idle.h). */
bool capture_worker_add(struct job *job, bool is_watched);

/* Has it one of the build (NULL: of any of the program's)? */
bool capture_worker_has(
        const struct layer_program *program, const struct build *build);

/* Those of the build are due now, as with jobs_make_due(). */
struct job *capture_worker_make_due(
        const struct layer_program *program, const struct build *build);

/* As jobs_take_for_anybody() and jobs_take_of_context(). */
struct job *capture_worker_take_for_anybody(
        const struct layer_program *program);
struct job *capture_worker_take_of_context(cl_context context);

/* One of the program, whoever was to do it; if the worker has one in work this
 * waits until it has not, for a second at most. */
struct job *capture_worker_take_of_program(const struct layer_program *program);

/* Takes over a job whose program the driver is to be asked about at the end;
 * if too many wait already the journal has it. */
void capture_worker_leave_for_end(struct job *job);

/* Takes over forms for the worker; without one they are left to the journal.
 * NULL is fine. */
void capture_worker_hold_forms(struct missing_forms *more);

/* Does all jobs on the calling thread, those that take long within their
 * budget. */
void capture_worker_do_all(void);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_WORKER_H */
