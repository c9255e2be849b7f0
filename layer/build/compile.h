/* SPDX-License-Identifier: Apache-2.0 */
/* Has the driver build or compile what the application asks for. */
#ifndef DNNL_CACHE_LAYER_COMPILE_H
#define DNNL_CACHE_LAYER_COMPILE_H

#include "build_call.h"

/* The call as it is, to a program of the driver's. */
cl_int compile_in(cl_program handle, const struct build_call *call,
        build_callback notify, void *user);

/* Compiles, and has the build kept, if it has a name. The application sees what
 * it would see without the layer, whatever comes of it. */
cl_int compile(struct build_call *call);

/* Around a call that bypasses the layer: it goes to the application's program,
 * which answers for itself from then on. If the driver refuses the call, the
 * program is again what it was, and what waits for its harvest there is kept,
 * if it is still there. */
void compile_bypass_begin(struct build_call *call);
void compile_bypass_end(struct build_call *call, cl_int err);

#endif /* DNNL_CACHE_LAYER_COMPILE_H */
