/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores attached to the process or to an engine. Whatever a store does wrong
 * is a miss here; callbacks run with no lock of ours held.
 */
#ifndef DNNL_CACHE_GPU_STORE_H
#define DNNL_CACHE_GPU_STORE_H

#include "blob/blob.h"
#include "dnnl_cache.h"

#include <stdatomic.h>
#include <stdbool.h>

/* A copy of the application's struct. Fixed; shared by who uses it, so that it
 * outlives its being detached while a call is under way. */
struct store {
    atomic_int references;
    dnnl_cache_store_t callbacks;
};

/* Copies what a newer or older caller declared. dnnl_invalid_arguments if get
 * or release is missing or struct_size is impossible. */
dnnl_status_t store_create(
        const dnnl_cache_store_t *callbacks, struct store **out);
void store_retain(struct store *store);
void store_release(struct store *store);

/* The process's store, retained for the caller; NULL if there is none. */
struct store *store_of_process(void);

/* Bytes got from a store, to be given back. */
struct store_blob {
    size_t size;
    const uint8_t *data;
};

/* True, and *blob filled in, if the store has something under the ID. */
bool store_get(const struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob);
/* The same for several IDs, in one call where the store can; data is NULL for
 * those it has not. Statuses: dnnl_success; dnnl_out_of_memory. */
dnnl_status_t store_get_many(const struct store *store, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids,
        struct store_blob *blobs);
void store_give_back(const struct store *store, const struct store_blob *blob);

/* Offers a blob; drops one. A store without the callback is read-only. */
void store_put(const struct store *store, const uint8_t *id, size_t id_size,
        const uint8_t *blob, size_t size, dnnl_cache_blob_kind_t kind,
        uint64_t compile_ns);
void store_remove(const struct store *store, const uint8_t *id, size_t id_size);

#endif /* DNNL_CACHE_GPU_STORE_H */
