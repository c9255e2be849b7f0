/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/store.h"

#include "src/common/sized_struct.h"
#include "src/platform/library.h"
#include "stores/core/store_internal.h"
#include "stores/core/store_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const dnnl_cache_store_t *dnnl_cache_store_get_callbacks(
        const dnnl_cache_store_handle_t *store)
{
    return &store->callbacks;
}

dnnl_status_t dnnl_cache_store_find(const dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, size_t *size, const uint8_t **blob,
        bool *damaged)
{
    if (store == NULL || damaged == NULL) return dnnl_invalid_arguments;
    const dnnl_cache_store_t *s = &store->callbacks;
    const uint64_t before = store_damage_met();
    const dnnl_status_t st = s->get(s->user, id_size, id, size, blob);
    *damaged = st == dnnl_cache_miss && store_damage_met() != before;
    return st;
}

void dnnl_cache_store_close(dnnl_cache_store_handle_t *store)
{
    if (store != NULL) store->calls->close(store);
}

dnnl_status_t dnnl_cache_store_get_statistics(
        const dnnl_cache_store_handle_t *store,
        struct dnnl_cache_store_statistics *statistics)
{
    if (store == NULL || statistics == NULL) return dnnl_invalid_arguments;
    const struct store_counters *c = &store->counters;
    const struct dnnl_cache_store_statistics now = {
            .hits = atomic_load(&c->hits),
            .misses = atomic_load(&c->misses),
            .damaged = atomic_load(&c->damaged),
            .puts = atomic_load(&c->puts),
            .puts_unchanged = atomic_load(&c->puts_unchanged),
            .puts_off = atomic_load(&c->puts_off),
            .puts_read_only = atomic_load(&c->puts_read_only),
            .puts_too_small = atomic_load(&c->puts_too_small),
            .puts_too_large = atomic_load(&c->puts_too_large),
            .puts_full = atomic_load(&c->puts_full),
            .puts_lock_timeout = atomic_load(&c->puts_lock_timeout),
            .puts_failed = atomic_load(&c->puts_failed),
            .removes = atomic_load(&c->removes),
            .evictions = atomic_load(&c->evictions),
            .expired = atomic_load(&c->expired),
            .recounts = atomic_load(&c->recounts),
            .bytes = store->calls->bytes(store),
            .capacity_needed = store_used_capacity(store),
    };
    return sized_struct_write(&now, sizeof now, statistics)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}

dnnl_status_t dnnl_cache_store_iterate(dnnl_cache_store_handle_t *store,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    if (store == NULL || visit == NULL) return dnnl_invalid_arguments;
    return store->calls->iterate(store, visit, user);
}

static dnnl_status_t trim(dnnl_cache_store_handle_t *store, uint64_t max_bytes,
        uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed)
{
    uint64_t count = 0;
    if (store == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st =
            store->calls->trim(store, max_bytes, max_age_seconds, ages, &count);
    if (removed != NULL) *removed = count;
    return st;
}

dnnl_status_t dnnl_cache_store_trim(dnnl_cache_store_handle_t *store,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed)
{
    return trim(
            store, max_bytes, max_age_seconds, store_ages_by_clock, removed);
}

dnnl_status_t dnnl_cache_store_expire(dnnl_cache_store_handle_t *store,
        uint64_t max_age_seconds, uint64_t *removed)
{
    return trim(store, UINT64_MAX, max_age_seconds, store_ages_by_use, removed);
}

dnnl_status_t dnnl_cache_store_evict_first(dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, uint64_t used_ns)
{
    if (store == NULL || id == NULL || id_size == 0)
        return dnnl_invalid_arguments;
    if (store->calls->date_back == NULL) return dnnl_unimplemented;
    if (store->options.off || !store_notes_use(&store->options)
            || store_date_back(used_ns) == 0)
        return dnnl_success;
    return store_finish(store, "change of a time",
            store->calls->date_back(store, id_size, id, used_ns));
}

dnnl_status_t dnnl_cache_store_verify(dnnl_cache_store_handle_t *store,
        bool repair, dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    if (store == NULL || check == NULL
            || !sized_struct_fits(check, sizeof *check))
        return dnnl_invalid_arguments;
    struct dnnl_cache_store_check found = DNNL_CACHE_STORE_CHECK_INIT;
    dnnl_status_t st =
            store->calls->verify(store, repair, progress, user, &found);
    (void)sized_struct_write(&found, sizeof found, check);
    return st;
}

/* ---- For the stores ------------------------------------------------------ */

/* file NULL: there is none. */
static dnnl_status_t read_key(
        dnnl_cache_store_handle_t *store, const char *file)
{
    const char *why = NULL;
    if (file == NULL) return dnnl_success;
    const int error = store_mac_key_read(&store->mac, file, &why);
    if (error != 0) {
        store_log(store, dnnl_cache_log_error, "%s: %s", file, why);
        return store_status_of(error);
    }
    if (store->options.read_only || store_mac_key_can_make(store->mac))
        return dnnl_success;
    store_log(store, dnnl_cache_log_error,
            "%s: is a public key, for a store that is only read: entries are "
            "signed with the secret one",
            file);
    store_mac_key_destroy(store->mac);
    store->mac = NULL;
    return dnnl_invalid_arguments;
}

dnnl_status_t store_init(dnnl_cache_store_handle_t *store,
        const struct store_calls *calls, const dnnl_cache_store_t *callbacks,
        const struct store_defaults *defaults,
        const struct dnnl_cache_store_options *callers)
{
    struct dnnl_cache_store_options ours;
    const struct dnnl_cache_store_options *options = &ours;
    store_journal_init(&store->journal);
    if (!store_options_read(&ours, callers, defaults))
        return dnnl_invalid_arguments;
    store->options = ours;
    store->options.path = NULL;
    store->options.key_file = NULL;
    const char *mistake = store_options_find_mistake(options);
    if (mistake != NULL) {
        store_log(store, dnnl_cache_log_error, "store options: %s", mistake);
        return dnnl_invalid_arguments;
    }
    const dnnl_status_t st = read_key(store, options->key_file);
    if (st != dnnl_success) return st;
    /* The same after chdir(): a store whose directory is removed makes it
     * anew. */
    char *path = path_from_root(options->path);
    if (path == NULL && errno != ENOMEM) path = strdup(options->path);
    if (path == NULL) {
        store_fini(store);
        return dnnl_out_of_memory;
    }
    store->options.path = path;
    store->calls = calls;
    store->callbacks = *callbacks;
    store->callbacks.struct_size = sizeof store->callbacks;
    store->callbacks.user = store;
    return dnnl_success;
}

bool store_asks_for_many(size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, const size_t *sizes,
        const uint8_t *const *blobs)
{
    if (count == 0 || id_sizes == NULL || ids == NULL || sizes == NULL
            || blobs == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        if (id_sizes[i] == 0 || ids[i] == NULL) return false;
    return true;
}

void store_fini(dnnl_cache_store_handle_t *store)
{
    free((char *)(uintptr_t)store->options.path); /* owned */
    store->options.path = NULL;
    store_mac_key_destroy(store->mac);
    store->mac = NULL;
    store_journal_fini(&store->journal);
    store_used_fini(store);
}
