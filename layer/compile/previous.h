/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program was built to before the application asks for the next build.
 *
 * What a call that fails leaves of a program differs from driver to driver: all
 * of it, nothing, or a mixture of the previous build and the one that failed.
 * So the driver must have been told of the previous build in the program where
 * the call fails. Where a substitute of stored binaries stood for it, or where
 * it has to stay for its capture, the driver is made to build it once more:
 * that is the price of a call that fails.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_PREVIOUS_H
#define DNNL_CACHE_LAYER_COMPILE_PREVIOUS_H

#include "layer/programs/build_call.h"

/* Fills in what the call needs to know of the previous build. */
void previous_look(struct build_call *call);

/* Makes a build what the program is, with the caller's reference, and returns
 * what it was, with a reference of the caller's. Both may be NULL. */
struct build *previous_exchange(
        struct layer_program *program, struct build *build);

/* Makes the program what it was before a build that came to nothing, if it is
 * still that build; takes over the caller's reference to before then. False:
 * it is not, and nothing is done. */
bool previous_restore(struct layer_program *program, struct build *build,
        struct build *before);

/* As previous_exchange(), of a build that replaces the previous one for good:
 * if that waits for its capture, nobody uses it any more, and it is time. */
void previous_replace(struct layer_program *program, struct build *build);

/* A place is a program of the driver's in which a call may build: the
 * application's, or one made from the same source. */
struct previous_place {
    cl_program handle;    /* NULL: memory ran out */
    cl_program rebuilt;   /* the same, if it is not the application's; owned */
    struct build *lender; /* or this build's; a reference */
    bool is_own;          /* what the program is now was built there before */
};

/* One where nothing was built before: what is stored must not depend on what an
 * application did before. */
struct previous_place previous_fresh_place(struct layer_program *program);

/* One where the driver knows of what the program is now, whatever it takes. */
struct previous_place previous_known_place(struct layer_program *program);

/* A build is to be made there: it gets what the place has. */
void previous_place_give(struct previous_place *place, struct build *build);
void previous_place_fini(struct previous_place *place);

/* The driver is about to build the handle, with what comes of it in build
 * (NULL: nothing is to be kept); what still waits there is lost.
 * capture_queue_end_handle() follows. */
void previous_begin_handle(struct layer_program *program, struct build *build);

/* Has the driver do in the application's program what it did before, or what a
 * record answered for (failed.h). */
cl_int previous_build_in_handle(
        struct layer_program *program, const struct build *build);

/* Has the driver do what a loaded program stood for, and answer for it. */
void previous_build_from_source(struct layer_program *program);

#endif /* DNNL_CACHE_LAYER_COMPILE_PREVIOUS_H */
