/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fresh process measures (child.h says what each task is).
 */
#ifndef BENCH_TASK_H
#define BENCH_TASK_H

#include "child.h"

/* Runs a task with the files in dir. */
bool task_run(enum task task, const struct subject *subject,
        const struct device *device, const char *dir,
        double values[TASK_VALUES]);

#endif /* BENCH_TASK_H */
