/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_internal.h: what the parts of the bucket store know of each other.
 *
 * bucket_store.c opens it, bucket_reader.c finds blobs without a lock,
 * bucket_writer.c puts and removes with it. Functions that return an int give
 * 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_INTERNAL_H
#define DNNL_CACHE_STORES_BUCKET_INTERNAL_H

#include "bucket_transaction.h"

struct bucket_store {
    struct dnnl_cache_store_handle
            base;   /* first: a store's user pointer is the store */
    int root_fd;    /* -1: capacity off. The number stays, what it refers to
                     * is exchanged when the directory is made anew. */
    bool read_only; /* asked for, or all that is allowed; fixed after open */
};

bool bucket_store_is_off(const struct bucket_store *store);

/* Opens a bucket's directory. ENOENT also for one that is none, or that we may
 * not read. */
int bucket_store_open_bucket(
        int *fd, const struct bucket_store *store, uint64_t bucket);

/* A look-up of one ID. */
struct bucket_lookup {
    struct bucket_store *store;
    uint64_t bucket;
    size_t id_size;
    const uint8_t *id;
    uint8_t *blob; /* found: the caller frees it */
    size_t size;
    uint32_t entry;
};

/* Finds and checks the blob; damaged entries are counted and passed over. No
 * lock. 0, ENOENT, or a failure. */
int bucket_look_up(struct bucket_lookup *lookup, struct bucket_store *store,
        size_t id_size, const uint8_t *id);

/* trim and verify of struct store_class. */
dnnl_status_t bucket_trim(struct dnnl_cache_store_handle *base,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed);
dnnl_status_t bucket_verify(struct dnnl_cache_store_handle *base, bool repair,
        bool (*progress)(
                void *user, const struct dnnl_cache_store_verdict *verdict),
        void *user, struct dnnl_cache_store_check *check);

/* Waits for a writer's turn, with the directory made anew if it is gone. As
 * bucket_transaction_begin(). */
int bucket_begin(struct bucket_transaction *t, struct bucket_store *store,
        unsigned timeout_ms);

/* The callbacks of dnnl_cache_store_t. */
dnnl_status_t bucket_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
void bucket_release(void *user, size_t size, const uint8_t *blob);
dnnl_status_t bucket_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t bucket_remove(void *user, size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_STORES_BUCKET_INTERNAL_H */
