/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capture_build.h: asks the driver for the binaries of one build, and stores
 * them. capture.h decides when.
 */
#ifndef DNNL_CACHE_LAYER_CAPTURE_CAPTURE_BUILD_H
#define DNNL_CACHE_LAYER_CAPTURE_CAPTURE_BUILD_H

#include "layer/capture/later_forms.h"

/* Captures a build, if it is queued. May take as long as a compilation; the
 * program can be used meanwhile. Not NULL: the entries are there without forms,
 * and the caller calls missing_forms_end(). */
struct missing_forms *capture_build(
        struct layer_program *program, struct build *build);

/* Its capture is over, and it waits no more. all: what capture_ask() returned;
 * count: captured_count() of it. */
void capture_build_end(struct layer_program *program, struct build *build,
        struct captured *all, unsigned count);

/* The same of a build whose functions the driver has compiled for launches, and
 * which is to compile nothing more for it (stand_ins.h). What cannot be had in
 * this way is left to the journal; without else_leave, and if the driver was
 * not asked for it, capture_build() may follow: then the result is false. */
bool capture_compiled(
        struct layer_program *program, struct build *build, bool else_leave);

/* True if no launch of the build is under way, which capture_compiled() needs.
 */
bool capture_is_ready(struct layer_program *program, struct build *build);

/* Captures a build that no other thread knows, at once. */
void capture_at_once(struct build *build);

/* Removes a build from the queue that is left to the journal, if it is noted
 * there, or is not kept. */
void capture_leave_to_journal(
        struct layer_program *program, struct build *build);

#endif /* DNNL_CACHE_LAYER_CAPTURE_CAPTURE_BUILD_H */
