/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the in-memory level that no cache of it keeps itself. */
#ifndef DNNL_CACHE_GPU_STATISTICS_H
#define DNNL_CACHE_GPU_STATISTICS_H

#include <stdatomic.h>

struct statistics {
    atomic_ullong programs_compiled;
    atomic_ullong programs_loaded;
    atomic_ullong blobs_rejected;
    atomic_ullong store_hits;
    atomic_ullong store_misses;
    atomic_ullong store_puts;
    atomic_ullong store_failures;
    atomic_ullong store_notes;
    atomic_ullong store_read_only;
    atomic_ullong programs_incomplete;
    atomic_ullong compile_ns;
    atomic_ullong load_ns;
    atomic_ullong finalised_made;
    atomic_ullong finalised_loaded;
    atomic_ullong finalised_refused;
};

extern struct statistics statistics;

static inline void statistics_add(atomic_ullong *counter, unsigned long long n)
{
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif /* DNNL_CACHE_GPU_STATISTICS_H */
