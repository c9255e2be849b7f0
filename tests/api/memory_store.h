/* SPDX-License-Identifier: Apache-2.0 */
/* A store in memory that counts what is asked of it and misbehaves on
 * request. */
#ifndef DNNL_CACHE_TESTS_API_MEMORY_STORE_H
#define DNNL_CACHE_TESTS_API_MEMORY_STORE_H

#include "bytes.h"

#include <pthread.h>

enum { MEMORY_STORE_ENTRIES = 16 };

/* Where in its callbacks a store is. */
enum memory_store_place {
    memory_store_asked,    /* get, before it looks */
    memory_store_answers,  /* get, with the bytes in its hands if it has them */
    memory_store_released, /* release, at its end */
    memory_store_kept,     /* put, at its end */
    memory_store_dropped   /* remove, at its end */
};

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
    dnnl_status_t fail;     /* what every callback answers, unless success */
    dnnl_status_t fail_get; /* what one answers; does nothing then */
    dnnl_status_t fail_put;
    dnnl_status_t fail_remove;
    unsigned misalign; /* get answers with bytes so far off malloc's place */
    bool forgets;      /* get drops what it gives */
    /* Called in every callback, with no lock held; NULL: nothing. */
    void (*hook)(enum memory_store_place place, void *arg);
    void *hook_arg;
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
/* Drops all blobs. */
void memory_store_clear(struct memory_store *store);
/* A copy of the only blob of a kind; aborts if there is another number. */
struct memory_store_entry memory_store_only(
        struct memory_store *store, dnnl_cache_blob_kind_t kind);

#endif /* DNNL_CACHE_TESTS_API_MEMORY_STORE_H */
