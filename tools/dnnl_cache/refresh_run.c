/* SPDX-License-Identifier: Apache-2.0 */
#include "refresh_run.h"

#include "catalog.h"
#include "clock.h"
#include "progress.h"
#include "refresh_classes.h"
#include "refresh_worker.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

/* After so many the disk is full, or the server gone. */
enum { most_not_kept = 3 };

#define SECOND_NS ((uint64_t)1000000000u)

/* ---- Told ---------------------------------------------------------------- */

static uint64_t cost_of(const struct refresh_job *job)
{
    const uint64_t ns = job->build->note.compile_ns;
    return ns > 0 ? ns : SECOND_NS; /* not known */
}

/* By the time that the jobs so far took; 0: not known yet. */
static uint64_t predict_seconds(const struct refresh_run *r)
{
    uint64_t left = 0;
    const uint64_t elapsed = clock_now_ns() - r->began_ns;
    for (size_t i = 0; i < r->jobs.count; i++)
        if (r->jobs.jobs[i].state == refresh_waits
                || r->jobs.jobs[i].state == refresh_runs)
            left += cost_of(&r->jobs.jobs[i]);
    if (r->done_ns == 0) return 0;
    return (uint64_t)((double)elapsed * (double)left / (double)r->done_ns / 1e9)
           + 1;
}

/* A line that is written over, and on request a line each second. */
static void show(struct refresh_run *r)
{
    struct tool *tool = r->tool;
    const bool is_terminal = progress_is_shown(tool);
    const uint64_t now = clock_now_ns();
    if ((!is_terminal && !tool->options->progress)
            || now - r->began_ns < SECOND_NS
            || now - r->shown_ns < (is_terminal ? SECOND_NS / 5 : SECOND_NS))
        return;
    const uint64_t seconds = predict_seconds(r);
    char left[64] = "";
    r->shown_ns = now;
    r->is_shown = is_terminal;
    if (seconds > 0)
        snprintf(left, sizeof left, ", %" PRIu64 " s left", seconds);
    fprintf(tool->err, "%skeeping %zu of %zu programs%s; interrupt safely%s",
            is_terminal ? "\r" : "",
            refresh_jobs_count(&r->jobs, refresh_kept) + 1,
            r->jobs.count - refresh_jobs_count(&r->jobs, refresh_refused), left,
            is_terminal ? "\033[K" : "\n");
    fflush(tool->err);
}

void refresh_run_clear(struct refresh_run *r)
{
    if (r->is_shown) fputs("\r\033[K", r->tool->err);
    r->is_shown = false;
}

static void warn(struct refresh_run *r, const struct refresh_job *job)
{
    char name[catalog_name_size];
    refresh_run_clear(r);
    entry_name(name, job->build->note.id_size, job->build->note.id);
    tool_warn(r->tool, "%.*s of %s: %s", (int)catalog_short_digits, name,
            job->build->application, job->why);
}

/* ---- One job ------------------------------------------------------------- */

static void drop(struct refresh_run *r, const struct refresh_job *job)
{
    r->hooks->drop(r->user, job);
}

/* The entry stays as it is, and this is not tried again with this driver. */
static void have_no_form(
        struct refresh_run *r, struct refresh_job *job, const char *why)
{
    const dnnl_cache_note_t *note = &job->build->note;
    job->state = refresh_kept;
    job->why = why;
    warn(r, job);
    if (!replay_failed_add(&r->failed, note->id_size, note->id, why,
                job->build->application))
        tool_warn(r->tool, "the list of failed programs cannot be written: it "
                           "will be tried again");
    drop(r, job);
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
    warn(r, job);
}

/* The note stays as it is, and is not tried again by this command. */
static void have_no_room(struct refresh_run *r, struct refresh_job *job)
{
    job->state = refresh_waits;
    job->why = "no room for temporary files";
    r->no_room++;
    warn(r, job);
}

/* Nor is that the program's fault. */
static void be_ended(struct refresh_run *r, struct refresh_job *job)
{
    job->state = refresh_waits;
    job->why = "its worker was ended from outside";
    if (r->pool.interrupted == 0) warn(r, job);
}

/* A driver fails, too, if the disk is full. */
static bool has_room(const struct refresh_slot *slot)
{
    enum { least_room = 1 << 20 };
    return refresh_worker_has_room(slot->folder, least_room);
}

static void fail_or_have_no_room(struct refresh_run *r,
        const struct refresh_slot *slot, struct refresh_job *job,
        const char *why)
{
    if (has_room(slot))
        fail(r, job, why);
    else
        have_no_room(r, job);
}

/* May a form be tried, or did that fail with this driver before? */
static bool may_make_form(struct refresh_run *r, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = &job->build->note;
    return r->tool->options->retry
           || !replay_failed_has(&r->failed, note->id_size, note->id);
}

/* The entry is in the store. */
static void have_taken(struct refresh_run *r, const struct refresh_slot *slot)
{
    struct refresh_job *job = slot->job;
    r->not_kept = 0;
    r->done_ns += cost_of(job);
    if (r->hooks->taken != NULL) r->hooks->taken(r->user, slot);
    const bool lacks_form = refresh_result_lacks_form(r->tool, job);
    if (lacks_form && job->is_form) {
        have_no_form(r, job, "no machine code can be made of it");
        return;
    }
    if (lacks_form && may_make_form(r, job)) {
        job->is_form = true;
        job->state = refresh_waits;
        r->forms++;
        return;
    }
    job->state = refresh_kept;
    drop(r, job);
}

static void take(struct refresh_run *r, const struct refresh_slot *slot)
{
    struct refresh_job *job = slot->job;
    switch (refresh_result_take(r->tool, &r->room, job, slot)) {
    case refresh_taken:
        have_taken(r, slot);
        break;
    case refresh_taken_none:
        /* A file that it includes has changed, for example: never again. */
        job->state = refresh_refused;
        job->why = "what was compiled has another ID; dropped";
        drop(r, job);
        warn(r, job);
        break;
    case refresh_taken_damaged:
        fail(r, job, "the worker made something else");
        break;
    case refresh_taken_full:
        job->state = refresh_waits;
        job->why = "the store is full";
        r->is_full = true;
        break;
    case refresh_taken_not_kept:
        job->state = refresh_failed;
        job->why = "the store did not take it";
        warn(r, job);
        if (++r->not_kept == most_not_kept) {
            refresh_run_clear(r);
            tool_error(r->tool, "the store takes nothing: no more is compiled");
        }
        break;
    }
}

/* Of a driver that was updated, of another library, or of another machine. */
static void pass_over(struct refresh_run *r, struct refresh_job *job)
{
    job->state = refresh_not_here;
    job->why = "no device here has its ID";
    r->hooks->pass_over(r->user, job);
}

static void finish(
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
    case refresh_worker_ok:
        take(r, slot);
        break;
    case refresh_worker_no_device:
        pass_over(r, job);
        break;
    case refresh_worker_other_id:
        job->state = refresh_refused;
        job->why = "the note does not match its ID; dropped";
        drop(r, job);
        warn(r, job);
        break;
    case refresh_worker_failed:
        fail_or_have_no_room(r, slot, job, "the driver failed");
        break;
    case refresh_worker_no_room:
        have_no_room(r, job);
        break;
    case refresh_worker_no_entry:
        fail_or_have_no_room(r, slot, job, "the OpenCL layer stored nothing");
        break;
    default:
        fail_or_have_no_room(r, slot, job, "the worker process died");
    }
}

/* ---- All ----------------------------------------------------------------- */

/* False: no worker can be started. */
static bool start_one(struct refresh_run *r, struct refresh_job *job)
{
    int error;
    struct refresh_slot *slot = refresh_pool_take(&r->pool, job, &error);
    if (slot == NULL && error == 0) return true; /* all are at work */
    if (error == 0 && !refresh_result_prepare(r->tool, &r->jobs, job, slot)) {
        r->next++;
        error = refresh_pool_empty(slot);
        if (error == 0)
            fail_or_have_no_room(r, slot, job, "its notes cannot be written");
        return error == 0;
    }
    if (error == 0) error = refresh_pool_start(&r->pool, slot, job);
    if (error == 0) {
        job->state = refresh_runs;
        r->next++;
        return true;
    }
    refresh_run_clear(r);
    tool_error(r->tool, "%s: no worker can be started: %s", r->pool.folder,
            strerror(error));
    return false;
}

static void look_whether_there(struct refresh_run *r, struct refresh_job *job)
{
    const bool lacks_form = refresh_result_lacks_form(r->tool, job);
    job->is_form = lacks_form && may_make_form(r, job);
    if (job->is_form || (!lacks_form && !r->hooks->is_there(r->user, job)))
        return;
    job->state = refresh_kept;
    drop(r, job);
}

static bool start_some(struct refresh_run *r)
{
    while (r->next < r->jobs.count && r->pool.running < r->pool.count) {
        struct refresh_job *job = &r->jobs.jobs[r->next];
        if (job->state == refresh_waits && job->why == NULL
                && job->build->note.origin == dnnl_cache_note_layer
                && r->pool.layer[0] == '\0') {
            job->state = refresh_refused;
            job->why = "the OpenCL layer is not installed with this program";
            warn(r, job);
        }
        if (job->state == refresh_waits && job->why == NULL && !job->is_form)
            look_whether_there(r, job);
        if (job->state != refresh_waits || job->why != NULL)
            r->next++;
        else if (!start_one(r, job))
            return false;
    }
    return true;
}

/* In memory. */
static uint64_t bytes_of(const struct refresh_slot *slot)
{
    char path[64];
    uint64_t pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)slot->pid);
    FILE *file = fopen(path, "re");
    if (file == NULL) return 0;
    if (fscanf(file, "%*s %" SCNu64, &pages) != 1) pages = 0;
    (void)fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void kill_late(struct refresh_run *r)
{
    const uint64_t now = clock_now_ns();
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        if (!slot->is_busy) continue;
        slot->is_too_late =
                slot->is_too_late
                || now - slot->began_ns >= r->most_seconds * SECOND_NS;
        slot->is_too_large =
                slot->is_too_large
                || (r->most_bytes > 0 && bytes_of(slot) > r->most_bytes);
        if (slot->is_too_late || slot->is_too_large) refresh_pool_kill(slot);
    }
    r->is_late = tool_is_late(r->tool);
}

static bool make_all(struct refresh_run *r)
{
    bool can_start = true;
    for (;;) {
        int code = -1;
        if (can_start && !r->is_full && r->not_kept < most_not_kept)
            can_start = start_some(r);
        if (r->pool.running == 0 || r->pool.interrupted != 0 || r->is_late)
            return can_start;
        const struct refresh_slot *slot =
                refresh_pool_wait(&r->pool, 200, &code);
        if (slot != NULL) finish(r, slot, code);
        kill_late(r);
        show(r);
    }
}

/* ---- Workers ------------------------------------------------------------- */

static size_t count_workers(const struct refresh_run *r)
{
    const size_t jobs = r->jobs.count;
    cpu_set_t set;
    size_t count = (size_t)r->tool->options->jobs;
    if (count == 0)
        count = sched_getaffinity(0, sizeof set, &set) == 0
                        ? (size_t)CPU_COUNT(&set)
                        : 1;
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
            refresh_class_list_add_note(&list, &launch->item->note);
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
    r->pool.is_shared = r->tool->options->shared || r->is_distrusted;
    refresh_room_look(&r->room, r->tool);
    tell_classes(r);
    replay_failed_open(&r->failed, r->tool);
    bool is_done = make_all(r);
    if (is_done && r->forms > 0 && r->pool.interrupted == 0 && !r->is_late
            && !r->is_full) {
        r->next = 0;
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
