/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts of a driver whose build does not count in IDs, because they take no
 * part in compiling. Machines whose images differ in these alone share entries.
 */
#ifndef DNNL_CACHE_GPU_UNCOUNTED_PARTS_H
#define DNNL_CACHE_GPU_UNCOUNTED_PARTS_H

#include "src/gpu/device/loaded_objects.h"

#include <stdbool.h>

/* What a driver is, as far as the table asks. */
struct driver_facts {
    const char *platform_version;
    const char *device_version;
    const struct loaded_objects *objects; /* what it links is wanted */
    const struct loaded_object *driver;
};

/* True if the table has rows for it. */
bool uncounted_parts_are_known(const struct driver_facts *facts);

/* Why the part of that name, which a driver with rows links, does not count;
 * NULL: it counts. A constant text. */
const char *uncounted_part(const char *name);

#endif /* DNNL_CACHE_GPU_UNCOUNTED_PARTS_H */
