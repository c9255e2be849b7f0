/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a get and a put that evicts cost with more and more entries: over plain
 * files, and over the same store with few entries.
 */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

#include "report.h"
#include "store_kind.h"

enum { scale_points_most = 16 };

struct scale_options {
    unsigned entries[scale_points_most]; /* the first is the base */
    size_t entries_count;
    const struct store_kind *kinds[store_kind_count];
    size_t kind_count;
    size_t repeat;     /* samples of each side */
    uint64_t began_ns; /* what the time of a stage is counted from */
};

/* 1000, 3000, 10 000, 30 000, 100 000; all stores. */
struct scale_options scale_options_default(void);

/* Measures all of them in a folder, and reports each as it comes. What cannot
 * be measured is in its line. */
void scale_measure(struct report *report, const struct scale_options *options,
        const char *folder);

#endif /* BENCH_SCALE_H */
