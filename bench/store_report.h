/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dnnl_cache_store_bench says.
 */
#ifndef BENCH_STORE_REPORT_H
#define BENCH_STORE_REPORT_H

#include "samples.h"

/* A comparison and what came of it. */
struct store_line {
    char row[64];
    char what[160]; /* ours / reference */
    double target;  /* ours / reference is at most this */
    struct result result;
    /* NULL and 0 in lines that are not about a number of entries. */
    const char *store;
    const char *operation;
    const char *versus; /* what the reference is: "plain" or "base" */
    unsigned entries;
    unsigned base; /* entries of "base" */
};

bool store_line_is_met(const struct store_line *line);

/* The table's head; then a line as it comes. */
void store_report_head(void);
void store_report_line(const struct store_line *line);

/* All lines as JSON, with the file system of the folder in which they were
 * measured; docs/PERFORMANCE.md describes it. False: path cannot be written
 * (failure.h). */
bool store_report_json(const char *path, const struct store_line *lines,
        size_t count, const char *folder);

#endif /* BENCH_STORE_REPORT_H */
