/* SPDX-License-Identifier: Apache-2.0 */
/* store_put.h: what every store's put() does before and after the writing. */
#ifndef DNNL_CACHE_STORES_CORE_STORE_PUT_H
#define DNNL_CACHE_STORES_CORE_STORE_PUT_H

#include "stores/core/store_internal.h"
#include "stores/core/store_trailer.h"

#include <errno.h>

/* No room in the capacity, and nothing may be evicted. No file system says so:
 * EDQUOT is a quota of the system's. */
#define STORE_IS_FULL ENOBUFS

/* True if the options alone say that this blob is not to be kept; it has been
 * counted then, and put() is done with success. */
bool store_put_declines(dnnl_cache_store_handle_t *store, bool read_only,
        size_t id_size, size_t size);

/* Counts what became of a put, says it and answers for it. 0: published;
 * ETIMEDOUT: no turn; STORE_IS_FULL; ERANGE: can never fit; else the file
 * system failed, which is told once until a put is published. */
dnnl_status_t store_put_finish(
        dnnl_cache_store_handle_t *store, size_t size, int error);

/* What an entry's trailer says, from what put() was given. */
struct store_trailer store_put_trailer(size_t id_size, size_t size,
        uint64_t created_ns, const dnnl_cache_store_metadata_t *metadata);

#endif /* DNNL_CACHE_STORES_CORE_STORE_PUT_H */
