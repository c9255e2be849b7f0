/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of dnnl_cache_layer_bench.
 */
#ifndef BENCH_LAYER_ROWS_H
#define BENCH_LAYER_ROWS_H

#include "report.h"

struct layer_bench {
    const char *platform; /* NULL: any */
    const char *layer;    /* its file */
    size_t repeat;        /* samples a row, 0: the row's own number */
    const char *folder;   /* of the run's own */
    bool primed;          /* the caches below are filled */
    char store[4200];     /* the layer's */
    char driver[4200];    /* the driver's own */
};

struct layer_row {
    struct row row;
    /* False: failure.h says why it could not be measured. */
    bool (*measure)(struct layer_bench *bench, const struct layer_row *row,
            struct result *result);
    int value; /* which of the values of a task */
};

enum { LAYER_ROW_COUNT = 14, LAYER_MAX_REPEAT = 101 };
extern struct layer_row layer_rows[LAYER_ROW_COUNT];

/* Once, before anything is measured: the targets of a platform, by its name. */
void layer_rows_set_targets(const char *platform);

#endif /* BENCH_LAYER_ROWS_H */
