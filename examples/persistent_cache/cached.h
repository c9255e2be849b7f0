/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cached.h: persistent caching by hand, for the three kinds of object.
 *
 * Each is made in the same way: ask for its ID, look that up in the store,
 * create the object from the blob; if that does not work, compile it, and keep
 * its blob under the ID. The application decides where blobs are kept, the
 * library what is in them. What happened is noted in a report_object.
 */
#ifndef DNNL_CACHE_EXAMPLES_CACHED_H
#define DNNL_CACHE_EXAMPLES_CACHED_H

#include "report.h"

/* An object on its way: what is known of it between look-up and keeping. */
struct cached {
    dnnl_cache_store_handle_t *store; /* borrowed; NULL: compile everything */
    struct report_object *report;
    uint64_t started_ns; /* when the application did, since the epoch */
    size_t id_size;
    uint8_t *id; /* owned; NULL if the object is not cacheable */
};

/* Each call below: the caller destroys the object and calls cached_fini().
 * Statuses are those of the library's calls that create from source. */

dnnl_status_t cached_engine(
        struct cached *cached, dnnl_engine_t *engine, struct device *device);

dnnl_status_t cached_primitive(struct cached *cached,
        dnnl_primitive_t *primitive, dnnl_primitive_desc_t desc);

/* A program is kept later, with cached_program_keep(), after its kernels have
 * run: what the driver compiles at a kernel's first launch is then part of the
 * blob. */
dnnl_status_t cached_program(struct cached *cached,
        dnnl_cache_program_t *program, dnnl_cache_program_desc_t desc);
dnnl_status_t cached_program_keep(
        struct cached *cached, dnnl_cache_program_t program);

/* A zeroed one is fine. */
void cached_fini(struct cached *cached);

#endif /* DNNL_CACHE_EXAMPLES_CACHED_H */
