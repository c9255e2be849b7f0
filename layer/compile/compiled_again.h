/* SPDX-License-Identifier: Apache-2.0 */
/* Builds that are compiled in a program of the layer's own, beside the
 * application's; so is what was loaded, where only a program of the driver's
 * own compiler will do. */
#ifndef DNNL_CACHE_LAYER_COMPILE_COMPILED_AGAIN_H
#define DNNL_CACHE_LAYER_COMPILE_COMPILED_AGAIN_H

#include "layer/programs/build_call.h"

/* Compiles the call's build, which has its IDs, in a rebuilt program, its
 * substitute. False: that failed, or files are not what they were before. */
bool compile_unchanged(struct build_call *call);

/* The build that was loaded, compiled, with a reference of the caller's. NULL:
 * that failed, or it would be another. */
struct build *compiled_build_again(
        struct layer_program *program, const struct build *loaded);

/* What was loaded, compiled: a new program, the caller's. NULL: as above. */
cl_program compiled_again(
        struct layer_program *program, const struct build *loaded);

/* What was found, and the driver does not load: the same compiled, kept as what
 * the refused call says, and counted, with a reference of the caller's. NULL:
 * that failed. */
struct build *compiled_in_place_of(struct layer_program *program,
        const struct build *found, const struct build_call *refused);

/* The same as compiled_again(), made once, and the loaded build's; its entry
 * gets the binary. */
cl_program compiled_for_questions(
        struct layer_program *program, struct build *loaded);

#endif /* DNNL_CACHE_LAYER_COMPILE_COMPILED_AGAIN_H */
