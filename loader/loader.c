/* SPDX-License-Identifier: Apache-2.0 */
#include "loader.h"

#include "claims.h"
#include "clock.h"
#include "cold.h"
#include "device_limits.h"
#include "lower.h"
#include "onnx.h"
#include "weights.h"
#include "workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count_threads(const struct options *options)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (options->threads > 0) return options->threads;
    return online > 0 && online < 256 ? (int)online : 1;
}

/* ---- Beside the main thread ---------------------------------------------- */

/* One call that another thread makes. */
struct task {
    pthread_t thread;
    struct loader *loader;
    bool (*run)(struct loader *loader, struct failure *failure);
    struct failure failure;
    bool ok;
    bool is_thread;
};

static void *run_task(void *argument)
{
    struct task *task = argument;
    task->ok = task->run(task->loader, &task->failure);
    return NULL;
}

/* Where no thread can be had it is done at once. */
static void task_begin(struct task *task, struct loader *loader,
        bool (*run)(struct loader *, struct failure *))
{
    *task = (struct task){.loader = loader, .run = run};
    task->is_thread = pthread_create(&task->thread, NULL, run_task, task) == 0;
    if (!task->is_thread) run_task(task);
}

static bool task_end(struct task *task, struct failure *failure)
{
    if (task->is_thread) pthread_join(task->thread, NULL);
    return task->ok || fail(failure, "%s", task->failure.text);
}

static bool open_session(struct loader *l, struct failure *failure)
{
    const struct session_options options = {.folder = l->options->store,
            .remote = l->options->remote,
            .platform = l->options->platform,
            .model_size = l->size,
            .model = l->bytes,
            .threads = count_threads(l->options),
            .cached_only = l->options->cached_only,
            .is_worker = l->options->worker >= 0};
    return session_open(&l->session, &options, &l->report, failure);
}

static bool upload(struct loader *l, struct failure *failure)
{
    report_begin(&l->report, phase_upload);
    const bool ok = runner_upload(&l->runner, failure);
    report_end(&l->report, phase_upload);
    return ok;
}

/* ---- The model ----------------------------------------------------------- */

static bool read_model(struct loader *l, struct failure *failure)
{
    const struct options *options = l->options;
    char *folder = onnx_folder(options->model);
    if (folder == NULL) return fail_out_of_memory(failure);
    const struct onnx_source source = {
            .bytes = l->bytes, .size = l->size, .folder = folder};
    struct failure reason = {""};
    bool ok = onnx_read_graph(&l->graph, &source, &reason);
    free(folder);
    if (!ok) fail(failure, "%s: %s", options->model, reason.text);
    /* The plan of a worker needs no weights, only to know where they are. */
    if (ok && options->worker < 0 && !options->prepare) {
        if (options->is_random)
            ok = weights_randomize(&l->graph, options->seed, failure);
        else if (options->weights != NULL)
            ok = weights_read(&l->graph, options->weights, failure);
    }
    return ok && lower_graph(&l->plan, &l->graph, failure);
}

static bool read_beside_session(struct loader *l, struct failure *failure)
{
    struct task session;
    report_begin(&l->report, phase_parse);
    if (!onnx_read_file(l->options->model, &l->bytes, &l->size, failure))
        return false;
    task_begin(&session, l, open_session);
    const bool ok = read_model(l, failure);
    report_end(&l->report, phase_parse);
    const bool opened = task_end(&session, failure);
    return ok && opened;
}

/* The first description may compile the engine's probe: one process at a time,
 * so that the next finds it in the store. Workers come after that. */
static bool describe(struct loader *l, struct failure *failure)
{
    enum { probe = 0 };
    struct claims claims = {.file = -1};
    dnnl_status_t status;
    report_begin(&l->report, phase_describe);
    if (l->options->worker < 0 && !l->options->cached_only
            && !l->session.has_engine) {
        claims_open(&claims, l->options->store);
        claims_wait(&claims, probe, claims_patience_ms);
    }
    const bool ok = runner_describe(&l->runner, &status, failure);
    claims_close(&claims);
    return ok;
}

/* ---- Ready --------------------------------------------------------------- */

static void count(struct loader *l)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    struct report *report = &l->report;
    if (dnnl_cache_get_statistics(&statistics) == dnnl_success) {
        report->programs_compiled += statistics.programs_compiled;
        report->programs_loaded += statistics.programs_loaded;
    }
    report->primitives = l->plan.step_count;
    report->ms[phase_store] =
            l->session.open_ms + 1e-6 * (double)l->session.recorder.ns;
    report->ready = clock_now_ms() - report->began;
}

static bool create_beside_upload(struct loader *l, struct failure *failure)
{
    struct task uploading;
    task_begin(&uploading, l, upload);
    session_end_prefetch(&l->session);
    /* What the library refuses is refused before memory is taken. */
    const bool ok = describe(l, failure) && runner_allocate(&l->runner, failure)
                    && cold_create(&l->runner, &l->session, l->options,
                            count_threads(l->options), &l->report, failure);
    const bool uploaded = task_end(&uploading, failure);
    return ok && uploaded;
}

/* The plan, and an engine that has room for it. */
static bool prepare(struct loader *l, struct failure *failure)
{
    if (!read_beside_session(l, failure)) return false;
    const struct device_limits limits = device_limits_of(l->session.device.id);
    return device_limits_check(&limits, &l->plan, failure)
           && runner_init(&l->runner, &l->plan, l->session.engine, failure);
}

/* The code of all steps, and no memory for them. */
static bool create_alone(struct loader *l, struct failure *failure)
{
    session_end_prefetch(&l->session);
    return describe(l, failure)
           && cold_create(&l->runner, &l->session, l->options,
                   count_threads(l->options), &l->report, failure);
}

static bool create(struct loader *l, struct failure *failure)
{
    return l->options->prepare ? create_alone(l, failure)
                               : create_beside_upload(l, failure)
                                         && runner_bind(&l->runner, failure);
}

bool loader_open(struct loader *loader, const struct options *options,
        struct failure *failure)
{
    *loader = (struct loader){.options = options};
    loader->report.began = clock_now_ms();
    if (!prepare(loader, failure) || !create(loader, failure)) return false;
    report_end(&loader->report, phase_describe);
    loader->report.ms[phase_describe] -= loader->report.ms[phase_compile];
    count(loader);
    session_keep_working_set(&loader->session);
    return true;
}

bool loader_serve(struct loader *loader, const struct options *options,
        struct failure *failure)
{
    *loader = (struct loader){.options = options};
    loader->report.began = clock_now_ms();
    if (!prepare(loader, failure) || !describe(loader, failure)) return false;
    workers_serve(&loader->runner, &loader->session.recorder, options->worker);
    return true;
}

void loader_close(struct loader *loader)
{
    runner_fini(&loader->runner);
    session_close(&loader->session);
    plan_fini(&loader->plan);
    graph_fini(&loader->graph);
    free(loader->bytes);
    loader->bytes = NULL;
}
