/* SPDX-License-Identifier: Apache-2.0 */
/*
 * persistent_store.h: the store that the persistent cache has open, and what is
 * attached to the library in its place.
 *
 * What is attached is always the same struct. Its callbacks hand each call to
 * the store that is open at that time, and hold on to it until the call, or the
 * blob it gave, is done with: settings may change, and a store be closed, while
 * other threads compile. Thread-safe; no lock is held during calls of stores.
 */
#ifndef DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_STORE_H
#define DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_STORE_H

#include "dnnl_cache/store_types.h"

struct persistent_store {
    dnnl_cache_store_handle_t *store;
    const struct dnnl_cache_store_type *type;
    char *path;        /* from the root on; owned */
    size_t references; /* the open one, calls under way, blobs lent */
};

/* What is attached, with record if that store has it: all of a process have. */
dnnl_cache_store_t persistent_store_callbacks(
        const dnnl_cache_store_handle_t *store);

/* The open one with a reference more; NULL: the cache is off. */
struct persistent_store *persistent_store_take(void);

/* The last reference closes the store. NULL is fine. */
void persistent_store_give_back(struct persistent_store *opened);

/* The open one, for who alone may exchange it. */
const struct persistent_store *persistent_store_current(void);

/* Opens another one, whose reference is taken over; returns the old one with
 * its reference. NULL: none. */
struct persistent_store *persistent_store_exchange(
        struct persistent_store *next);

#endif /* DNNL_CACHE_STORES_PERSISTENT_PERSISTENT_STORE_H */
