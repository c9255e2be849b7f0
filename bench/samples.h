/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pairs of measurements taken in turns, so that whatever disturbs the machine
 * disturbs both sides alike.
 */
#ifndef BENCH_SAMPLES_H
#define BENCH_SAMPLES_H

#include "src/platform/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What became of a row. */
struct result {
    bool measured;
    /* Of the pair whose ratio is the median of all pairs' ratios. */
    double ours;
    double reference;
    double ratio; /* ours / reference */
    size_t samples;
    char reason[256]; /* why it was not measured */
};

/* One side of a pair: writes one measurement. False: it failed (failure.h). */
struct side {
    bool (*measure)(void *arg, double *value);
    void *arg;
};

/* How many pairs: least, and up to most as long as noise would decide whether
 * the target is met. */
struct effort {
    size_t least;
    size_t most;
};

/* Those of a row, or exactly as many as the user wants; 0: no wish. */
struct effort effort_of(size_t repeat, size_t least, size_t most);

/* The median; reorders values. count is at least 1. */
double median(double *values, size_t count);

/* Measures pairs, the side that goes first changing with every pair, until the
 * median of their ratios lies, with 95 % confidence, on one side of target. */
bool measure_pairs(struct side ours, struct side reference,
        struct effort effort, double target, const char *row,
        struct result *result);

/* A side whose arg is a const double: that number. */
bool measure_constant(void *arg, double *value);

/* A result of one exact measurement. */
void set_result(struct result *result, double ours, double reference);

/* Shows how far a row is, on a terminal only; progress_end() clears it. */
void progress(const char *row, size_t done, size_t count);
void progress_end(void);

#endif /* BENCH_SAMPLES_H */
