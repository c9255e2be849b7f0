/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_options.h"

#include "src/common/sized_struct.h"

#include <stddef.h>
#include <xxhash.h>

uint64_t dnnl_cache_store_megabytes(uint64_t megabytes)
{
    const uint64_t mb = 1024 * 1024;
    return megabytes > UINT64_MAX / mb ? DNNL_CACHE_STORE_UNLIMITED
                                       : megabytes * mb;
}

bool store_has_capacity(const struct dnnl_cache_store_options *options)
{
    return !options->off && options->capacity != DNNL_CACHE_STORE_UNLIMITED;
}

static uint64_t hash_xxh3(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

const struct store_defaults store_usual_defaults = {
        .capacity = (uint64_t)1024 << 20,
        .policy = dnnl_cache_store_policy_fifo,
        .low_water_percent = 100,
        .max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED,
};

bool store_options_read(struct dnnl_cache_store_options *ours,
        const struct dnnl_cache_store_options *callers,
        const struct store_defaults *defaults)
{
    if (!sized_struct_read(ours, sizeof *ours, callers)) return false;
    if (ours->capacity == 0) ours->capacity = defaults->capacity;
    if (ours->max_blob_bytes == 0) ours->max_blob_bytes = (uint64_t)1 << 30;
    if (ours->policy == dnnl_cache_store_policy_default)
        ours->policy = defaults->policy;
    if (ours->low_water_percent == 0)
        ours->low_water_percent = defaults->low_water_percent;
    if (ours->max_age_seconds == 0)
        ours->max_age_seconds = defaults->max_age_seconds;
    if (ours->lock_timeout_ms == 0) ours->lock_timeout_ms = 2000;
    if (ours->hash == NULL) ours->hash = hash_xxh3;
    return true;
}

const char *store_options_find_mistake(
        const struct dnnl_cache_store_options *options)
{
    if (options->path == NULL || options->path[0] == '\0') return "no path";
    if (options->policy > dnnl_cache_store_policy_none) return "no such policy";
    if (options->low_water_percent > 100)
        return "low_water_percent is not between 1 and 100";
    if (options->durability > dnnl_cache_store_durability_data_and_directory)
        return "no such durability";
    if (options->sharing > dnnl_cache_store_sharing_group)
        return "no such sharing";
    return NULL;
}
