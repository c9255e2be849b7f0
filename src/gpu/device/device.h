/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The identity of a device and its driver, and of what else every ID of it
 * starts with: the library, of which the application's programs depend on less.
 * docs/how_it_works/identity.md says why each field is in.
 */
#ifndef DNNL_CACHE_GPU_DEVICE_H
#define DNNL_CACHE_GPU_DEVICE_H

#include "dnnl_cache.h"
#include "src/common/buffer.h"
#include "src/gpu/device/identity_watch.h"

/* Fixed once made; lives until the process ends. */
struct device_identity {
    cl_device_id device;     /* the root device: a sub-device has its parent's;
                                NULL: any */
    cl_platform_id platform; /* of the device; NULL: any, or not known */
    struct buffer fields;    /* encoded ID fields; empty if not cacheable */
    struct buffer program_fields; /* the same of the application's programs */
    struct identity_files *files; /* the driver's; NULL: not known */
    struct buffer parts; /* the driver's, a line with a NUL each, as they are in
                            the IDs; empty: not known */
    char reason[160];    /* why not cacheable, "" if it is */
};

/* True if an ID is of an application's program, and not of a primitive's or of
 * anything else; any bytes will do. */
bool device_id_is_applications(const uint8_t *id, size_t size);

/* Those of the two that an ID of this kind begins with; any bytes will do. */
const struct buffer *device_fields_of(
        const struct device_identity *identity, const uint8_t *id, size_t size);

/* The identity of a device, established once a process for each root device.
 * *out is never NULL on success; a device that cannot be identified has empty
 * fields and a reason. Statuses: dnnl_success; dnnl_invalid_arguments (not a
 * device); dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t device_identify(
        cl_device_id device, const struct device_identity **out);

/* True if a variable of the environment has changed (environment.h): then *out
 * is what device_identify() gives for each device from now on. */
bool device_is_doubtful(const struct device_identity **out);

/* For identity_changed_file(): the driver of the device; NULL, for all of them,
 * if it cannot be told. */
const void *device_driver(cl_device_id device);

/* The root device of a sub-device, or the device itself. Statuses:
 * dnnl_success; dnnl_invalid_arguments (not a device); dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t device_root(cl_device_id device, cl_device_id *root);

#endif /* DNNL_CACHE_GPU_DEVICE_H */
