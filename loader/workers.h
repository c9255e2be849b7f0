/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.h: compiling in other processes, for drivers that compile one program
 * at a time in each. A worker is this program once more, with the same
 * arguments; it makes the same plan, is told numbers of steps on its standard
 * input, and puts what it compiles into the store; what the store does not keep
 * it sends with its answer. When its input ends, because there is no more to do
 * or nobody any more who asks, so does it.
 */
#ifndef DNNL_CACHE_LOADER_WORKERS_H
#define DNNL_CACHE_LOADER_WORKERS_H

#include "options.h"
#include "recorder.h"
#include "runner.h"

struct workers_jobs {
    int count;
    const int *steps;
    /* May this one be compiled now? What may not is asked for again. */
    bool (*begin)(void *user, int job);
    /* It is over: done, or left undone. */
    void (*end)(void *user, int job, bool is_done);
    /* What a worker compiled and the store did not keep; borrowed. */
    void (*take)(void *user, const struct blob_list *unkept);
    void *user;
};

/* Compiles these steps in up to `threads` workers, and returns how many
 * programs they compiled. What a worker fails to do is left undone. */
unsigned long long workers_run(const struct options *options, int threads,
        const struct workers_jobs *jobs);

/* What a worker does, with its steps described: answers on a descriptor until
 * its input ends. The recorder keeps what the store does not. */
void workers_serve(
        struct runner *runner, struct recorder *recorder, int answers);

#endif /* DNNL_CACHE_LOADER_WORKERS_H */
