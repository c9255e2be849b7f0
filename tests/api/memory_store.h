/* SPDX-License-Identifier: Apache-2.0 */
/* A store in memory that counts what is asked of it and misbehaves on
 * request. */
#ifndef DNNL_CACHE_TESTS_API_MEMORY_STORE_H
#define DNNL_CACHE_TESTS_API_MEMORY_STORE_H

#include "bytes.h"

#include <pthread.h>

enum { MEMORY_STORE_ENTRIES = 16 };

struct memory_store_entry {
    struct bytes id; /* none: the entry is free */
    struct bytes blob;
};

struct memory_store {
    dnnl_cache_store_t callbacks; /* to attach */
    pthread_mutex_t lock;         /* guards the rest; leaf */
    struct memory_store_entry entries[MEMORY_STORE_ENTRIES];
    unsigned gets;
    unsigned hits;
    unsigned releases;
    unsigned puts;
    unsigned removes;
    dnnl_status_t fail; /* what every callback answers, unless success */
    /* Called by get, with no lock held, before it looks; NULL: nothing. */
    void (*in_get)(void *arg);
    void *in_get_arg;
};

void memory_store_open(struct memory_store *store);
/* Notes a failure if a blob was not released. */
void memory_store_close(struct memory_store *store);

/* How many blobs there are, of any kind or of one. */
unsigned memory_store_count(
        struct memory_store *store, dnnl_cache_blob_kind_t kind);

/* Puts a blob under an ID, replacing what is there. */
void memory_store_set(struct memory_store *store, const struct bytes *id,
        const struct bytes *blob);
/* A copy of the only blob of a kind; aborts if there is another number. */
struct memory_store_entry memory_store_only(
        struct memory_store *store, dnnl_cache_blob_kind_t kind);

#endif /* DNNL_CACHE_TESTS_API_MEMORY_STORE_H */
