/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/refresh_outcome.h"

#include "tools/common/text/units.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/refresh/refresh_progress.h"

const char refresh_driver_failed[] = "the driver failed";

void refresh_outcome_drop(struct refresh_run *r, const struct refresh_job *job)
{
    r->hooks->drop(r->user, job);
}

/* The entry stays as it is, and this is not tried again with this driver. */
static void have_no_form(
        struct refresh_run *r, struct refresh_job *job, const char *why)
{
    const dnnl_cache_note_t *note = job->build->note;
    job->state = refresh_kept;
    job->why = why;
    refresh_progress_warn(r, job);
    if (!replay_failed_add(&r->failed, note->id_size, note->id, why,
                job->build->application))
        tool_warn(r->tool, "the list of failed programs cannot be written: it "
                           "will be tried again");
    refresh_outcome_drop(r, job);
}

static void fail(
        struct refresh_run *r, struct refresh_job *job, const char *why)
{
    if (job->is_form) {
        have_no_form(r, job, why);
        return;
    }
    job->state = refresh_failed;
    job->why = why;
    job->is_blamed = true;
    r->hooks->fail(r->user, job);
    if (!r->expects_failures || why != refresh_driver_failed)
        refresh_progress_warn(r, job);
}

/* The note stays as it is, and is not tried again by this command. */
static void have_no_room(struct refresh_run *r, struct refresh_job *job)
{
    job->state = refresh_waits;
    job->why = "no room for temporary files";
    r->no_room++;
    refresh_progress_warn(r, job);
}

/* Nor is that the program's fault. */
static void be_ended(struct refresh_run *r, struct refresh_job *job)
{
    job->state = refresh_waits;
    job->why = "its worker was ended from outside";
    if (r->pool.interrupted == 0) refresh_progress_warn(r, job);
}

/* A driver fails, too, if the disk is full. */
static bool has_room(const struct refresh_slot *slot)
{
    enum { least_room = 1 << 20 };
    return refresh_worker_has_room(slot->folder, least_room);
}

void refresh_outcome_fail(struct refresh_run *r,
        const struct refresh_slot *slot, struct refresh_job *job,
        const char *why)
{
    if (has_room(slot))
        fail(r, job, why);
    else
        have_no_room(r, job);
}

/* May a form be tried, or did that fail with this driver before? */
bool refresh_outcome_may_make_form(
        struct refresh_run *r, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    return r->tool->options->retry
           || !replay_failed_has(&r->failed, note->id_size, note->id);
}

/* Without that machine code alone cannot be made, or loads more slowly. */
bool refresh_outcome_is_form(enum present_lack lack)
{
    return lack == present_lacks_form || lack == present_lacks_all_launches;
}

bool refresh_outcome_makes_form(struct refresh_run *r,
        const struct refresh_job *job, enum present_lack lack)
{
    return refresh_outcome_is_form(lack)
           && (lack == present_lacks_form || r->completes)
           && refresh_outcome_may_make_form(r, job);
}

/* Only what is compiled already is kept now: the rest is for another refresh.
 */
void refresh_outcome_keep(
        struct refresh_run *r, struct refresh_job *job, enum present_lack lack)
{
    job->state = refresh_kept;
    job->keeps_note = lack == present_lacks_all_launches && !r->completes
                      && r->tool->options->compiled_only
                      && refresh_outcome_may_make_form(r, job);
    refresh_outcome_drop(r, job);
}

/* Has the store evicted what this run has put or found? That would be made
 * again by the next run. */
static bool evicts_own(const struct refresh_run *r)
{
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    return dnnl_cache_store_get_statistics(r->tool->store, &s) == dnnl_success
           && s.capacity_needed > 0;
}

/* The entry is in the store. */
static void have_taken(struct refresh_run *r, const struct refresh_slot *slot,
        struct refresh_job *job)
{
    r->not_kept = 0;
    r->is_full = r->is_full || evicts_own(r);
    r->done_ns += refresh_progress_cost(job);
    if (r->hooks->taken != NULL) r->hooks->taken(r->user, slot, job);
    const enum present_lack lack = present_find_lack(r->tool, job);
    if (refresh_outcome_is_form(lack) && job->wants_form) {
        have_no_form(r, job, "no machine code can be made of it");
        return;
    }
    if (refresh_outcome_makes_form(r, job, lack)) {
        job->is_form = job->wants_form = true;
        job->state = refresh_waits;
        r->forms++;
        return;
    }
    if (job->is_form) r->completed++;
    refresh_outcome_keep(r, job, lack);
}

/* Someone else was faster. It is looked at once more; after that the next
 * command sees to it. */
static void have_been_replaced(struct refresh_run *r, struct refresh_job *job)
{
    const size_t index = (size_t)(job - r->jobs.jobs);
    job->state = refresh_waits;
    job->is_form = job->wants_form = false;
    if (job->was_replaced) job->why = "its entry was replaced meanwhile";
    job->was_replaced = true;
    if (index < r->next) r->next = index;
}

void refresh_outcome_take(struct refresh_run *r,
        const struct refresh_slot *slot, struct refresh_job *job,
        struct refresh_made *made)
{
    switch (refresh_result_take(r->tool, job, made)) {
    case refresh_taken:
        have_taken(r, slot, job);
        break;
    case refresh_taken_none:
        /* A file that it includes has changed, for example: never again. */
        job->state = refresh_refused;
        job->why = "what was compiled has another ID; dropped";
        refresh_outcome_drop(r, job);
        refresh_progress_warn(r, job);
        break;
    case refresh_taken_damaged:
        fail(r, job, "the worker made something else");
        break;
    case refresh_taken_full:
        job->state = refresh_waits;
        job->why = "the store is full";
        r->is_full = true;
        break;
    case refresh_taken_too_large:
        fail(r, job, "its entry is larger than the store's capacity");
        break;
    case refresh_taken_replaced:
        have_been_replaced(r, job);
        break;
    case refresh_taken_removed:
        job->state = refresh_kept;
        refresh_outcome_drop(r, job);
        break;
    case refresh_taken_not_kept:
        job->state = refresh_failed;
        job->why = "the store did not take it";
        refresh_progress_warn(r, job);
        if (++r->not_kept == refresh_most_not_kept) {
            refresh_run_clear(r);
            tool_error(r->tool, "the store takes nothing: no more is compiled");
        }
        break;
    }
}

/* Of another library or machine, or of a driver that is another one here. */
static void pass_over(
        struct refresh_run *r, struct refresh_job *job, const char *why)
{
    job->state = refresh_not_here;
    job->why = why;
    r->hooks->pass_over(r->user, job);
}

/* The application may have found its driver by other means than this process,
 * which could not tell that from an update. */
static void pass_over_driver(struct refresh_run *r, struct refresh_job *job)
{
    if (!r->is_other_driver_told) {
        refresh_run_clear(r);
        tool_warn(r->tool,
                "programs are of another driver of their device than this "
                "process has (an update, a library path, a container): they "
                "are not compiled here; dnnl-cache why says what differs");
    }
    r->is_other_driver_told = true;
    pass_over(r, job, "the driver here is another one");
}

/* Of a job whose worker made nothing. */
void refresh_outcome_finish(
        struct refresh_run *r, const struct refresh_slot *slot, int code)
{
    struct refresh_job *job = slot->job;
    job->is_over_limit = code < 0 && (slot->is_too_late || slot->is_too_large);
    if (slot->is_too_late && code < 0) {
        fail(r, job, "took too long");
        return;
    }
    if (slot->is_too_large && code < 0) {
        fail(r, job, "took too much memory");
        return;
    }
    switch (code) {
    case refresh_worker_was_ended:
        be_ended(r, job);
        break;
    case refresh_worker_no_device:
        pass_over(r, job, "no device here has its ID");
        break;
    case refresh_worker_other_driver:
        pass_over_driver(r, job);
        break;
    case refresh_worker_other_id:
        job->state = refresh_refused;
        job->why = "the note does not match its ID; dropped";
        refresh_outcome_drop(r, job);
        refresh_progress_warn(r, job);
        break;
    case refresh_worker_failed:
        refresh_outcome_fail(r, slot, job, refresh_driver_failed);
        break;
    case refresh_worker_no_room:
        have_no_room(r, job);
        break;
    case refresh_worker_no_entry:
        refresh_outcome_fail(r, slot, job, "the OpenCL layer stored nothing");
        break;
    case refresh_worker_crashed:
        refresh_outcome_fail(r, slot, job, "the compiler crashed");
        break;
    case refresh_worker_was_killed:
        refresh_outcome_fail(r, slot, job,
                "the worker process was killed (memory may have run out)");
        break;
    default:
        refresh_outcome_fail(r, slot, job, "the worker process died");
    }
}

void refresh_outcome_report_full(struct refresh_run *r)
{
    struct dnnl_cache_store_totals totals = DNNL_CACHE_STORE_TOTALS_INIT;
    char capacity[units_text_size];
    (void)dnnl_cache_store_get_totals(r->tool->store, &totals);
    units_print_size(capacity, totals.capacity_bytes);
    tool_warn(r->tool,
            "the store is full (its capacity is %s): %zu programs are left",
            capacity, refresh_run_count_left(r));
}
