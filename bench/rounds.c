/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"

#include "failure.h"

#include <stdlib.h>

static bool measure_round(
        struct rounds *rounds, const struct side *sides, size_t round)
{
    double *values = rounds->values + round * rounds->sides;
    for (size_t i = 0; i < rounds->sides; i++) {
        const size_t side = (round + i) % rounds->sides;
        if (!sides[side].measure(sides[side].arg, &values[side])) return false;
        if (values[side] <= 0) {
            failure_set("the clock stood still");
            return false;
        }
    }
    return true;
}

bool rounds_measure(struct rounds *rounds, const struct side *sides,
        size_t side_count, size_t count, const char *row)
{
    enum { shown = 50 }; /* rounds between two words on how far it is */
    bool done = true;
    *rounds = (struct rounds){
            .values = calloc(count * side_count, sizeof *rounds->values),
            .sides = side_count,
            .count = count,
    };
    if (rounds->values == NULL) {
        failure_set("no memory for %zu samples", count * side_count);
        return false;
    }
    for (size_t round = 0; round < count && done; round++) {
        if (round % shown == 0) progress(row, round, count);
        done = measure_round(rounds, sides, round);
    }
    progress_end();
    if (!done) rounds_fini(rounds);
    return done;
}

void rounds_fini(struct rounds *rounds)
{
    free(rounds->values);
    *rounds = (struct rounds){.values = NULL};
}

/* ---- Comparing ----------------------------------------------------------- */

static double value_of(const struct rounds *rounds, size_t round, size_t side)
{
    return rounds->values[round * rounds->sides + side];
}

bool rounds_compare(struct result *result, const struct rounds *rounds,
        size_t ours, size_t reference)
{
    const size_t n = rounds->count;
    double *v = calloc(3 * n, sizeof *v);
    if (v == NULL) {
        failure_set("no memory to compare %zu samples", n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = value_of(rounds, i, ours);
        v[n + i] = value_of(rounds, i, reference);
        v[2 * n + i] = v[i] / v[n + i];
    }
    result->measured = true;
    result->ours = median(v, n);
    result->reference = median(v + n, n);
    result->ratio = median(v + 2 * n, n);
    result->samples = n;
    free(v);
    return true;
}

bool rounds_compare_at(struct result *result, const struct rounds *rounds,
        size_t ours, size_t reference, double part)
{
    const size_t n = rounds->count;
    const size_t at = (size_t)(part * (double)(n - 1));
    double *v = calloc(2 * n, sizeof *v);
    if (v == NULL) {
        failure_set("no memory to compare %zu samples", n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = value_of(rounds, i, ours);
        v[n + i] = value_of(rounds, i, reference);
    }
    (void)median(v, n); /* sorts */
    (void)median(v + n, n);
    set_result(result, v[at], v[n + at]);
    result->samples = n;
    free(v);
    return true;
}
