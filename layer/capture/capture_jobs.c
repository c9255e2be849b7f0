/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture_jobs.h"

#include "layer/capture/capture_build.h"
#include "layer/capture/quiet.h"
#include "layer/settings/settings.h"
#include "src/platform/clock.h"

#include <stdatomic.h>
#include <stdlib.h>

/* With so many urgent jobs the worker does not wait for a quiet moment. */
enum { many_urgent = 16 };

/* ---- One job ------------------------------------------------------------- */

bool job_is_for_end(const struct job *job)
{
    return job->needs_idle || job->is_costly;
}

bool job_waits_for_application(const struct job *job)
{
    return job->needs_idle || job->is_of_compiled;
}

void job_put(struct job *job)
{
    build_release(job->build);
    objects_put_program(job->program);
}

bool job_is_let_go(const struct job *job)
{
    return objects_app_references(job->program) == 0
           && atomic_load(&job->program->kernels) == 0
           && capture_is_ready(job->program, job->build);
}

/* At the end of a process. Drivers let kernels go a moment after their commands
 * have ended. All jobs together wait no longer than that, since the
 * application may wait for the end. */
static void await_launches(const struct job *job)
{
    enum { most_pauses = 20 };
    static atomic_int pauses;
    while (!capture_is_ready(job->program, job->build)
            && atomic_fetch_add(&pauses, 1) < most_pauses)
        clock_sleep_ns(1000000);
}

bool job_do(struct job *job, struct missing_forms **left)
{
    const struct layer_settings *settings = layer_settings();
    bool is_done = false;
    *left = NULL;
    if (job->is_of_compiled) {
        await_launches(job);
        is_done = capture_compiled(job->program, job->build,
                settings->capture_exit_ns == 0 && !settings->capture_now);
        if (!is_done && !settings->capture_now) return false;
    }
    if (!is_done) *left = capture_build(job->program, job->build);
    job_put(job);
    return true;
}

/* ---- The list ------------------------------------------------------------ */

void jobs_add(struct jobs *jobs, struct job *job)
{
    if (job->has_no_worker) jobs->without_worker++;
    job->next = jobs->first;
    jobs->first = job;
}

static struct job *take(struct jobs *jobs, struct job **place)
{
    struct job *job = *place;
    if (job == NULL) return NULL;
    *place = job->next;
    if (job->has_no_worker) jobs->without_worker--;
    if (job->is_urgent) jobs->urgent--;
    return job;
}

/* When the job begins if the application is quiet from quiet_ns on. Other hosts
 * wait for what has a lease. */
static uint64_t begin_ns(const struct job *job, uint64_t quiet_ns)
{
    return job->due_ns > quiet_ns || atomic_load(&job->build->holds_lease)
                   ? job->due_ns
                   : quiet_ns;
}

struct job *jobs_take(
        struct jobs *jobs, uint64_t now, bool is_end, uint64_t *next_ns)
{
    struct job **first = NULL;
    const uint64_t quiet_ns =
            is_end || jobs->urgent >= many_urgent ? 0 : quiet_from_ns(now);
    *next_ns = 0;
    for (struct job **place = &jobs->first; *place != NULL;
            place = &(*place)->next)
        if ((!job_is_for_end(*place) || is_end)
                && (first == NULL
                        || begin_ns(*place, quiet_ns)
                                   < begin_ns(*first, quiet_ns)))
            first = place;
    if (first == NULL) return NULL;
    if (begin_ns(*first, quiet_ns) > now) {
        *next_ns = begin_ns(*first, quiet_ns);
        return NULL;
    }
    return take(jobs, first);
}

struct job *jobs_take_for_anybody(
        struct jobs *jobs, const struct layer_program *program)
{
    struct job **place = &jobs->first;
    while (*place != NULL
            && ((*place)->program != program
                    || (!layer_settings()->capture_now
                            && (!(*place)->has_no_worker
                                    || job_is_for_end(*place)))))
        place = &(*place)->next;
    return take(jobs, place);
}

struct job *jobs_take_of_context(struct jobs *jobs, cl_context context)
{
    struct job **place = &jobs->first;
    while (*place != NULL
            && !(job_waits_for_application(*place)
                    && (*place)->program->context == context))
        place = &(*place)->next;
    return take(jobs, place);
}

struct job *jobs_take_of_program(
        struct jobs *jobs, const struct layer_program *program)
{
    struct job **place = &jobs->first;
    while (*place != NULL && (*place)->program != program)
        place = &(*place)->next;
    return take(jobs, place);
}

/* Of the program's build; NULL: of any. */
static bool is_of(const struct job *job, const struct layer_program *program,
        const struct build *build)
{
    return job->program == program && (build == NULL || job->build == build);
}

bool jobs_have(const struct jobs *jobs, const struct layer_program *program,
        const struct build *build)
{
    const struct job *job = jobs->first;
    while (job != NULL && !is_of(job, program, build))
        job = job->next;
    return job != NULL;
}

/* False: the limit is reached, or the journal is to have it: nothing is held at
 * the driver for that. */
static bool make_due(struct jobs *jobs, struct job *job)
{
    job->due_ns = 0;
    if (job->is_costly && !job->needs_idle) return false;
    if (job->has_no_worker || job->is_urgent) return true;
    if (jobs->urgent == jobs_most) return false;
    jobs->urgent++;
    job->is_urgent = true;
    return true;
}

struct job *jobs_make_due(struct jobs *jobs,
        const struct layer_program *program, const struct build *build)
{
    struct job *rejected = NULL;
    struct job **place = &jobs->first;
    while (*place != NULL) {
        struct job *job = *place;
        if (!is_of(job, program, build) || make_due(jobs, job)) {
            place = &job->next;
            continue;
        }
        (void)take(jobs, place);
        job->next = rejected;
        rejected = job;
    }
    return rejected;
}

void jobs_forget(struct jobs *jobs)
{
    while (jobs->first != NULL) {
        struct job *job = jobs->first;
        jobs->first = job->next;
        free(job);
    }
    *jobs = (struct jobs){.first = NULL};
}
