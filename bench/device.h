/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device that is measured, and engines on it.
 */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct device {
    cl_device_id id;
    char platform[640]; /* name and version */
    char name[640];     /* device and driver version */
};

/* Sets, before OpenCL is used at all, the environment in which every creation
 * is either cold or ours: the drivers' own caches are off, and PoCL's folder
 * is an empty one of this process's own inside scratch. NVIDIA's cache is on if
 * scratch has a folder for it (driver_cache.h), for a process that makes
 * nothing twice. */
#define DRIVER_CACHE_FOLDER "nvidia"
bool environment_prepare(const char *scratch);

/* The library's first engine of a platform whose name contains that text, in
 * any case of letters; NULL: the first one of all. */
bool device_find(const char *platform, struct device *device);

/* A context of the device alone, NULL on failure (failure.h). The caller
 * releases it. */
cl_context device_context(const struct device *device);

#endif /* BENCH_DEVICE_H */
