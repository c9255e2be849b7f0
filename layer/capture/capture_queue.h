/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_queue.h: the builds of a program that wait until the driver is asked
 * for their binaries; capture.h decides when.
 *
 * While one waits, the driver's program that holds it is not built again, and
 * the same build that is asked for again is found there.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_QUEUE_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_QUEUE_H

#include "layer/programs/objects.h"

/* Queues a build for its capture. False: it is in the application's program,
 * which may hold another build by now; counted as unused. */
bool capture_queue_add(struct layer_program *program, struct build *build);

/* Removes a build from the queue, and counts it as unused. One whose capture
 * has begun is not affected. */
void capture_queue_give_up(struct layer_program *program, struct build *build);

/* True if the application's program holds a build that is queued or being
 * captured. */
bool capture_queue_holds_handle(struct layer_program *program);

/* The same build (build_is_same()), if it is queued or being captured, with a
 * reference. NULL: none. */
struct build *capture_queue_find_same(
        struct layer_program *program, const struct build *build);

/* ---- Being asked for ----------------------------------------------------- */

/* True if the build waits; from now on it is being asked for. */
bool capture_queue_begin_asking(
        struct layer_program *program, struct build *build);

/* As before capture_queue_begin_asking(): it waits. */
void capture_queue_stop_asking(
        struct layer_program *program, struct build *build);

/* The driver's part is over: from now on the application's program may be built
 * again. */
void capture_queue_end_asking(
        struct layer_program *program, struct build *build);

/* Waits no more; returns it with the reference that the queue had, or NULL. */
struct build *capture_queue_take(
        struct layer_program *program, const struct build *build);

/* ---- Other builds in the same place -------------------------------------- */

/* Called before the driver builds the application's program;
 * capture_queue_end_handle() follows. Waits until a running capture has asked
 * the driver. Removes the build still queued for capture in this handle and
 * returns it with the list's reference (NULL: none). build: the build that may
 * be queued here next; NULL: only the returned one may be queued again. */
struct build *capture_queue_begin_handle(
        struct layer_program *program, struct build *build);
void capture_queue_end_handle(struct layer_program *program);

/* Called before the driver builds something else in a build's substitute. True:
 * it may, and what the build was is never kept. False: the build is queued. */
bool capture_queue_lend(struct layer_program *program, struct build *build);

/* Called around a build of something else there that the driver is expected to
 * refuse, even where the build is queued. What it did not refuse spoilt the
 * build: that is not kept then. */
void capture_queue_lend_begin(
        struct layer_program *program, struct build *build);
void capture_queue_lend_end(
        struct layer_program *program, struct build *build, bool is_spoilt);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_QUEUE_H */
