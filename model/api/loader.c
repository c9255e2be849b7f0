/* SPDX-License-Identifier: Apache-2.0 */
#include "model/api/loader.h"

#include "model/base/claims.h"
#include "model/compile/cold.h"
#include "model/import/weights.h"
#include "model/lower/lower.h"
#include "model/run/device_limits.h"
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/platform/thread.h"
#include "tools/common/text/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Beside the main thread ---------------------------------------------- */

static void *run_task(void *argument)
{
    struct loader_task *task = argument;
    task->ok = task->run(task->loader, &task->failure);
    return NULL;
}

/* False, and nothing is begun, if no thread can be had. */
static bool task_begin_beside(struct loader_task *task, struct loader *loader,
        bool (*run)(struct loader *, struct failure *))
{
    *task = (struct loader_task){.loader = loader, .run = run};
    task->is_thread = thread_start(&task->thread, run_task, task);
    task->is_begun = task->is_thread;
    return task->is_begun;
}

static void task_run(struct loader_task *task, struct loader *loader,
        bool (*run)(struct loader *, struct failure *))
{
    *task = (struct loader_task){
            .loader = loader, .run = run, .is_begun = true};
    run_task(task);
}

/* Where no thread can be had it is done at once. */
static void task_begin(struct loader_task *task, struct loader *loader,
        bool (*run)(struct loader *, struct failure *))
{
    if (!task_begin_beside(task, loader, run)) task_run(task, loader, run);
}

static void task_join(struct loader_task *task)
{
    if (task->is_thread) pthread_join(task->thread, NULL);
    task->is_thread = false;
}

static bool task_end(struct loader_task *task, struct failure *failure)
{
    task_join(task);
    return task->ok
           || fail_as(failure, failure_status(&task->failure), "%s",
                   task->failure.text);
}

static bool open_session(struct loader *l, struct failure *failure)
{
    return session_open(&l->session, &l->options->session, &l->report, failure);
}

static bool upload(struct loader *l, struct failure *failure)
{
    report_begin(&l->report, phase_upload);
    const bool ok =
            runner_upload(&l->runner, session_threads(&l->session), failure)
            && graph_close_files(&l->graph, failure);
    report_end(&l->report, phase_upload);
    return ok;
}

/* ---- The model ----------------------------------------------------------- */

/* Other shapes and constants need other programs: each has a working set. */
static uint64_t hash_inputs(const struct loader_options *options)
{
    uint64_t hash = 0;
    for (int i = 0; i < options->shape_count; i++) {
        const struct onnx_shape *s = &options->shapes[i];
        hash = XXH3_64bits_withSeed(s->name, strlen(s->name), hash);
        hash = XXH3_64bits_withSeed(s->shape.dims,
                (size_t)s->shape.ndims * sizeof *s->shape.dims, hash);
    }
    for (int i = 0; i < options->constant_count; i++) {
        const struct onnx_constant *c = &options->constants[i];
        hash = XXH3_64bits_withSeed(c->name, strlen(c->name), hash);
        hash = XXH3_64bits_withSeed(&c->value, sizeof c->value, hash);
    }
    return hash;
}

/* A reason that names the file needs no name before it. */
static bool fail_with_path(const struct loader *l, const struct failure *reason,
        struct failure *failure)
{
    const char *path = l->options->path;
    const bool is_named = path == NULL || strstr(reason->text, path) != NULL;
    return fail_as(failure, failure_status(reason), "%s%s%s",
            is_named ? "" : path, is_named ? "" : ": ", reason->text);
}

/* An outline, in which the numbers of large tensors are not, tells one working
 * set from another. */
static bool end_parse(
        struct loader *l, const struct failure *reason, struct failure *failure)
{
    size_t size = 0;
    const uint8_t *outline =
            l->model != NULL ? onnx_model_outline(l->model, &size) : NULL;
    session_set_model(&l->session, size, outline, hash_inputs(l->options));
    report_end(&l->report, phase_parse);
    return l->model != NULL || fail_with_path(l, reason, failure);
}

bool loader_read(struct loader *loader, struct failure *failure)
{
    struct failure reason = {""};
    report_begin(&loader->report, phase_parse);
    loader->model = onnx_model_open_file(loader->options->path, &reason);
    return end_parse(loader, &reason, failure);
}

bool loader_take(struct loader *loader, size_t size, const uint8_t *bytes,
        struct failure *failure)
{
    struct failure reason = {""};
    report_begin(&loader->report, phase_parse);
    loader->size = size;
    loader->bytes = bytes;
    loader->model = onnx_model_open(bytes, size, &reason);
    return end_parse(loader, &reason, failure);
}

static bool read_graph(struct loader *l, struct failure *failure)
{
    const struct loader_options *options = l->options;
    const struct onnx_source source = {.bytes = l->bytes,
            .size = l->size,
            .folder = options->folder,
            .shape_count = options->shape_count,
            .shapes = options->shapes,
            .constant_count = options->constant_count,
            .constants = options->constants};
    struct failure reason = {""};
    bool ok = onnx_model_read_graph(&l->graph, l->model, &source, &reason);
    if (!ok) (void)fail_with_path(l, &reason, failure);
    /* The plan of a worker needs no weights, only to know where they are. */
    if (ok && !options->session.is_worker && !options->prepare) {
        if (options->is_random)
            ok = weights_randomize(&l->graph, options->seed, failure);
        else if (options->weights != NULL)
            ok = weights_read(&l->graph, options->weights, failure);
    }
    if (!ok) return false;
    /* Only the device can tell. */
    l->plan.is_half = lower_is_half(&l->graph)
                      && session_wait_for_device(&l->session)
                      && device_has_half(l->session.device.id);
    return lower_graph(&l->plan, &l->graph, failure);
}

/* What was spent since the file was read belongs to the caller. */
static bool read_model(struct loader *l, struct failure *failure)
{
    struct report *report = &l->report;
    const double before = report->ms[phase_parse];
    const double began = clock_ms();
    const bool ok = read_graph(l, failure);
    report_end(report, phase_parse);
    report->ms[phase_parse] = before + clock_ms() - began;
    return ok;
}

/* The first description may compile the engine's probe: one process at a time,
 * so that the next finds it in the store. Workers come after that. */
static bool describe(struct loader *l, struct failure *failure)
{
    enum { probe = 0 };
    const struct session_options *session = &l->options->session;
    struct claims claims = {.file = -1};
    dnnl_status_t status;
    report_begin(&l->report, phase_describe);
    if (!session->is_worker && !session->cached_only
            && !l->session.has_engine) {
        claims_open(&claims, session->folder);
        claims_wait(&claims, probe, claims_patience_ms);
    }
    const bool ok = runner_describe(&l->runner, &status, failure);
    claims_close(&claims);
    return ok;
}

/* ---- Ready --------------------------------------------------------------- */

static void count(struct loader *l)
{
    struct report *report = &l->report;
    report->programs_compiled += lookups_compiled(&l->session.lookups);
    report->programs_loaded += lookups_loaded(&l->session.lookups);
    report->primitives = l->plan.step_count;
    report->ms[phase_store] =
            l->session.open_ms + 1e-6 * (double)l->session.lookups.ns;
    report->ready = clock_ms() - report->began;
}

static bool create_code(struct loader *l, struct failure *failure)
{
    return cold_create(&l->runner, &l->session, l->options, l->size, l->bytes,
            &l->report, failure);
}

static bool create_with_memory(struct loader *l, struct failure *failure)
{
    session_end_prefetch(&l->session);
    /* What the library refuses is refused before memory is taken. */
    const bool ok = describe(l, failure) && runner_allocate(&l->runner, failure)
                    && create_code(l, failure);
    if (ok && l->session.device.is_for_one_thread)
        task_run(&l->uploading, l, upload);
    const bool uploaded = task_end(&l->uploading, failure);
    return ok && uploaded && runner_bind(&l->runner, failure);
}

/* Sizes alone decide, before any weight is read, whether the device has room:
 * then weights are brought there while the rest of the session is opened. */
static bool begin_upload(struct loader *l, struct failure *failure)
{
    const struct model_device *device = &l->session.device;
    if (!session_wait_for_device(&l->session))
        return false; /* which the other thread says */
    if (device->is_for_one_thread) task_join(&l->opening);
    const struct device_limits limits = device_limits_of(device->id);
    if (!device_limits_check(&limits, &l->plan, failure)
            || !runner_init_memory(
                    &l->runner, &l->plan, device->context, device->id, failure))
        return false;
    if (!l->options->prepare && !l->options->session.is_worker) {
        /* Else create_with_memory() does it. */
        if (!device->is_for_one_thread) task_begin(&l->uploading, l, upload);
    } else { /* nothing more is read */
        (void)graph_close_files(&l->graph, &(struct failure){""});
    }
    return true;
}

/* The plan, and an engine that has room for it. */
static bool prepare(struct loader *l, struct failure *failure)
{
    loader_start(l);
    const bool ok = read_model(l, failure) && begin_upload(l, failure);
    const bool opened = task_end(&l->opening, failure);
    onnx_model_close(l->model); /* the session has named the outline */
    l->model = NULL;
    return ok && opened
           && runner_init_code(
                   &l->runner, l->session.engine, l->options->queue, failure);
}

/* The code of all steps, and no memory for them. */
static bool create_alone(struct loader *l, struct failure *failure)
{
    session_end_prefetch(&l->session);
    return describe(l, failure) && create_code(l, failure);
}

static bool create(struct loader *l, struct failure *failure)
{
    return l->options->prepare ? create_alone(l, failure)
                               : create_with_memory(l, failure);
}

void loader_init(struct loader *loader, const struct loader_options *options)
{
    *loader = (struct loader){.options = options};
    loader->report.began = clock_ms();
    session_init(&loader->session);
}

void loader_start(struct loader *loader)
{
    if (loader->opening.is_begun) return;
    /* If the model is here already, shapes may have been set since then. */
    loader->session.variant = hash_inputs(loader->options);
    /* The session waits for the model. If there is no thread to do so, it is
     * opened when the model is here. */
    if (loader->model != NULL)
        task_begin(&loader->opening, loader, open_session);
    else
        (void)task_begin_beside(&loader->opening, loader, open_session);
}

static void give_warning(const struct loader *l)
{
    const char *path = l->options->path;
    char text[files_path_size + sizeof l->graph.warning];
    if (l->graph.warning[0] == '\0') return;
    (void)snprintf(text, sizeof text, "%s%s%s", path != NULL ? path : "",
            path != NULL ? ": " : "", l->graph.warning);
    session_warn(&l->session, text);
}

bool loader_open(struct loader *loader, struct failure *failure)
{
    if (!prepare(loader, failure) || !create(loader, failure)) return false;
    give_warning(loader);
    report_end(&loader->report, phase_describe);
    loader->report.ms[phase_describe] -= loader->report.ms[phase_compile];
    count(loader);
    session_keep_working_set(&loader->session);
    loader->bytes = NULL;
    return true;
}

/* Another device of that number, or another driver, would make entries that
 * nobody asks for. */
static bool check_device(const struct loader *l,
        const struct worker_place *place, struct failure *failure)
{
    char identity[session_identity_size];
    if (strcmp(l->session.device.name, place->device_name) != 0)
        return fail(failure, "the device is %s, not %s", l->session.device.name,
                place->device_name);
    session_identity(&l->session, identity);
    return strcmp(identity, place->identity) == 0
           || fail(failure,
                   "%s: this process has another driver or library than the "
                   "process that started it, which gets nothing from here "
                   "(library path, container, an update)",
                   l->session.device.name);
}

bool loader_serve(struct loader *loader, const struct worker_place *place,
        struct failure *failure)
{
    struct lookups *lookups = &loader->session.lookups;
    loader_start(loader);
    if (!loader_read(loader, failure) || !prepare(loader, failure)
            || !check_device(loader, place, failure))
        return false;
    lookups_lend(lookups, &place->blobs);
    const bool ok = describe(loader, failure);
    lookups_lend(lookups, NULL);
    return ok;
}

void loader_close(struct loader *loader)
{
    if (loader->opening.is_thread) {
        session_set_model(&loader->session, 0, NULL, 0);
        task_join(&loader->opening);
    }
    task_join(&loader->uploading);
    runner_fini(&loader->runner);
    if (loader->opening.is_begun) session_close(&loader->session);
    onnx_model_close(loader->model);
    plan_fini(&loader->plan);
    graph_fini(&loader->graph);
    *loader = (struct loader){0};
}
