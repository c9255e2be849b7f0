/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: compiles what a record has and the store lacks, for the devices of
 * this machine (docs/how_to/record_and_replay.md).
 *
 * A process of its own finds the IDs (replay_names.h), then workers compile,
 * one device after the other (refresh_run.h). What is in the store is not made
 * again: so whatever ends a replay, the next one goes on.
 */
#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/thread.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/jobs/note_kernels.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/refresh/ahead.h"
#include "tools/dnnl_cache/refresh/at_work.h"
#include "tools/dnnl_cache/refresh/present.h"
#include "tools/dnnl_cache/refresh/refresh_outcome.h"
#include "tools/dnnl_cache/refresh/refresh_run.h"
#include "tools/dnnl_cache/refresh/replay_failed.h"
#include "tools/dnnl_cache/replay/replay.h"
#include "tools/dnnl_cache/replay/replay_list.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <dnnl_cache/recording.h>
#include <dnnl_cache/remote_store.h>

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum {
    usual_seconds_of_job = 600,
    most_seconds_of_others = 10,
    most_refusals_told = 10,
    least_room = 1 << 20
};

struct replay {
    struct tool *tool;
    const char *path; /* of the record */
    struct refresh_policy policy;
    dnnl_cache_store_handle_t *record;
    struct dnnl_cache_store_journal_list *list;
    struct replay_failed failed;
    struct replay_counts counts;
    struct refresh_pool naming; /* a folder; no worker */
    bool is_of_others;          /* the record: they may write to it */
    bool is_own;                /* this user's alone */
    bool is_naming;
    struct ahead ahead; /* of an application that runs; else zeroed */

    /* Of the present device. */
    struct refresh_run run;
    struct replay_names names;
    size_t had; /* jobs that were there at once */
    bool has_compiled;
    size_t unlisted; /* jobs that failed before that */
};

/* ---- Programs ------------------------------------------------------------ */

static bool is_there(void *user, const struct refresh_job *job)
{
    const struct replay *r = user;
    const dnnl_cache_note_t *note = job->build->note;
    return r->tool->store != NULL
           && refresh_result_has_all(
                   r->tool, &r->run.jobs, job, r->names.is_pocl)
           && (present_find_lack(r->tool, job) != present_lacks_form
                   || (!r->tool->options->retry
                           && replay_failed_has(
                                   &r->failed, note->id_size, note->id)));
}

static void list_failure(struct replay *r, const struct refresh_job *job)
{
    const dnnl_cache_note_t *note = job->build->note;
    if (!replay_failed_add(&r->failed, note->id_size, note->id, job->why,
                job->build->application))
        tool_warn(r->tool, "the list of failed programs cannot be written: it "
                           "will be tried again");
}

/* Before anything was compiled, the machine may be why: a driver that does not
 * find its linker fails with each program. */
static void note_failure(void *user, const struct refresh_job *job)
{
    struct replay *r = user;
    if (r->has_compiled || job->is_over_limit)
        list_failure(r, job);
    else
        r->unlisted++;
}

static void list_failures(struct replay *r)
{
    const struct refresh_jobs *jobs = &r->run.jobs;
    for (size_t i = 0; r->unlisted > 0 && i < jobs->count; i++)
        if (jobs->jobs[i].is_blamed && !jobs->jobs[i].is_over_limit)
            list_failure(r, &jobs->jobs[i]);
    r->unlisted = 0;
}

/* One that failed alone is to blame. */
static void judge_failures(struct replay *r)
{
    if (r->unlisted == 1) list_failures(r);
    if (r->unlisted > 1)
        tool_warn(r->tool,
                "all %zu programs failed: is the driver complete, and does it "
                "find its tools (PATH)? They will be tried again",
                r->unlisted);
    r->unlisted = 0;
}

static void do_nothing(void *user, const struct refresh_job *job)
{
    (void)user;
    (void)job;
}

/* A primitive needs its engine's entry, too. */
static void note_taken(void *user, const struct refresh_slot *slot,
        const struct refresh_job *job)
{
    struct replay *r = user;
    r->has_compiled = true;
    list_failures(r);
    if (job->build->note->origin == dnnl_cache_note_primitive)
        refresh_result_take_engine(
                r->tool, slot, r->names.engine.size, r->names.engine.id);
}

static const struct refresh_hooks hooks = {
        .taken = note_taken,
        .drop = do_nothing,
        .fail = note_failure,
        .pass_over = do_nothing,
        .is_there = is_there,
};

/* ---- Ahead of an application --------------------------------------------- */

static struct refresh_job *choose(void *user)
{
    struct replay *r = user;
    return ahead_choose(&r->ahead);
}

static void begin(void *user, const struct refresh_job *job)
{
    struct replay *r = user;
    ahead_begin(&r->ahead, job);
}

static void end(void *user, const struct refresh_job *job)
{
    struct replay *r = user;
    ahead_end(&r->ahead, job);
}

static const struct refresh_hooks hooks_ahead = {
        .taken = note_taken,
        .drop = do_nothing,
        .fail = note_failure,
        .pass_over = do_nothing,
        .is_there = is_there,
        .choose = choose,
        .begin = begin,
        .end = end,
};

static bool is_ahead(const struct replay *r)
{
    return r->ahead.session != NULL;
}

/* What is replayed: of an application that runs its programs alone. */
static const struct dnnl_cache_store_journal_list *list_of(
        const struct replay *r)
{
    return is_ahead(r) ? &r->ahead.list : r->list;
}

/* What is there, and what failed before, does not wait. */
static void sort_out(struct replay *r)
{
    struct refresh_jobs *jobs = &r->run.jobs;
    for (size_t i = 0; i < jobs->count; i++) {
        struct refresh_job *job = &jobs->jobs[i];
        const dnnl_cache_note_t *note = job->build->note;
        if (job->state != refresh_waits) continue;
        if (is_there(r, job)) {
            job->state = refresh_kept;
            r->had++;
        } else if (!r->tool->options->retry
                   && replay_failed_has(&r->failed, note->id_size, note->id)) {
            job->state = refresh_refused;
            job->why = "failed before";
            r->counts.known++;
        }
    }
}

static uint64_t predict(const struct refresh_jobs *jobs)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].state == refresh_waits)
            ns += jobs->jobs[i].build->note->compile_ns;
    return ns;
}

static void tell_refusals(const struct replay *r)
{
    const struct refresh_jobs *jobs = &r->run.jobs;
    size_t told = 0;
    for (size_t i = 0; i < jobs->count; i++) {
        const struct refresh_job *job = &jobs->jobs[i];
        char name[catalog_name_size];
        char kernels[note_kernels_size];
        char file[replay_missing_size];
        if (job->state != refresh_refused || told++ >= most_refusals_told)
            continue;
        entry_name(name, job->build->note->id_size, job->build->note->id);
        note_kernels_print(kernels, job->build->note);
        refresh_objection_print_file(file, job->build->note, job->why);
        tool_warn(r->tool, "%.*s%s of %s: %s%s", (int)catalog_short_digits,
                name, kernels, job->build->application, job->why, file);
    }
    if (told > most_refusals_told)
        tool_warn(r->tool, "and %zu more", told - most_refusals_told);
}

/* Those without an ID. */
static void tell_nameless(const struct replay *r)
{
    size_t build = 0;
    size_t told = 0;
    const struct dnnl_cache_store_journal_list *all = list_of(r);
    for (size_t i = 0; i < all->count; i++) {
        const struct dnnl_cache_store_journal_item *item = all->items[i];
        if (item->note->kind != dnnl_cache_note_build
                || r->names.names[build++].size > 0
                || told++ >= most_refusals_told)
            continue;
        const char *why = refresh_find_text_objection(item->note, &r->policy);
        if (why == NULL && item->note->header_program_count > 0)
            why = "has headers that are programs, and an ID with the working "
                  "directory or none with this driver";
        char kernels[note_kernels_size];
        char file[replay_missing_size];
        note_kernels_print(kernels, item->note);
        refresh_objection_print_file(file, item->note, why);
        tool_warn(r->tool, "a program%s of %s: %s%s", kernels,
                item->application,
                why != NULL ? why
                            : "what it reads cannot be told, or it has no ID "
                              "with this driver",
                file);
    }
    if (told > most_refusals_told)
        tool_warn(r->tool, "and %zu more", told - most_refusals_told);
}

/* ---- A device ------------------------------------------------------------ */

static void add_counts(struct replay *r, const struct replay_list *list)
{
    const struct refresh_jobs *jobs = &r->run.jobs;
    struct replay_counts *c = &r->counts;
    c->devices++;
    c->programs += jobs->count + list->nameless;
    c->there += r->had;
    c->kept += refresh_jobs_count(jobs, refresh_kept) - r->had;
    c->failed += refresh_jobs_count(jobs, refresh_failed);
    c->refused += refresh_jobs_count(jobs, refresh_refused)
                  + refresh_jobs_count(jobs, refresh_not_here) + list->nameless;
    c->unfit += list->unfit;
    if (r->tool->options->dry_run)
        c->missing += refresh_run_count_left(&r->run);
    else
        c->left += refresh_run_count_left(&r->run);
}

static enum tool_exit replay_list(struct replay *r, struct replay_list *list)
{
    enum tool_exit code = exit_ok;
    r->run = (struct refresh_run){.tool = r->tool,
            .hooks = is_ahead(r) ? &hooks_ahead : &hooks,
            .user = r,
            .most_seconds = r->tool->options->program_seconds > 0
                                    ? r->tool->options->program_seconds
                                    : usual_seconds_of_job,
            .most_bytes = r->tool->options->memory_bytes,
            .is_distrusted = r->is_of_others,
            .began_ns = clock_ns()};
    r->had = 0;
    r->has_compiled = false;
    r->unlisted = 0;
    if (refresh_jobs_make(&r->run.jobs, &list->list, &r->policy)
            != dnnl_success)
        return tool_no_memory(r->tool);
    sort_out(r);
    if (is_ahead(r) && !ahead_take_jobs(&r->ahead, &r->run.jobs)) {
        refresh_jobs_fini(&r->run.jobs);
        return tool_no_memory(r->tool);
    }
    r->counts.predicted_ns += predict(&r->run.jobs);
    tell_nameless(r);
    tell_refusals(r);
    if (!r->tool->options->dry_run) code = refresh_run_make(&r->run);
    if (is_ahead(r)) ahead_leave_jobs(&r->ahead);
    judge_failures(r);
    r->counts.is_interrupted = r->counts.is_interrupted
                               || r->run.pool.interrupted != 0
                               || r->run.is_late;
    r->counts.idle_ns += r->run.pool.idle_ns;
    add_counts(r, list);
    if (r->run.is_full)
        refresh_outcome_report_full(&r->run);
    else if (code == exit_ok && r->run.no_room > 0) {
        tool_error(
                r->tool, "the folder of temporary files is full (set TMPDIR)");
        code = exit_io;
    }
    refresh_jobs_fini(&r->run.jobs);
    return code;
}

/* *is_last: there is no device of that index. */
static enum tool_exit replay_device(
        struct replay *r, size_t index, bool *is_last)
{
    struct replay_list list;
    enum tool_exit code = exit_io;
    char folder[sizeof r->naming.folder + 32];
    const struct replay_patience how = {r->tool, r->naming.interrupts.fd};
    snprintf(folder, sizeof folder, "%s/names%zu", r->naming.folder, index);
    const int error = folder_make(file_here, folder, 0700, false);
    if (error != 0) {
        tool_error(r->tool, "%s: %s", folder, strerror(error));
        return exit_io;
    }
    const uint64_t began_ns = clock_ns();
    const enum replay_naming naming = replay_names_make(&r->names, list_of(r),
            &r->policy, r->tool->options->device, index, folder, &how);
    r->counts.naming_ns += clock_ns() - began_ns;
    switch (naming) {
    case replay_named:
        break;
    case replay_no_device:
        *is_last = true;
        return exit_ok;
    case replay_interrupted:
        r->counts.is_interrupted = true;
        return exit_ok;
    case replay_not_named:
        tool_error(r->tool, "the programs cannot be named: %s",
                refresh_worker_has_room(folder, least_room)
                        ? "the driver failed"
                        : "the folder of temporary files is full (set TMPDIR)");
        return exit_io;
    }
    tool_warn(r->tool, "%s", r->names.device);
    if (replay_list_make(&list, list_of(r), &r->names))
        code = replay_list(r, &list);
    else
        (void)tool_no_memory(r->tool);
    replay_list_fini(&list);
    replay_names_fini(&r->names);
    return code;
}

/* ---- Reports ------------------------------------------------------------- */

/* Of what is missing, with as many workers as there will be. */
static uint64_t predicted_ms(const struct replay *r)
{
    uint64_t jobs = r->tool->options->jobs;
    if (jobs == 0) jobs = process_processors();
    return r->counts.predicted_ns / jobs / 1000000;
}

static void write_json(const struct replay *r, uint64_t began_ns)
{
    const struct replay_counts *c = &r->counts;
    struct json json;
    tool_json_begin(&json, r->tool, "replay");
    json_number(&json, "devices", c->devices);
    json_number(&json, "programs", c->programs);
    json_number(&json, "there", c->there);
    json_number(&json, "kept", c->kept);
    json_number(&json, "failed", c->failed);
    json_number(&json, "failed_before", c->known);
    json_number(&json, "refused", c->refused - c->known);
    json_number(&json, "left", c->left);
    if (r->tool->options->dry_run) {
        json_number(&json, "missing", c->missing);
        json_number(&json, "predicted_ms", predicted_ms(r));
    }
    json_number(&json, "launches_too_large", c->unfit);
    json_bool(&json, "interrupted", r->counts.is_interrupted);
    json_number(&json, "naming_ms", c->naming_ns / 1000000);
    json_number(&json, "idle_ms", c->idle_ns / 1000000);
    json_number(&json, "elapsed_ms", (clock_ns() - began_ns) / 1000000);
    json_end_object(&json);
}

static void write_text(const struct replay *r)
{
    const struct replay_counts *c = &r->counts;
    FILE *out = r->tool->out;
    if (r->tool->options->dry_run) {
        char time[units_text_size];
        units_print_duration(time, predicted_ms(r) * 1000000);
        fprintf(out, "%zu there, %zu to be compiled (about %s)", c->there,
                c->missing, time);
    } else {
        fprintf(out, "%zu there, %zu compiled, %zu failed, %zu left", c->there,
                c->kept, c->failed, c->left);
    }
    fprintf(out, ", %zu failed before, %zu refused\n", c->known,
            c->refused - c->known);
    if (c->unfit > 0)
        fprintf(out, "%zu launches are too large for a device\n", c->unfit);
}

/* ---- The command --------------------------------------------------------- */

static void hear(dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    tool_error(user, "%s", text);
}

static enum tool_exit open_record(struct replay *r)
{
    const struct dnnl_cache_recording_options options = {
            .struct_size = sizeof options,
            .path = r->path,
            .read_only = true,
            .log = hear,
            .log_user = r->tool};
    struct file_facts facts;
    if (dnnl_cache_recording_open(&r->record, &options) != dnnl_success)
        return exit_store;
    const bool is_of_few = file_facts_at(&facts, file_here, r->path) == 0
                           && (facts.mode & file_others_write) == 0;
    r->is_own = is_of_few && file_is_own(&facts);
    r->is_of_others = !r->is_own && !(is_of_few && facts.owner == 0);
    if (dnnl_cache_store_journal_load(&r->list, r->record) == dnnl_success)
        return exit_ok;
    tool_error(r->tool, "%s: cannot be read", options.path);
    return exit_io;
}

/* A store that a dry run does not find is an empty one. */
static enum tool_exit open_store(struct replay *r)
{
    struct tool *tool = r->tool;
    char path[place_path_size];
    struct file_facts facts;
    if (!tool->options->dry_run) return keep_open(tool, tool_access_make);
    if (!place_is_remote(tool->options) && place_path(path, tool->options)
            && file_facts_of_link(&facts, file_here, path) == ENOENT)
        return exit_ok;
    /* What an application has just built is stored behind it. */
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok && at_work_await(tool, most_seconds_of_others))
        code = tool_reopen(tool, tool_access_read, true);
    return code;
}

/* What is compiled for a server that does not answer is lost. */
static enum tool_exit ask_server(const struct replay *r)
{
    static const uint8_t id[] = "dnnl-cache replay";
    bool is_there = false;
    if (r->tool->store == NULL || !place_is_remote(r->tool->options))
        return exit_ok;
    r->tool->is_hushed = true; /* it is said once */
    const dnnl_status_t st = dnnl_cache_store_remote_has(
            r->tool->store, sizeof id, id, &is_there);
    r->tool->is_hushed = false;
    return tool_check(r->tool, "replay", st);
}

static enum tool_exit replay_devices(struct replay *r)
{
    bool is_last = false;
    enum tool_exit code = exit_ok;
    const int error = refresh_pool_open(&r->naming, 1, NULL);
    if (error != 0) {
        tool_error(r->tool, "no folder for processes can be made (TMPDIR): %s",
                strerror(error));
        return exit_io;
    }
    for (size_t i = 0; code == exit_ok && !is_last && !r->counts.is_interrupted;
            i++)
        code = replay_device(r, i, &is_last);
    refresh_pool_close(&r->naming);
    if (code == exit_ok && !r->counts.is_interrupted
            && r->counts.devices == 0) {
        tool_error(r->tool, "no such device is here");
        return exit_found;
    }
    return code;
}

/* The store is open, or there is none. */
static enum tool_exit replay_all(struct replay *r)
{
    if (r->tool->store != NULL) replay_failed_open(&r->failed, r->tool);
    return replay_devices(r);
}

static enum tool_exit replay(struct replay *r)
{
    const uint64_t began_ns = clock_ns();
    enum tool_exit code = open_record(r);
    if (code == exit_ok) code = open_store(r);
    if (code == exit_ok) code = ask_server(r);
    if (code != exit_ok) return code;
    if (r->tool->options->nice > 0)
        thread_be_nice((int)r->tool->options->nice); /* and its children */
    if (!r->tool->options->dry_run)
        place_open_behind(r->tool, &r->tool->remote);
    code = replay_all(r);
    dnnl_cache_store_close(r->tool->remote);
    r->tool->remote = NULL;
    if (code != exit_ok) return code;
    if (r->tool->options->json)
        write_json(r, began_ns);
    else if (tool_reports(r->tool))
        write_text(r);
    return !r->counts.is_interrupted
                           && r->counts.there + r->counts.kept
                                      == r->counts.programs
                   ? exit_ok
                   : exit_found;
}

static void replay_fini(struct replay *r)
{
    ahead_fini(&r->ahead);
    replay_failed_close(&r->failed);
    dnnl_cache_store_journal_free(r->list);
    dnnl_cache_store_close(r->record);
}

static struct replay replay_of(struct tool *tool, const char *path)
{
    return (struct replay){.tool = tool,
            .path = path,
            .policy = {.reads_files = tool->options->read_files,
                    .is_record = true},
            .failed = {.folder = -1}};
}

/* This user's own layer made the record: what it names the user may read. Not
 * so for one of root's, which is trusted otherwise. */
static enum tool_exit open_own_record(struct replay *r)
{
    const enum tool_exit code = open_record(r);
    if (code == exit_ok && r->is_own) r->policy.reads_files = true;
    return code;
}

enum tool_exit replay_record(
        struct replay_counts *counts, struct tool *tool, const char *path)
{
    struct replay r = replay_of(tool, path);
    enum tool_exit code = open_own_record(&r);
    if (code == exit_ok) code = replay_all(&r);
    *counts = r.counts;
    replay_fini(&r);
    return code;
}

bool replay_ahead(struct tool *tool)
{
    char path[ahead_record_size];
    struct ahead_session *session = ahead_open();
    if (session == NULL) return true;
    (void)snprintf(
            path, sizeof path, "%.*s", ahead_record_size - 1, session->record);
    struct replay r = replay_of(tool, path);
    const bool is_good = open_own_record(&r) == exit_ok && !r.is_of_others
                         && ahead_init(&r.ahead, session, r.list)
                         && ahead_is_wanted(&r.ahead)
                         && replay_all(&r) == exit_ok;
    const bool is_interrupted = r.counts.is_interrupted;
    if (is_good && !is_interrupted && r.ahead.finished > 0)
        ahead_session_complete(session);
    replay_fini(&r);
    ahead_session_close(session);
    return !is_interrupted;
}

static int run_replay(struct tool *tool)
{
    struct replay r = replay_of(tool, tool->options->arguments[0]);
    const enum tool_exit code = replay(&r);
    replay_fini(&r);
    return (int)code;
}

static const char replay_help[] =
        "dnnl-cache-run --record makes records. Compiles for the devices of "
        "this\nmachine, in worker processes; no kernel is launched. The store "
        "is created\nas by import. Interrupt it at any time: the next replay "
        "goes on. A program\nthat ends its worker, takes too long or too much "
        "memory is listed, and not\ntried again with the same driver, but "
        "with --retry. --dry-run tells how\nmany programs are missing. The "
        "exit status is 0 only if nothing is.\n";

const struct command command_replay = {.name = "replay",
        .arguments = "RECORD",
        .purpose = "Compile what a record has and the store lacks",
        .details = replay_help,
        .options = "jobs timeout dry-run layer read-files progress remote "
                   "device nice program-timeout memory retry",
        .takes_url = true,
        .min_arguments = 1,
        .max_arguments = 1,
        .run = run_replay};
