/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/store.h"

#include "src/platform/library.h"
#include "stores/core/store_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct dnnl_cache_store_limit dnnl_cache_store_limit_bytes(uint64_t bytes)
{
    return (struct dnnl_cache_store_limit){
            dnnl_cache_store_limit_kind_bytes, bytes};
}

struct dnnl_cache_store_limit dnnl_cache_store_limit_mb(uint64_t megabytes)
{
    const uint64_t mb = 1024 * 1024;
    return dnnl_cache_store_limit_bytes(
            megabytes > UINT64_MAX / mb ? UINT64_MAX : megabytes * mb);
}

struct dnnl_cache_store_limit dnnl_cache_store_limit_unlimited(void)
{
    return (struct dnnl_cache_store_limit){
            dnnl_cache_store_limit_kind_unlimited, 0};
}

struct dnnl_cache_store_limit dnnl_cache_store_limit_off(void)
{
    return (struct dnnl_cache_store_limit){dnnl_cache_store_limit_kind_off, 0};
}

static uint64_t hash_xxh3(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

struct dnnl_cache_store_options dnnl_cache_store_options_default(void)
{
    struct dnnl_cache_store_options options = {
            .capacity = dnnl_cache_store_limit_mb(1024),
            .max_blob_bytes = (uint64_t)1 << 30,
            .policy = dnnl_cache_store_policy_fifo,
            .low_water_percent = 100,
            .max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED,
            .durability = dnnl_cache_store_durability_none,
            .sharing = dnnl_cache_store_sharing_private,
            .lock_timeout_ms = 2000,
            .hash = hash_xxh3,
    };
    return options;
}

/* What this thread has met, in any store: a member of a chain's as well, and
 * nothing that other threads meet meanwhile. */
static _Thread_local uint64_t damage_met;

const dnnl_cache_store_t *dnnl_cache_store_callbacks(
        const struct dnnl_cache_store_handle *store)
{
    return &store->callbacks;
}

dnnl_status_t dnnl_cache_store_look_up(
        const struct dnnl_cache_store_handle *store, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob, bool *damaged)
{
    if (store == NULL || damaged == NULL) return dnnl_invalid_arguments;
    const dnnl_cache_store_t *s = &store->callbacks;
    const uint64_t before = damage_met;
    const dnnl_status_t st = s->get(s->user, id_size, id, size, blob);
    *damaged = st == dnnl_cache_miss && damage_met != before;
    return st;
}

void dnnl_cache_store_close(struct dnnl_cache_store_handle *store)
{
    if (store != NULL) store->class->close(store);
}

dnnl_status_t dnnl_cache_store_get_statistics(
        const struct dnnl_cache_store_handle *store,
        struct dnnl_cache_store_statistics *statistics)
{
    if (store == NULL || statistics == NULL) return dnnl_invalid_arguments;
    const struct store_counters *c = &store->counters;
    *statistics = (struct dnnl_cache_store_statistics){
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
            .bytes = store->class->bytes(store),
            .capacity_needed = store_used_capacity(store),
    };
    return dnnl_success;
}

dnnl_status_t dnnl_cache_store_iterate(struct dnnl_cache_store_handle *store,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    if (store == NULL || visit == NULL) return dnnl_invalid_arguments;
    return store->class->iterate(store, visit, user);
}

static dnnl_status_t trim(struct dnnl_cache_store_handle *store,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed)
{
    uint64_t count = 0;
    if (store == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st =
            store->class->trim(store, max_bytes, max_age_seconds, ages, &count);
    if (removed != NULL) *removed = count;
    return st;
}

dnnl_status_t dnnl_cache_store_trim(struct dnnl_cache_store_handle *store,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed)
{
    return trim(
            store, max_bytes, max_age_seconds, store_ages_by_clock, removed);
}

dnnl_status_t dnnl_cache_store_expire(struct dnnl_cache_store_handle *store,
        uint64_t max_age_seconds, uint64_t *removed)
{
    return trim(store, UINT64_MAX, max_age_seconds, store_ages_by_use, removed);
}

dnnl_status_t dnnl_cache_store_verify(struct dnnl_cache_store_handle *store,
        bool repair, dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    if (store == NULL || check == NULL) return dnnl_invalid_arguments;
    struct dnnl_cache_store_check found = {0};
    dnnl_status_t st =
            store->class->verify(store, repair, progress, user, &found);
    *check = found;
    return st;
}

/* ---- For the stores ------------------------------------------------------ */

static const char *find_mistake(const struct dnnl_cache_store_options *options)
{
    const struct dnnl_cache_store_limit *capacity = &options->capacity;
    switch (capacity->kind) {
    case dnnl_cache_store_limit_kind_bytes:
        if (capacity->bytes == 0)
            return "a capacity of 0 bytes: say off or unlimited";
        break;
    case dnnl_cache_store_limit_kind_unlimited:
    case dnnl_cache_store_limit_kind_off:
        break;
    default:
        return "no such kind of capacity";
    }
    if (options->path == NULL || options->path[0] == '\0') return "no path";
    if (options->max_blob_bytes == 0) return "max_blob_bytes is 0";
    if (options->hash == NULL) return "no hash function";
    if (options->policy > dnnl_cache_store_policy_none) return "no such policy";
    if (options->low_water_percent < 1 || options->low_water_percent > 100)
        return "low_water_percent is not between 1 and 100";
    if (options->max_age_seconds == 0)
        return "an age of 0 seconds: say capacity off";
    if (options->durability > dnnl_cache_store_durability_data_and_directory)
        return "no such durability";
    if (options->sharing > dnnl_cache_store_sharing_group)
        return "no such sharing";
    return NULL;
}

/* file NULL: there is none. */
static dnnl_status_t read_key(
        struct dnnl_cache_store_handle *store, const char *file)
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

dnnl_status_t store_init(struct dnnl_cache_store_handle *store,
        const struct store_class *class, const dnnl_cache_store_t *callbacks,
        const struct dnnl_cache_store_options *options)
{
    store_journal_init(&store->journal);
    store->options = *options;
    store->options.path = NULL;
    store->options.key_file = NULL;
    const char *mistake = find_mistake(options);
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
    store->class = class;
    store->callbacks = *callbacks;
    store->callbacks.struct_size = sizeof store->callbacks;
    store->callbacks.user = store;
    return dnnl_success;
}

void store_fini(struct dnnl_cache_store_handle *store)
{
    free((char *)(uintptr_t)store->options.path); /* owned */
    store->options.path = NULL;
    store_mac_key_destroy(store->mac);
    store->mac = NULL;
    store_journal_fini(&store->journal);
    store_used_fini(store);
}

void store_log(const struct dnnl_cache_store_handle *store,
        dnnl_cache_log_level_t level, const char *format, ...)
{
    if (store->options.log == NULL) return;
    const int saved = errno;
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    store->options.log(level, text, store->options.log_user);
    errno = saved;
}

dnnl_status_t store_status_of(int error)
{
    if (error == 0) return dnnl_success;
    return error == ENOMEM ? dnnl_out_of_memory : dnnl_runtime_error;
}

dnnl_status_t store_finish(const struct dnnl_cache_store_handle *store,
        const char *what, int error)
{
    if (error != 0)
        store_log(store, dnnl_cache_log_warning, "%s: %s: %s",
                store->options.path, what,
                error == EBADMSG ? "damaged" : strerror(error));
    return store_status_of(error);
}

void store_count_damage(struct dnnl_cache_store_handle *store)
{
    store_count(&store->counters.damaged);
    damage_met++;
}

void store_report_damage(
        struct dnnl_cache_store_handle *store, const char *name)
{
    const uint64_t hash = XXH3_64bits(name, strlen(name));
    store_count_damage(store);
    /* Of what nobody signed there may be as much as somebody likes. */
    if (store->mac != NULL && store_mac_key_signs(store->mac)) {
        if (!atomic_exchange(&store->unsigned_was_told, true))
            store_log(store, dnnl_cache_log_warning,
                    "%s/%s: damaged, or not signed with the store's key; this "
                    "is told of one entry",
                    store->options.path, name);
        return;
    }
    if (atomic_exchange_explicit(&store->told[hash % store_most_told], hash,
                memory_order_relaxed)
            == hash)
        return;
    store_log(store, dnnl_cache_log_warning, "%s/%s: damaged",
            store->options.path, name);
}

void store_count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

bool store_notes_use(const struct dnnl_cache_store_options *options)
{
    return options->policy == dnnl_cache_store_policy_lru
           || options->policy == dnnl_cache_store_policy_cost;
}

bool store_is_user(const struct dnnl_cache_store_handle *store)
{
    return store_notes_use(&store->options) && !store->has_limits_of_others;
}

uint64_t store_low_water(const struct dnnl_cache_store_options *options)
{
    const struct dnnl_cache_store_limit *capacity = &options->capacity;
    if (capacity->kind != dnnl_cache_store_limit_kind_bytes) return UINT64_MAX;
    /* Without overflow, and never below what the percentage means. */
    return capacity->bytes / 100 * options->low_water_percent
           + capacity->bytes % 100 * options->low_water_percent / 100;
}

bool store_is_ahead(uint64_t ns, uint64_t now_ns)
{
    return ns > now_ns && ns - now_ns > STORE_CLOCK_SKEW_NS;
}

/* A time as a worth: those that are ahead come before all others, and keep
 * their own order. */
static double worth_of_time(uint64_t ns, uint64_t now_ns)
{
    return store_is_ahead(ns, now_ns) ? (double)ns - 0x1p64 : (double)ns;
}

double store_worth(const struct dnnl_cache_store_options *options,
        const struct dnnl_cache_store_item *item, uint64_t now_ns)
{
    if (options->policy == dnnl_cache_store_policy_lru)
        return worth_of_time(item->used_ns, now_ns);
    if (options->policy != dnnl_cache_store_policy_cost)
        return worth_of_time(item->created_ns, now_ns);
    /* Not known counts as cheap. A minute more or less is no difference. */
    const double minute = 60e9;
    const double cost = item->compile_ns > 0 ? (double)item->compile_ns : 1e6;
    double idle = 0;
    if (store_is_ahead(item->used_ns, now_ns))
        idle = 0x1p64; /* longer than anything else */
    else if (now_ns > item->used_ns)
        idle = (double)(now_ns - item->used_ns);
    return cost / (double)(item->blob_size + 1) / (idle + minute);
}
