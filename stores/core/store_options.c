/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_options.h"

#include <stddef.h>
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

const char *store_options_find_mistake(
        const struct dnnl_cache_store_options *options)
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
