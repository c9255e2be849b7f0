/* SPDX-License-Identifier: Apache-2.0 */
/* storage_calls.h: the stores behind storage.h, and how to call them. */
#ifndef DNNL_CACHE_LAYER_STORAGE_CALLS_H
#define DNNL_CACHE_LAYER_STORAGE_CALLS_H

#include "layer/storage/blocks.h"

#include <dnnl_cache/store.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct storage_state {
    pthread_mutex_t lock; /* guards what follows, up to is_child; a leaf */
    struct blocks blocks;
    bool closed;
    bool is_opened; /* or there was none to be had */
    /* Calls of the store that are under way, and blobs that it has lent. */
    size_t in_use;
    /* Written when they are opened, and when they are closed: all stores in
     * one, and of these the one on disk and the remote one, which may be NULL.
     */
    dnnl_cache_store_handle_t *store;
    dnnl_cache_store_handle_t *local;
    dnnl_cache_store_handle_t *remote;
    bool is_read_only; /* the one on disk; the same */
    bool is_child;     /* of a fork(): the stores have counted for the parent */
    atomic_uint_least64_t refused_ns; /* the last refusal; 0: a put worked */
    atomic_bool has_put;              /* something, or tried to */
    /* Held for a whole put: the counters of the store show what became of it
     * only without other puts, which would wait for the store's lock anyway. */
    pthread_mutex_t putting;
    /* Held while the stores are opened, for which all calls wait. */
    pthread_mutex_t opening;
};
extern struct storage_state storage_state;

/* The store for one call, which storage_end_call() is to follow; NULL if there
 * is none to be had. */
dnnl_cache_store_handle_t *storage_begin_call(void);
void storage_end_call(void);
/* The same for calls that are about the store on disk alone. */
dnnl_cache_store_handle_t *storage_begin_local_call(void);
void storage_note_failure(const char *call, dnnl_status_t st);

#endif /* DNNL_CACHE_LAYER_STORAGE_CALLS_H */
