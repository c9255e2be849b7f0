/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_used.h: is the capacity too small for what one process uses?
 *
 * A store that evicts what the same process has used or put will have to do so
 * at every start. The store remembers the hash and the size of these entries,
 * up to a limit, and warns once, with a capacity that would do: when they have
 * twice the capacity, or when the store is closed and their size is final.
 *
 * A get takes no lock for it as long as the process uses no more entries than
 * most do: the first ones have places that are claimed by an atomic exchange.
 * Only what finds no place there goes to a table behind the lock.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_USED_H
#define DNNL_CACHE_STORES_CORE_STORE_USED_H

#include "dnnl_cache/store.h"

#include <stdatomic.h>

/* Half of the first places are used, so that a search soon ends. */
enum {
    store_used_places = 256,
    store_used_first = store_used_places / 2,
    store_used_most = 32768
};

struct store_used_entry {
    uint64_t key; /* 0: empty */
    uint64_t bytes;
};

/* A key that is set stays: only a child of fork() begins anew. */
struct store_used_place {
    atomic_uint_fast64_t key; /* 0: free */
    atomic_uint_fast64_t bytes;
};

/* Of an open store. Atomic: written without a lock, by the process that `forks`
 * names. store_totals_lock() guards the rest, and `forks` when it changes. */
struct store_used {
    struct store_used_place first[store_used_places];
    atomic_uint first_count;        /* claimed, or more than there may be */
    struct store_used_entry *table; /* owned; NULL: none yet */
    size_t room;                    /* of the table: a power of two */
    size_t table_count;             /* entries in it */
    atomic_uint_fast64_t count;     /* of all entries */
    atomic_uint_fast64_t bytes;     /* of all of them */
    atomic_uint_fast64_t evicted;   /* of them, to make room */
    uint64_t evicted_bytes;
    atomic_bool is_told;
    atomic_uint forks; /* whose all this is: fork_count() */
};

/* What it comes to. */
struct store_used_sum {
    uint64_t count, bytes, evicted, evicted_bytes;
};

/* An entry was used or put. key: the same for the same ID. Without the store's
 * lock: it may warn. */
void store_used_note(
        dnnl_cache_store_handle_t *store, uint64_t key, uint64_t bytes);

/* Does anybody want to know what is evicted? */
bool store_used_watches(dnnl_cache_store_handle_t *store);

/* An entry was evicted to make room. */
void store_used_evict(dnnl_cache_store_handle_t *store, uint64_t key);

/* A capacity in which all of them and another one find room; 0 if there are
 * none. */
uint64_t store_used_capacity_with(
        const dnnl_cache_store_handle_t *store, uint64_t bytes);

/* A capacity in which all of them find room; 0 if none was evicted. */
uint64_t store_used_capacity(const dnnl_cache_store_handle_t *store);

/* Warns, if there is reason to and it was not done. */
void store_used_report(dnnl_cache_store_handle_t *store);

/* Frees what is remembered. */
void store_used_fini(dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_STORES_CORE_STORE_USED_H */
