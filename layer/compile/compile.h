/* SPDX-License-Identifier: Apache-2.0 */
/* Has the driver build or compile what the application asks for. */
#ifndef DNNL_CACHE_LAYER_COMPILE_COMPILE_H
#define DNNL_CACHE_LAYER_COMPILE_COMPILE_H

#include "layer/programs/build_call.h"

/* The call as it is, to a program of the driver's. */
cl_int compile_in(cl_program handle, const struct build_call *call,
        build_callback notify, void *user);

/* Compiles, and has the build kept, if it has a name. The application sees what
 * it would see without the layer, whatever comes of it. */
cl_int compile(struct build_call *call);

/* After the driver compiled a build that has its ID: it is asked for the
 * binary, or the journal says how to make it. */
void compile_keep_later(const struct build_call *call);

/* As compile(), where the driver was told of the previous build (previous.h):
 * for calls that fail, or of which only the driver knows what comes of them. */
cl_int compile_after_previous(struct build_call *call);

#endif /* DNNL_CACHE_LAYER_COMPILE_COMPILE_H */
