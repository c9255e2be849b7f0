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
 * get asks the members in their order, the nearest first, and get_many asks
 * each for what is still missing. What a further one has is put into the
 * nearer ones that may be filled, without metadata, which get does not tell;
 * that this fails is no failure of the get. put goes to the members that are
 * written to, and removes what those that are only filled have under the ID;
 * remove goes to all that may be changed. A blob that was put is looked for in
 * the members written to first from then on (of some thousand IDs, in this
 * process), or a bad one in a read-only seed would be found again and again.
 *
 * Members
 *   A member is a sample store, or callbacks of the application's own: a remote
 *   one for instance. Neither is owned by the chain: stores are closed, and
 *   whatever `user` of the callbacks points to is freed, by the application
 *   and after the chain has been closed. The callbacks themselves are copied,
 *   and so are names. Bytes that get() gives are the member's own: release()
 *   gives them back to it, so that none may be unreleased when the chain is
 *   closed. A chain may be a member of another chain.
 *
 * Failures
 *   A call fails that returns something else than its contract says (an error,
 *   "found" without bytes), and one that takes longer than slow_ns, whatever
 *   it returns. After failures_to_skip of them in a row the member is not
 *   asked any more for retry_after_ns; then one call tries it again, and only
 *   if that does not fail is it back. Running out of memory is not held
 *   against a member. A call cannot be broken off: a member that may hang has
 *   to have a time-out of its own. remove is tried on skipped members, too:
 *   what is left there would come back.
 *
 * Statuses of the callbacks
 *   get, get_many  dnnl_success; dnnl_cache_miss, also if members failed that
 *                  might have had it, unless all that were asked did: then the
 *                  first one's status, or dnnl_runtime_error for a lie.
 *   put            dnnl_success if any member took it, or none was to be
 *                  asked; else the first one's status.
 *   remove         the first failure's status.
 *
 * dnnl_cache_store_iterate(), dnnl_cache_store_trim(),
 * dnnl_cache_store_verify() and the bytes of the statistics are about members
 * that are sample stores. iterate shows each ID once, as the nearest member has
 * it. trim applies its limits to each member that may be changed; verify checks
 * all and repairs those.
 *
 * Any number of threads may use a chain at once, if they may use its members.
 * A child of fork() may use it if no other thread was in a call.
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
    /* Has copies of what further ones have. */
    dnnl_cache_store_chain_role_fill = 1,
    dnnl_cache_store_chain_role_write = 2 /* and what is put */
};

struct dnnl_cache_store_chain_member {
    const char *name;                      /* for messages; NULL: its number */
    struct dnnl_cache_store_handle *store; /* a sample store; or NULL, and */
    const dnnl_cache_store_t *callbacks;
    /* Both NULL: passed by, so that a seed that is not installed needs no
     * other chain. */
    enum dnnl_cache_store_chain_role role;
};

struct dnnl_cache_store_chain_options {
    unsigned failures_to_skip; /* in a row; at least 1 */
    uint64_t retry_after_ns;   /* at least 1 */
    uint64_t slow_ns; /* a longer call is a failure; UINT64_MAX: none */
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
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no member, one with a
 * store and callbacks, or without one of get, release, put and remove, a role
 * that does not exist, options that make no sense: said in a message);
 * dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_open_chain(
        struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_chain_member *members, size_t count,
        const struct dnnl_cache_store_chain_options *options);

/* What the chain did with one member. Its own statistics are those of the
 * whole: hits is the sum of the members'. */
struct dnnl_cache_store_chain_member_statistics {
    uint64_t hits;
    uint64_t misses;
    uint64_t failures; /* of any call */
    uint64_t slow;     /* of those the ones that took too long */
    uint64_t skipped;  /* calls that were not made */
    uint64_t puts;     /* taken, from put */
    uint64_t fills;    /* taken, of what further members had */
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
