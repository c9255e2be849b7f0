/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_totals.h: what all processes together did with a store, in a file of
 * its own in the store.
 *
 * Each process counts in memory, and adds its counts to the file when it closes
 * the store, and during calls at most once a second. Nothing is synced: a
 * process that is killed loses about a second. The file has its own lock, so
 * nobody who puts waits for it. A failure to write it is no failure of the
 * store.
 *
 *      0  8  magic "dnnlctot"            40  8  hits
 *      8  4  version, 2                  48  8  misses
 *     12  4  bit 0: capacity is known,   56  8  puts
 *            others: days of use         64  8  evictions
 *     16  8  capacity, bytes             72  8  refused puts
 *     24  4  policy                      80  4  latest use, s
 *     28  4  early from, s               84  4  early until, s
 *     32  8  counting began, ns
 *
 *     88  4  users are noted since, s
 *     92  4  0
 *     96 64  four users, of each: 8 who, 4 last use, s, 4 0; who 0: none
 *    160  8  XXH3-64 of the above
 *
 * store_age.h says what days of use, the latest one and early ones are,
 * store_users.h what users are. Version 1 has no users: 96 bytes, the last 8 of
 * which are the checksum. It is read, and becomes version 2 when it is written.
 *
 * A damaged file that has one of these sizes or begins with the magic starts
 * anew. Any other is somebody else's and stays as it is, and so does one of
 * another version of the same size. Libraries that know version 1 alone take
 * version 2 for damaged.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_TOTALS_H
#define DNNL_CACHE_STORES_CORE_STORE_TOTALS_H

#include "stores/core/store_age.h"

#include <stdatomic.h>

enum { store_totals_bytes = 168, store_totals_old_bytes = 96 };

struct store_tally {
    uint64_t hits, misses, puts, evictions, refused;
};

/* Of an open store. store_totals_lock() guards `recorded` and `forks`. */
struct store_totals_state {
    struct store_tally recorded;  /* of this process's counts, in the file */
    unsigned forks;               /* whose these are: fork_count() */
    bool is_begun;                /* fixed after open */
    atomic_uint_fast64_t next_ns; /* when calls may add to the file again */
    atomic_bool is_noted;         /* the file is there, with the capacity */
};

/* The lock of store_totals_state and of store_used, in all stores: a leaf, held
 * for a few instructions. Whoever takes it looks first which process the state
 * is of (fork.h): a parent's may be half-written. */
void store_totals_lock(void);
void store_totals_unlock(void);

/* For an open store that this process may write to; others need not call it,
 * and nothing is recorded. */
void store_totals_begin(dnnl_cache_store_handle_t *store);

/* After a call of the store, without its lock: adds to the file if the last
 * time was a second ago, without waiting for others. */
void store_totals_tick(dnnl_cache_store_handle_t *store);

/* Is the file there, as far as its size tells? */
bool store_totals_is_there(const dnnl_cache_store_handle_t *store);

/* Makes the file if this process has not written to it yet. With the store's
 * lock, before it records when its directory was last changed. */
void store_totals_make(dnnl_cache_store_handle_t *store);

/* Adds what was not added yet, if there is anything, with the capacity. Waits a
 * moment for others. */
void store_totals_add(dnnl_cache_store_handle_t *store);

/* What is remembered of the clock; zeroed if it is not known. */
struct store_clock store_totals_read_clock(
        const dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_STORES_CORE_STORE_TOTALS_H */
