/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of warm creations, sizes and IDs: in this process, every object in a
 * context of its own.
 */
#include "row.h"

#include "failure.h"
#include "replay.h"

enum {
    PAIRS = 101,
    MOST_PAIRS = 2001,
    IDS = 501,
    MOST_IDS = 10001,
    BATCHES = 51,
    MOST_BATCHES = 501,
    BATCH = 10000
};

struct work {
    struct bench *bench;
    const struct subject *subject;
    const struct material *material;
    struct object *object;
};

/* ---- From a blob --------------------------------------------------------- */

/* All that a user does who has the blob: describe, name, create. */
static bool load_by_library(void *arg, double *value)
{
    struct work *w = arg;
    const struct subject *subject = w->subject;
    struct object o;
    const uint8_t *id;
    size_t size;
    unsigned before = recorder_compilations();
    if (!object_open(&o, subject, &w->bench->device, &w->bench->engine_blob,
                OBJECT_SIZE))
        return false;
    uint64_t start = clock_ns();
    bool done = subject->describe(&o) && subject->id(&o, &id, &size)
                && subject->load(&o, &w->material->blob);
    *value = (double)(clock_ns() - start);
    object_close(&o);
    if (done && recorder_compilations() != before) {
        failure_set("a %s from a blob was compiled", subject->name);
        done = false;
    }
    return done;
}

static bool load_by_driver(void *arg, double *value)
{
    struct work *w = arg;
    const struct device *device = &w->bench->device;
    const struct recording *warm = &w->material->warm;
    cl_program program;
    cl_kernel kernel;
    cl_context context = device_context(device);
    if (context == NULL) return false;
    uint64_t start = clock_ns();
    bool done = replay_binary(
            device, context, &warm->recipe, &warm->binary, &program, &kernel);
    *value = (double)(clock_ns() - start);
    if (done) {
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    clReleaseContext(context);
    return done;
}

bool measure_from_blob(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct work w = {bench, subject, NULL, NULL};
    if (!bench_need(bench, subject, &w.material)) return false;
    struct side ours = {load_by_library, &w};
    struct side reference = {load_by_driver, &w};
    return measure_pairs(ours, reference,
            effort_of(bench->repeat, PAIRS, MOST_PAIRS), row->target, row->name,
            result);
}

/* ---- Sizes --------------------------------------------------------------- */

bool measure_blob_size(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    const struct material *m;
    (void)row;
    if (!bench_need(bench, subject, &m)) return false;
    set_result(result, (double)m->blob.size, 1.02 * m->binaries + 4096);
    return true;
}

bool measure_blob_size_zstd(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct bytes blob = {NULL, 0};
    struct recording cold = {.truncated = false};
    struct recording warm = {.truncated = false};
    const struct material *m;
    (void)row;
    bool done = bench_need(bench, subject, &m)
                && bench_make_blob(bench, subject, dnnl_cache_compression_zstd,
                        &blob, &cold, &warm);
    if (done) set_result(result, (double)blob.size, m->binaries);
    bytes_fini(&blob);
    recording_fini(&cold);
    recording_fini(&warm);
    return done;
}

/* ---- IDs ----------------------------------------------------------------- */

static bool first_id(void *arg, double *value)
{
    struct work *w = arg;
    const uint8_t *id;
    size_t size;
    if (!w->subject->describe(w->object)) return false;
    uint64_t start = clock_ns();
    bool done = w->subject->id(w->object, &id, &size);
    *value = (double)(clock_ns() - start);
    w->subject->forget(w->object);
    return done;
}

static bool repeated_id(void *arg, double *value)
{
    struct work *w = arg;
    const uint8_t *id;
    size_t size;
    bool done = true;
    uint64_t start = clock_ns();
    for (int i = 0; done && i < BATCH; i++)
        done = w->subject->id(w->object, &id, &size);
    *value = (double)(clock_ns() - start) / (double)BATCH;
    return done;
}

static bool measure_id(struct bench *bench, const struct row *row,
        const struct subject *subject, struct side ours, struct effort effort,
        double bound, struct result *result)
{
    struct object o;
    struct side reference = {measure_constant, &bound};
    struct work *w = ours.arg;
    if (!bench_need_engine(bench)
            || !object_open(&o, subject, &bench->device, &bench->engine_blob,
                    OBJECT_SIZE))
        return false;
    w->object = &o;
    bool done = subject->describe(&o);
    if (ours.measure == first_id) subject->forget(&o);
    done = done
           && measure_pairs(
                   ours, reference, effort, row->target, row->name, result);
    object_close(&o);
    return done;
}

bool measure_id_first(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct work w = {bench, subject, NULL, NULL};
    struct side ours = {first_id, &w};
    return measure_id(bench, row, subject, ours,
            effort_of(bench->repeat, IDS, MOST_IDS), 5000, result);
}

bool measure_id_repeated(struct bench *bench, const struct row *row,
        const struct subject *subject, struct result *result)
{
    struct work w = {bench, subject, NULL, NULL};
    struct side ours = {repeated_id, &w};
    return measure_id(bench, row, subject, ours,
            effort_of(bench->repeat, BATCHES, MOST_BATCHES), 50, result);
}
