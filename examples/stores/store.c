/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "store_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct store_limit store_limit_bytes(uint64_t bytes)
{
    return (struct store_limit){store_limit_kind_bytes, bytes};
}

struct store_limit store_limit_mb(uint64_t megabytes)
{
    const uint64_t mb = 1024 * 1024;
    return store_limit_bytes(
            megabytes > UINT64_MAX / mb ? UINT64_MAX : megabytes * mb);
}

struct store_limit store_limit_unlimited(void)
{
    return (struct store_limit){store_limit_kind_unlimited, 0};
}

struct store_limit store_limit_off(void)
{
    return (struct store_limit){store_limit_kind_off, 0};
}

static uint64_t hash_xxh3(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

struct store_options store_options_default(void)
{
    struct store_options options = {
            .capacity = store_limit_mb(1024),
            .max_blob_bytes = (uint64_t)1 << 30,
            .durability = store_durability_none,
            .sharing = store_sharing_private,
            .lock_timeout_ms = 2000,
            .hash = hash_xxh3,
    };
    return options;
}

const dnnl_cache_store_t *store_callbacks(const struct store *store)
{
    return &store->callbacks;
}

void store_close(struct store *store)
{
    if (store != NULL) store->class->close(store);
}

dnnl_status_t store_get_statistics(
        const struct store *store, struct store_statistics *statistics)
{
    if (store == NULL || statistics == NULL) return dnnl_invalid_arguments;
    const struct store_counters *c = &store->counters;
    *statistics = (struct store_statistics){
            .hits = atomic_load(&c->hits),
            .misses = atomic_load(&c->misses),
            .damaged = atomic_load(&c->damaged),
            .puts = atomic_load(&c->puts),
            .puts_unchanged = atomic_load(&c->puts_unchanged),
            .puts_off = atomic_load(&c->puts_off),
            .puts_read_only = atomic_load(&c->puts_read_only),
            .puts_too_large = atomic_load(&c->puts_too_large),
            .puts_lock_timeout = atomic_load(&c->puts_lock_timeout),
            .puts_failed = atomic_load(&c->puts_failed),
            .removes = atomic_load(&c->removes),
            .evictions = atomic_load(&c->evictions),
            .recounts = atomic_load(&c->recounts),
            .bytes = store->class->bytes(store),
    };
    return dnnl_success;
}

dnnl_status_t store_iterate(struct store *store,
        bool (*visit)(void *user, const struct store_item *item), void *user)
{
    if (store == NULL || visit == NULL) return dnnl_invalid_arguments;
    return store->class->iterate(store, visit, user);
}

/* ---- For the stores ------------------------------------------------------ */

static const char *find_mistake(const struct store_options *options)
{
    const struct store_limit *capacity = &options->capacity;
    switch (capacity->kind) {
    case store_limit_kind_bytes:
        if (capacity->bytes == 0)
            return "a capacity of 0 bytes: say off or unlimited";
        break;
    case store_limit_kind_unlimited:
    case store_limit_kind_off:
        break;
    default:
        return "no such kind of capacity";
    }
    if (options->path == NULL || options->path[0] == '\0') return "no path";
    if (options->max_blob_bytes == 0) return "max_blob_bytes is 0";
    if (options->hash == NULL) return "no hash function";
    if (options->durability > store_durability_data_and_directory)
        return "no such durability";
    if (options->sharing > store_sharing_group) return "no such sharing";
    return NULL;
}

dnnl_status_t store_init(struct store *store, const struct store_class *class,
        const dnnl_cache_store_t *callbacks,
        const struct store_options *options)
{
    store->options = *options;
    store->options.path = NULL;
    const char *mistake = find_mistake(options);
    if (mistake != NULL) {
        store_log(store, dnnl_cache_log_error, "store options: %s", mistake);
        return dnnl_invalid_arguments;
    }
    char *path = strdup(options->path);
    if (path == NULL) return dnnl_out_of_memory;
    store->options.path = path;
    store->class = class;
    store->callbacks = *callbacks;
    store->callbacks.struct_size = sizeof store->callbacks;
    store->callbacks.user = store;
    return dnnl_success;
}

void store_fini(struct store *store)
{
    free((char *)(uintptr_t)store->options.path); /* strdup() of store_init() */
    store->options.path = NULL;
}

void store_log(const struct store *store, dnnl_cache_log_level_t level,
        const char *format, ...)
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

void store_count(atomic_uint_fast64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

mode_t store_directory_mode(const struct store_options *options)
{
    return options->sharing == store_sharing_group ? 0770 : 0700;
}

mode_t store_file_mode(const struct store_options *options)
{
    return options->sharing == store_sharing_group ? 0660 : 0600;
}
