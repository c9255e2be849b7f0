/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/statistics.h"
#include "dnnl_cache.h"
#include "gpu/output.h"

#if DNNL_CACHE_PRIMITIVES
#include "gpu/primitive.h"
#endif

struct statistics statistics;

static uint64_t read_counter(atomic_ullong *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

#if DNNL_CACHE_PRIMITIVES
static dnnl_status_t count_primitives(dnnl_cache_statistics_t *now)
{
    struct cache *cache;
    struct cache_statistics primitives;
    dnnl_status_t st = primitive_cache(&cache);
    if (st != dnnl_success) return st;
    cache_get_statistics(cache, &primitives);
    now->primitive_entries = cache_size(cache);
    now->primitive_hits = primitives.hits;
    now->primitive_misses = primitives.misses;
    now->primitive_waits = primitives.waits;
    now->primitive_evictions = primitives.evictions;
    return dnnl_success;
}
#endif

dnnl_status_t dnnl_cache_get_statistics(dnnl_cache_statistics_t *out)
{
    if (out == NULL) return dnnl_invalid_arguments;
    dnnl_cache_statistics_t now = {
            .struct_size = sizeof now,
            .program_hits = read_counter(&statistics.program_hits),
            .program_misses = read_counter(&statistics.program_misses),
            .programs_compiled = read_counter(&statistics.programs_compiled),
            .programs_loaded = read_counter(&statistics.programs_loaded),
            .blobs_rejected = read_counter(&statistics.blobs_rejected),
            .store_hits = read_counter(&statistics.store_hits),
            .store_misses = read_counter(&statistics.store_misses),
            .store_puts = read_counter(&statistics.store_puts),
            .store_failures = read_counter(&statistics.store_failures),
            .compile_ns = read_counter(&statistics.compile_ns),
            .load_ns = read_counter(&statistics.load_ns),
    };
#if DNNL_CACHE_PRIMITIVES
    dnnl_status_t st = count_primitives(&now);
    if (st != dnnl_success) return st;
#endif
    return output_struct(&now, sizeof now, out);
}
