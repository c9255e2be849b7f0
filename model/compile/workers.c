/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/workers.h"

#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "src/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    max_workers = 64,
    no_job = -1,
    pause_ms = 20 /* before a job that may not begin is asked for again */
};

/* For a message that has begun, and for the end of a process that says no more:
 * only what is broken comes near it. */
static const uint64_t patience_ns = 60000000000u;

struct helper {
    struct worker worker;
    bool is_dismissed; /* it is told nothing more */
    int job;           /* what it is at, or no_job */
};

struct pool {
    int count; /* of helpers */
    struct helper helpers[max_workers];
    const struct workers_jobs *jobs;
    bool *is_begun; /* by job */
    struct process_plan plan;
    struct message model;   /* what each is told first */
    struct message message; /* the last one to or from one */
    unsigned long long compiled;
};

/* ---- Processes ----------------------------------------------------------- */

static void dismiss(struct helper *h)
{
    channel_end(&h->worker.channel);
    h->is_dismissed = true;
}

/* What drivers and libraries print is not to be taken for results: it goes to
 * standard error. One that does not take the model is gone, which its end
 * tells. */
static void start(struct pool *pool)
{
    struct helper *h = &pool->helpers[pool->count];
    *h = (struct helper){.job = no_job};
    if (worker_start(&h->worker, &pool->plan) != 0) return;
    pool->count++;
    if (message_send(&pool->model, &h->worker.channel, clock_ns() + patience_ns)
            != 0)
        dismiss(h);
}

/* ---- Orders and answers -------------------------------------------------- */

/* A job that may begin, or no_job. *left tells whether there are others. */
static int next_job(struct pool *pool, bool *left)
{
    const struct workers_jobs *jobs = pool->jobs;
    *left = false;
    for (int i = 0; i < jobs->count; i++) {
        if (pool->is_begun[i] || jobs->is_cancelled(jobs->user)) continue;
        *left = true;
        if (!jobs->begin(jobs->user, i)) continue;
        pool->is_begun[i] = true;
        return i;
    }
    return no_job;
}

/* Gives a worker the next job, lets it wait, or sends it home. */
static void order(struct pool *pool, struct helper *h)
{
    bool left;
    h->job = next_job(pool, &left);
    if (h->job == no_job) {
        if (!left) dismiss(h);
        return;
    }
    worker_step_put(&pool->message, pool->jobs->steps[h->job]);
    /* If that fails it is gone: it has no more to say, and is buried. */
    if (message_send(
                &pool->message, &h->worker.channel, clock_ns() + patience_ns)
            != 0)
        dismiss(h);
}

static void finish_job(struct pool *pool, struct helper *h, bool is_done)
{
    if (h->job == no_job) return;
    pool->jobs->end(pool->jobs->user, h->job, is_done);
    h->job = no_job;
}

/* Reads the answer that has come; false if that was the worker's end. */
static bool listen_to(struct pool *pool, struct helper *h)
{
    struct worker_answer answer;
    struct blob_list unkept = {0};
    const bool ok = message_receive(&pool->message, &h->worker.channel,
                            clock_ns() + patience_ns)
                            == 0
                    && worker_answer_read(&answer, &unkept, &pool->message);
    if (ok) {
        pool->compiled += answer.compiled;
        pool->jobs->take(pool->jobs->user, &unkept);
        finish_job(pool, h, answer.is_done);
        order(pool, h);
    }
    blob_list_fini(&unkept);
    return ok;
}

/* Orders for those that wait for one; whether any still waits. */
static bool order_again(struct pool *pool)
{
    bool waits = false;
    for (int i = 0; i < pool->count; i++) {
        struct helper *h = &pool->helpers[i];
        if (!worker_is_there(&h->worker) || h->is_dismissed || h->job != no_job)
            continue;
        order(pool, h);
        waits = waits || (!h->is_dismissed && h->job == no_job);
    }
    return waits;
}

/* False: there is no worker any more. */
static bool wait_for_answers(struct pool *pool)
{
    const struct channel *channels[max_workers];
    bool ready[max_workers + 1];
    int there = 0;
    /* Now and then it may be cancelled. */
    const unsigned timeout_ms = order_again(pool) ? pause_ms : 5 * pause_ms;
    for (int i = 0; i < pool->count; i++) {
        channels[i] = &pool->helpers[i].worker.channel;
        there += worker_is_there(&pool->helpers[i].worker);
    }
    if (there == 0) return false;
    (void)channel_wait(
            ready, channels, (size_t)pool->count, file_none, timeout_ms);
    for (int i = 0; i < pool->count; i++) {
        struct helper *h = &pool->helpers[i];
        const bool is_lost = worker_is_there(&h->worker)
                             && !channel_is_open(&h->worker.channel);
        if (!is_lost && (!ready[i] || listen_to(pool, h))) continue;
        finish_job(pool, h, false);
        (void)worker_end(&h->worker, patience_ns);
    }
    return true;
}

/* Nobody waits for what they are at. */
static void stop_if_cancelled(struct pool *pool)
{
    if (!pool->jobs->is_cancelled(pool->jobs->user)) return;
    for (int i = 0; i < pool->count; i++)
        process_kill(&pool->helpers[i].worker.process);
}

/* The engine's blob, for workers that cannot ask the caller's store. */
static void fetch_engine(struct blob_list *blobs, const struct session *session)
{
    const dnnl_cache_store_t *store = session->options.store;
    const uint8_t *id = session->engine_id, *blob = NULL;
    size_t size = 0;
    if (id == NULL
            || store->get(
                       store->user, session->engine_id_size, id, &size, &blob)
                       != dnnl_success)
        return;
    (void)blob_list_add(blobs, session->engine_id_size, id, size, blob);
    store->release(store->user, size, blob);
}

/* What a worker is told of the model. False: it cannot be told. */
static bool describe(struct pool *pool, const struct loader_options *options,
        const struct session *session)
{
    const struct model_device *device = &session->device;
    const int number = model_device_number(device->id);
    struct loader_options told = *options;
    struct worker_place place = {.device_name = device->name,
            .has_blobs = options->session.store != NULL};
    char text[16];
    char identity[session_identity_size];
    snprintf(text, sizeof text, "%d", number);
    session_identity(session, identity);
    place.identity = identity;
    told.session.device.text = text;
    if (options->path == NULL) told.path = PROCESS_FILE_PATH;
    if (place.has_blobs) fetch_engine(&place.blobs, session);
    worker_place_put(&pool->model, &told, &place);
    blob_list_fini(&place.blobs);
    return number >= 0 && !pool->model.has_failed;
}

unsigned long long workers_run(const struct loader_options *options,
        struct session *session, size_t size, const uint8_t *bytes,
        const struct workers_jobs *jobs)
{
    char *name = (char *)(uintptr_t)options->helper;
    char *const arguments[] = {name, NULL};
    int threads = options->session.threads;
    struct pool pool = {.jobs = jobs,
            .is_begun = calloc((size_t)jobs->count + 1, sizeof(bool)),
            .plan = PROCESS_PLAN_NONE};
    pool.plan.program = options->helper;
    pool.plan.arguments = arguments;
    if (threads > jobs->count) threads = jobs->count;
    if (threads > max_workers) threads = max_workers;
    if (pool.is_begun != NULL
            && (options->path != NULL
                    || file_in_memory(&pool.plan.file, bytes, size) == 0)
            && describe(&pool, options, session)) {
        for (int i = 0; i < threads; i++)
            start(&pool);
        while (wait_for_answers(&pool))
            stop_if_cancelled(&pool);
    }
    (void)file_close(pool.plan.file);
    message_fini(&pool.model);
    message_fini(&pool.message);
    free(pool.is_begun);
    return pool.compiled;
}

/* ---- The worker ---------------------------------------------------------- */

static unsigned long long compiled_so_far(void)
{
    dnnl_cache_statistics_t statistics = DNNL_CACHE_STATISTICS_INIT;
    if (dnnl_cache_get_statistics(&statistics) != dnnl_success) return 0;
    return statistics.programs_compiled;
}

bool workers_compile(struct runner *runner, struct lookups *lookups,
        const struct message *order, struct message *answer)
{
    static unsigned long long told;
    int step;
    if (!worker_step_read(&step, order) || step >= runner->plan->step_count)
        return false;
    const dnnl_status_t st = runner_create(runner, step);
    const unsigned long long compiled = compiled_so_far();
    const struct worker_answer says = {
            st == dnnl_success, compiled - told, &lookups->unkept};
    worker_answer_put(answer, &says);
    blob_list_fini(&lookups->unkept);
    told = compiled;
    return true;
}
