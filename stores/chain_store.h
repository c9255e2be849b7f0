/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_store.h: several stores, asked one after the other.
 *
 *     struct dnnl_cache_store_chain_member members[] = {
 *             {"seed", seed, NULL, dnnl_cache_store_chain_role_read},
 *             {"local", local, NULL, dnnl_cache_store_chain_role_write},
 *             {"fleet", NULL, &mine, dnnl_cache_store_chain_role_write},
 *     };
 *     struct dnnl_cache_store_chain_options options =
 *             dnnl_cache_store_chain_options_default();
 *     dnnl_cache_store_open_chain(&store, members, 3, &options);
 *
 * get asks the members in order, the nearest first; get_many asks each member
 * for the IDs that are still missing. A blob that a farther member has is put
 * into the nearer members with role fill or write, without metadata, because
 * get returns none; if that put fails, the get does not. put goes to the
 * members with role write, and removes what members with role fill have under
 * the ID. remove goes to all members except those with role read.
 *
 * A blob that was put is afterwards looked for in the members with role write
 * first (for some thousand IDs, in this process). Otherwise a bad blob in a
 * read-only seed would be found again and again.
 *
 * Members
 *   A member is one of these stores, or callbacks of the application, for a
 *   remote store for instance. The chain owns neither: after closing the chain,
 *   the application closes the stores, and frees what `user` of the callbacks
 *   points to. The chain copies the callbacks and the names. Bytes that get()
 *   returns belong to the member, and release() returns them to it, so all of
 *   them must be released before the chain is closed. A chain may be a member
 * of another chain.
 *
 * Failures
 *   A call fails if it returns an error, or anything against its contract
 *   (success without bytes), or if it takes longer than slow_ns, whatever it
 *   returns. After failures_to_skip failures in a row the member is skipped for
 *   retry_after_ns. Then one call tries it, and if that succeeds the member is
 *   used again. Running out of memory does not count as a failure. A call
 * cannot be interrupted: a member that may hang needs a time-out of its own.
 * remove is called on skipped members, too, because an entry left there would
 *   reappear.
 *
 * Statuses of the callbacks
 *   get, get_many  dnnl_success; dnnl_cache_miss, also if some members failed.
 *                  If all members that were asked failed: the status of the
 *                  first, or dnnl_runtime_error if that was against its
 *                  contract.
 *   put            dnnl_success if any member kept the blob, or if no member
 *                  has role write; else the status of the first.
 *   remove         the status of the first failure, if any.
 *
 * dnnl_cache_store_iterate(), dnnl_cache_store_trim(),
 * dnnl_cache_store_verify() and the bytes of the statistics ignore members that
 * are callbacks. iterate shows each ID once, with the entry of the nearest
 * member. trim applies its limits to each member except those with role read;
 * verify checks all, and repairs all except those.
 *
 * Any number of threads may use a chain at the same time, if its members allow
 * it. A child of fork() may use it if no other thread was in a call.
 */
#ifndef DNNL_CACHE_STORE_CHAIN_H
#define DNNL_CACHE_STORE_CHAIN_H

#include "store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

enum dnnl_cache_store_chain_role {
    dnnl_cache_store_chain_role_read = 0, /* never changed */
    /* Also gets copies of blobs that farther members have. */
    dnnl_cache_store_chain_role_fill = 1,
    dnnl_cache_store_chain_role_write = 2 /* also gets puts */
};

struct dnnl_cache_store_chain_member {
    const char *name;                      /* for messages; NULL: its number */
    struct dnnl_cache_store_handle *store; /* a store; or NULL, and */
    const dnnl_cache_store_t *callbacks;
    /* If both are NULL the member is ignored, so that the same chain works
     * without an installed seed. */
    enum dnnl_cache_store_chain_role role;
};

struct dnnl_cache_store_chain_options {
    unsigned failures_to_skip; /* in a row; at least 1 */
    uint64_t retry_after_ns;   /* at least 1 */
    uint64_t slow_ns; /* a longer call is a failure; UINT64_MAX: no limit */
    /* A clock that never goes backwards, for tests; NULL: the monotonic one. */
    uint64_t (*now_ns)(void *user);
    void *clock_user;
    dnnl_cache_log_callback_t log; /* NULL: silent */
    void *log_user;
};

/* 3 failures, 30 s, no call is too slow, silent. */
struct dnnl_cache_store_chain_options dnnl_cache_store_chain_options_default(
        void);

/* Opens a chain of count members, the nearest first. The caller closes it.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no member, a member
 * with both a store and callbacks, or without get, release, put or remove, an
 * unknown role, invalid options: the reason is logged); dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_open_chain(
        struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_chain_member *members, size_t count,
        const struct dnnl_cache_store_chain_options *options);

/* What the chain did with one member. The chain's own statistics are those of
 * the whole: hits is the sum of the members' hits. */
struct dnnl_cache_store_chain_member_statistics {
    uint64_t hits;
    uint64_t misses;
    uint64_t failures; /* of any call */
    uint64_t slow;     /* those failures that took too long */
    uint64_t skipped;  /* calls that were not made */
    uint64_t puts;     /* puts that were kept */
    uint64_t fills;    /* copies from farther members that were kept */
    uint64_t removes;  /* calls that did not fail */
    bool is_skipped;   /* at the moment */
};

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such member). */
dnnl_status_t dnnl_cache_store_chain_get_member_statistics(
        struct dnnl_cache_store_handle *chain, size_t member,
        struct dnnl_cache_store_chain_member_statistics *statistics);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_CHAIN_H */
