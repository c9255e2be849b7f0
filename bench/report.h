/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a benchmark says: a line of a table for each row as it comes, and in the
 * end all of them as JSON.
 */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "samples.h"

/* A comparison. */
struct row {
    const char *name;
    double target;    /* ours / reference is at most this; 0: it is only told */
    const char *unit; /* of ours and reference */
    const char *what; /* "ours / reference" in words */
};

/* A row and what came of it. */
struct line {
    char row[64];
    char what[160];
    double target;
    const char *unit;
    struct result result;
    /* NULL and 0 in lines that are not about a number of entries. */
    const char *store;
    const char *operation;
    const char *versus; /* what the reference is: "plain" or "base" */
    unsigned entries;
    unsigned base; /* entries of "base" */
};

struct line line_of(const struct row *row);
bool line_is_met(const struct line *line);

/* What is the same for all lines, such as the device: it stands above the table
 * and in each line's JSON. */
struct fact {
    const char *key;
    const char *text;
};

struct report {
    struct fact facts[8];
    size_t fact_count;
    struct line *lines;
    size_t count;
};

/* Facts come before the lines; the text outlives the report. */
void report_fact(struct report *report, const char *key, const char *text);

/* A line as it comes. */
void report_line(struct report *report, const struct line *line);

/* All lines as JSON; docs/reference/performance.md describes it. False:
 * failure.h. */
bool report_write_json(const struct report *report, const char *path);

void report_fini(struct report *report);

#endif /* BENCH_REPORT_H */
