/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.h: compiling in other processes, for drivers that compile one program
 * at a time in each. A worker is this program once more, with the same
 * arguments; it makes the same plan, is told numbers of steps on its standard
 * input, and puts what it compiles into the store. When its input ends, because
 * there is no more to do or nobody any more who asks, so does it.
 */
#ifndef DNNL_CACHE_MODEL_LOADER_WORKERS_H
#define DNNL_CACHE_MODEL_LOADER_WORKERS_H

#include "options.h"
#include "runner.h"

struct workers_jobs {
    int count;
    const int *steps;
    /* May this one be compiled now? What may not is asked for again. */
    bool (*begin)(void *user, int job);
    /* It is over: done, or left undone. */
    void (*end)(void *user, int job, bool is_done);
    void *user;
};

/* Compiles these steps in up to `threads` workers, and returns how many
 * programs they compiled. What a worker fails to do is left undone. */
unsigned long long workers_run(const struct options *options, int threads,
        const struct workers_jobs *jobs);

/* What a worker does, with its steps described: answers on a descriptor until
 * its input ends. */
void workers_serve(struct runner *runner, int answers);

#endif /* DNNL_CACHE_MODEL_LOADER_WORKERS_H */
