/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.h: compiling in other processes, for drivers that compile one program
 * at a time in each. A worker is a program of its own (model_compile.c), which
 * makes the same plan of the same model, is told numbers of steps
 * (worker_message.h), and puts what it compiles into the store; what the store
 * does not keep, or all if the store is the caller's, it sends with its answer.
 * When there is no more to do, or nobody any more who asks, it ends.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_WORKERS_H
#define DNNL_CACHE_MODEL_COMPILE_WORKERS_H

#include "model/compile/loader_options.h"
#include "model/compile/lookups.h"
#include "model/compile/worker_message.h"
#include "model/run/runner.h"

struct workers_jobs {
    int count;
    const int *steps;
    /* May this one be compiled now? What may not is asked for again. */
    bool (*begin)(void *user, int job);
    /* It is over: done, or left undone. */
    void (*end)(void *user, int job, bool is_done);
    /* What a worker compiled and the store did not keep; borrowed. */
    void (*take)(void *user, const struct blob_list *unkept);
    /* True: the others are left undone. */
    bool (*is_cancelled)(void *user);
    void *user;
};

/* Compiles these steps in up to as many workers as there may be threads, and
 * returns how many programs they compiled. What a worker fails to do is left
 * undone. The bytes are the model's, of which there may be no file. */
unsigned long long workers_run(const struct loader_options *options,
        struct session *session, size_t size, const uint8_t *bytes,
        const struct workers_jobs *jobs);

/* What a worker does, with its steps described: a step that it is told. The
 * lookups keeps what the store does not. False: there is no such step. */
bool workers_compile(struct runner *runner, struct lookups *lookups,
        const struct message *order, struct message *answer);

#endif /* DNNL_CACHE_MODEL_COMPILE_WORKERS_H */
