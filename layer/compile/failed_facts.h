/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver answers about a build that failed. */
#ifndef DNNL_CACHE_LAYER_COMPILE_FAILED_FACTS_H
#define DNNL_CACHE_LAYER_COMPILE_FAILED_FACTS_H

#include "layer/programs/build.h"

/* Asks the driver's program, of a build for all its devices. True: *failure has
 * the answers, and nothing else; failed_facts_fini() follows. False: one of
 * them is none that can be kept, or no memory. */
bool failed_facts_collect(
        struct failure *failure, cl_program where, const struct build *build);
void failed_facts_fini(struct failure *failure);

/* True if the log of a device that failed blames the source, and no other one
 * says something else. */
bool failed_facts_blame_source(const struct failure *failure);

/* True if that device of the build is one that failed, and its log blames the
 * source. */
bool failed_facts_has_failed(const struct failure *failure, size_t device);

#endif /* DNNL_CACHE_LAYER_COMPILE_FAILED_FACTS_H */
