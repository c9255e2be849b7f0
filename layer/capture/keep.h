/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries the driver for the binaries of builds that it compiled, and stores
 * them. harvest.h decides when.
 *
 * Several builds of a program may wait for their harvest. While one does, the
 * driver's program that holds it is not built again, and the same build that is
 * asked for again is found there.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_KEEP_H
#define DNNL_CACHE_LAYER_CAPTURE_KEEP_H

#include "layer/programs/objects.h"

/* Queues a build for its harvest. False: it is in the application's program,
 * which may hold another build by now; counted as unused. */
bool capture_queue_add(struct layer_program *program, struct build *build);

/* Called before the driver builds the application's program;
 * capture_queue_end_handle() follows. Waits until a running harvest has asked
 * the driver. Removes the build still queued for harvest in this handle and
 * returns it with the list's reference (NULL: none). build: the build that may
 * be queued here next; NULL: only the returned one may be queued again. */
struct build *capture_queue_begin_handle(
        struct layer_program *program, struct build *build);
void capture_queue_end_handle(struct layer_program *program);

/* Finalised forms that were left out of entries, since making one takes as long
 * as compiling did (NVIDIA); until missing_forms_end() the journal has the
 * build.
 */
struct missing_forms {
    struct missing_forms *next;    /* the holder's */
    struct layer_program *program; /* a reference */
    struct build *build;           /* the same */
    struct captured *devices;      /* owned */
    unsigned count;                /* of its programs */
};

/* Harvests a build, if it is queued. May take as long as a compilation; the
 * program can be used meanwhile. Not NULL: the entries are there without forms,
 * and the caller calls missing_forms_end(). */
struct missing_forms *capture_build(
        struct layer_program *program, struct build *build);

/* Makes the forms, or leaves them to the journal, and frees what is given. */
void missing_forms_end(struct missing_forms *forms, bool make);

/* The same of a build whose functions the driver has compiled for launches, and
 * which is to compile nothing more for it (stand_ins.h). What cannot be had in
 * this way is left to the journal; without else_leave, and if the driver was
 * not asked for it, capture_build() may follow: then the result is false. */
bool capture_compiled(
        struct layer_program *program, struct build *build, bool else_leave);

/* True if no launch of the build is under way, which capture_compiled() needs.
 */
bool capture_is_ready(struct layer_program *program, struct build *build);

/* Harvests a build that no other thread knows, at once. */
void capture_at_once(struct build *build);

/* Kernels of the program that holds a build; 0: none, or not told. */
size_t capture_kernel_count(
        const struct layer_program *program, const struct build *build);

/* Removes a build from the queue that is left to the journal, if it is noted
 * there, or is not kept. */
void capture_leave_to_journal(
        struct layer_program *program, struct build *build);

/* Removes a build from the queue, and counts it as unused. One whose harvest
 * has begun is not affected. */
void capture_queue_give_up(struct layer_program *program, struct build *build);

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

/* True if the application's program holds a build that is queued or being
 * harvested. */
bool capture_queue_holds_handle(struct layer_program *program);

/* The same build (build_is_same()), if it is queued or being harvested, with a
 * reference. NULL: none. */
struct build *capture_queue_find_same(
        struct layer_program *program, const struct build *build);

#endif /* DNNL_CACHE_LAYER_CAPTURE_KEEP_H */
