/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of dnnl_cache_layer_bench.
 */
#ifndef BENCH_LAYER_ROWS_H
#define BENCH_LAYER_ROWS_H

#include "samples.h"

struct layer_bench {
    const char *platform; /* NULL: any */
    const char *layer;    /* its file */
    size_t repeat;        /* samples a row, 0: the row's own number */
    char folder[4096];    /* of the run's own */
    bool primed;          /* the caches below are filled */
    char store[4200];     /* the layer's */
    char driver[4200];    /* the driver's own */
};

struct layer_row {
    const char *name;
    double target; /* ours / reference is at most this; 0: it is only told */
    const char *what;
    bool (*measure)(struct layer_bench *bench, const struct layer_row *row,
            struct result *result);
    int value; /* which of the values of a task */
};

enum { LAYER_ROW_COUNT = 13 };
extern const struct layer_row layer_rows[LAYER_ROW_COUNT];

/* A row with its result. */
struct layer_entry {
    const struct layer_row *row;
    struct result result;
};

bool layer_entry_is_met(const struct layer_entry *entry);

/* Measures a row; result->reason says why it could not be. */
void layer_row_measure(struct layer_bench *bench, const struct layer_row *row,
        struct result *result);

#endif /* BENCH_LAYER_ROWS_H */
