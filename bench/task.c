/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include "failure.h"
#include "replay.h"
#include "samples.h"

#include <dnnl_cache/store.h>
#include <dnnl_cache/store_types.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    LATER_RUNS = 31, /* at most, and for that long */
    LATER_NS = 500000000,
    NAME_SIZE = 64
};

static double since(uint64_t start)
{
    return (double)(clock_ns() - start);
}

static bool read_of(const struct subject *subject, const char *ending,
        const char *dir, struct bytes *bytes)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "%s.%s", subject->name, ending);
    return bytes_read(bytes, dir, name);
}

static bool compile(struct object *o, double *values)
{
    uint64_t start = clock_ns();
    bool done = o->subject->describe(o) && o->subject->create(o);
    values[0] = since(start);
    return done;
}

static bool has_entry(dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    if (!succeeded(dnnl_cache_store_get_statistics(store, &statistics),
                "dnnl_cache_store_get_statistics"))
        return false;
    if (statistics.puts > 0) return true;
    failure_set("the store got no entry");
    return false;
}

/* What the application waits for; a finalised form may follow. */
static bool keep_in(
        struct object *o, dnnl_cache_store_handle_t *store, double *values)
{
    uint64_t start = clock_ns();
    bool done = o->subject->describe(o) && o->subject->create(o)
                && o->subject->use(o) && o->subject->keep(o);
    values[0] = since(start);
    return done && has_entry(store);
}

static bool keep(struct object *o, const char *dir, double *values)
{
    char path[PATH_MAX];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    (void)snprintf(path, sizeof path, "%s/process/store", dir);
    options.path = path;
    if (!succeeded(dnnl_cache_store_open(&store, "bucket", &options),
                "opening the store"))
        return false;
    const bool done = succeeded(dnnl_cache_engine_set_store(o->engine,
                                        dnnl_cache_store_get_callbacks(store)),
                              "dnnl_cache_engine_set_store")
                      && keep_in(o, store, values);
    (void)dnnl_cache_engine_set_store(o->engine, NULL);
    dnnl_cache_store_close(store);
    return done;
}

static bool drive(struct object *o, const char *dir, double *values)
{
    static struct recipe recipe;
    struct bytes file = {NULL, 0};
    struct bytes binary = {NULL, 0};
    cl_program program;
    cl_kernel kernel;
    bool done = read_of(o->subject, "recipe", dir, &file);
    if (done && file.size != sizeof recipe) {
        failure_set("not a recipe");
        done = false;
    }
    if (done) memcpy(&recipe, file.data, sizeof recipe);
    bytes_fini(&file);
    if (!done) return false;
    uint64_t start = clock_ns();
    done = replay_source(
            o->device, o->context, &recipe, &binary, &program, &kernel);
    values[0] = since(start);
    if (done) {
        clReleaseKernel(kernel);
        clReleaseProgram(program);
    }
    bytes_fini(&binary);
    return done;
}

/* The first run, and the median of later ones. */
static bool run(struct object *o, double *first, double *later)
{
    double times[LATER_RUNS];
    size_t count = 0;
    uint64_t start = clock_ns();
    if (!o->subject->run(o)) return false;
    *first = since(start);
    uint64_t begin = clock_ns();
    while (count < LATER_RUNS
            && (count < 3 || since(begin) < (double)LATER_NS)) {
        start = clock_ns();
        if (!o->subject->run(o)) return false;
        times[count++] = since(start);
    }
    *later = median(times, count);
    return true;
}

static bool load(struct object *o, const char *dir, double *values)
{
    struct bytes blob = {NULL, 0};
    const uint8_t *id;
    size_t size;
    bool done = read_of(o->subject, "blob", dir, &blob);
    uint64_t start = clock_ns();
    done = done && o->subject->describe(o) && o->subject->id(o, &id, &size)
           && o->subject->load(o, &blob);
    values[0] = since(start);
    bytes_fini(&blob);
    done = done && o->subject->run_prepare(o) && run(o, &values[1], &values[2]);
    if (done && recorder_compilations() > 0) {
        failure_set("a %s from a blob was compiled", o->subject->name);
        done = false;
    }
    return done;
}

/* A task with an object, whose engine comes from its blob. */
static bool run_with_object(enum task task, const struct subject *subject,
        const struct device *device, const char *dir, double *values)
{
    struct object o;
    struct bytes engine = {NULL, 0};
    bool done = bytes_read(&engine, dir, "engine.blob")
                && object_open(&o, subject, device, &engine, OBJECT_SIZE);
    if (done) {
        if (task == task_compile)
            done = compile(&o, values);
        else if (task == task_keep)
            done = keep(&o, dir, values);
        else if (task == task_drive)
            done = drive(&o, dir, values);
        else
            done = load(&o, dir, values);
        object_close(&o);
    }
    bytes_fini(&engine);
    return done;
}

static bool engine_compile(const struct device *device, double *values)
{
    dnnl_engine_t engine = NULL;
    struct bytes blob = {NULL, 0};
    cl_context context = device_context(device);
    if (context == NULL) return false;
    uint64_t start = clock_ns();
    bool done = succeeded(dnnl_ocl_interop_engine_create(
                                  &engine, device->id, context),
                        "dnnl_ocl_interop_engine_create")
                && engine_blob(engine, &blob);
    values[0] = since(start);
    bytes_fini(&blob);
    dnnl_engine_destroy(engine);
    clReleaseContext(context);
    return done;
}

static bool engine_load(
        const struct device *device, const char *dir, double *values)
{
    dnnl_engine_t engine = NULL;
    struct bytes blob = {NULL, 0};
    cl_context context = NULL;
    bool done = bytes_read(&blob, dir, "engine.blob")
                && (context = device_context(device)) != NULL;
    uint64_t start = clock_ns();
    done = done
           && succeeded(dnnl_ocl_interop_engine_create_from_cache_blob(&engine,
                                device->id, context, blob.size, blob.data),
                   "dnnl_ocl_interop_engine_create_from_cache_blob");
    values[0] = since(start);
    if (done && recorder_compilations() > 0) {
        failure_set("an engine from a blob was compiled");
        done = false;
    }
    bytes_fini(&blob);
    dnnl_engine_destroy(engine);
    if (context != NULL) clReleaseContext(context);
    return done;
}

bool task_run(enum task task, const struct subject *subject,
        const struct device *device, const char *dir,
        double values[TASK_VALUES])
{
    switch (task) {
    case task_compile:
    case task_keep:
    case task_drive:
    case task_load:
        return run_with_object(task, subject, device, dir, values);
    case task_engine_compile:
        return engine_compile(device, values);
    case task_engine_load:
        return engine_load(device, dir, values);
    }
    failure_set("no such task");
    return false;
}
