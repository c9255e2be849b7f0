/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the benchmarks' main() share: the command line, the rows one after the
 * other, the report and the exit status.
 */
#ifndef BENCH_DRIVER_H
#define BENCH_DRIVER_H

#include "report.h"

#include <getopt.h>

/* Options that all have or may have; those of one program begin at the last. */
enum {
    driver_json = 1,
    driver_rows,
    driver_repeat,
    driver_help,
    driver_platform,
    driver_own
};

#define DRIVER_OPTIONS                                          \
    {"json", required_argument, NULL, driver_json},             \
            {"rows", required_argument, NULL, driver_rows},     \
            {"repeat", required_argument, NULL, driver_repeat}, \
    {                                                           \
        "help", no_argument, NULL, driver_help                  \
    }

struct driver {
    /* ---- The program ---- */
    const char *usage;            /* up to its options */
    const char *own_help;         /* of the options that others do not have */
    const struct option *options; /* DRIVER_OPTIONS and others */
    /* Takes an option that is not the driver's. False after a message. */
    bool (*take)(int option, char *value);
    /* NULL, or: do the options go together? */
    bool (*check)(const struct driver *driver);
    /* Row number index; NULL: there are no more. */
    const struct row *(*row)(size_t index);
    long most_repeat;
    /* Measures what was asked for, each by driver_measure() or report_line().
     * False: nothing could be measured (failure.h). */
    bool (*run)(struct driver *driver);

    /* ---- What was asked for ---- */
    const char *platform; /* NULL: any */
    size_t repeat;        /* samples a row, 0: the row's own number */
    const char *rows;     /* NULL: all */
    const char *json;     /* NULL: no file */

    /* ---- The run ---- */
    char folder[4000]; /* of its own, removed in the end */
    struct report report;
};

/* All of main(). 0: all targets met; 1: a target missed; 2: wrong usage; 3: a
 * row, or everything, could not be measured. */
int driver_main(struct driver *driver, int argc, char **argv);

/* Measures the rows that were asked for, in the order of their table. False
 * from measure: the row could not be measured (failure.h). */
void driver_measure(struct driver *driver,
        bool (*measure)(void *user, size_t row, struct result *result),
        void *user);

/* A number from least to most with nothing behind it but `length` characters;
 * else false after a message. */
bool driver_number(
        const char *text, size_t length, long least, long most, long *number);

#endif /* BENCH_DRIVER_H */
