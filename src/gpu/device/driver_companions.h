/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_companions.h: what a driver opens by name, beyond what it links:
 * plugins, compilers, bitcode libraries. A table of drivers.
 */
#ifndef DNNL_CACHE_GPU_DRIVER_COMPANIONS_H
#define DNNL_CACHE_GPU_DRIVER_COMPANIONS_H

#include "src/gpu/device/driver_lines.h"

/* Where and what companions are looked for. */
struct companion_search {
    const struct loaded_objects *objects;
    const char *driver_directory;
    const char *kernel_library; /* the one that is taken; NULL: not known */
};

void driver_companions_add(struct driver_lines *lines,
        const struct companion_search *search, const char *driver);

#endif /* DNNL_CACHE_GPU_DRIVER_COMPANIONS_H */
