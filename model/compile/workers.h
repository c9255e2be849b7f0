/* SPDX-License-Identifier: Apache-2.0 */
/*
 * workers.h: compiling in other processes, for drivers that compile one program
 * at a time in each. A worker is a program of its own (model_compile.c), which
 * makes the same plan of the same model, is told numbers of steps on its
 * standard input, and puts what it compiles into the store; what the store does
 * not keep, or all if the store is the caller's, it sends with its answer. When
 * its input ends, because there is no more to do or nobody any more who asks,
 * so does it.
 */
#ifndef DNNL_CACHE_MODEL_COMPILE_WORKERS_H
#define DNNL_CACHE_MODEL_COMPILE_WORKERS_H

#include "model/compile/loader_options.h"
#include "model/compile/recorder.h"
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

/* What a worker is told with its arguments. */
struct worker_place {
    int orders, answers; /* descriptors */
    bool has_blobs;      /* a blob_list comes before the orders */
    const char *device_name;
    const char *identity; /* session_identity() of the other process */
};

/* The options that a worker's arguments say. False if they are none: only
 * workers_run() makes them. The caller frees options->shapes. */
bool worker_parse(struct loader_options *options, struct worker_place *place,
        int argc, char **argv);

/* What a worker does, with its steps described: answers on a descriptor until
 * its input ends. The recorder keeps what the store does not. */
void workers_serve(struct runner *runner, struct recorder *recorder,
        const struct worker_place *place);

#endif /* DNNL_CACHE_MODEL_COMPILE_WORKERS_H */
