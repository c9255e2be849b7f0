/* SPDX-License-Identifier: Apache-2.0 */
#include "samples.h"

#include "failure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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

/* True if the median of what is measured is on one side of target with 95 %
 * confidence: so are all ratios between two ranks around the middle. Sorts. */
static bool is_decided(struct pair *pairs, size_t count, double target)
{
    qsort(pairs, count, sizeof *pairs, compare_ratios);
    double middle = (double)(count - 1) / 2;
    double spread = 0.98 * sqrt((double)count);
    double low = floor(middle - spread);
    double high = ceil(middle + spread);
    size_t first = low > 0 ? (size_t)low : 0;
    size_t last = high < (double)(count - 1) ? (size_t)high : count - 1;
    return pairs[last].ratio <= target || pairs[first].ratio > target;
}

static void take_median(
        const struct pair *sorted, size_t count, struct result *result)
{
    const struct pair *middle = &sorted[(count - 1) / 2];
    result->measured = true;
    result->ours = middle->ours;
    result->reference = middle->reference;
    result->ratio = middle->ratio;
    result->samples = count;
}

struct effort effort_of(size_t repeat, size_t least, size_t most)
{
    if (repeat > 0) least = most = repeat;
    return (struct effort){least, most};
}

bool measure_pairs(struct side ours, struct side reference,
        struct effort effort, double target, const char *row,
        struct result *result)
{
    struct pair *pairs = calloc(effort.most, sizeof *pairs);
    if (pairs == NULL) {
        failure_set("no memory for %zu samples", effort.most);
        return false;
    }
    size_t step = effort.least / 3 + 1;
    size_t wanted = effort.least;
    size_t count = 0;
    bool done = true;
    while (done && count < wanted) {
        progress(row, count, wanted);
        done = measure_pair(ours, reference, count % 2 == 1, &pairs[count]);
        count++;
        if (done && count == wanted && !is_decided(pairs, count, target))
            wanted = count + step < effort.most ? count + step : effort.most;
    }
    progress_end();
    if (done) take_median(pairs, count, result);
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
