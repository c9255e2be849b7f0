/* SPDX-License-Identifier: Apache-2.0 */
#include "store_put.h"

#include "store_size.h"

#include <errno.h>
#include <string.h>

static bool is_too_large(const struct dnnl_cache_store_options *options,
        size_t id_size, size_t size)
{
    return size > options->max_blob_bytes || id_size > STORE_MAX_ID_BYTES
           || (options->capacity.kind == dnnl_cache_store_limit_kind_bytes
                   && store_size_add(id_size, size) > options->capacity.bytes);
}

bool store_put_declines(struct dnnl_cache_store_handle *store, bool read_only,
        size_t id_size, size_t size)
{
    const struct dnnl_cache_store_options *options = &store->options;
    struct store_counters *counters = &store->counters;
    if (options->capacity.kind == dnnl_cache_store_limit_kind_off)
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
        struct dnnl_cache_store_handle *store, size_t size, int error)
{
    const char *path = store->options.path;
    struct store_counters *counters = &store->counters;
    switch (error) {
    case 0:
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
    case EDQUOT:
        store_count(&counters->puts_full);
        atomic_store(&store->full_ns, store_now_ns());
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
        store_log(store, dnnl_cache_log_warning,
                "%s: blob of %zu bytes not kept: %s", path, size,
                strerror(error));
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

/* Others may make room meanwhile: after a while a put is tried again. */
dnnl_status_t store_can_put(void *user)
{
    static const uint64_t while_ns = (uint64_t)10 * 1000000000u;
    const struct dnnl_cache_store_handle *store = user;
    if (store == NULL) return dnnl_invalid_arguments;
    const uint64_t full_ns = atomic_load(&store->full_ns);
    const uint64_t now_ns = store_now_ns();
    const bool is_full =
            full_ns != 0 && now_ns >= full_ns && now_ns - full_ns < while_ns;
    return store->is_writable && !is_full ? dnnl_success : dnnl_not_required;
}
