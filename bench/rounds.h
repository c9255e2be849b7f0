/* SPDX-License-Identifier: Apache-2.0 */
/*
 * More than two things measured in turns, each as often as the others.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include "samples.h"

struct rounds {
    double *values; /* of each round, of each side */
    size_t sides;
    size_t count;
};

/* Measures every side once a round; who goes first changes with every round.
 * False: a side failed, or there is no memory (failure.h). After true, fini. */
bool rounds_measure(struct rounds *rounds, const struct side *sides,
        size_t side_count, size_t count, const char *row);

void rounds_fini(struct rounds *rounds);

/* One side over another: the ratio is the median of the ratios of all rounds,
 * ours and reference are the sides' own medians. */
bool rounds_compare(struct result *result, const struct rounds *rounds,
        size_t ours, size_t reference);

/* That part of each side's values is below ours and reference, and the ratio is
 * theirs: what is rare on one side is rarely in the same rounds on the other.
 */
bool rounds_compare_at(struct result *result, const struct rounds *rounds,
        size_t ours, size_t reference, double part);

#endif /* BENCH_ROUNDS_H */
