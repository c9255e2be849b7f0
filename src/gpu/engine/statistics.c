/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/engine/statistics.h"
#include "dnnl_cache.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/output.h"

#if DNNL_CACHE_PRIMITIVES
#include "gpu/primitive/primitive.h"
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
    now->primitive_entries = primitives.entries;
    now->primitive_hits = primitives.hits;
    now->primitive_misses = primitives.misses;
    now->primitive_waits = primitives.waits;
    now->primitive_evictions = primitives.evictions;
    now->primitive_builds = primitives.builds;
    now->primitive_failures = primitives.failures;
    now->saved_ns += primitives.saved_ns;
    return dnnl_success;
}
#endif

static void count_programs(dnnl_cache_statistics_t *now)
{
    struct memory_statistics memory;
    context_memory_statistics(&memory);
    now->program_entries = memory.programs.entries;
    now->program_bytes = memory.programs.bytes;
    now->program_hits = memory.programs.hits;
    now->program_misses = memory.programs.misses;
    now->program_waits = memory.programs.waits;
    now->program_builds = memory.programs.builds;
    now->program_failures = memory.programs.failures;
    now->program_evictions = memory.programs.evictions;
    now->kernel_entries = memory.kernels.entries;
    now->kernel_hits = memory.kernels.hits;
    now->kernel_misses = memory.kernels.misses;
    now->kernel_waits = memory.kernels.waits;
    now->kernel_builds = memory.kernels.builds;
    now->kernel_failures = memory.kernels.failures;
    now->kernel_evictions = memory.kernels.evictions;
    now->fast_kernel_entries = memory.fast_kernels.entries;
    now->fast_kernel_hits = memory.fast_kernels.hits;
    now->fast_kernel_misses = memory.fast_kernels.misses;
    now->fast_kernel_waits = memory.fast_kernels.waits;
    now->fast_kernel_evictions = memory.fast_kernels.evictions;
    now->saved_ns = memory.programs.saved_ns + memory.kernels.saved_ns
                    + memory.fast_kernels.saved_ns;
}

dnnl_status_t statistics_now(dnnl_cache_statistics_t *out)
{
    dnnl_cache_statistics_t now = {
            .struct_size = sizeof now,
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
    count_programs(&now);
#if DNNL_CACHE_PRIMITIVES
    dnnl_status_t st = count_primitives(&now);
    if (st != dnnl_success) return st;
#endif
    *out = now;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_get_statistics(dnnl_cache_statistics_t *out)
{
    dnnl_cache_statistics_t now;
    if (out == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = statistics_now(&now);
    if (st != dnnl_success) return st;
    return output_struct(&now, sizeof now, out);
}
