/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of a program under the layer, or without it, and what they printed. */
#ifndef DNNL_CACHE_TESTS_LAYER_QUERIES_RUNS_H
#define DNNL_CACHE_TESTS_LAYER_QUERIES_RUNS_H

#include <stddef.h>

struct layer_run {
    const char *layers; /* OPENCL_LAYERS, NULL: none */
    const char *store;  /* DNNL_CACHE_DIR */
    /* PoCL's own cache, which stays; NULL: off, and an empty folder. */
    const char *driver_cache;
    char *const *argument; /* the program and its arguments, NULL behind */
    char *printed;         /* out: standard output, freed by run_free() */
    size_t printed_size;
    char counts[1024];     /* out: the build counter's line, "" without one */
    char statistics[2048]; /* out: the layer's line, "" without it */
};

/* Runs it in a process of its own, with empty caches of the driver's; gives
 * its exit status, 128 and the signal's number if one killed it. What it wrote
 * to standard error goes there. */
int run_program(struct layer_run *run);
void run_free(struct layer_run *run);

/* A number of the build counter's line; fails the test if there is none. */
unsigned long run_count(const struct layer_run *run, const char *name);

/* How many programs the layer left to the journal. */
unsigned long run_deferred(const struct layer_run *run);

/* What a warm run compiled from source: nothing, unless the layer says that
 * loading takes as long here, which it measures, and other work on the machine
 * may decide. Then no more programs than it says. */
void expect_nothing_compiled(const struct layer_run *run);

/* Fails the test, and shows the first lines that differ. */
void expect_same_lines(const char *what, const struct layer_run *expected,
        const struct layer_run *actual);

enum damage { DAMAGE_CUT, DAMAGE_FLIP };

/* Damages all files of a folder and below, but those that are empty; how many
 * that were. */
unsigned damage_files(const char *folder, enum damage damage);

#endif /* DNNL_CACHE_TESTS_LAYER_QUERIES_RUNS_H */
