/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asks the driver for the binaries of builds that it compiled, and keeps them.
 * harvest.h knows when.
 *
 * A program may have several builds that wait: while one does, the driver's
 * program that it is in is not built anew. If the application asks for the same
 * once more meanwhile, it is still there.
 */
#ifndef DNNL_CACHE_LAYER_KEEP_H
#define DNNL_CACHE_LAYER_KEEP_H

#include "build/objects.h"

/* The build waits from now on. False: it is in the application's program, and
 * another may be there instead by now; counted as unused. */
bool keep_expect(struct layer_program *program, struct build *build);

/* Called before the driver builds the application's program; keep_end_handle()
 * follows. Waits for a running harvest. Removes the build still queued for
 * harvest in this handle and returns it with the list's reference (NULL: none).
 * build: the build that may be queued here next; NULL: only the returned one
 * may be queued again. */
struct build *keep_begin_handle(
        struct layer_program *program, struct build *build);
void keep_end_handle(struct layer_program *program);

/* Keeps what the build is to have kept, if it waits for that. May take as long
 * as compiling; the program may be used meanwhile. */
void keep_build(struct layer_program *program, struct build *build);

/* Keeps a build that nobody else knows, at once. */
void keep_now(struct build *build);

/* How long the driver will be asked for the binary of a program with so many
 * kernels, by what it took before; 0: not known. */
uint64_t keep_predict_ns(size_t kernel_count);

/* A build that still waits for its harvest is not kept: counted as unused. One
 * that is being asked for is; nobody waits for that. */
void keep_give_up(struct layer_program *program, struct build *build);

/* True if a build waits, or is asked for, that is in the application's program.
 */
bool keep_waits_for_handle(struct layer_program *program);

/* The build that waits, or is asked for, and is the same of the same, with a
 * reference. NULL: none. */
struct build *keep_find_same(
        struct layer_program *program, const struct build *build);

#endif /* DNNL_CACHE_LAYER_KEEP_H */
