/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bucket_internal.h: what the parts of the bucket store know of each other.
 *
 * bucket_store.c finds entries without a lock, bucket_writer.c changes them
 * with it, bucket_entry.c reads their files. A slot's first group is the
 * bucket, its number the entry's. Functions that return an int give 0 or an
 * errno value.
 */
#ifndef DNNL_CACHE_STORES_BUCKET_BUCKET_INTERNAL_H
#define DNNL_CACHE_STORES_BUCKET_BUCKET_INTERNAL_H

#include "stores/directory/directory_store.h"

/* Opens a bucket's directory. ENOENT also for what is none; EACCES: we may not
 * read it, and what is in it is there all the same. */
int bucket_open(int *fd, const struct directory_store *store, uint64_t bucket);

/* Removes a bucket's directory. It stays if there is anything in it, which is
 * no error. */
int bucket_remove_empty(int root_fd, uint64_t bucket);

/* Functions of struct directory_layout. */
int bucket_choose_place(
        struct directory_transaction *t, struct directory_place *place);
int bucket_publish(
        struct directory_transaction *t, const struct directory_place *place);
int bucket_discard(
        struct directory_transaction *t, const struct directory_slot *slot);
int bucket_prune(struct directory_transaction *t, bool repair);

#endif /* DNNL_CACHE_STORES_BUCKET_BUCKET_INTERNAL_H */
