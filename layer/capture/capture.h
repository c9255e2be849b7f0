/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When the driver is asked for the binaries of programs that it compiled.
 *
 * A query may take as long as a compilation, and drivers compile more at the
 * first launches, so later is better. A worker thread of low priority queries
 * when the application has released the program, or some time after the build
 * (DNNL_CACHE_CAPTURE_SECONDS), and begins with none while the application is
 * in calls that compile (quiet.h). The rest follows when the main thread ends
 * the process; drivers that must be idle (quirks.h) are queried only then.
 *
 * A query that takes long, as PoCL's, is not worth the time of every process.
 * At the end such queries are made within a budget (budget.h), and the journal
 * of the store has the rest. With DNNL_CACHE_CAPTURE_NOW each query is made by
 * the thread that releases the program.
 *
 * Where a finalised form takes long to make (NVIDIA), the entry is put without
 * one. The worker makes forms when no query is due and the application is
 * quiet; what is left at the end is made within that budget, and the journal
 * has the rest, as it has what a process that is killed has not made.
 *
 * What PoCL has compiled for launches is asked for in a way for which it
 * compiles nothing (stand_ins.h): once, when the application has let go of the
 * program and its kernels and no launch is under way, by the worker, whatever
 * the budget is; else at the end. What cannot be had so is the journal's.
 *
 * A program of which the application has asked for the binary is not held any
 * longer than the application and its kernels hold it, where what is made from
 * that binary works in the same folder (quirks.h): its capture is done by the
 * thread that lets go of it, or is the journal's.
 *
 * A loader that lets the layer go (clDeinitLayer) may close the drivers then:
 * the rest of the capture follows at once, as at the end of the process.
 *
 * A driver that is at work while the process is taken down crashes. If the end
 * cannot be noticed in time (exit_hook.h: the main thread called nothing of
 * OpenCL), the query is made by the thread that releases the program or the
 * last context; for drivers that must be idle, by the latter only.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_H

#include "layer/programs/objects.h"

/* At the layer's start. */
void capture_init(void);

/* The process ends: no driver may be called for the capture any more. */
bool capture_is_over(void);

/* The drivers are about to be closed. Does what is left as at the end of the
 * process; afterwards no thread of the capture is there, and none begins. */
void capture_end(void);

/* Between the two, no thread of the capture is there. The latter also takes
 * back capture_end(), once there are drivers again. */
void capture_pause(void);
void capture_go_on(void);

/* The driver has built the program, and its binary is to be captured later. */
void capture_expect(struct layer_program *program, struct build *build);

/* The application no longer uses a build: if it waits, its capture is due now.
 * NULL: all builds of the program. */
void capture_soon(struct layer_program *program, const struct build *build);

/* The application has released the program; takes over the caller's reference.
 */
void capture_released(struct layer_program *program);

/* The application has released a kernel of the program; takes over the caller's
 * reference. */
void capture_kernel_released(struct layer_program *program);

/* The application has released a context. */
void capture_idle(void);

/* The application has set a destructor callback of the context: its programs do
 * not wait for an idle driver, and are not stored. */
void capture_drop(cl_context context);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_H */
