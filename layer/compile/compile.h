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

/* In place of compile() where nothing may be compiled (withhold.h): the driver
 * fails to build another program, which says why, and the application's is that
 * from then on. */
cl_int compile_withheld(struct build_call *call);

/* After the driver compiled a build that has its ID: it is asked for the
 * binary, or the journal says how to make it. */
void compile_keep_later(const struct build_call *call);

/* Removes the entries of a build that was compiled anew, with
 * DNNL_CACHE_COMPILE_MODE=recompile; else nothing. */
void compile_drop_replaced(const struct build *build);

/* Did compiling take as long as DNNL_CACHE_MIN_COMPILE_MS? */
bool compile_is_worth_keeping(const struct build *build);

/* As compile(), where the driver was told of the previous build (previous.h):
 * for calls that fail, or of which only the driver knows what comes of them. */
cl_int compile_after_previous(struct build_call *call);

#endif /* DNNL_CACHE_LAYER_COMPILE_COMPILE_H */
