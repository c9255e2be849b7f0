/* SPDX-License-Identifier: Apache-2.0 */
/* How a build that an application asks for is named: one ID a device. */
#ifndef DNNL_CACHE_LAYER_IDENTITY_H
#define DNNL_CACHE_LAYER_IDENTITY_H

#include "health/statistics.h"
#include "objects.h"

#include "includes/includes.h"

/* Why a build has no ID. */
struct identity_doubt {
    enum layer_reason reason;
    char detail[200]; /* which file, which query; "" if there is no more */
};

/* A variable of the environment that drivers read, and that has changed since
 * OpenCL started; NULL: none. The first call takes the values to compare with.
 * Once there is one nothing can be named any more. */
const char *identity_changed_variable(void);

/* Fills in engine, descriptor and IDs of each device of the build, whose
 * devices are set. includes receives what the sources include now. False: one
 * of them cannot be named, and *doubt says why. With the program's lock held.
 */
bool identify_build(struct build *build, const struct layer_program *program,
        const char *options, struct includes *includes,
        struct identity_doubt *doubt);

/* The same for a link, whose devices and options are set, of what these builds
 * compiled: each has been identified for all of its devices. Reads the options,
 * to which the same variables add. */
bool identify_link(struct build *build, cl_context context, size_t count,
        struct build *const *inputs, struct identity_doubt *doubt);

/* Around a compilation. Begins to watch where the compiler will look; *watch is
 * NULL if it looks nowhere. False: it cannot be watched. */
bool identity_watch_includes(const struct layer_program *program,
        const char *options, const struct includes *includes,
        struct include_watch **watch);
/* True if the program's includes still hold what they did, and nothing else was
 * there in between: the compiler may have read it. Ends the watch. */
bool identity_includes_unchanged(const struct layer_program *program,
        const char *options, const struct includes *includes,
        struct include_watch *watch);

#endif /* DNNL_CACHE_LAYER_IDENTITY_H */
