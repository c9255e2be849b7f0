/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows whose every sample is a process of its own.
 */
#include "child.h"
#include "row.h"

enum { PAIRS = 7, MOST_PAIRS = 21 };

/* A task, and which of its values is wanted. */
struct wish {
    const struct bench *bench;
    const struct subject *subject;
    enum task task;
    int value;
};

static bool fulfil(void *arg, double *value)
{
    const struct wish *wish = arg;
    double values[TASK_VALUES];
    if (!child_run(wish->bench, wish->task, wish->subject, values))
        return false;
    *value = values[wish->value];
    return true;
}

static bool measure_tasks(struct wish *ours, struct wish *reference,
        const struct row *row, struct result *result)
{
    struct side first = {fulfil, ours};
    struct side second = {fulfil, reference};
    return measure_pairs(first, second,
            effort_of(ours->bench->repeat, PAIRS, MOST_PAIRS), row->target,
            row->name, result);
}

bool measure_miss(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    const struct material *m;
    struct wish ours = {bench, subject, task_keep, 0};
    struct wish reference = {bench, subject, task_drive, 0};
    return bench_need(bench, subject, &m)
           && measure_tasks(&ours, &reference, row, result);
}

bool measure_warm(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    const struct material *m;
    struct wish ours = {bench, subject, task_load, 0};
    struct wish reference = {bench, subject, task_compile, 0};
    return bench_need(bench, subject, &m)
           && measure_tasks(&ours, &reference, row, result);
}

bool measure_engine_from_blob(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct wish ours = {bench, subject, task_engine_load, 0};
    struct wish reference = {bench, subject, task_engine_compile, 0};
    return bench_need_engine(bench)
           && measure_tasks(&ours, &reference, row, result);
}

/* ---- The first run ------------------------------------------------------- */

/* Both sides of a pair are of one process: the first one asked for starts it,
 * the other one takes what is left. */
struct runs {
    struct wish wish;
    double values[TASK_VALUES];
    bool fresh;
};

static bool next_runs(struct runs *runs, int which, double *value)
{
    const struct wish *wish = &runs->wish;
    if (!runs->fresh
            && !child_run(wish->bench, wish->task, wish->subject, runs->values))
        return false;
    runs->fresh = !runs->fresh;
    *value = runs->values[which];
    return true;
}

static bool first_run(void *arg, double *value)
{
    return next_runs(arg, 1, value);
}

static bool later_runs(void *arg, double *value)
{
    return next_runs(arg, 2, value);
}

bool measure_first_run(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    const struct material *m;
    struct runs runs = {{bench, subject, task_load, 0}, {0, 0, 0}, false};
    struct side ours = {first_run, &runs};
    struct side reference = {later_runs, &runs};
    return bench_need(bench, subject, &m)
           && measure_pairs(ours, reference,
                   effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target,
                   row->name, result);
}
