/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_transaction.h: one writer's turn with a bucket store.
 *
 * Begin takes the lock and makes sure that index.bin and size.txt tell the
 * truth, counting the directory if they do not. Between begin and end nobody
 * else changes the store. Whatever happens in between, even the process's
 * death, leaves a store that the next writer can put in order. Functions
 * return 0 or an errno value.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_TRANSACTION_H
#define DNNL_CACHE_STORES_BUCKET_TRANSACTION_H

#include "bucket_index.h"
#include "store_fs.h"
#include "store_internal.h"

/* Belongs to one thread. */
struct bucket_transaction {
    struct dnnl_cache_store_handle *store;
    int root_fd; /* borrowed */
    int tmp_fd;  /* <path>/.tmp; -1 until something is changed */
    struct bucket_index index;
    bool size_known; /* size.txt says: */
    uint64_t size;
    bool broken;  /* the index may not say what is there: next one counts */
    bool counted; /* the directory, in this turn */
};

/* Waits for the turn at most timeout_ms. 0, ETIMEDOUT, or another errno value;
 * after 0, end it. */
int bucket_transaction_begin(struct bucket_transaction *t,
        struct dnnl_cache_store_handle *store, int root_fd,
        unsigned timeout_ms);

/* Ends the turn: records the new size and frees the lock. */
void bucket_transaction_end(struct bucket_transaction *t);

/* Comes before every change of the store. */
int bucket_transaction_start(struct bucket_transaction *t);

/* Takes the slot's files away; the index is the caller's business. ENOENT if
 * there are none. */
int bucket_transaction_discard(
        struct bucket_transaction *t, struct bucket_slot slot);

/* Makes the index from what is in the directory, damaged entries first: they
 * are the first to go. */
int bucket_transaction_recount(struct bucket_transaction *t);

/* Removes an entry and what the index says of it. */
int bucket_transaction_remove(
        struct bucket_transaction *t, struct bucket_slot slot);

/* Removes what has a bucket's name and is no directory. */
int bucket_transaction_heal(struct bucket_transaction *t, uint64_t bucket);

/* Publishes an entry of the given parts: its key and the pieces of its
 * kernel.bin. Replaces what is in the slot if replace, else the slot must be
 * free. The bucket must have been healed. If it fails nothing was
 * published. */
int bucket_transaction_publish(struct bucket_transaction *t,
        const struct bucket_record *record, bool replace,
        const struct store_part *key, const struct store_part blob[2]);

/* ---- bucket_evict.c ------------------------------------------------------ */

/* Evicts entries by the store's policy until this many bytes more, with one
 * more entry's record, are within the capacity. ERANGE if that can never be,
 * EDQUOT if the policy is to evict none. */
int bucket_transaction_make_room(struct bucket_transaction *t, uint64_t bytes);

/* Evicts entries by the store's policy until all files have at most so many
 * bytes, or nothing is left; *removed (may be NULL) grows. */
int bucket_transaction_shrink(
        struct bucket_transaction *t, uint64_t max_bytes, uint64_t *removed);

/* Removes entries that are older; *removed (may be NULL) grows. */
int bucket_transaction_expire(struct bucket_transaction *t,
        uint64_t max_age_seconds, uint64_t *removed);

#endif /* DNNL_CACHE_STORES_BUCKET_TRANSACTION_H */
