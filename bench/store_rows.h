/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dnnl_cache_store_bench measures.
 */
#ifndef BENCH_STORE_ROWS_H
#define BENCH_STORE_ROWS_H

#include "store_report.h"

/* A bucket and a pack with the same blobs, and the blobs as plain files. */
struct store_bench;

struct store_row {
    const char *name;
    const char *what; /* ours / reference */
    double target;    /* ours / reference is at most this */
    bool (*ours)(void *bench, double *value);
    bool (*reference)(void *bench, double *value);
};

extern const struct store_row store_rows[];
extern const size_t store_row_count;

/* Makes the stores and files in a folder. False: failure.h says why. */
bool store_bench_open(struct store_bench **bench, const char *folder);

/* NULL is fine. */
void store_bench_close(struct store_bench *bench);

/* Measures one row; what kept it from being measured is in the line, too. */
void store_row_measure(struct store_line *line, const struct store_row *row,
        struct store_bench *bench);

#endif /* BENCH_STORE_ROWS_H */
