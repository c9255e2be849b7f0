/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the shadow of a program from the binaries in the storage. */
#ifndef DNNL_CACHE_LAYER_LOAD_H
#define DNNL_CACHE_LAYER_LOAD_H

#include "objects.h"
#include "statistics.h"

/* How a load ended that gave no shadow. */
struct load_result {
    enum layer_reason reason;
    const struct built_device *device; /* the one that was in the way */
};

/* True if loading is not worth while on a device of an identified build. Asked
 * once for each. */
bool load_stands_aside(const struct build *build);

/* Looks every device of an identified build up and, if all are there, makes the
 * shadow. Counts the hit. False: compile; *result says why, and entries that
 * are of no use are gone. Devices that were found have is_kept set. */
bool load_shadow(struct build *build, cl_context context, const char *options,
        struct load_result *result);

#endif /* DNNL_CACHE_LAYER_LOAD_H */
