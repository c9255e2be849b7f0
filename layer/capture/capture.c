/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/capture/capture.h"

#include "layer/capture/capture_ask.h"
#include "layer/capture/capture_build.h"
#include "layer/capture/capture_queue.h"
#include "layer/capture/capture_worker.h"
#include "layer/capture/made_files.h"
#include "layer/capture/stand_ins.h"
#include "layer/driver/exit_hook.h"
#include "layer/driver/idle.h"
#include "layer/driver/quirks.h"
#include "layer/programs/lease.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/trace/trace.h"
#include "src/platform/clock.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Can what the driver compiled for launches be had, or noted? The latter does
 * not need the driver, and is of no use if it is asked for all at the end. */
static bool is_compiled_known(const struct build *build)
{
    return stand_ins_suit(build)
           || (layer_settings()->capture_exit_ns == 0
                   && !layer_settings()->capture_now && made_files_suit(build));
}

/* PoCL's binary of an object is its intermediate code: there are no kernels yet
 * that it could compile. */
static bool is_at_hand(const struct build *build)
{
    return build->kind == build_object
           && quirk_takes_stand_ins(build->devices[0].device);
}

static bool add_job(struct layer_program *program, struct build *build)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return false;
    *job = (struct job){.program = program,
            .build = build,
            /* Other hosts wait for what has a lease. */
            .due_ns = atomic_load(&build->holds_lease)
                              ? 0
                              : clock_ns()
                                        + layer_settings()->capture_seconds
                                                  * UINT64_C(1000000000),
            .is_of_compiled = is_compiled_known(build)};
    if (job->is_of_compiled) {
        job->due_ns = UINT64_MAX;
    } else if (!is_at_hand(build)) {
        job->needs_idle = quirk_needs_idle(build->devices[0].device);
        job->is_costly = !layer_settings()->capture_now
                         && (job->needs_idle || atomic_load(&build->is_noted));
    }
    const bool is_watched = idle_is_watched(program->context);
    build_hold(build);
    objects_hold_program(program);
    if (capture_worker_add(job, is_watched)) return true;
    job_put(job);
    free(job);
    return false;
}

/* There will be no time at the end: nothing is held at the driver. */
static bool is_for_journal_alone(const struct build *build)
{
    if (layer_settings()->capture_exit_ns > 0 || !atomic_load(&build->is_noted)
            || is_compiled_known(build) || is_at_hand(build))
        return false;
    bool chosen[most_devices];
    for (size_t i = capture_choose(build, chosen); i > 0; i--)
        statistics_count_deferred();
    return true;
}

/* What the driver linked here may be of another ID: a worker, where its cache
 * is off, links it. */
static bool is_for_worker(struct build *build)
{
    static const char why[] = "PoCL may have linked it from its own cache";
    if (build->kind != build_linked || build->is_loaded
            || !quirk_links_from_cache(build->devices[0].device))
        return false;
    bool chosen[most_devices];
    (void)capture_choose(build, chosen);
    for (size_t i = 0; i < build->count; i++) {
        const struct built_device *d = &build->devices[i];
        if (!chosen[i]) continue;
        if (atomic_load(&build->is_noted)) {
            statistics_count_deferred();
        } else {
            statistics_count_not_kept(layer_reason_unsupported, 0);
            trace_not_kept(layer_reason_unsupported, why, d->id_size, d->id);
        }
    }
    lease_end(build);
    return true;
}

/* What could be had of what is compiled is in the journal. */
static void give_up(struct layer_program *program, struct build *build)
{
    if (stand_ins_suit(build))
        capture_leave_to_journal(program, build);
    else
        capture_queue_give_up(program, build);
}

/* An entry removed for a call that the driver then rejected still has its job
 * queued. */
void capture_expect(struct layer_program *program, struct build *build)
{
    capture_init();
    if (is_for_journal_alone(build) || is_for_worker(build)) return;
    if (!capture_queue_add(program, build)) return;
    if (!capture_worker_has(program, build) && !add_job(program, build))
        give_up(program, build);
    /* Other hosts wait for it, and no worker does it soon. */
    else if (atomic_load(&build->holds_lease) && !exit_hook_is_set())
        capture_worker_hold_forms(capture_build(program, build));
}

void capture_soon(struct layer_program *program, const struct build *build)
{
    struct job *rejected = capture_worker_make_due(program, build);
    while (rejected != NULL) {
        struct job *job = rejected;
        rejected = job->next;
        if (job->is_costly || job->is_of_compiled)
            capture_leave_to_journal(program, job->build);
        else
            capture_queue_give_up(program, job->build);
        job_put(job);
        free(job);
    }
}

void capture_drop(cl_context context)
{
    struct job *job;
    while ((job = capture_worker_take_of_context(context)) != NULL) {
        if (job->is_of_compiled)
            capture_leave_to_journal(job->program, job->build);
        else
            capture_queue_give_up(job->program, job->build);
        job_put(job);
        free(job);
    }
}

/* Drivers let kernels go a moment after their commands have ended. */
static bool is_let_go_soon(const struct job *job)
{
    enum { most_pauses = 20 };
    for (int i = 0; !job_is_let_go(job); i++) {
        if (i == most_pauses) return false;
        clock_sleep_ns(1000000);
    }
    return true;
}

/* Does the job, if nothing is under way. What the driver gives for the second
 * time it does not compile. */
static void do_now_or_never(struct job *job)
{
    struct missing_forms *left = NULL;
    if ((!job->needs_idle || atomic_load(&job->build->is_binary_given))
            && is_let_go_soon(job) && job_do(job, &left)) {
        capture_worker_hold_forms(left);
    } else {
        capture_leave_to_journal(job->program, job->build);
        job_put(job);
    }
    free(job);
}

/* The application may make a program from the binary that it has got, as soon
 * as it has let go of this one: then the driver must have, too. With
 * capture_now nothing runs beside the application anyway. */
static void leave_folder(struct layer_program *program)
{
    struct job *job;
    if (!atomic_load(&program->is_folder_named) || layer_settings()->capture_now
            || objects_app_references(program) > 0
            || atomic_load(&program->kernels) > 0)
        return;
    while ((job = capture_worker_take_of_program(program)) != NULL)
        do_now_or_never(job);
}

void capture_kernel_released(struct layer_program *program)
{
    leave_folder(program);
    objects_put_program(program);
}

void capture_released(struct layer_program *program)
{
    struct job *job;
    struct missing_forms *left;
    capture_init();
    capture_soon(program, NULL);
    leave_folder(program);
    while ((!exit_hook_is_set() || layer_settings()->capture_now)
            && (job = capture_worker_take_for_anybody(program)) != NULL) {
        if (job_do(job, &left))
            free(job);
        else
            capture_worker_leave_for_end(job);
        capture_worker_hold_forms(left);
    }
    objects_put_program(program);
}

void capture_idle(void)
{
    capture_init();
    if (idle_is_certain() && !exit_hook_is_set()) capture_worker_do_all();
}
