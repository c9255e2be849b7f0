/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_run.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/folder.h"
#include "tools/common/id/missing_form.h"
#include "tools/dnnl_cache/jobs/refresh_classes.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/refresh/refresh_outcome.h"
#include "tools/dnnl_cache/refresh/refresh_progress.h"

#include <inttypes.h>
#include <string.h>

#define SECOND_NS ((uint64_t)1000000000u)

/* ---- Jobs begin ---------------------------------------------------------- */

/* 0 or an errno value. */
static int begin(struct refresh_run *r, struct refresh_slot *slot,
        struct refresh_job *job)
{
    refresh_result_begin(r->tool, job, slot);
    if (r->hooks->begin != NULL) r->hooks->begin(r->user, job);
    const int error = refresh_pool_start(&r->pool, slot, job);
    if (error == 0) job->state = refresh_runs;
    return error;
}

/* False: no worker can be started. */
static bool start_one(struct refresh_run *r, struct refresh_job *job)
{
    int error;
    struct refresh_slot *slot = refresh_pool_take(&r->pool, job, &error);
    if (slot == NULL && error == 0) return true; /* all are at work */
    if (error == 0 && !refresh_result_prepare(r->tool, &r->jobs, job, slot)) {
        error = refresh_pool_empty(slot);
        if (error == 0) {
            refresh_outcome_fail(r, slot, job, "its notes cannot be written");
            return true;
        }
    }
    if (error == 0) error = begin(r, slot, job);
    if (error == 0) return true;
    refresh_run_clear(r);
    tool_error(r->tool, "%s: no worker can be started: %s", r->pool.folder,
            strerror(error));
    return false;
}

/* Is it compiled with all that machine code alone needs? Not once that has
 * failed, nor what is at hand already. */
static bool is_finalised_at_once(
        struct refresh_run *r, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    return r->completes && !job->is_for_queries && !job->is_made
           && note->origin == dnnl_cache_note_layer
           && note->type == dnnl_cache_note_executable
           && job->build->failures == 0
           && form_is_of_pocl(note->id_size, note->id)
           && refresh_outcome_may_make_form(r, job);
}

static void look_whether_there(struct refresh_run *r, struct refresh_job *job)
{
    const enum present_lack lack = present_find_lack(r->tool, job);
    job->is_form = refresh_outcome_makes_form(r, job, lack);
    job->is_for_queries = lack == present_is_for_queries;
    job->wants_form = job->is_form || is_finalised_at_once(r, job);
    if (job->is_form) r->forms++;
    if (job->is_form
            || (lack != present_lacks_form
                    && !r->hooks->is_there(r->user, job)))
        return;
    refresh_outcome_keep(r, job, lack);
}

static bool waits(const struct refresh_job *job)
{
    return job->state == refresh_waits && job->why == NULL;
}

/* Can it still not be told that the job need not, or cannot, be made? */
static bool is_to_be_made(struct refresh_run *r, struct refresh_job *job)
{
    if (waits(job) && job->build->note->origin == dnnl_cache_note_layer
            && r->pool.layer[0] == '\0') {
        job->state = refresh_refused;
        job->why = "the OpenCL layer is not installed with this program";
        refresh_progress_warn(r, job);
    }
    if (waits(job) && !job->is_form) look_whether_there(r, job);
    return waits(job) && (!job->is_form || r->makes_forms);
}

static bool links(
        const struct refresh_job *job, const struct refresh_job *object)
{
    const dnnl_cache_note_t *note = job->build->note;
    const dnnl_cache_note_t *of_object = object->build->note;
    if (object->is_form) return false; /* its entry is there already */
    for (size_t i = 0; i < note->input_count; i++)
        if (note->input_id_sizes[i] == of_object->id_size
                && memcmp(note->input_ids[i], of_object->id, of_object->id_size)
                           == 0)
            return true;
    return false;
}

/* Does a worker make what the job links, or is it written for one? A worker
 * that linked it now would compile it, too; and if it got that job itself,
 * because the other worker is slow, its layer would have the object, and store
 * nothing. The worker own, if not NULL, is done with its present job before
 * this one. */
static bool waits_for_objects(const struct refresh_run *r,
        const struct refresh_job *job, const struct refresh_slot *own)
{
    if (job->build->note->input_count == 0) return false;
    for (size_t i = 0; i < r->pool.count; i++) {
        const struct refresh_slot *slot = &r->pool.slots[i];
        if ((slot != own && slot->is_busy && links(job, slot->job))
                || (slot->ahead != NULL && links(job, slot->ahead)))
            return true;
    }
    return false;
}

/* As the command says. One that need not be made is not chosen again. */
static struct refresh_job *find_chosen(struct refresh_run *r)
{
    struct refresh_job *job = r->hooks->choose(r->user);
    while (job != NULL && !is_to_be_made(r, job)) {
        if (waits(job) && !job->is_form) return NULL;
        job = r->hooks->choose(r->user);
    }
    return job;
}

/* The next that is to be made: by the worker own after its present job, or, if
 * that is NULL, by any. NULL: there is none now. */
static struct refresh_job *find_next(
        struct refresh_run *r, const struct refresh_slot *own)
{
    if (r->hooks->choose != NULL) return own == NULL ? find_chosen(r) : NULL;
    for (size_t i = r->next; i < r->jobs.count; i++) {
        struct refresh_job *job = &r->jobs.jobs[i];
        if (waits(job) && waits_for_objects(r, job, own)) continue;
        if (is_to_be_made(r, job)) return job;
        if (i == r->next) r->next++;
    }
    return NULL;
}

/* It waits for any worker again. False: there was none. */
static bool take_back_ahead(struct refresh_run *r, struct refresh_slot *slot)
{
    struct refresh_job *job = slot->ahead;
    if (job == NULL) return false;
    const size_t index = (size_t)(job - r->jobs.jobs);
    slot->ahead = NULL;
    job->state = refresh_waits;
    if (index < r->next) r->next = index;
    return true;
}

/* At the end others may have nothing to do. What links the present object of
 * the worker that it is written for stays there. */
static bool take_back_one(struct refresh_run *r)
{
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        if (slot->ahead != NULL && !waits_for_objects(r, slot->ahead, NULL))
            return take_back_ahead(r, slot);
    }
    return false;
}

static void take_back_all(struct refresh_run *r)
{
    for (size_t i = 0; i < r->pool.count; i++)
        (void)take_back_ahead(r, &r->pool.slots[i]);
}

/* The worker is there: that cannot fail. */
static void begin_ahead(struct refresh_run *r, struct refresh_slot *slot)
{
    struct refresh_job *job = slot->ahead;
    slot->ahead = NULL;
    (void)begin(r, slot, job);
}

/* Of those without a job. A worker that has died, or is about to, takes with it
 * what was written for it. */
static void start_ahead(struct refresh_run *r)
{
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        if (slot->is_busy || slot->ahead == NULL) continue;
        if (!worker_is_there(&slot->worker) || refresh_pool_is_killed(slot))
            (void)take_back_ahead(r, slot);
        else
            begin_ahead(r, slot);
    }
}

/* What is written ahead must not take what the present jobs need. */
static bool has_room_ahead(const struct refresh_slot *slot)
{
    static const uint64_t least_room = (uint64_t)64 << 20;
    uint64_t room;
    return folder_room(&room, slot->folder) == 0 && room >= least_room;
}

/* Writes jobs for workers that have one, so that they need not wait for it. */
static void write_ahead(struct refresh_run *r)
{
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        struct refresh_job *job = slot->is_busy && slot->ahead == NULL
                                          ? find_next(r, slot)
                                          : NULL;
        if (job == NULL || !refresh_pool_may_take_next(&r->pool, slot, job)
                || !has_room_ahead(slot) || refresh_pool_empty(slot) != 0)
            continue;
        if (!refresh_result_prepare(r->tool, &r->jobs, job, slot)) {
            (void)refresh_pool_empty(slot);
            continue;
        }
        slot->ahead = job;
        job->state = refresh_ahead;
    }
}

static bool start_some(struct refresh_run *r)
{
    start_ahead(r);
    while (r->pool.running < r->pool.count) {
        struct refresh_job *job = find_next(r, NULL);
        if (job == NULL && !take_back_one(r)) break;
        if (job != NULL && !start_one(r, job)) return false;
    }
    write_ahead(r);
    return true;
}

/* Nothing more is made if the store takes nothing. */
static bool may_go_on(const struct refresh_run *r)
{
    return !r->is_full && r->not_kept < refresh_most_not_kept;
}

/* The worker goes on while this process checks what it made, unless its next
 * job may need just that. */
static void take_and_go_on(struct refresh_run *r, struct refresh_slot *slot)
{
    struct refresh_job *job = slot->job;
    struct refresh_made made;
    if (refresh_result_fetch(&made, job, slot) && slot->ahead != NULL
            && !refresh_pool_is_killed(slot) && may_go_on(r) && r->not_kept == 0
            && (slot->ahead->build->note->input_count == 0
                    || job->build->note->type != dnnl_cache_note_object))
        begin_ahead(r, slot);
    refresh_outcome_take(r, slot, job, &made);
}

/* The worker is done with its job, or has ended. */
static void end_job(struct refresh_run *r, struct refresh_slot *slot, int code)
{
    const struct refresh_job *job = slot->job;
    if (code == refresh_worker_ok)
        take_and_go_on(r, slot);
    else
        refresh_outcome_finish(r, slot, code);
    if (r->hooks->end != NULL) r->hooks->end(r->user, job);
}

static void kill_late(struct refresh_run *r)
{
    const uint64_t now = clock_ns();
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        if (!slot->is_busy) continue;
        slot->is_too_late =
                slot->is_too_late
                || (now - slot->began_ns) / SECOND_NS >= r->most_seconds;
        slot->is_too_large =
                slot->is_too_large
                || (r->most_bytes > 0
                        && process_memory_of(slot->worker.process.number)
                                   > r->most_bytes);
        if (refresh_pool_is_killed(slot)) refresh_pool_kill(slot);
    }
    r->is_late = tool_is_late(r->tool);
}

/* Somebody waits a moment for what is compiled already, and then nobody. */
static void become_nice_in_time(struct refresh_run *r)
{
    static const uint64_t moment_ns = 100000000;
    enum { niceness = 19 };
    if (!r->tool->options->compiled_only || r->is_nice
            || clock_ns() - r->began_ns < moment_ns)
        return;
    r->is_nice = true;
    process_be_nice(0, niceness);
    for (size_t i = 0; i < r->pool.count; i++)
        if (worker_is_there(&r->pool.slots[i].worker))
            process_be_nice(r->pool.slots[i].worker.process.number, niceness);
}

static bool make_all(struct refresh_run *r)
{
    const unsigned wait_ms = r->tool->options->compiled_only ? 20 : 200;
    bool can_start = true;
    for (;;) {
        int code = -1;
        become_nice_in_time(r);
        if (can_start && may_go_on(r)) can_start = start_some(r);
        if (r->pool.running == 0 || r->pool.interrupted != 0 || r->is_late)
            break;
        struct refresh_slot *slot = refresh_pool_wait(&r->pool, wait_ms, &code);
        if (slot != NULL) end_job(r, slot, code);
        kill_late(r);
        refresh_progress_show(r);
    }
    take_back_all(r);
    return can_start;
}

/* ---- Workers ------------------------------------------------------------- */

static size_t count_workers(const struct refresh_run *r)
{
    const size_t jobs = r->jobs.count;
    size_t count = (size_t)r->tool->options->jobs;
    if (count == 0) count = process_processors();
    return count > jobs ? jobs : count;
}

static void tell_classes(struct refresh_run *r)
{
    struct refresh_class_list list = {.count = 0};
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct refresh_job *job = &r->jobs.jobs[i];
        const struct refresh_note *launch = NULL;
        while (job->state == refresh_waits
                && refresh_jobs_next_launch(&launch, &r->jobs, job))
            refresh_class_list_add_note(&list, launch->item->note);
    }
    refresh_pool_set_classes(&r->pool, refresh_class_list_text(&list),
            refresh_class_list_chosen_text(&list));
}

enum tool_exit refresh_run_make(struct refresh_run *r)
{
    if (refresh_jobs_count(&r->jobs, refresh_waits) == 0) return exit_ok;
    const int error = refresh_pool_open(
            &r->pool, count_workers(r), r->tool->options->layer);
    if (error != 0) {
        tool_error(r->tool, "no folder for workers can be made (TMPDIR): %s",
                strerror(error));
        return exit_io;
    }
    r->pool.is_quiet = r->tool->options->quiet;
    r->pool.is_shared = r->tool->options->shared || r->is_distrusted;
    for (size_t i = 0; r->pool.is_shared && i < r->jobs.count; i++)
        r->jobs.jobs[i].is_made = false; /* others may have noted it */
    tell_classes(r);
    replay_failed_open(&r->failed, r->tool);
    bool is_done = make_all(r);
    if (is_done && r->forms > 0 && r->pool.interrupted == 0 && !r->is_late
            && !r->is_full) {
        r->next = 0;
        r->makes_forms = true;
        is_done = make_all(r);
    }
    replay_failed_close(&r->failed);
    refresh_run_clear(r);
    refresh_pool_close(&r->pool);
    return is_done ? exit_ok : exit_io;
}

size_t refresh_run_count_left(const struct refresh_run *r)
{
    return refresh_jobs_count(&r->jobs, refresh_waits)
           + refresh_jobs_count(&r->jobs, refresh_runs);
}
