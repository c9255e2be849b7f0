/* SPDX-License-Identifier: Apache-2.0 */
/* What a program was built to before the application asks for the next build.
 */
#ifndef DNNL_CACHE_LAYER_PREVIOUS_H
#define DNNL_CACHE_LAYER_PREVIOUS_H

#include "build_call.h"

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
 * if that waits for its harvest, nobody uses it any more, and it is time. */
void previous_replace(struct layer_program *program, struct build *build);

/* The program is about to be compiled to an object: true if the driver goes on
 * to give kernels of the previous build. That is in the handle then, and the
 * object has to come to it there. */
bool previous_gives_kernels(struct layer_program *program);

/* The driver is about to build the handle, with what comes of it in build
 * (NULL: nothing is to be kept); what still waits there is lost.
 * keep_end_handle() follows. */
void previous_begin_handle(struct layer_program *program, struct build *build);

/* Forgets the previous build, and has the driver do in the handle what its
 * substitute stood for. */
cl_int previous_build_from_source(struct layer_program *program);

#endif /* DNNL_CACHE_LAYER_PREVIOUS_H */
