/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_internal.h: what a store implements, and what all of them share.
 * For the stores' own sources; applications include store.h.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_INTERNAL_H
#define DNNL_CACHE_STORES_CORE_STORE_INTERNAL_H

#include "dnnl_cache/store.h"
#include "stores/core/journal_state.h"
#include "stores/core/store_options.h"
#include "stores/core/store_place.h"
#include "stores/core/store_rank.h"
#include "stores/core/store_report.h"
#include "stores/core/store_totals.h"
#include "stores/core/store_used.h"
#include "stores/files/store_mac.h"

#include <stdatomic.h>

/* The calls of store.h that are not in dnnl_cache_store_t. All required but for
 * those that say what NULL means. */
struct store_calls {
    void (*close)(dnnl_cache_store_handle_t *store);
    dnnl_status_t (*iterate)(dnnl_cache_store_handle_t *store,
            dnnl_cache_store_visit_callback_t visit, void *user);
    /* The recorded size, 0 if not known. */
    uint64_t (*bytes)(const dnnl_cache_store_handle_t *store);
    dnnl_status_t (*trim)(dnnl_cache_store_handle_t *store, uint64_t max_bytes,
            uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed);
    /* NULL: it cannot. 0 or an errno value; for a store that notes uses. */
    int (*date_back)(dnnl_cache_store_handle_t *store, size_t id_size,
            const uint8_t *id, uint64_t used_ns);
    dnnl_status_t (*verify)(dnnl_cache_store_handle_t *store, bool repair,
            dnnl_cache_store_verify_callback_t progress, void *user,
            struct dnnl_cache_store_check *check);
    /* As store_place_find(). NULL: it has no files beside its entries, nor
     * capacity_for. */
    int (*find_place)(struct store_place *place,
            const dnnl_cache_store_handle_t *store, enum store_beside file);
    /* The store whose journal is used; NULL: this one. */
    dnnl_cache_store_handle_t *(*find_journal)(
            dnnl_cache_store_handle_t *store);
    /* A capacity in which so many entries find room, whose bytes are as the
     * store gave them to store_used_note(). */
    uint64_t (*capacity_for)(const dnnl_cache_store_handle_t *store,
            uint64_t entries, uint64_t bytes);
    /* What is known of a blob that get() has lent, for whoever copies it. NULL:
     * nothing. */
    void (*describe_lent)(
            dnnl_cache_store_metadata_t *metadata, const uint8_t *blob);
};

/* Counters as in store_statistics, each on its own: no lock, no order. */
struct store_counters {
    atomic_uint_fast64_t hits, misses, damaged, puts, puts_unchanged, puts_off,
            puts_read_only, puts_too_small, puts_too_large, puts_full,
            puts_lock_timeout, puts_failed, removes, evictions, expired,
            recounts;
};

/* First member of every store. Fixed after open, but for the counters
 * and what follows them. */
enum { store_most_told = 64 };

struct dnnl_cache_store_handle {
    /* user is the store itself, or what is around it (a working set). */
    dnnl_cache_store_t callbacks;
    const struct store_calls *calls;
    struct dnnl_cache_store_options options; /* path: the store's own copy */
    struct store_mac_key *mac;               /* NULL: none; owned */
    atomic_bool unsigned_was_told;
    atomic_int told_cause; /* why the last put failed, if the log was told */
    struct store_counters counters;
    struct store_journal journal;
    bool is_writable; /* not off, not read-only */
    /* A tool's: it has the capacity and the policy of others, and is no use of
     * what it finds. Set before the store is used. */
    bool has_limits_of_others;
    /* Of a chain of several: set before the chain is used. */
    bool is_member;
    /* When the last put found no room; 0: none did, or a later one found some.
     * An atomic: no order. */
    atomic_uint_fast64_t full_ns;
    struct store_totals_state totals;
    struct store_used used;
    /* Hashes of damaged entries that the log was told of, each at the place
     * that it names; another one there makes an entry be told again. */
    atomic_uint_fast64_t told[store_most_told];
};

/* Fills in a zeroed store and copies the options, in which 0 means what the
 * defaults say, and the path. callbacks:
 * user and struct_size are set here. Statuses: dnnl_success;
 * dnnl_invalid_arguments (bad struct_size, or an option makes no sense: said in
 * a message);
 * dnnl_out_of_memory. */
dnnl_status_t store_init(dnnl_cache_store_handle_t *store,
        const struct store_calls *calls, const dnnl_cache_store_t *callbacks,
        const struct store_defaults *defaults,
        const struct dnnl_cache_store_options *options);

/* The store whose journal this store uses. */
dnnl_cache_store_handle_t *store_find_journal(dnnl_cache_store_handle_t *store);

/* The callback note of a store that can be written: user is the store. */
dnnl_status_t store_note(void *user, const dnnl_cache_note_t *note);

/* The callback can_put of every store: user is the store. */
dnnl_status_t store_can_put(void *user);

/* Are these the arguments of a get_many()? */
bool store_asks_for_many(size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, const size_t *sizes,
        const uint8_t *const *blobs);

/* Undoes store_init(); a zeroed store is fine. */
void store_fini(dnnl_cache_store_handle_t *store);

#endif /* DNNL_CACHE_STORES_CORE_STORE_INTERNAL_H */
