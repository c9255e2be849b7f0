/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmark says.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "row.h"

/* A row with its result. */
struct entry {
    const struct row *row;
    struct result result;
};

bool entry_is_met(const struct entry *entry);

/* What is measured, and the table's head; then a line a row, as it comes. */
void report_head(const struct bench *bench);
void report_entry(const struct entry *entry);

/* All rows as JSON; docs/PERFORMANCE.md describes it. */
bool report_json(const char *path, const struct bench *bench,
        const struct entry *entries, size_t count);

#endif /* BENCH_REPORT_H */
