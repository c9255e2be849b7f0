/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "failure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    double upper = values[count / 2];
    return count % 2 == 1 ? upper : (values[count / 2 - 1] + upper) / 2;
}

struct pair {
    double ours;
    double reference;
    double ratio;
};

static int compare_ratios(const void *a, const void *b)
{
    return compare(
            &((const struct pair *)a)->ratio, &((const struct pair *)b)->ratio);
}

static bool measure_pair(struct side ours, struct side reference, bool swapped,
        struct pair *pair)
{
    bool done = swapped ? reference.measure(reference.arg, &pair->reference)
                                  && ours.measure(ours.arg, &pair->ours)
                        : ours.measure(ours.arg, &pair->ours)
                                  && reference.measure(
                                          reference.arg, &pair->reference);
    if (done && pair->reference <= 0) {
        failure_set("the reference is nothing to compare with");
        done = false;
    }
    if (done) pair->ratio = pair->ours / pair->reference;
    return done;
}

bool measure_pairs(struct side ours, struct side reference, size_t count,
        const char *row, struct result *result)
{
    struct pair *pairs = calloc(count, sizeof *pairs);
    if (pairs == NULL) {
        failure_set("no memory for %zu samples", count);
        return false;
    }
    bool done = true;
    for (size_t i = 0; done && i < count; i++) {
        progress(row, i, count);
        done = measure_pair(ours, reference, i % 2 == 1, &pairs[i]);
    }
    progress_end();
    if (done) {
        qsort(pairs, count, sizeof *pairs, compare_ratios);
        const struct pair *middle = &pairs[(count - 1) / 2];
        result->measured = true;
        result->ours = middle->ours;
        result->reference = middle->reference;
        result->ratio = middle->ratio;
        result->samples = count;
    }
    free(pairs);
    return done;
}

bool measure_constant(void *arg, double *value)
{
    *value = *(const double *)arg;
    return true;
}

void set_result(struct result *result, double ours, double reference)
{
    result->measured = true;
    result->ours = ours;
    result->reference = reference;
    result->ratio = ours / reference;
    result->samples = 1;
}

void progress(const char *row, size_t done, size_t count)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %zu of %zu", row, done, count);
}

void progress_end(void)
{
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}
