/* SPDX-License-Identifier: Apache-2.0 */
/* A program that the driver linked, to see what it says to a build of one.
 * Where a link was loaded, the application's program is one of binaries to the
 * driver, which may be built, or not a second time; of those that were linked
 * the driver may say otherwise. */
#ifndef DNNL_CACHE_LAYER_COMPILE_EXAMPLE_H
#define DNNL_CACHE_LAYER_COMPILE_EXAMPLE_H

#include "layer/programs/build_call.h"

/* Makes the call for such a program in place of the application's. True: that
 * stays what it is, since the driver refuses the call of every program that was
 * linked, or leaves such a program what it was; *err is the answer, and what
 * the driver calls back is called back. */
bool example_answers(struct build_call *call, cl_int *err);

#endif /* DNNL_CACHE_LAYER_COMPILE_EXAMPLE_H */
