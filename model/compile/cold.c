/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/cold.h"

#include "model/base/claims.h"
#include "model/compile/workers.h"
#include "src/platform/clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { max_threads = 64 };

struct cold {
    struct runner *runner;
    struct session *session;
    const struct loader_options *options;
    size_t size; /* of the model's bytes */
    const uint8_t *bytes;
    int count;
    int *steps;       /* one for each missing program */
    uint64_t *hashes; /* of their IDs */
    struct claims claims;
    double began;
    pthread_mutex_t lock; /* guards what follows while threads compile */
    int next;
    int done;
};

bool loader_is_cancelled(const struct loader_options *options)
{
    return options->cancelled != NULL && atomic_load(options->cancelled);
}

/* ---- What is missing ----------------------------------------------------- */

/* Programs of one hash are taken for one, which costs time and nothing else. */
static void add_job(struct cold *cold, int step, size_t id)
{
    const struct id_list *missed = &cold->session->lookups.missed;
    const uint64_t hash = XXH3_64bits(missed->ids[id], missed->sizes[id]);
    for (int i = 0; i < cold->count; i++)
        if (cold->hashes[i] == hash) return;
    cold->hashes[cold->count] = hash;
    cold->steps[cold->count++] = step;
}

/* Creates what needs no compiler, and notes a step for each program that does.
 * *missing tells how many steps are left. */
static bool survey(struct cold *cold, int *missing, struct failure *failure)
{
    struct runner *runner = cold->runner;
    *missing = 0;
    dnnl_cache_engine_set_compile_mode(
            cold->session->engine, dnnl_cache_compile_mode_cached_only);
    for (int s = 0; s < runner->plan->step_count; s++) {
        if (loader_is_cancelled(cold->options))
            return fail(failure, "cancelled");
        lookups_forget_last_miss(&cold->session->lookups);
        const dnnl_status_t st = runner_create(runner, s);
        if (st == dnnl_success) continue;
        if (st != dnnl_cache_miss) return runner_fail(runner, s, st, failure);
        ++*missing;
        /* What has no ID is asked for nowhere, and compiled here. */
        const size_t id = lookups_last_miss(&cold->session->lookups);
        if (id != SIZE_MAX) add_job(cold, s, id);
        if (cold->session->options.cached_only)
            return runner_fail(runner, s, st, failure);
    }
    return true;
}

/* Kinds that take long to compile come first, lest one of them is left for the
 * end: step_kind lists them so. */
static void sort_jobs(struct cold *cold)
{
    struct step *const *steps = cold->runner->plan->steps;
    for (int i = 1; i < cold->count; i++) {
        const int step = cold->steps[i];
        const uint64_t hash = cold->hashes[i];
        int at = i;
        for (; at > 0 && steps[cold->steps[at - 1]]->kind > steps[step]->kind;
                at--) {
            cold->steps[at] = cold->steps[at - 1];
            cold->hashes[at] = cold->hashes[at - 1];
        }
        cold->steps[at] = step;
        cold->hashes[at] = hash;
    }
}

/* ---- Compiling ----------------------------------------------------------- */

/* Another loader's compilation is waited for, but not for ever: it may hang. */
static bool may_begin(void *user, int job)
{
    const struct cold *cold = user;
    return !loader_is_cancelled(cold->options)
           && (claims_take(&cold->claims, cold->hashes[job])
                   || clock_ms() - cold->began > (double)claims_patience_ms);
}

/* Of threads one at a time, under their lock, which the callback may not take:
 * so it sees a count that only grows. */
static void end_job(void *user, int job, bool is_done)
{
    struct cold *cold = user;
    char kind[64];
    claims_drop(&cold->claims, cold->hashes[job]);
    if (!is_done) return;
    step_describe_kind(
            cold->runner->plan->steps[cold->steps[job]], sizeof kind, kind);
    cold->done++;
    if (cold->options->progress != NULL)
        cold->options->progress(
                cold->options->progress_user, cold->done, cold->count, kind);
}

static void take_unkept(void *user, const struct blob_list *unkept)
{
    const struct cold *cold = user;
    lookups_take(&cold->session->lookups, unkept);
}

/* PoCL compiles under one lock. */
static bool compiles_one_at_a_time(const struct session *session)
{
    return strstr(session->device.platform_name, "Portable Computing Language")
           != NULL;
}

static void *compile_jobs(void *argument)
{
    struct cold *cold = argument;
    for (;;) {
        pthread_mutex_lock(&cold->lock);
        const bool is_over =
                cold->next >= cold->count || loader_is_cancelled(cold->options);
        const int job = is_over ? -1 : cold->next++;
        pthread_mutex_unlock(&cold->lock);
        if (job < 0) return NULL;
        claims_wait(&cold->claims, cold->hashes[job], claims_patience_ms);
        /* A failure is met again, and told, when all steps are created. */
        const dnnl_status_t st = runner_create(cold->runner, cold->steps[job]);
        pthread_mutex_lock(&cold->lock);
        end_job(cold, job, st == dnnl_success);
        pthread_mutex_unlock(&cold->lock);
    }
}

static void compile_in_threads(struct cold *cold, int threads)
{
    pthread_t others[max_threads];
    int started = 0;
    if (threads > cold->count) threads = cold->count;
    if (threads > max_threads) threads = max_threads;
    while (started + 1 < threads
            && pthread_create(&others[started], NULL, compile_jobs, cold) == 0)
        started++;
    compile_jobs(cold);
    while (started > 0)
        pthread_join(others[--started], NULL);
}

static bool is_cancelled(void *user)
{
    const struct cold *cold = user;
    return loader_is_cancelled(cold->options);
}

static unsigned long long compile(struct cold *cold)
{
    const struct workers_jobs jobs = {cold->count, cold->steps, may_begin,
            end_job, take_unkept, is_cancelled, cold};
    const struct loader_options *options = cold->options;
    const int threads = session_threads(cold->session);
    unsigned long long compiled = 0;
    sort_jobs(cold);
    claims_open(&cold->claims, options->session.folder);
    cold->began = clock_ms();
    if (options->progress != NULL)
        options->progress(options->progress_user, 0, cold->count, "");
    /* Without the engine's blob each worker would compile its probe. */
    if (threads > 1 && cold->count > 1 && options->helper != NULL
            && session_has_engine(cold->session)
            && compiles_one_at_a_time(cold->session))
        compiled = workers_run(
                options, cold->session, cold->size, cold->bytes, &jobs);
    else
        compile_in_threads(cold, threads);
    claims_close(&cold->claims);
    return compiled;
}

/* ---- All of it ----------------------------------------------------------- */

static bool create_rest(struct cold *cold, struct failure *failure)
{
    struct runner *runner = cold->runner;
    for (int s = 0; s < runner->plan->step_count; s++) {
        if (loader_is_cancelled(cold->options))
            return fail(failure, "cancelled");
        const dnnl_status_t st = runner_create(runner, s);
        if (st != dnnl_success) return runner_fail(runner, s, st, failure);
    }
    return true;
}

static bool create(
        struct cold *cold, struct report *report, struct failure *failure)
{
    int missing;
    if (!survey(cold, &missing, failure)) return false;
    if (missing == 0) return true;
    dnnl_cache_engine_set_compile_mode(
            cold->session->engine, dnnl_cache_compile_mode_normal);
    report_begin(report, phase_compile);
    report->programs_compiled += compile(cold);
    const bool ok = create_rest(cold, failure);
    report_end(report, phase_compile);
    session_warn_unkept(cold->session);
    return ok;
}

bool cold_create(struct runner *runner, struct session *session,
        const struct loader_options *options, size_t size, const uint8_t *bytes,
        struct report *report, struct failure *failure)
{
    const size_t steps = (size_t)runner->plan->step_count + 1;
    struct cold cold = {.runner = runner,
            .session = session,
            .options = options,
            .size = size,
            .bytes = bytes,
            .steps = calloc(steps, sizeof(int)),
            .hashes = calloc(steps, sizeof(uint64_t)),
            .lock = PTHREAD_MUTEX_INITIALIZER};
    const bool ok = cold.steps != NULL && cold.hashes != NULL
                            ? create(&cold, report, failure)
                            : fail_out_of_memory(failure);
    free(cold.steps);
    free(cold.hashes);
    return ok;
}
