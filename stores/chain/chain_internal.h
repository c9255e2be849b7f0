/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_internal.h: what the parts of the chain know of each other.
 *
 * chain_store.c opens it and does what is done with sample stores,
 * chain_member.c makes calls of members and judges them, chain_get.c and
 * chain_put.c are the callbacks, chain_loans.c knows whose bytes are out. What
 * their locks guard is whole at every moment: in a child of fork() nothing has
 * to be begun anew (fork.h).
 */
#ifndef DNNL_CACHE_STORES_CHAIN_CHAIN_INTERNAL_H
#define DNNL_CACHE_STORES_CHAIN_CHAIN_INTERNAL_H

#include "dnnl_cache/chain_store.h"
#include "src/platform/fork.h"
#include "stores/core/store_internal.h"

/* ---- chain_loans.c ------------------------------------------------------- */

enum { loan_lists = 256 };

/* Bytes that are out, by their address. */
struct loans {
    struct fork_mutex lock; /* guards the lists; leaf */
    struct loan *lists[loan_lists];
};

/* Notes whose bytes these are. False: out of memory. */
bool loans_add(
        struct loans *loans, const uint8_t *blob, size_t size, size_t member);

/* Takes out one loan of these bytes; false if there is none. */
bool loans_take(
        struct loans *loans, const uint8_t *blob, size_t size, size_t *member);

/* ---- The chain ----------------------------------------------------------- */

struct link {
    char *name; /* owned */
    dnnl_cache_store_handle_t *store;
    dnnl_cache_store_t callbacks;
    enum dnnl_cache_store_chain_role role;
    bool is_absent; /* neither of the two; only read, and never asked */
    bool is_owned;  /* the chain closes the store */
    /* Each counter on its own: no lock, no order. */
    atomic_uint_fast64_t hits, misses, failures, slow, skipped, puts, fills,
            removes;
    unsigned failures_in_a_row; /* chain.lock */
    uint64_t skip_until_ns;     /* chain.lock; 0: not skipped */
};

enum { chain_put_ids = 1024 };

struct chain {
    dnnl_cache_store_handle_t
            base; /* first: a store's user pointer is the store */
    struct dnnl_cache_store_chain_options options;
    struct link *links;
    size_t count;
    struct fork_mutex lock; /* guards what says so; leaf */
    struct loans loans;
    atomic_uint_fast64_t put_ids[chain_put_ids]; /* hashes, by themselves */
    /* Around the callbacks, with which it is asked in place of the chain's own;
     * NULL: none; owned. Fixed before the first call. */
    struct dnnl_cache_store_working_set *working_set;
};

/* The chain that a store is; NULL: it is none. */
struct chain *chain_of(dnnl_cache_store_handle_t *store);

/* ---- chain_member.c ------------------------------------------------------ */

/* A call of a member. */
struct call {
    struct chain *chain;
    struct link *link;
    uint64_t began_ns;
};

/* False: the member is being skipped. */
bool chain_begin(struct call *call, struct chain *chain, size_t member);

/* The same for calls that are made anyhow. */
void chain_begin_always(struct call *call, struct chain *chain, size_t member);

/* What the call came to. *failed as chain_store.h says. A status that is none
 * of the contract's is dnnl_runtime_error from here on. */
dnnl_status_t chain_end(
        struct call *call, dnnl_status_t status, bool may_miss, bool *failed);

bool chain_is_skipped(struct chain *chain, size_t member);

/* ---- chain_get.c --------------------------------------------------------- */

dnnl_status_t chain_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
void chain_release(void *user, size_t size, const uint8_t *blob);
dnnl_status_t chain_get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs);

/* Of the first member that can wait and is not skipped. */
dnnl_status_t chain_acquire_lease(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
void chain_release_lease(void *user, size_t id_size, const uint8_t *id);

/* ---- chain_put.c --------------------------------------------------------- */

dnnl_status_t chain_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t chain_remove(void *user, size_t id_size, const uint8_t *id);

/* Of any member with the role write. */
dnnl_status_t chain_can_put(void *user);

/* To the first member with the role write that takes notes. */
dnnl_status_t chain_note(void *user, const dnnl_cache_note_t *note);

/* Puts what a member has lent into the nearer ones that may be filled. */
void chain_fill(struct chain *chain, size_t member, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob);

/* Has a blob of this ID been put lately? Hardly ever true if it has not. */
bool chain_was_put(struct chain *chain, size_t id_size, const uint8_t *id);

#endif /* DNNL_CACHE_STORES_CHAIN_CHAIN_INTERNAL_H */
