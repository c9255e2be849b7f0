/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/opening.h"

/* Each of a journal, of the one that replaces it, and of a record. */
static uint64_t share_of(uint64_t max_size)
{
    enum { parts = 32, parts_of_little = 8 };
    static const uint64_t little = UINT64_C(64) << 10;
    static const uint64_t most = UINT64_C(64) << 20;
    uint64_t share = max_size / parts_of_little;
    if (share > little) share = little;
    if (share < max_size / parts) share = max_size / parts;
    return share < most ? share : most;
}

uint64_t opening_journal_limit(const struct layer_settings *s)
{
    return s->max_size > 0 ? share_of(s->max_size) : UINT64_MAX;
}

static uint64_t capacity_of(uint64_t max_size)
{
    return max_size - 3 * share_of(max_size);
}

uint64_t opening_max_size_for(uint64_t capacity)
{
    uint64_t low = capacity;
    uint64_t high = capacity < UINT64_MAX / 2 ? 2 * capacity : UINT64_MAX;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (capacity_of(middle) < capacity)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct dnnl_cache_store_options opening_options(const struct layer_settings *s)
{
    struct dnnl_cache_store_options o = DNNL_CACHE_STORE_OPTIONS_INIT;
    o.path = s->directory;
    o.capacity = s->max_size > 0 ? capacity_of(s->max_size)
                                 : DNNL_CACHE_STORE_UNLIMITED;
    o.policy = s->evicts ? dnnl_cache_store_policy_lru
                         : dnnl_cache_store_policy_none;
    /* The store would look at every entry whenever it is opened: see
     * upkeep.h. */
    o.max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED;
    /* The settings' limits are about binaries, which blobs are larger than. */
    o.max_blob_bytes = INT64_MAX;
    o.min_blob_bytes = 0;
    return o;
}

static const char *text_or_null(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

struct dnnl_cache_store_tiers opening_tiers(
        const struct layer_settings *s, struct dnnl_cache_store_options *local)
{
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    layers.seed = text_or_null(s->seed);
    layers.remote = text_or_null(s->remote);
    layers.application = text_or_null(s->application);
    layers.type = s->store;
    *local = opening_options(s);
    local->path = text_or_null(s->directory);
    layers.local = local;
    return layers;
}
