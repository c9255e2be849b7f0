/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finalisers: what turns the binary that a driver gives into the form that it
 * loads fastest. docs/how_it_works/finalisers.md has one section for each.
 *
 * One is chosen by the driver, and named in every ID of its devices. It runs
 * where a binary is captured, with no lock held; a blob keeps the driver's
 * binary beside what it made, unless it says that its form replaces it.
 */
#ifndef DNNL_CACHE_GPU_FINALISER_H
#define DNNL_CACHE_GPU_FINALISER_H

#include "src/blob/reader.h"
#include "src/common/buffer.h"

#include <CL/cl.h>

/* A built program whose binary was just read. Borrowed for the call. */
struct finaliser_source {
    cl_context context;
    cl_device_id device;
    const char *options; /* of its build; "" if there are none */
    const uint8_t *binary;
    size_t size;
    const char *kernels; /* names, each with a NUL; NULL: none */
    uint32_t kernel_count;
    /* Nobody asks the driver for the binary of what is made of the form, and
     * the launches to come were made before: a primitive's. */
    bool is_alone;
    /* No launch will be of another class than those made before: a primitive's
     * program that this library launches. */
    bool has_known_launches;
};

struct finaliser {
    /* With its version, which changes with what it makes; it is in IDs and
     * blobs. At most BLOB_MAX_FINALISER_SIZE bytes. */
    const char *name;
    /* The blob has its form alone: what the driver refuses is compiled. */
    bool replaces;
    bool (*accepts)(cl_device_id device);
    /* Appends the finalised form to `out`, which is empty. dnnl_unimplemented,
     * and why: the program stays as it is. dnnl_out_of_memory. Any number of
     * threads may call it. */
    dnnl_status_t (*finalise)(const struct finaliser_source *source,
            struct buffer *out, struct blob_reason *reason);
    /* True if the bytes can be a form for this device, with all of the kernels;
     * else why not. They may be any bytes. `kernels` and has_known_launches as
     * above. */
    bool (*check)(cl_device_id device, const uint8_t *form, size_t size,
            const char *kernels, uint32_t kernel_count, bool has_known_launches,
            struct blob_reason *reason);
};

/* The finaliser of the device's driver; NULL: it has none, or
 * DNNL_CACHE_FINALISE is 0 at the first call. */
const struct finaliser *finaliser_of(cl_device_id device);

/* True in a process that somebody ends if a finaliser takes too long: the
 * variable is "large" at the first call. */
bool finaliser_takes_large(void);

/* NVIDIA's: PTX assembled to a CUBIN. */
extern const struct finaliser finaliser_nvidia;
/* PoCL's: no intermediate code. */
extern const struct finaliser finaliser_pocl;

#endif /* DNNL_CACHE_GPU_FINALISER_H */
