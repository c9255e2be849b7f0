/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fresh process for each sample: the layer and the drivers' own caches are
 * what the environment says, and nothing is in memory.
 */
#ifndef BENCH_LAYER_PROCESS_H
#define BENCH_LAYER_PROCESS_H

#include "layer_task.h"
#include "process.h"

struct layer_process {
    const char *platform;     /* NULL: any */
    const char *layer;        /* its file; NULL: without it */
    const char *store;        /* the layer's folder */
    bool is_eager;            /* all hits are loaded at once */
    const char *statistics;   /* the file it reports to, replaced; NULL: any */
    const char *driver_cache; /* the driver's own cache is on, and there; NULL:
                                 off, or without programs (driver_cache.h), and
                                 in a folder made for the process */
};

/* Before the first process: has a folder, which it makes, for what a context
 * leaves in the driver's cache. False: failure.h says why. */
bool layer_process_prime(const char *folder, const char *platform);

/* Runs a task in a process; false: failure.h says why. A process whose layer
 * the loader did not load is a failure. */
bool layer_process_run(const struct layer_process *process,
        enum layer_task task, double values[LAYER_VALUES]);

/* The fresh process's own main(), for process_arguments(). */
int layer_process_main(char **argv);

#endif /* BENCH_LAYER_PROCESS_H */
