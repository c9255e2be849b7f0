/* SPDX-License-Identifier: Apache-2.0 */
/* stats.h: what a store holds, summed up, for those who write it. */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_STATS_H
#define DNNL_CACHE_TOOLS_COMMANDS_STATS_H

#include "tools/common/state/ahead_state.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/prove/prove_memory.h"
#include "tools/dnnl_cache/refresh/failed_builds.h"
#include "tools/dnnl_cache/view/catalog.h"

/* Entries that have something in common, taken together. */
struct sum {
    uint64_t entries;
    uint64_t bytes;
    uint64_t compile_ns;
    uint64_t oldest_ns;
    uint64_t newest_ns;
    uint64_t used_ns; /* the last use */
};

/* Those of blobs: undef is the kind of what is none of the others; and lists of
 * working sets, which have no device. */
enum { blob_kinds = 4, kinds };

struct report {
    char path[place_path_size];
    struct catalog catalog; /* sorted by device and driver, working sets last */
    size_t device_entries;  /* those in front of them */
    struct sum all;
    struct sum by_kind[kinds];
    bool is_unlisted; /* what entries there are is not known */
    uint64_t disk_bytes;
    struct dnnl_cache_store_totals totals;
    struct prove_totals proofs;
    struct failed_builds_counts failed;
    struct ahead_totals ahead;
};

/* Sums up the entries of one device and driver from number i on; returns the
 * number of the first behind them. */
size_t stats_sum_device(struct sum *sum, const struct report *report, size_t i);

const char *stats_kind_name(int kind);

bool stats_know_disk_bytes(const struct report *report);

/* As the text that Prometheus reads. */
void stats_write_prometheus(const struct report *report, struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_COMMANDS_STATS_H */
