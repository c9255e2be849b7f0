/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the shadow of a program from the binaries in the storage. */
#ifndef DNNL_CACHE_LAYER_LOAD_H
#define DNNL_CACHE_LAYER_LOAD_H

#include "health/statistics.h"
#include "objects.h"

/* How a load ended. */
struct load_result {
    /* Without a shadow: why, and which device was in the way; may be NULL. */
    enum layer_reason reason;
    const struct built_device *device;
    /* With one. */
    bool from_memory;
    uint64_t bytes;
    uint64_t load_ns;
};

/* True if loading is not worth while on a device of an identified build. Asked
 * once for each. */
bool load_driver_is_faster(const struct build *build);

/* Looks every device of an identified build up and, if all are there, makes the
 * shadow. False: compile; *result says why, and entries that are of no use are
 * gone. Devices that were found have is_kept set, and their facts. */
bool load_program(struct build *build, cl_context context, const char *options,
        struct load_result *result);

/* True if what is compiled instead is not to be kept: it would not be loaded
 * either. */
bool load_is_given_up(const struct load_result *result);

/* Counts and traces a hit. */
void load_count_hit(
        const struct build *build, const struct load_result *result);

#endif /* DNNL_CACHE_LAYER_LOAD_H */
