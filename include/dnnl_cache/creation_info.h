/* SPDX-License-Identifier: Apache-2.0 */
/* creation_info.h: what happened when an object was created. */
#ifndef DNNL_CACHE_CREATION_INFO_H
#define DNNL_CACHE_CREATION_INFO_H

#include "dnnl_cache/base.h"

#include <stddef.h>
#include <stdint.h>

/* Where an object came from. */
typedef enum {
    dnnl_cache_origin_none = 0,       /* nothing to compile (empty tensor) */
    dnnl_cache_origin_memory_hit = 1, /* shared with an earlier object */
    dnnl_cache_origin_blob = 2,       /* from the blob that the caller passed */
    dnnl_cache_origin_store_hit = 3,  /* from an attached store */
    dnnl_cache_origin_compiled = 4,   /* compiled from source */
    dnnl_cache_origin_adopted = 5     /* built by the application */
} dnnl_cache_origin_t;

/* Which form of the driver's binary an object was loaded from. */
typedef enum {
    dnnl_cache_binary_form_none = 0,     /* none: it was compiled */
    dnnl_cache_binary_form_driver = 1,   /* as the driver gave it */
    dnnl_cache_binary_form_finalised = 2 /* what a finaliser made of it */
} dnnl_cache_binary_form_t;

/* What happened when an object was created. Set struct_size with
 * DNNL_CACHE_CREATION_INFO_INIT; fields beyond the caller's struct_size are not
 * written. */
typedef struct {
    size_t struct_size;         /* sizeof the struct */
    dnnl_cache_origin_t origin; /* where it came from */
    /* Status of an attached store's blob that was rejected before this object
     * was compiled; dnnl_success if there was none. If a blob that the caller
     * passes is rejected, no object is created: the call returns the status,
     * and the reason is logged at level info. */
    dnnl_status_t blob_status;
    /* Why it was rejected: the identity field that differs, or the damage; ""
     * if no blob was rejected. Owned by the object. */
    const char *blob_reason;
    uint64_t total_ns;   /* whole creation */
    uint64_t driver_ns;  /* in the driver: compiling or loading, first launch */
    uint64_t blob_bytes; /* size of the blob it was created from, else 0 */
    uint64_t binary_bytes; /* size of the driver's binary, 0 if not captured */
    /* Why the object has no cache blob ID ("" if it has one): which identity
     * query failed, or which header is missing. Owned by the object. */
    const char *not_cacheable_reason;
    /* Not 0: the blob that the object was created from lacks code for kernels
     * that the application has got, or for launches that it has reported
     * (dnnl_cache_program_note_launch()): the driver compiles when they are
     * launched. As far as it is known when the info is asked for. */
    int incomplete;
    /* Which form of the binary the object's program, which may be in memory
     * since an earlier creation, was loaded from. */
    dnnl_cache_binary_form_t binary_form;
    /* Why the blob's finalised form was not used; "" if it was, or there was
     * none. Owned by the object. */
    const char *form_reason;
} dnnl_cache_creation_info_t;

/* The initial value of a dnnl_cache_creation_info_t: struct_size is set,
 * all else is 0. */
#define DNNL_CACHE_CREATION_INFO_INIT                               \
    {                                                               \
        sizeof(dnnl_cache_creation_info_t), dnnl_cache_origin_none, \
                dnnl_success, NULL, 0, 0, 0, 0, NULL, 0,            \
                dnnl_cache_binary_form_none, NULL                   \
    }

#endif /* DNNL_CACHE_CREATION_INFO_H */
