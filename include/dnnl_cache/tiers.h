/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tiers.h: a seed, a local store and a remote one, in one call.
 *
 *     struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
 *     struct dnnl_cache_store_tiers tiers = DNNL_CACHE_STORE_TIERS_INIT;
 *     local.path = "/var/cache/my_app";
 *     tiers.seed = "/usr/share/my_app/seed.pack";
 *     tiers.local = &local;
 *     tiers.remote = "redis://cache.example?key_file=/etc/my_app/key";
 *     dnnl_cache_store_open_tiers(&store, &tiers);
 *
 * The store that is opened is a chain (chain_store.h) of those that are there,
 * nearest first: what the seed has is taken from there, what the remote store
 * has is copied into the local one, and what is put goes to both of these. It
 * owns its members, and dnnl_cache_store_close() closes them.
 *
 * A seed that is missing or refused, and a remote store that cannot be opened,
 * are reported to the log and left out: neither is a failure. Nor is a local
 * store that cannot be opened, if there is another one. If only the local store
 * is left, that store itself is opened.
 */
#ifndef DNNL_CACHE_STORE_TIERS_H
#define DNNL_CACHE_STORE_TIERS_H

#include "dnnl_cache/store_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* The members of such a chain, the nearest first. */
enum dnnl_cache_store_tier {
    dnnl_cache_store_tier_seed = 0,
    dnnl_cache_store_tier_local = 1,
    dnnl_cache_store_tier_remote = 2
};

/* Which stores to open. Set struct_size with DNNL_CACHE_STORE_TIERS_INIT. */
struct dnnl_cache_store_tiers {
    size_t struct_size; /* sizeof the struct */
    /* A store of any type, which is opened read-only: a directory, or a pack
     * ("dnnl-cache export --seed"). NULL: none. */
    const char *seed;
    /* The local store's type, NULL: that of the store at its path, else the
     * default type. Where a store of another type is found when it is opened,
     * that one is used. */
    const struct dnnl_cache_store_type *type;
    /* The local store's options; log and log_user are those below. NULL, or
     * with a path NULL: none. */
    const struct dnnl_cache_store_options *local;
    bool needs_local;   /* opening fails if that of the local store does */
    const char *remote; /* a URL (remote_store.h); NULL: none */
    /* The application's name, with a remote store: what it asked for while it
     * started is brought from the server with two requests when it asks for
     * the first entry on a machine that has never run it (working_set.h). NULL:
     * entries are asked for one by one. */
    const char *application;
    dnnl_cache_log_callback_t log; /* of all; NULL: silent */
    void *log_user;                /* passed to log */
};

/* The initial value: struct_size is set, all else is 0. */
#define DNNL_CACHE_STORE_TIERS_INIT                                           \
    {                                                                         \
        sizeof(struct dnnl_cache_store_tiers), NULL, NULL, NULL, false, NULL, \
                NULL, NULL, NULL                                              \
    }

/* Opens the stores and the chain. Statuses: dnnl_success if any of them could
 * be opened; dnnl_invalid_arguments (NULL, bad struct_size, no store is named);
 * dnnl_out_of_memory; else that of the local store or, without one,
 * dnnl_runtime_error. */
dnnl_status_t dnnl_cache_store_open_tiers(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers);

/* The same, and of the seed only entries are used that this key proves: a
 * public one of dnnl_cache_store_key_pair_make(), which this user or root alone
 * may write to. Then the seed may also belong to a user who is not known in
 * this user namespace. A seed for which the key cannot be read, or is no public
 * one, is refused. seed_key NULL: as dnnl_cache_store_open_tiers(). Since
 * 0.1.0. */
dnnl_status_t dnnl_cache_store_open_tiers_with_key(
        dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers, const char *seed_key);

/* A member, for statistics and the calls that are about one store: owned by
 * the store, and valid as long. NULL: there is none. Of a store that was opened
 * otherwise, which is its own local one. */
dnnl_cache_store_handle_t *dnnl_cache_store_get_tier(
        dnnl_cache_store_handle_t *store, enum dnnl_cache_store_tier tier);

/* Saves the list of what was asked for, as closing does: for processes that end
 * without closing the store. Statuses: dnnl_success, also if there is no list
 * to save; dnnl_invalid_arguments (NULL); those of
 * dnnl_cache_store_working_set_save(). */
dnnl_status_t dnnl_cache_store_save_working_set(
        dnnl_cache_store_handle_t *store);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* DNNL_CACHE_STORE_TIERS_H */
