/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain_store.h: several stores, asked one after the other.
 *
 *     struct dnnl_cache_store_chain_member members[] = {
 *             {sizeof *members, "seed", seed, NULL,
 *                     dnnl_cache_store_chain_role_read},
 *             {sizeof *members, "local", local, NULL,
 *                     dnnl_cache_store_chain_role_write},
 *             {sizeof *members, "fleet", NULL, &mine,
 *                     dnnl_cache_store_chain_role_write},
 *     };
 *     struct dnnl_cache_store_chain_options options =
 *             DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
 *     dnnl_cache_store_open_chain(&store, members, 3, &options);
 *
 * get() asks the members in order, nearest first; get_many() asks each member
 * for the blobs that are still missing. A blob found in a further member is
 * copied into nearer members with the role fill or write; without metadata,
 * which get() does not return, unless the member is a remote store of this
 * library. If copying fails, the get still succeeds.
 *
 * put() writes to the members with the role write and removes the ID from the
 * members with the role fill. remove() goes to all members except those with
 * the role read. After a put, this process looks for that ID in the members
 * with the role write first (for the last few thousand IDs): otherwise a bad
 * blob in a read-only seed would be found again and again.
 *
 * acquire_lease() and release_lease() are there if a member has them. The first
 * such member that is not skipped is asked, however long it waits; what it has
 * is copied into nearer members.
 *
 * Members
 *   A member is a store of this library, or callbacks of the application, for a
 *   remote store for instance. The chain owns neither: the application closes
 *   stores, and frees what `user` of the callbacks points to, after it closed
 *   the chain. Callbacks and names are copied. Bytes that get() returns belong
 *   to the member, and release() gives them back to that member; all must be
 *   released before the chain is closed. A chain may be a member of a chain.
 *
 * Failures
 *   A call to a member fails if it returns what its contract does not allow (an
 *   error, success without bytes), or if it takes longer than slow_ns. After
 *   failures_to_skip failures in a row the member is skipped for
 *   retry_after_ns. Then one call tries the member again; the member is back if
 *   that call succeeds. Running out of memory is not counted as a failure. A
 *   chain cannot interrupt a call: a member that may hang needs its own
 *   time-out. remove() is tried on skipped members too, since an entry left
 *   there would be found later.
 *
 * Statuses of the callbacks
 *   get, get_many  dnnl_success; dnnl_cache_miss, also if some members failed;
 *                  if all members that were asked failed, the status of the
 *                  first, or dnnl_runtime_error if it returned success without
 *                  bytes.
 *   put            dnnl_success if any member took the blob, or no member was
 *                  to be asked; else the status of the first.
 *   remove         the status of the first failure.
 *
 * dnnl_cache_store_iterate(), dnnl_cache_store_trim(),
 * dnnl_cache_store_verify() and the bytes of the statistics cover the members
 * that are stores of this library. iterate shows each ID once, from the nearest
 * member. trim applies its limits to each member without the role read; verify
 * checks all members and repairs those.
 *
 * Any number of threads may use a chain at once if they may use its members so.
 * The child of a fork() may use a chain if it may use the members.
 */
#ifndef DNNL_CACHE_STORE_CHAIN_H
#define DNNL_CACHE_STORE_CHAIN_H

#include "dnnl_cache/store.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* What the chain does with a member, besides asking it. */
enum dnnl_cache_store_chain_role {
    dnnl_cache_store_chain_role_read = 0, /* never changed */
    /* Has copies of what further ones have. */
    dnnl_cache_store_chain_role_fill = 1,
    dnnl_cache_store_chain_role_write = 2 /* and what is put */
};

/* A member of a chain. Strings and callbacks are copied. All members of an
 * array have one struct_size. */
struct dnnl_cache_store_chain_member {
    size_t struct_size;                  /* sizeof the struct */
    const char *name;                    /* for messages; NULL: its number */
    dnnl_cache_store_handle_t *store;    /* a sample store; or NULL, and */
    const dnnl_cache_store_t *callbacks; /* those of an application's store */
    /* Both NULL: passed by, so that a seed that is not installed needs no
     * other chain. */
    enum dnnl_cache_store_chain_role role;
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_CHAIN_MEMBER_INIT                              \
    {                                                                   \
        sizeof(struct dnnl_cache_store_chain_member), NULL, NULL, NULL, \
                dnnl_cache_store_chain_role_read                        \
    }

/* When a member is skipped, and where messages go. Set struct_size with
 * DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT. */
struct dnnl_cache_store_chain_options {
    size_t struct_size;        /* sizeof the struct */
    unsigned failures_to_skip; /* in a row; 0: 3 */
    uint64_t retry_after_ns;   /* 0: 30 s */
    uint64_t slow_ns;          /* a longer call is a failure; 0: none is */
    /* A clock that never goes backwards, for tests; NULL: the monotonic one. */
    uint64_t (*now_ns)(void *user);
    void *clock_user;              /* passed to now_ns */
    dnnl_cache_log_callback_t log; /* NULL: silent */
    void *log_user;                /* passed to log */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT                                 \
    {                                                                       \
        sizeof(struct dnnl_cache_store_chain_options), 0, 0, 0, NULL, NULL, \
                NULL, NULL                                                  \
    }

/* Opens a chain of count members, the nearest first. The caller closes it.
 * Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no member, one with a
 * store and callbacks, or without one of get, release, put and remove, a role
 * that does not exist: said in a message; bad struct_size);
 * dnnl_out_of_memory. */
dnnl_status_t dnnl_cache_store_open_chain(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_chain_member *members, size_t count,
        const struct dnnl_cache_store_chain_options *options);

/* What the chain did with one member. Its own statistics are those of the
 * whole: hits is the sum of the members'. */
struct dnnl_cache_store_chain_member_statistics {
    size_t struct_size; /* sizeof the struct */
    uint64_t hits;      /* blobs found in it */
    uint64_t misses;    /* blobs not found in it */
    uint64_t failures;  /* of any call */
    uint64_t slow;      /* of those the ones that took too long */
    uint64_t skipped;   /* calls that were not made */
    uint64_t puts;      /* taken, from put */
    uint64_t fills;     /* taken, of what further members had */
    uint64_t removes;   /* calls that did not fail */
    bool is_skipped;    /* at the moment */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_CHAIN_MEMBER_STATISTICS_INIT                        \
    {                                                                        \
        sizeof(struct dnnl_cache_store_chain_member_statistics), 0, 0, 0, 0, \
                0, 0, 0, 0, false                                            \
    }

/* Statuses: dnnl_success; dnnl_invalid_arguments (NULL, no such member,
 * bad struct_size). */
dnnl_status_t dnnl_cache_store_chain_get_member_statistics(
        dnnl_cache_store_handle_t *chain, size_t member,
        struct dnnl_cache_store_chain_member_statistics *statistics);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_CHAIN_H */
