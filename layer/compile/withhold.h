/* SPDX-License-Identifier: Apache-2.0 */
/*
 * withhold.h: DNNL_CACHE_COMPILE_MODE=cached_only. A program that cannot be
 * loaded is not compiled. Instead the driver builds a program of one line,
 * #error, and the application's program is that: what it answers (the status of
 * its devices, the log, kernels that are none) is what this driver says of a
 * source that does not compile, and the line says why and what to do.
 */
#ifndef DNNL_CACHE_LAYER_COMPILE_WITHHOLD_H
#define DNNL_CACHE_LAYER_COMPILE_WITHHOLD_H

#include "layer/programs/build_call.h"

bool withhold_is_on(void);

/* True if it is on and the call's program is one that would be compiled: it is
 * of source or IL. What was linked has neither, and drivers refuse to build it.
 */
bool withhold_takes(const struct build_call *call);

/* A new program of the driver's that fails to build, the caller's. NULL: no
 * memory. */
cl_program withhold_make(cl_context context, enum layer_reason reason);

/* The same after it has failed, in place of what a link call would have made.
 * *err: what that call returns. */
cl_program withhold_link(const struct build_call *call, cl_int *err);

#endif /* DNNL_CACHE_LAYER_COMPILE_WITHHOLD_H */
