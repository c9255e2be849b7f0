/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What dnnl_cache_store_bench measures.
 */
#ifndef BENCH_STORE_ROWS_H
#define BENCH_STORE_ROWS_H

#include "report.h"

/* A bucket and a pack with the same blobs, and the blobs as plain files. */
struct store_bench;

struct store_row {
    struct row row;
    bool (*ours)(void *bench, double *value);
    bool (*reference)(void *bench, double *value);
};

extern const struct store_row store_rows[];
extern const size_t store_row_count;

/* Makes the stores and files in a folder; repeat: pairs of each row, 0: as
 * many as it takes to tell. False: failure.h says why. */
bool store_bench_open(
        struct store_bench **bench, const char *folder, size_t repeat);

/* NULL is fine. */
void store_bench_close(struct store_bench *bench);

/* Measures one row. False: failure.h. */
bool store_row_measure(struct store_bench *bench, const struct store_row *row,
        struct result *result);

#endif /* BENCH_STORE_ROWS_H */
