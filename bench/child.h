/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measurements that need a process of their own: nothing is in memory, and
 * the drivers' caches are empty.
 */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include "bench.h"
#include "process.h"

enum task {
    /* The subject by the library: created from source {0: until it is
     * created}. */
    task_compile,
    /* The same with a store attached {0: until its entry is there}. */
    task_keep,
    /* The same by the driver alone {0: all of it, with its binary}. */
    task_drive,
    /* The subject from its blob {0: creation, 1: first run, 2: later runs}. */
    task_load,
    /* The engine with its facts, compiled {0} or from its blob {0}. */
    task_engine_compile,
    task_engine_load
};

enum { TASK_VALUES = 3 };

/* Runs a task in a fresh process; its nanoseconds go to values. The files it
 * reads must exist: see bench_need(). */
bool child_run(const struct bench *bench, enum task task,
        const struct subject *subject, double values[TASK_VALUES]);

/* The fresh process's own main(), for process_arguments(). */
int child_main(char **argv);

#endif /* BENCH_CHILD_H */
