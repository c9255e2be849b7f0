/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of what is found in memory: by two threads at once, beside one; with one
 * look-up, beside two.
 */
#include "row.h"

#include "failure.h"

#include <pthread.h>

enum { BATCH = 20000, SIZE = 64 };

/* ---- Two threads --------------------------------------------------------- */

/* A thread and the primitive that it finds again and again. */
struct finder {
    struct object object;
    pthread_barrier_t *start;
    uint64_t started;
    uint64_t ended;
    bool done;
};

static void *find(void *arg)
{
    struct finder *f = arg;
    const struct subject *subject = f->object.subject;
    bool done = true;
    pthread_barrier_wait(f->start);
    f->started = clock_ns();
    for (int i = 0; done && i < BATCH; i++) {
        done = subject->create(&f->object);
        subject->drop(&f->object);
    }
    f->ended = clock_ns();
    f->done = done;
    return NULL;
}

/* Nanoseconds a hit, of both together: from the first start to the last end. */
static bool find_with_two(void *arg, double *value)
{
    struct finder *f = arg;
    pthread_barrier_t start;
    pthread_t other;
    if (pthread_barrier_init(&start, NULL, 2) != 0) {
        failure_set("no barrier");
        return false;
    }
    f[0].start = f[1].start = &start;
    bool done = pthread_create(&other, NULL, find, &f[1]) == 0;
    if (done) {
        find(&f[0]);
        pthread_join(other, NULL);
        done = f[0].done && f[1].done;
    } else {
        failure_set("no thread");
    }
    pthread_barrier_destroy(&start);
    uint64_t first = f[0].started < f[1].started ? f[0].started : f[1].started;
    uint64_t last = f[0].ended > f[1].ended ? f[0].ended : f[1].ended;
    *value = (double)(last - first) / (2 * BATCH);
    return done;
}

static bool find_with_one(void *arg, double *value)
{
    struct finder *f = arg;
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, 1) != 0) {
        failure_set("no barrier");
        return false;
    }
    f->start = &start;
    find(f);
    pthread_barrier_destroy(&start);
    *value = (double)(f->ended - f->started) / (double)BATCH;
    return f->done;
}

/* Both primitives are of one engine; only their shapes differ. */
bool measure_hit_threads(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct finder finders[2];
    struct object *first = &finders[0].object;
    struct object *second = &finders[1].object;
    if (!bench_need_engine(bench)
            || !object_open(
                    first, subject, &bench->device, &bench->engine_blob, SIZE))
        return false;
    bool done = subject->describe(first) && subject->create(first);
    subject->drop(first);
    *second = (struct object){.subject = subject,
            .device = first->device,
            .context = first->context,
            .engine = first->engine,
            .size = SIZE + 1};
    done = done && subject->prepare(second) && subject->describe(second)
           && subject->create(second);
    subject->drop(second);
    struct side ours = {find_with_two, finders};
    struct side reference = {find_with_one, finders};
    done = done && row_measure_in_memory(bench, row, ours, reference, result);
    subject->forget(second);
    subject->finish(second);
    object_close(first);
    return done;
}

/* ---- One look-up --------------------------------------------------------- */

static bool find_kernel(void *arg, double *value)
{
    struct object *o = arg;
    bool done = true;
    uint64_t start = clock_ns();
    for (int i = 0; done && i < BATCH; i++) {
        dnnl_cache_kernel_t kernel;
        done = succeeded(
                dnnl_cache_kernel_create(&kernel, o->program_desc, "multiply"),
                "dnnl_cache_kernel_create");
        if (done) dnnl_cache_kernel_destroy(kernel);
    }
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

static bool find_program_and_kernel(void *arg, double *value)
{
    struct object *o = arg;
    bool done = true;
    uint64_t start = clock_ns();
    for (int i = 0; done && i < BATCH; i++) {
        dnnl_cache_program_t program;
        dnnl_cache_kernel_t kernel;
        done = succeeded(dnnl_cache_program_create(&program, o->program_desc),
                "dnnl_cache_program_create");
        if (!done) break;
        done = succeeded(dnnl_cache_kernel_create_from_program(
                                 &kernel, program, "multiply"),
                "dnnl_cache_kernel_create_from_program");
        if (done) dnnl_cache_kernel_destroy(kernel);
        dnnl_cache_program_destroy(program);
    }
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

bool measure_kernel_hit(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct object o;
    if (!bench_need_engine(bench)
            || !object_open(
                    &o, subject, &bench->device, &bench->engine_blob, SIZE))
        return false;
    struct side ours = {find_kernel, &o};
    struct side reference = {find_program_and_kernel, &o};
    double once;
    bool done = subject->describe(&o) && find_kernel(&o, &once)
                && find_program_and_kernel(&o, &once);
    done = done && row_measure_in_memory(bench, row, ours, reference, result);
    object_close(&o);
    return done;
}
