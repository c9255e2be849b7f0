/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_device.h: the device of this machine that an ID names. */
#ifndef DNNL_CACHE_TOOLS_JOBS_REFRESH_DEVICE_H
#define DNNL_CACHE_TOOLS_JOBS_REFRESH_DEVICE_H

#include "src/includes/include_places.h"

#include <dnnl_cache.h>

#include <stdbool.h>

struct refresh_device {
    cl_device_id id;
    cl_context context; /* owned */
    bool is_pocl;
    /* The environment has a variable that the ID does not have. It was unset,
     * which takes effect in a new process. */
    bool is_environment_changed;
    /* The last search found none, and a device of that platform and name whose
     * driver is another one, or another version. */
    bool is_other_driver;
};

/* Finds the device whose own ID the program's ID begins with, the environment
 * apart, and makes a context. The device that is open already is kept, if it is
 * that one; zeroed: none is. False: there is none. */
bool refresh_device_open(
        struct refresh_device *device, size_t id_size, const uint8_t *id);

/* Whose compiler the device's is, as the layer tells it (layer/programs/
 * identity.c). */
struct include_driver refresh_device_driver(cl_device_id device);

/* A zeroed device is fine; is_other_driver stays. */
void refresh_device_close(struct refresh_device *device);

#endif /* DNNL_CACHE_TOOLS_JOBS_REFRESH_DEVICE_H */
