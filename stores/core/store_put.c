/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_put.h"

#include "src/platform/clock.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <string.h>

static bool is_too_large(const struct dnnl_cache_store_options *options,
        size_t id_size, size_t size)
{
    return size > options->max_blob_bytes || id_size > STORE_MAX_ID_BYTES
           || (store_has_capacity(options)
                   && store_size_add(id_size, size) > options->capacity);
}

bool store_put_declines(dnnl_cache_store_handle_t *store, bool read_only,
        size_t id_size, size_t size)
{
    const struct dnnl_cache_store_options *options = &store->options;
    struct store_counters *counters = &store->counters;
    if (options->off)
        store_count(&counters->puts_off);
    else if (read_only)
        store_count(&counters->puts_read_only);
    else if (size < options->min_blob_bytes)
        store_count(&counters->puts_too_small);
    else if (is_too_large(options, id_size, size))
        (void)store_put_finish(store, size, ERANGE);
    else
        return false;
    return true;
}

dnnl_status_t store_put_finish(
        dnnl_cache_store_handle_t *store, size_t size, int error)
{
    const char *path = store->options.path;
    struct store_counters *counters = &store->counters;
    switch (error) {
    case 0:
        atomic_store(&store->told_cause, 0);
        store_count(&counters->puts);
        atomic_store(&store->full_ns, 0);
        return dnnl_success;
    case ETIMEDOUT:
        store_count(&counters->puts_lock_timeout);
        store_log(store, dnnl_cache_log_warning,
                "%s: blob of %zu bytes not kept: others were writing for "
                "%u ms",
                path, size, store->options.lock_timeout_ms);
        return dnnl_success;
    case STORE_IS_FULL:
        store_count(&counters->puts_full);
        atomic_store(&store->full_ns, clock_epoch_ns());
        store_log(store, dnnl_cache_log_info,
                "%s: blob of %zu bytes not kept: full", path, size);
        return dnnl_success;
    case ERANGE:
        store_count(&counters->puts_too_large);
        store_log(store, dnnl_cache_log_info,
                "%s: blob of %zu bytes not kept: too large", path, size);
        return dnnl_success;
    default:
        store_count(&counters->puts_failed);
        if (store_tells_again(store, error))
            store_log(store, dnnl_cache_log_warning,
                    "%s: blob of %zu bytes not kept: %s%s", path, size,
                    store_cause(error), strerror(error));
        return store_status_of(error);
    }
}

struct store_trailer store_put_trailer(size_t id_size, size_t size,
        uint64_t created_ns, const dnnl_cache_store_metadata_t *metadata)
{
    return (struct store_trailer){
            .key_size = id_size,
            .blob_size = size,
            .created_ns = created_ns,
            .compile_ns = metadata != NULL ? metadata->compile_ns : 0,
            .kind = metadata != NULL ? metadata->kind
                                     : dnnl_cache_blob_kind_undef,
    };
}

dnnl_status_t dnnl_cache_store_take_limits(dnnl_cache_store_handle_t *store)
{
    /* One eviction makes room for some entries: it may read the whole store. */
    enum { low_water_percent = 95 };
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    const dnnl_status_t st = dnnl_cache_store_get_totals(store, &totals);
    if (st != dnnl_success) return st;
    store->has_limits_of_others = true;
    if (totals.capacity_bytes == 0 || store->options.off) return dnnl_success;
    store->options.capacity = totals.capacity_bytes;
    store->options.policy = totals.policy;
    store->options.low_water_percent = low_water_percent;
    return dnnl_success;
}

bool dnnl_cache_store_has_room(
        const dnnl_cache_store_handle_t *store, uint64_t bytes)
{
    if (store == NULL) return false;
    const struct dnnl_cache_store_options *options = &store->options;
    if (!store_has_capacity(options)) return true;
    /* Nothing is evicted: the put itself counts exactly. */
    if (options->policy == dnnl_cache_store_policy_none) return true;
    const uint64_t entry = store_size_add(bytes, store_tail_max);
    const uint64_t needed = store_used_capacity_with(store, entry);
    if (needed <= store_low_water(options)) return true;
    const uint64_t all = store->calls->bytes(store); /* 0: not known */
    return all > 0
           && store_size_add(all, store_size_add(entry, needed / 64))
                      <= options->capacity;
}

/* No room for any program: where nothing is evicted, what is full stays so. */
static bool is_full(const dnnl_cache_store_handle_t *store)
{
    enum { least_bytes = 1024 };
    const struct dnnl_cache_store_options *options = &store->options;
    if (!store_has_capacity(options)) return false;
    const uint64_t bytes = options->policy == dnnl_cache_store_policy_none
                                   ? store->calls->bytes(store)
                                   : 0;
    return store_size_add(bytes, least_bytes) > options->capacity;
}

/* Others may make room meanwhile: after a while a put is tried again. */
static bool found_no_room(const dnnl_cache_store_handle_t *store)
{
    static const uint64_t while_ns = (uint64_t)10 * 1000000000u;
    const uint64_t full_ns = atomic_load(&store->full_ns);
    const uint64_t now_ns = clock_epoch_ns();
    return full_ns != 0 && now_ns >= full_ns && now_ns - full_ns < while_ns;
}

dnnl_status_t store_can_put(void *user)
{
    const dnnl_cache_store_handle_t *store = user;
    if (store == NULL) return dnnl_invalid_arguments;
    if (!store->is_writable && !store->options.off) return dnnl_unimplemented;
    return store->is_writable && !found_no_room(store) && !is_full(store)
                   ? dnnl_success
                   : dnnl_not_required;
}
