/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh: makes the entries that a store's journal asks for.
 *
 * Worker processes compile (refresh_worker.h). This process gives each a job,
 * checks what it made, puts that into the store, and drops the build from the
 * journal (refresh_run.h). So whatever ends it, what is in the store stays
 * there and the rest is still in the journal.
 */
#include "src/platform/clock.h"
#include "src/platform/file.h"
#include "tools/common/text/json.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/jobs/note_kernels.h"
#include "tools/dnnl_cache/prove/prove.h"
#include "tools/dnnl_cache/refresh/failed_builds.h"
#include "tools/dnnl_cache/refresh/gone.h"
#include "tools/dnnl_cache/refresh/refresh_outcome.h"
#include "tools/dnnl_cache/refresh/refresh_prune.h"
#include "tools/dnnl_cache/refresh/refresh_run.h"
#include "tools/dnnl_cache/replay/replay.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <dnnl_cache/file_digests.h>

#include <errno.h>
#include <string.h>

enum { most_seconds_of_job = 600, most_days = 7 };

#define SECOND_NS ((uint64_t)1000000000u)

struct refresh {
    struct refresh_run run;
    bool is_stuck;                       /* the journal cannot be written */
    struct replay_counts record;         /* of the record beside the store */
    struct failed_builds_retried failed; /* that the layer kept */
};

/* ---- The journal --------------------------------------------------------- */

/* Else what is done is done again by each refresh: said once. */
static void check_journal(struct refresh *r, dnnl_status_t status)
{
    if (status == dnnl_success || r->is_stuck) return;
    r->is_stuck = true;
    refresh_run_clear(&r->run);
    tool_error(r->run.tool,
            "the journal cannot be written: notes stay in it%s%s",
            r->run.tool->complaint[0] != '\0' ? ": " : "",
            r->run.tool->complaint);
}

/* Notes of files that were made go with the build, or before it: they are of no
 * use to who makes the form of the entry. */
static void drop(void *user, const struct refresh_job *job)
{
    enum { most_keys = 64 };
    struct refresh *r = user;
    const struct refresh_note *made = NULL;
    uint64_t keys[most_keys] = {job->build->key};
    size_t count = job->keeps_note ? 0 : 1;
    while (count < most_keys
            && refresh_jobs_next_made(&made, &r->run.jobs, job))
        keys[count++] = made->item->key;
    if (count > 0)
        check_journal(r,
                dnnl_cache_store_journal_drop(r->run.tool->store, count, keys));
}

/* Drops a build that nothing came of for days. */
static void drop_if_old(void *user, const struct refresh_job *job)
{
    struct refresh *r = user;
    const uint64_t now_s = clock_epoch_ns() / SECOND_NS;
    const uint64_t written_s = job->build->written_ns / SECOND_NS;
    if (now_s > written_s && now_s - written_s > most_days * 86400u)
        drop(r, job);
}

static void add_failure(void *user, const struct refresh_job *job)
{
    struct refresh *r = user;
    check_journal(r, dnnl_cache_store_journal_add_failure(
                             r->run.tool->store, job->build->key));
}

static bool is_there(void *user, const struct refresh_job *job)
{
    const struct refresh *r = user;
    return refresh_result_is_there(r->run.tool, &r->run.jobs, job);
}

static const struct refresh_hooks hooks = {
        .drop = drop,
        .fail = add_failure,
        .pass_over = drop_if_old,
        .is_there = is_there,
};

/* ---- Reports ------------------------------------------------------------- */

static void write_json(const struct refresh *r)
{
    struct json json;
    json_init(&json, r->run.tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "refresh");
    json_number(&json, "waiting", r->run.jobs.count);
    json_number(&json, "kept", refresh_jobs_count(&r->run.jobs, refresh_kept));
    json_number(&json, "completed", r->run.completed);
    json_number(
            &json, "failed", refresh_jobs_count(&r->run.jobs, refresh_failed));
    json_number(&json, "refused",
            refresh_jobs_count(&r->run.jobs, refresh_refused));
    json_number(&json, "not_here",
            refresh_jobs_count(&r->run.jobs, refresh_not_here));
    json_number(&json, "left", refresh_run_count_left(&r->run));
    json_number(&json, "record_kept", r->record.kept);
    json_number(&json, "record_failed", r->record.failed);
    json_number(&json, "record_refused", r->record.refused);
    json_number(&json, "record_left", r->record.left);
    json_number(&json, "failed_builds_failing", r->failed.failing);
    json_number(&json, "failed_builds_forgotten", r->failed.forgotten);
    json_bool(&json, "interrupted",
            r->run.pool.interrupted != 0 || r->record.is_interrupted);
    json_number(&json, "elapsed_ms", (clock_ns() - r->run.began_ns) / 1000000);
    json_end_object(&json);
}

static void write_hint(const struct tool *tool)
{
    fprintf(tool->out,
            "why programs are refused: dnnl-cache refresh --dry-run");
    if (tool->options->store != NULL) {
        fputs(" --store ", tool->out);
        text_print_quoted(tool->out, tool->options->store);
    }
    fputc('\n', tool->out);
}

static void write_text(const struct refresh *r)
{
    fprintf(r->run.tool->out,
            "%zu kept, %zu failed, %zu refused, %zu of other devices, %zu "
            "left\n",
            refresh_jobs_count(&r->run.jobs, refresh_kept),
            refresh_jobs_count(&r->run.jobs, refresh_failed),
            refresh_jobs_count(&r->run.jobs, refresh_refused),
            refresh_jobs_count(&r->run.jobs, refresh_not_here),
            refresh_run_count_left(&r->run));
    if (refresh_jobs_count(&r->run.jobs, refresh_refused) > 0)
        write_hint(r->run.tool);
    if (r->run.completed > 0)
        fprintf(r->run.tool->out,
                "of those kept, %zu were there and load faster now\n",
                r->run.completed);
    if (r->record.kept + r->record.failed + r->record.left > 0)
        fprintf(r->run.tool->out,
                "of the record: %zu kept, %zu failed, %zu refused, %zu left\n",
                r->record.kept, r->record.failed, r->record.refused,
                r->record.left);
    if (r->failed.failing + r->failed.forgotten > 0)
        fprintf(r->run.tool->out,
                "of failed builds: %zu fail as before, %zu compile now\n",
                r->failed.failing, r->failed.forgotten);
}

enum { reason_size = 256 };

/* Why it is refused, with the file that it reads, if that is why. */
static void print_reason(char text[reason_size], const struct refresh_job *job)
{
    char file[replay_missing_size];
    refresh_objection_print_file(file, job->build->note, job->why);
    (void)snprintf(text, reason_size, "%s%s",
            job->why != NULL ? job->why : "waits", file);
}

static void write_list_json(const struct refresh *r)
{
    struct json json;
    json_init(&json, r->run.tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "refresh");
    json_number(&json, "waiting", r->run.jobs.count);
    json_begin_array(&json, "programs");
    for (size_t i = 0; i < r->run.jobs.count; i++) {
        const struct refresh_job *job = &r->run.jobs.jobs[i];
        char name[catalog_name_size];
        char reason[reason_size];
        entry_name(name, job->build->note->id_size, job->build->note->id);
        json_begin_object(&json, NULL);
        json_text(&json, "name", name);
        json_text(&json, "application", job->build->application);
        json_text(&json, "options", job->build->note->options);
        json_time(&json, "noted", job->build->written_ns);
        json_number(&json, "compile_ns", job->build->note->compile_ns);
        json_number(&json, "launches", job->launches);
        json_number(&json, "failures", job->build->failures);
        print_reason(reason, job);
        json_text(&json, "refused", job->why != NULL ? reason : NULL);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static enum tool_exit write_list(const struct refresh *r)
{
    static const char *const heads[] = {"NAME", "APPLICATION", "KERNELS",
            ">COMPILE TIME", ">LAUNCHES", "STATE"};
    struct table table;
    table_init(&table, sizeof heads / sizeof *heads, heads);
    for (size_t i = 0; i < r->run.jobs.count; i++) {
        const struct refresh_job *job = &r->run.jobs.jobs[i];
        char name[catalog_name_size];
        char kernels[note_kernels_size];
        char reason[reason_size];
        entry_name(name, job->build->note->id_size, job->build->note->id);
        name[catalog_short_digits] = '\0';
        note_kernels_list(kernels, job->build->note);
        print_reason(reason, job);
        table_add(&table, name);
        table_add(&table, job->build->application);
        table_add(&table, kernels[0] != '\0' ? kernels : "-");
        table_add_duration(&table, job->build->note->compile_ns);
        table_add_number(&table, job->launches);
        table_add(&table, reason);
    }
    const enum tool_exit code = table_write(&table, r->run.tool);
    table_fini(&table);
    return code;
}

/* ---- The command --------------------------------------------------------- */

static enum tool_exit load(struct refresh *r)
{
    const struct refresh_policy policy = {
            .reads_files = r->run.tool->options->read_files};
    return tool_check(r->run.tool, "refresh",
            refresh_jobs_load(&r->run.jobs, r->run.tool->store, &policy));
}

/* What is not compiled yet waits for another refresh. An entry that lacks its
 * form was compiled: the next start would load the slower one. */
static void leave_uncompiled(struct refresh *r)
{
    for (size_t i = 0; i < r->run.jobs.count; i++) {
        struct refresh_job *job = &r->run.jobs.jobs[i];
        if (job->state == refresh_waits && !job->is_made
                && !refresh_result_awaits_form(r->run.tool, job))
            job->why = "is not compiled";
    }
}

static enum tool_exit list(struct refresh *r)
{
    enum tool_exit code = tool_open(r->run.tool, tool_access_read);
    if (code == exit_ok) code = load(r);
    if (code != exit_ok) return code;
    if (r->run.tool->options->json)
        write_list_json(r);
    else if (tool_reports(r->run.tool))
        code = write_list(r);
    return code;
}

/* Waits for another refresh of the store, which may leave nothing to do.
 * *is_left: it is left to that one. */
static enum tool_exit enter(struct refresh *r, bool *is_left)
{
    /* Who asks whether there is another one has the lock for an instant, too
     * (drain_compiled_await() of dnnl-cache-run). */
    enum { instant_ms = 20, step_ms = 1000 };
    const struct options *options = r->run.tool->options;
    const uint64_t timeout_s = options->timeout_seconds > 0
                                       ? options->timeout_seconds
                                       : UINT64_MAX;
    const uint64_t most_s = options->wait_seconds < timeout_s
                                    ? options->wait_seconds
                                    : timeout_s;
    const uint64_t began = clock_ns();
    bool is_told = false;
    for (unsigned timeout_ms = instant_ms;; timeout_ms = step_ms) {
        const uint64_t step_began = clock_ns();
        if (dnnl_cache_store_journal_begin_drain(r->run.tool->store, timeout_ms)
                == dnnl_success)
            return exit_ok;
        const uint64_t now = clock_ns();
        /* It did not even wait: the lock cannot be had at all. */
        if (now - step_began < (uint64_t)timeout_ms * 900000u)
            return tool_check(r->run.tool, "refresh", dnnl_runtime_error);
        *is_left = most_s == 0;
        if (*is_left) return exit_ok;
        if ((now - began) / SECOND_NS >= most_s) {
            tool_error(r->run.tool,
                    "another refresh of this store is at work: what it does "
                    "not make stays in the journal");
            return exit_found;
        }
        if (!is_told)
            tool_warn(r->run.tool, "waiting for another refresh of this store");
        is_told = true;
    }
}

static enum tool_exit tell_no_room(const struct refresh *r)
{
    tool_error(r->run.tool,
            "the folder of temporary files is full (set TMPDIR): %zu programs "
            "stay in the journal, %zu were kept",
            r->run.no_room, refresh_jobs_count(&r->run.jobs, refresh_kept));
    return exit_io;
}

/* What the store's applications used: after an update of the driver all of it
 * is missing. */
static enum tool_exit replay_beside(struct refresh *r)
{
    struct tool *tool = r->run.tool;
    char path[refresh_record_path_size];
    if (tool->options->journal_only || tool->options->compiled_only
            || !refresh_record_path(path, tool) || !file_is_there(path))
        return exit_ok;
    return replay_record(&r->record, tool, path);
}

/* Builds that the layer answers as failed: a driver may compile them by now. */
static enum tool_exit retry_failed(struct refresh *r)
{
    struct tool *tool = r->run.tool;
    if (tool->options->journal_only || tool->options->compiled_only
            || r->record.is_interrupted)
        return exit_ok;
    return failed_builds_retry(&r->failed, tool);
}

/* Beside a command of dnnl-cache-run that waits for nothing it left.
 * exit_found: this process was asked to end. */
static enum tool_exit work_ahead(const struct refresh *r)
{
    const struct options *options = r->run.tool->options;
    return !options->journal_only || options->compiled_only
                           || replay_ahead(r->run.tool)
                   ? exit_ok
                   : exit_found;
}

static enum tool_exit drain(struct refresh *r)
{
    struct tool *tool = r->run.tool;
    bool is_left = false;
    enum tool_exit code = keep_open(tool, tool_access_change);
    if (code == exit_ok) code = enter(r, &is_left);
    if (code != exit_ok || is_left) return code;
    r->run.began_ns = clock_ns();
    /* As dnnl-cache-run calls it behind an application. */
    tool->damage_is_told = tool->options->journal_only
                           && place_flag_is_set("DNNL_CACHE_PRINT_DEBUG");
    code = load(r);
    for (size_t i = 0; code == exit_ok && i < r->run.jobs.count; i++)
        if (r->run.jobs.jobs[i].state == refresh_refused)
            drop_if_old(r, &r->run.jobs.jobs[i]);
    if (code == exit_ok && tool->options->compiled_only) leave_uncompiled(r);
    if (code == exit_ok && !tool->options->compiled_only
            && !tool->options->journal_only)
        gone_make_way_early(tool);
    if (code == exit_ok) {
        place_open_behind(tool, &tool->remote);
        code = work_ahead(r);
        if (code == exit_ok) code = refresh_run_make(&r->run);
        if (code == exit_ok && r->run.pool.interrupted == 0)
            code = replay_beside(r);
        if (code == exit_ok && r->run.pool.interrupted == 0)
            code = retry_failed(r);
        dnnl_cache_store_close(tool->remote);
        tool->remote = NULL;
    }
    if (code == exit_ok && r->run.pool.interrupted == 0 && !r->is_stuck
            && !tool->options->compiled_only)
        code = refresh_prune(tool);
    dnnl_cache_store_journal_end_drain(tool->store);
    /* Proofs take a while, and drain nothing: another refresh may compile what
     * applications note meanwhile. */
    if (code == exit_ok && r->run.pool.interrupted == 0
            && !tool->options->journal_only && !tool->options->compiled_only)
        prove_within_budget(tool);
    if (r->run.is_full) refresh_outcome_report_full(&r->run);
    if (code == exit_ok && r->run.no_room > 0) code = tell_no_room(r);
    if (code != exit_ok) return code;
    if (tool->options->json)
        write_json(r);
    else if (tool_reports(tool))
        write_text(r);
    if (r->record.failed + r->record.left > 0 || r->record.is_interrupted)
        return exit_found;
    return !r->is_stuck
                           && refresh_jobs_count(&r->run.jobs, refresh_kept)
                                              + refresh_jobs_count(&r->run.jobs,
                                                      refresh_not_here)
                                      == r->run.jobs.count
                   ? exit_ok
                   : exit_found;
}

static void warn_of_digest(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    (void)level;
    tool_warn(user, "%s", text);
}

/* A digest that is wrong would have entries of one driver found with another.
 */
static void verify_digests(struct tool *tool)
{
    static const uint64_t day_seconds = 24 * 60 * 60;
    struct dnnl_cache_store_file_digests_report report =
            DNNL_CACHE_STORE_FILE_DIGESTS_REPORT_INIT;
    const dnnl_status_t st = dnnl_cache_store_file_digests_verify(
            &report, day_seconds, warn_of_digest, tool);
    if (st != dnnl_success)
        tool_warn(tool, "%s: the digests of driver files cannot be verified",
                dnnl_cache_store_file_digests_folder());
}

static int run_refresh(struct tool *tool)
{
    struct refresh r = {
            .run = {.tool = tool,
                    .hooks = &hooks,
                    .completes = !tool->options->compiled_only,
                    .most_seconds = tool->options->program_seconds > 0
                                            ? tool->options->program_seconds
                                            : most_seconds_of_job}};
    r.run.user = &r;
    if (!tool->options->dry_run && !tool->options->compiled_only)
        verify_digests(tool);
    const enum tool_exit code = tool->options->dry_run ? list(&r) : drain(&r);
    refresh_jobs_fini(&r.run.jobs);
    return (int)code;
}

static const char refresh_help[] =
        "Applications note what they build and launch in the store's "
        "journal.\nWorker processes compile it again, for each way that its "
        "kernels were\nlaunched, without launching anything. Interrupt it at "
        "any time: what\nis not stored yet stays in the journal. Then what "
        "the record beside the\nstore has is replayed: after an update of the "
        "driver all of it.\nThe exit status is 1 if something was not stored: "
        "it failed, or it was\nrefused, or there was no time left.\n";

const struct command command_refresh = {.name = "refresh",
        .arguments = "",
        .purpose = "Compile and store what applications left in the journal",
        .details = refresh_help,
        .options = "jobs timeout wait layer dry-run read-files progress remote "
                   "journal-only compiled-only program-timeout",
        .run = run_refresh};
