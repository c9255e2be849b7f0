/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: choosing an OpenCL device, and a context for it. */
#ifndef DNNL_CACHE_EXAMPLES_SUPPORT_DEVICE_H
#define DNNL_CACHE_EXAMPLES_SUPPORT_DEVICE_H

#include "dnnl_cache.h"

#include <stdbool.h>

struct device {
    cl_device_id id;
    cl_context context; /* owned */
    char platform_name[128];
    char name[128];
    char driver[128];
};

/* The first device of a platform whose name contains the text, whatever its
 * case ("" is any): GPUs first, then accelerators, then others. False, after
 * a message to standard error, if there is none or it gives no context. */
bool device_open(struct device *device, const char *platform);

/* A zeroed device is fine. */
void device_close(struct device *device);

#endif /* DNNL_CACHE_EXAMPLES_SUPPORT_DEVICE_H */
