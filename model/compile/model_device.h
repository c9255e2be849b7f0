/* SPDX-License-Identifier: Apache-2.0 */
/* model_device.h: the OpenCL device that models run on. */
#ifndef DNNL_CACHE_MODEL_COMPILE_MODEL_DEVICE_H
#define DNNL_CACHE_MODEL_COMPILE_MODEL_DEVICE_H

#include "dnnl_cache.h"
#include "model/base/failure.h"

struct model_device {
    cl_device_id id;
    cl_context context; /* retained; NULL in a list */
    char platform_name[128];
    char name[128];
    char driver[128];
    /* One call at a time is safe, whatever OpenCL says (Oclgrind 21.10: two
     * kernels end the process, two queues give wrong numbers). */
    bool is_for_one_thread;
};

/* All devices of all platforms: GPUs first, then accelerators, then others.
 * Writes the first `room` of them, and returns how many there are. */
int model_device_list(struct model_device *devices, int room);

/* Which device. */
struct model_device_choice {
    cl_device_id id;      /* this one; NULL: one of the list */
    cl_context context;   /* with this context; NULL: one of its own */
    const char *platform; /* whose platform has this text in its name; NULL or
                           * "": any */
    const char *text;     /* this number of the list of those, or the first with
                           * this text in its name; NULL or "": the first */
};

/* model_device_close() is due in any case. */
bool model_device_open(struct model_device *device,
        const struct model_device_choice *choice, struct failure *failure);
void model_device_close(struct model_device *device);

/* The device's number in the list of all; -1 if it is not there. */
int model_device_number(cl_device_id id);

#endif /* DNNL_CACHE_MODEL_COMPILE_MODEL_DEVICE_H */
