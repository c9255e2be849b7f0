/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh: makes the entries that a store's journal asks for.
 *
 * Worker processes compile (refresh_worker.h). This process gives each a job,
 * checks what it made, puts that into the store, and drops the build from the
 * journal. So whatever ends it, what is in the store stays there and the rest
 * is still in the journal.
 */
#include "catalog.h"
#include "clock.h"
#include "commands.h"
#include "json.h"
#include "place.h"
#include "progress.h"
#include "refresh_classes.h"
#include "refresh_prune.h"
#include "refresh_result.h"
#include "refresh_worker.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

enum { most_seconds_of_job = 600, most_days = 7 };

#define SECOND_NS ((uint64_t)1000000000u)

struct refresh {
    struct tool *tool;
    struct refresh_jobs jobs;
    struct refresh_pool pool;
    struct refresh_room room;
    size_t next; /* job that was not looked at yet */
    uint64_t began_ns;
    uint64_t shown_ns; /* when the progress was */
    uint64_t done_ns;  /* compile times of the jobs that are done */
    bool is_shown;
    bool is_late;   /* --timeout has passed */
    size_t no_room; /* jobs for which the folder of temporary files is full */
    bool is_stuck;  /* the journal cannot be written */
    bool is_full;   /* the store */
};

/* ---- Told ---------------------------------------------------------------- */

static uint64_t cost_of(const struct refresh_job *job)
{
    const uint64_t ns = job->build->note.compile_ns;
    return ns > 0 ? ns : SECOND_NS; /* not known */
}

/* By the time that the jobs so far took; 0: not known yet. */
static uint64_t predict_seconds(const struct refresh *r)
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
static void show(struct refresh *r)
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

static void clear(struct refresh *r)
{
    if (r->is_shown) fputs("\r\033[K", r->tool->err);
    r->is_shown = false;
}

static void warn(struct refresh *r, const struct refresh_job *job)
{
    char name[catalog_name_size];
    clear(r);
    entry_name(name, job->build->note.id_size, job->build->note.id);
    tool_warn(r->tool, "%.*s of %s: %s", (int)catalog_short_digits, name,
            job->build->application, job->why);
}

/* ---- One job ------------------------------------------------------------- */

/* Else what is done is done again by each refresh: said once. */
static void check_journal(struct refresh *r, dnnl_status_t status)
{
    if (status == dnnl_success || r->is_stuck) return;
    r->is_stuck = true;
    clear(r);
    tool_error(r->tool, "the journal cannot be written: notes stay in it%s%s",
            r->tool->complaint[0] != '\0' ? ": " : "", r->tool->complaint);
}

static void drop(struct refresh *r, const struct refresh_job *job)
{
    check_journal(r,
            dnnl_cache_store_journal_drop(r->tool->store, 1, &job->build->key));
}

static void fail(struct refresh *r, struct refresh_job *job, const char *why)
{
    job->state = refresh_failed;
    job->why = why;
    check_journal(r, dnnl_cache_store_journal_add_failure(
                             r->tool->store, job->build->key));
    warn(r, job);
}

/* The note stays as it is, and is not tried again by this command. */
static void have_no_room(struct refresh *r, struct refresh_job *job)
{
    job->state = refresh_waits;
    job->why = "no room for temporary files";
    r->no_room++;
    warn(r, job);
}

/* A driver fails, too, if the disk is full. */
static bool has_room(const struct refresh_slot *slot)
{
    enum { least_room = 1 << 20 };
    return refresh_worker_has_room(slot->folder, least_room);
}

static void fail_or_have_no_room(struct refresh *r,
        const struct refresh_slot *slot, struct refresh_job *job,
        const char *why)
{
    if (has_room(slot))
        fail(r, job, why);
    else
        have_no_room(r, job);
}

static void take(struct refresh *r, const struct refresh_slot *slot)
{
    struct refresh_job *job = slot->job;
    switch (refresh_result_take(r->tool, &r->room, job, slot)) {
    case refresh_taken:
        job->state = refresh_kept;
        r->done_ns += cost_of(job);
        drop(r, job);
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
        break;
    }
}

/* Drops a build that nothing came of for days. */
static void drop_if_old(struct refresh *r, const struct refresh_job *job)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t written_s = job->build->written_ns / SECOND_NS;
    if ((uint64_t)now.tv_sec > written_s
            && (uint64_t)now.tv_sec - written_s > most_days * 86400u)
        drop(r, job);
}

/* Of a driver that was updated, of another library, or of another machine. */
static void pass_over(struct refresh *r, struct refresh_job *job)
{
    job->state = refresh_not_here;
    job->why = "no device here has its ID";
    drop_if_old(r, job);
}

static void finish(struct refresh *r, const struct refresh_slot *slot, int code)
{
    struct refresh_job *job = slot->job;
    if (slot->is_too_late && code < 0) {
        fail(r, job, "took too long");
        return;
    }
    switch (code) {
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
static bool start_one(struct refresh *r, struct refresh_job *job)
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
    clear(r);
    tool_error(r->tool, "%s: no worker can be started: %s", r->pool.folder,
            strerror(error));
    return false;
}

static bool start_some(struct refresh *r)
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
        if (job->state == refresh_waits && job->why == NULL
                && refresh_result_is_there(r->tool, &r->jobs, job)) {
            job->state = refresh_kept;
            drop(r, job);
        }
        if (job->state != refresh_waits)
            r->next++;
        else if (!start_one(r, job))
            return false;
    }
    return true;
}

static void kill_late(struct refresh *r)
{
    const uint64_t now = clock_now_ns();
    for (size_t i = 0; i < r->pool.count; i++) {
        struct refresh_slot *slot = &r->pool.slots[i];
        if (!slot->is_busy
                || now - slot->began_ns < most_seconds_of_job * SECOND_NS)
            continue;
        slot->is_too_late = true;
        refresh_pool_kill(slot);
    }
    r->is_late = r->tool->options->timeout_seconds > 0
                 && now - r->began_ns
                            >= r->tool->options->timeout_seconds * SECOND_NS;
}

static bool make_all(struct refresh *r)
{
    bool can_start = true;
    for (;;) {
        int code = -1;
        if (can_start && !r->is_full) can_start = start_some(r);
        if (r->pool.running == 0 || r->pool.interrupted != 0 || r->is_late)
            return can_start;
        const struct refresh_slot *slot =
                refresh_pool_wait(&r->pool, 200, &code);
        if (slot != NULL) finish(r, slot, code);
        kill_late(r);
        show(r);
    }
}

/* ---- Reports ------------------------------------------------------------- */

/* Those that are still in the journal, and could be made here. */
static size_t count_left(const struct refresh *r)
{
    return refresh_jobs_count(&r->jobs, refresh_waits)
           + refresh_jobs_count(&r->jobs, refresh_runs);
}

static void write_json(const struct refresh *r)
{
    struct json json;
    json_init(&json, r->tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "refresh");
    json_number(&json, "waiting", r->jobs.count);
    json_number(&json, "kept", refresh_jobs_count(&r->jobs, refresh_kept));
    json_number(&json, "failed", refresh_jobs_count(&r->jobs, refresh_failed));
    json_number(
            &json, "refused", refresh_jobs_count(&r->jobs, refresh_refused));
    json_number(
            &json, "not_here", refresh_jobs_count(&r->jobs, refresh_not_here));
    json_number(&json, "left", count_left(r));
    json_bool(&json, "interrupted", r->pool.interrupted != 0);
    json_number(&json, "elapsed_ms", (clock_now_ns() - r->began_ns) / 1000000);
    json_end_object(&json);
}

static void write_text(const struct refresh *r)
{
    fprintf(r->tool->out,
            "%zu kept, %zu failed, %zu refused, %zu of other devices, %zu "
            "left\n",
            refresh_jobs_count(&r->jobs, refresh_kept),
            refresh_jobs_count(&r->jobs, refresh_failed),
            refresh_jobs_count(&r->jobs, refresh_refused),
            refresh_jobs_count(&r->jobs, refresh_not_here), count_left(r));
}

static void write_list_json(const struct refresh *r)
{
    struct json json;
    json_init(&json, r->tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "refresh");
    json_number(&json, "waiting", r->jobs.count);
    json_begin_array(&json, "programs");
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct refresh_job *job = &r->jobs.jobs[i];
        char name[catalog_name_size];
        entry_name(name, job->build->note.id_size, job->build->note.id);
        json_begin_object(&json, NULL);
        json_text(&json, "name", name);
        json_text(&json, "application", job->build->application);
        json_text(&json, "options", job->build->note.options);
        json_time(&json, "noted", job->build->written_ns);
        json_number(&json, "compile_ns", job->build->note.compile_ns);
        json_number(&json, "launches", job->launches);
        json_number(&json, "failures", job->build->failures);
        json_text(&json, "refused", job->why);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static enum tool_exit write_list(const struct refresh *r)
{
    static const char *const heads[] = {
            "NAME", "APPLICATION", ">COMPILE TIME", ">LAUNCHES", "STATE"};
    struct table table;
    table_init(&table, sizeof heads / sizeof *heads, heads);
    for (size_t i = 0; i < r->jobs.count; i++) {
        const struct refresh_job *job = &r->jobs.jobs[i];
        char name[catalog_name_size];
        entry_name(name, job->build->note.id_size, job->build->note.id);
        name[catalog_short_digits] = '\0';
        table_add(&table, name);
        table_add(&table, job->build->application);
        table_add_duration(&table, job->build->note.compile_ns);
        table_add_number(&table, job->launches);
        table_add(&table, job->why != NULL ? job->why : "waits");
    }
    const enum tool_exit code = table_write(&table, r->tool);
    table_fini(&table);
    return code;
}

/* ---- The command --------------------------------------------------------- */

static enum tool_exit load(struct refresh *r)
{
    return tool_check(r->tool, "refresh",
            refresh_jobs_load(
                    &r->jobs, r->tool->store, r->tool->options->read_files));
}

static enum tool_exit list(struct refresh *r)
{
    enum tool_exit code = tool_open(r->tool, tool_access_read);
    if (code == exit_ok) code = load(r);
    if (code != exit_ok) return code;
    if (r->tool->options->json)
        write_list_json(r);
    else if (tool_reports(r->tool))
        code = write_list(r);
    return code;
}

/* Waits for another refresh of the store, which may leave nothing to do.
 * *is_left: it is left to that one. */
static enum tool_exit enter(struct refresh *r, bool *is_left)
{
    enum { step_ms = 1000 };
    const struct options *options = r->tool->options;
    const uint64_t timeout_s = options->timeout_seconds > 0
                                       ? options->timeout_seconds
                                       : UINT64_MAX;
    const uint64_t most_s = options->wait_seconds < timeout_s
                                    ? options->wait_seconds
                                    : timeout_s;
    const uint64_t began = clock_now_ns();
    bool is_told = false;
    for (unsigned timeout_ms = 0;; timeout_ms = step_ms) {
        const uint64_t step_began = clock_now_ns();
        if (dnnl_cache_store_journal_begin_drain(r->tool->store, timeout_ms)
                == dnnl_success)
            return exit_ok;
        const uint64_t now = clock_now_ns();
        /* It did not even wait: the lock cannot be had at all. */
        if (now - step_began < (uint64_t)timeout_ms * 900000u)
            return tool_check(r->tool, "refresh", dnnl_runtime_error);
        *is_left = most_s == 0;
        if (*is_left) return exit_ok;
        if ((now - began) / SECOND_NS >= most_s) {
            tool_error(r->tool,
                    "another refresh of this store is at work: what it does "
                    "not make stays in the journal");
            return exit_found;
        }
        if (!is_told && timeout_ms > 0)
            tool_warn(r->tool, "waiting for another refresh of this store");
        is_told = is_told || timeout_ms > 0;
    }
}

static size_t count_workers(const struct refresh *r)
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

static void tell_classes(struct refresh *r)
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

static enum tool_exit make(struct refresh *r)
{
    if (refresh_jobs_count(&r->jobs, refresh_waits) == 0) return exit_ok;
    const int error = refresh_pool_open(
            &r->pool, count_workers(r), r->tool->options->layer);
    if (error != 0) {
        tool_error(r->tool, "no worker can be started: %s", strerror(error));
        return exit_io;
    }
    r->pool.is_shared = r->tool->options->shared;
    refresh_room_look(&r->room, r->tool);
    tell_classes(r);
    const bool is_done = make_all(r);
    clear(r);
    refresh_pool_close(&r->pool);
    return is_done ? exit_ok : exit_io;
}

static enum tool_exit tell_no_room(const struct refresh *r)
{
    tool_error(r->tool,
            "the folder of temporary files is full (set TMPDIR): %zu programs "
            "stay in the journal, %zu were kept",
            r->no_room, refresh_jobs_count(&r->jobs, refresh_kept));
    return exit_io;
}

/* What was made is lost, so that nothing has to be evicted. */
static void tell_full(const struct refresh *r)
{
    char capacity[units_text_size];
    units_print_size(capacity, r->room.capacity);
    tool_warn(r->tool,
            "the store is full (its capacity is %s): %zu programs stay in the "
            "journal",
            capacity, count_left(r));
}

static enum tool_exit drain(struct refresh *r)
{
    struct tool *tool = r->tool;
    bool is_left = false;
    enum tool_exit code = tool_open(tool, tool_access_change);
    if (code == exit_ok) code = enter(r, &is_left);
    if (code != exit_ok || is_left) return code;
    r->began_ns = clock_now_ns();
    code = load(r);
    for (size_t i = 0; code == exit_ok && i < r->jobs.count; i++)
        if (r->jobs.jobs[i].state == refresh_refused)
            drop_if_old(r, &r->jobs.jobs[i]);
    if (code == exit_ok) {
        place_open_behind(tool, &tool->remote);
        code = make(r);
        dnnl_cache_store_close(tool->remote);
        tool->remote = NULL;
    }
    if (code == exit_ok && r->pool.interrupted == 0 && !r->is_stuck)
        code = refresh_prune(tool);
    dnnl_cache_store_journal_end_drain(tool->store);
    if (r->is_full) tell_full(r);
    if (code == exit_ok && r->no_room > 0) code = tell_no_room(r);
    if (code != exit_ok) return code;
    if (tool->options->json)
        write_json(r);
    else if (tool_reports(tool))
        write_text(r);
    return !r->is_stuck
                           && refresh_jobs_count(&r->jobs, refresh_kept)
                                              + refresh_jobs_count(&r->jobs,
                                                      refresh_not_here)
                                      == r->jobs.count
                   ? exit_ok
                   : exit_found;
}

int command_refresh(struct tool *tool)
{
    struct refresh r = {.tool = tool};
    const enum tool_exit code = tool->options->dry_run ? list(&r) : drain(&r);
    refresh_jobs_fini(&r.jobs);
    return (int)code;
}
