/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/tiers.h"

#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/working_set.h"
#include "src/common/sized_struct.h"
#include "src/platform/file.h"
#include "stores/chain/chain_internal.h"
#include "stores/files/store_sign.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { tier_count = dnnl_cache_store_tier_remote + 1 };

static const struct {
    const char *name; /* in the chain */
    enum dnnl_cache_store_chain_role role;
} kinds[tier_count] = {
        [dnnl_cache_store_tier_seed] = {"seed",
                dnnl_cache_store_chain_role_read},
        [dnnl_cache_store_tier_local] = {"local",
                dnnl_cache_store_chain_role_write},
        [dnnl_cache_store_tier_remote] = {"remote",
                dnnl_cache_store_chain_role_write},
};

__attribute__((format(printf, 2, 3))) static void give_warning(
        const struct dnnl_cache_store_tiers *tiers, const char *format, ...)
{
    char text[512];
    va_list arguments;
    if (tiers->log == NULL) return;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tiers->log(dnnl_cache_log_warning, text, tiers->log_user);
}

/* Options of another struct_size are for opening to refuse. */
static bool has_local(const struct dnnl_cache_store_tiers *tiers)
{
    struct dnnl_cache_store_options local;
    return tiers->local != NULL
           && (!sized_struct_read(&local, sizeof local, tiers->local)
                   || local.path != NULL);
}

/* A seed has what was put into it elsewhere: no limit of this process's. */
static dnnl_status_t open_seed(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers, const char *key)
{
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type_at(tiers->seed, NULL);
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    unsigned char public_key[store_sign_public_size];
    const char *why;
    /* A secret would prove entries as well, and go with the seed to whoever
     * reads it. */
    if (key != NULL && store_sign_read_public(public_key, key, &why) != 0) {
        give_warning(tiers, "%s: %s", key, why);
        return dnnl_runtime_error;
    }
    if (type == NULL) {
        const bool is_there = file_is_there(tiers->seed);
        give_warning(tiers, "%s: the seed is %s", tiers->seed,
                is_there ? "not a store (dnnl-cache export --seed makes one)"
                         : "not there");
        return dnnl_runtime_error;
    }
    options.path = tiers->seed;
    options.key_file = key;
    options.capacity = DNNL_CACHE_STORE_UNLIMITED;
    options.max_blob_bytes = INT64_MAX;
    options.policy = dnnl_cache_store_policy_none;
    options.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    options.read_only = true;
    options.log = tiers->log;
    options.log_user = tiers->log_user;
    return dnnl_cache_store_open(store, type->name, &options);
}

static dnnl_status_t open_local(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers)
{
    const struct dnnl_cache_store_type *type = tiers->type;
    struct dnnl_cache_store_options options;
    if (!sized_struct_read(&options, sizeof options, tiers->local)) {
        give_warning(tiers, "the local store is not used: its options have no "
                            "struct_size");
        return dnnl_invalid_arguments;
    }
    if (type == NULL)
        type = dnnl_cache_store_find_type_at(
                options.path, dnnl_cache_store_get_default_type());
    options.log = tiers->log;
    options.log_user = tiers->log_user;
    const dnnl_status_t st = dnnl_cache_store_open(store, type->name, &options);
    if (st == dnnl_success) return st;
    /* Somebody may have made a store of another type meanwhile. */
    const struct dnnl_cache_store_type *there =
            dnnl_cache_store_find_type_at(options.path, type);
    return there != type && there->is_file == type->is_file
                   ? dnnl_cache_store_open(store, there->name, &options)
                   : st;
}

static dnnl_status_t open_remote(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    options.url = tiers->remote;
    options.log = tiers->log;
    options.log_user = tiers->log_user;
    return dnnl_cache_store_open_remote(store, &options);
}

/* Opens what is named; *status: of the local store, or else of any. */
static size_t open_all(dnnl_cache_store_handle_t *stores[tier_count],
        const struct dnnl_cache_store_tiers *tiers, const char *seed_key,
        dnnl_status_t *status)
{
    dnnl_status_t of[tier_count] = {dnnl_success, dnnl_success, dnnl_success};
    size_t opened = 0;
    if (tiers->seed != NULL)
        of[dnnl_cache_store_tier_seed] =
                open_seed(&stores[dnnl_cache_store_tier_seed], tiers, seed_key);
    if (has_local(tiers))
        of[dnnl_cache_store_tier_local] =
                open_local(&stores[dnnl_cache_store_tier_local], tiers);
    if (tiers->remote != NULL)
        of[dnnl_cache_store_tier_remote] =
                open_remote(&stores[dnnl_cache_store_tier_remote], tiers);
    *status = of[dnnl_cache_store_tier_local];
    for (int i = 0; i < tier_count; i++) {
        if (stores[i] != NULL) opened++;
        if (of[i] == dnnl_out_of_memory) *status = of[i];
        if (*status == dnnl_success && of[i] != dnnl_success)
            *status = dnnl_runtime_error;
    }
    return opened;
}

static dnnl_status_t open_chain(dnnl_cache_store_handle_t **store,
        dnnl_cache_store_handle_t *const stores[tier_count],
        const struct dnnl_cache_store_tiers *tiers)
{
    struct dnnl_cache_store_chain_options options =
            DNNL_CACHE_STORE_CHAIN_OPTIONS_INIT;
    struct dnnl_cache_store_chain_member members[tier_count];
    options.log = tiers->log;
    options.log_user = tiers->log_user;
    for (int i = 0; i < tier_count; i++) {
        members[i] = (struct dnnl_cache_store_chain_member){
                sizeof(struct dnnl_cache_store_chain_member), kinds[i].name,
                stores[i], NULL, kinds[i].role};
        /* A server for which there is no key to sign with: what is refused is
         * no failure of it. */
        if (i == dnnl_cache_store_tier_remote && stores[i] != NULL
                && !stores[i]->is_writable)
            members[i].role = dnnl_cache_store_chain_role_read;
    }
    const dnnl_status_t st =
            dnnl_cache_store_open_chain(store, members, tier_count, &options);
    if (st != dnnl_success) return st;
    struct chain *chain = chain_of(*store);
    for (size_t i = 0; i < chain->count; i++)
        chain->links[i].is_owned = true;
    return st;
}

/* What a local store keeps is found there; else memory has to. Without a
 * working set entries are asked for one by one, which is no failure. */
static void add_working_set(struct chain *chain,
        dnnl_cache_store_handle_t *const stores[tier_count],
        const struct dnnl_cache_store_tiers *tiers)
{
    enum { save_every_ms = 1000 };
    const dnnl_cache_store_handle_t *local =
            stores[dnnl_cache_store_tier_local];
    struct dnnl_cache_store_working_set_options options =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    options.store = &chain->base.callbacks;
    options.application = tiers->application;
    options.by_first_id = true;
    options.save_every_ms = save_every_ms;
    if (local != NULL && local->is_writable) {
        options.near = dnnl_cache_store_get_callbacks(local);
        options.keeps_nothing = true;
    }
    const dnnl_status_t st =
            dnnl_cache_store_working_set_open(&chain->working_set, &options);
    if (st == dnnl_success)
        chain->base.callbacks =
                *dnnl_cache_store_working_set_callbacks(chain->working_set);
    if (st == dnnl_invalid_arguments)
        give_warning(tiers, "an application's name has 1 to 255 bytes");
}

dnnl_status_t dnnl_cache_store_open_tiers(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *tiers)
{
    return dnnl_cache_store_open_tiers_with_key(store, tiers, NULL);
}

dnnl_status_t dnnl_cache_store_open_tiers_with_key(
        dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_tiers *callers, const char *seed_key)
{
    struct dnnl_cache_store_tiers ours;
    const struct dnnl_cache_store_tiers *tiers = &ours;
    dnnl_cache_store_handle_t *stores[tier_count] = {NULL, NULL, NULL};
    dnnl_status_t st = dnnl_success;
    if (store == NULL || callers == NULL
            || !sized_struct_read(&ours, sizeof ours, callers)
            || (tiers->seed == NULL && !has_local(tiers)
                    && tiers->remote == NULL))
        return dnnl_invalid_arguments;
    const size_t opened = open_all(stores, tiers, seed_key, &st);
    dnnl_cache_store_handle_t *local = stores[dnnl_cache_store_tier_local];
    if (opened == 1 && local != NULL) {
        *store = local;
        return dnnl_success;
    }
    if (opened > 0 && (local != NULL || !tiers->needs_local))
        st = open_chain(store, stores, tiers);
    if (st == dnnl_success && tiers->application != NULL
            && stores[dnnl_cache_store_tier_remote] != NULL)
        add_working_set(chain_of(*store), stores, tiers);
    if (st != dnnl_success)
        for (int i = 0; i < tier_count; i++)
            dnnl_cache_store_close(stores[i]);
    return st;
}

dnnl_status_t dnnl_cache_store_save_working_set(
        dnnl_cache_store_handle_t *store)
{
    if (store == NULL) return dnnl_invalid_arguments;
    const struct chain *chain = chain_of(store);
    return chain == NULL || chain->working_set == NULL
                   ? dnnl_success
                   : dnnl_cache_store_working_set_save(chain->working_set);
}

dnnl_cache_store_handle_t *dnnl_cache_store_get_tier(
        dnnl_cache_store_handle_t *store, enum dnnl_cache_store_tier tier)
{
    struct chain *chain = store != NULL ? chain_of(store) : NULL;
    if (chain == NULL)
        return tier == dnnl_cache_store_tier_local ? store : NULL;
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (link->is_owned && strcmp(link->name, kinds[tier].name) == 0)
            return link->store;
    }
    return NULL;
}
