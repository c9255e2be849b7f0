/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_rank.h"

#include "stores/core/store_internal.h"

bool store_notes_use(const struct dnnl_cache_store_options *options)
{
    return options->policy == dnnl_cache_store_policy_lru
           || options->policy == dnnl_cache_store_policy_cost;
}

bool store_is_user(const dnnl_cache_store_handle_t *store)
{
    return store_notes_use(&store->options) && !store->has_limits_of_others;
}

uint64_t store_low_water(const struct dnnl_cache_store_options *options)
{
    const uint64_t capacity = options->capacity;
    if (!store_has_capacity(options)) return UINT64_MAX;
    /* Without overflow, and never below what the percentage means. */
    return capacity / 100 * options->low_water_percent
           + capacity % 100 * options->low_water_percent / 100;
}

/* A time as a rank: those that are ahead come before all others, and keep
 * their own order. */
static double rank_of_time(uint64_t ns, uint64_t now_ns)
{
    return store_is_ahead(ns, now_ns) ? (double)ns - 0x1p64 : (double)ns;
}

double store_eviction_rank(const struct dnnl_cache_store_options *options,
        const struct dnnl_cache_store_entry *item, uint64_t now_ns)
{
    /* Before those that are ahead. */
    if (store_notes_use(options) && store_is_dated_back(item->used_ns))
        return (double)item->used_ns - 0x1p65;
    if (options->policy == dnnl_cache_store_policy_lru)
        return rank_of_time(item->used_ns, now_ns);
    if (options->policy != dnnl_cache_store_policy_cost)
        return rank_of_time(item->created_ns, now_ns);
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
