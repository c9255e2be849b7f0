/* SPDX-License-Identifier: Apache-2.0 */
/* One entry: compiled again, compared, judged. */
#include "tools/dnnl_cache/prove/prove.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "tools/common/id/fields.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/jobs/refresh_id.h"
#include "tools/dnnl_cache/jobs/refresh_worker.h"
#include "tools/dnnl_cache/prove/prove_budget.h"
#include "tools/dnnl_cache/refresh/refresh_result.h"
#include "tools/dnnl_cache/view/subject.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t second_ns = 1000000000u;

enum { usual_seconds_of_job = 600 };

/* ---- Compiling it -------------------------------------------------------- */

/* What was compiled; bytes NULL: nothing. */
struct again {
    struct proof_blob blob; /* owned */
    const char *why;        /* nothing was: static */
    enum prove_state state; /* of the entry then */
    bool is_for_machine;    /* as in struct prove_entry */
};

static void again_fini(struct again *again)
{
    free((uint8_t *)(uintptr_t)again->blob.bytes); /* copy_blob() */
    *again = (struct again){.why = NULL};
}

static struct proof_blob copy_blob(size_t size, const uint8_t *bytes)
{
    struct proof_blob copy = {size, NULL};
    uint8_t *memory = malloc(size + 1);
    if (memory == NULL) return copy;
    memcpy(memory, bytes, size);
    copy.bytes = memory;
    return copy;
}

static void fail(struct again *again, enum prove_state state, const char *why)
{
    again->state = state;
    again->why = why;
}

static void fail_for_machine(struct again *again, const char *why)
{
    fail(again, prove_failed, why);
    again->is_for_machine = true;
}

/* Nothing was compiled. */
static void pass_failure(struct prove_entry *e, const struct again *again)
{
    e->state = again->state;
    e->why = again->why;
    e->is_for_machine = again->is_for_machine;
}

static void explain(
        struct again *again, const struct refresh_slot *slot, int code)
{
    enum { room = 1 << 20 };
    if (slot->is_too_late || slot->is_too_large) {
        fail(again, prove_failed,
                slot->is_too_late ? "compiling it took too long"
                                  : "compiling it took too much memory");
        return;
    }
    switch (code) {
    case refresh_worker_no_device:
        fail(again, prove_elsewhere, "no device here has its ID");
        break;
    case refresh_worker_other_driver:
        fail(again, prove_elsewhere, "the driver here is another one");
        break;
    case refresh_worker_other_id:
        fail(again, prove_failed, "its record has another ID now");
        break;
    case refresh_worker_no_room:
        fail_for_machine(again, "no room for temporary files (set TMPDIR)");
        break;
    case refresh_worker_no_entry:
        fail(again, prove_failed, "the OpenCL layer stored nothing");
        break;
    case refresh_worker_was_ended:
        fail(again, prove_left, "its worker was ended from outside");
        break;
    case refresh_worker_failed:
        fail(again, prove_failed, "the driver failed");
        break;
    case refresh_worker_crashed:
        fail(again, prove_failed, "the compiler crashed");
        /* So it does, too, if a file that it has mapped finds no room. */
        again->is_for_machine = !refresh_worker_has_room(slot->folder, room);
        break;
    case refresh_worker_was_killed:
        fail_for_machine(again,
                "the worker process was killed (memory may have run out)");
        break;
    default:
        fail_for_machine(again, "the worker process died");
    }
}

/* What the worker has put; it is checked as what refresh takes. */
static void fetch(struct again *again, struct prove *p, struct refresh_job *job,
        struct refresh_slot *slot)
{
    const dnnl_cache_note_t *note = job->build->note;
    struct refresh_made made;
    dnnl_cache_blob_info_t info;
    (void)refresh_result_fetch(&made, job, slot);
    fail(again, prove_failed, "what was compiled has another ID");
    if (made.store == NULL)
        fail_for_machine(again, "what was compiled cannot be read");
    if (made.blob != NULL) {
        if (subject_check_blob(p->tool, &info, note->id_size, note->id,
                    made.size, made.blob)
                == dnnl_success) {
            fail_for_machine(again, "out of memory"); /* unless it is copied */
            again->blob = copy_blob(made.size, made.blob);
        }
        const dnnl_cache_store_t *s =
                dnnl_cache_store_get_callbacks(made.store);
        s->release(s->user, made.size, made.blob);
    }
    dnnl_cache_store_close(made.store);
}

static void kill_late(const struct prove *p, struct refresh_slot *slot)
{
    const struct options *options = p->tool->options;
    const uint64_t most_seconds = options->program_seconds > 0
                                          ? options->program_seconds
                                          : usual_seconds_of_job;
    slot->is_too_late =
            slot->is_too_late
            || (clock_ns() - slot->began_ns) / second_ns >= most_seconds;
    slot->is_too_large =
            slot->is_too_large
            || (options->memory_bytes > 0
                    && process_memory_of(slot->worker.process.number)
                               > options->memory_bytes);
    if (refresh_pool_is_killed(slot)) refresh_pool_kill(slot);
}

/* In a worker that compiles nothing else. */
static void compile(struct again *again, struct prove *p,
        const struct refresh_jobs *jobs, struct refresh_job *job)
{
    enum { wait_ms = 200 };
    int error = 0;
    int code = -1;
    struct refresh_slot *slot = refresh_pool_take(&p->pool, job, &error);
    *again = (struct again){.why = NULL};
    fail_for_machine(again, "no worker can be started");
    if (slot == NULL || !refresh_result_prepare(p->tool, jobs, job, slot)
            || refresh_pool_start(&p->pool, slot, job) != 0)
        return;
    while (refresh_pool_wait(&p->pool, wait_ms, &code) == NULL) {
        if (prove_must_end(p)) {
            refresh_pool_kill(slot);
            (void)refresh_pool_wait(&p->pool, 10 * wait_ms, &code);
            *again = (struct again){.state = prove_left};
            return;
        }
        kill_late(p, slot);
    }
    again->is_for_machine = false; /* a worker was */
    if (code == refresh_worker_ok)
        fetch(again, p, job, slot);
    else
        explain(again, slot, code);
}

/* ---- A difference -------------------------------------------------------- */

/* May this user remove from the store what differs? */
static bool may_remove(const struct prove *p)
{
    char path[place_path_size];
    struct file_facts facts;
    const struct options *options = p->tool->options;
    return p->may_remove && !place_is_remote(options) && !options->shared
           && place_path(path, options)
           && file_facts_at(&facts, file_here, path) == 0 && file_is_own(&facts)
           && file_may_be_written(file_here, path);
}

/* Is the entry still the one that was compared? */
static bool is_unchanged(struct tool *tool, const dnnl_cache_note_t *note,
        const struct proof_blob *blob)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    const uint8_t *bytes;
    size_t size;
    if (s->get(s->user, note->id_size, note->id, &size, &bytes) != dnnl_success)
        return false;
    const bool is_same =
            size == blob->size && memcmp(bytes, blob->bytes, size) == 0;
    s->release(s->user, size, bytes);
    return is_same;
}

static bool remove_entry(struct prove *p, const dnnl_cache_note_t *note,
        const struct proof_blob *blob)
{
    struct tool *tool = p->tool;
    if (!may_remove(p)) return false;
    if (!p->is_open_for_change) {
        /* If it fails, there is no store any more, and nothing to go on with:
         * prove_must_end(). */
        p->broken = tool_reopen(tool, tool_access_change, true);
        if (p->broken != exit_ok) return false;
        p->is_open_for_change = true;
    }
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    return is_unchanged(tool, note, blob)
           && s->remove(s->user, note->id_size, note->id) == dnnl_success;
}

/* Loudly: with --quiet, too. */
static void tell(struct prove *p, const struct prove_entry *e,
        const dnnl_cache_note_t *note)
{
    progress_clear(&p->progress);
    tool_error(p->tool,
            "%.*s of %s is NOT what the driver makes of its program (%s%s%s). "
            "Its ID may lack %s. %s",
            (int)catalog_short_digits, e->entry->name, e->application, e->why,
            e->where[0] != '\0' ? ": " : "", e->where,
            proof_suspect_text(e->suspect),
            e->is_removed ? "The entry was removed"
                          : "The entry is still there");
    prove_tell_missing(p->tool, note->id_size, note->id);
}

/* ---- Judging ------------------------------------------------------------- */

static void judge_difference(struct prove *p, const struct refresh_jobs *jobs,
        struct refresh_job *job, struct prove_entry *e,
        const struct proof_blob *blob, const struct again *first,
        const struct proof *proof)
{
    const bool is_layers = job->build->note->origin == dnnl_cache_note_layer;
    struct again second;
    struct proof twice;
    e->state = prove_open;
    e->why = "this driver does not compile the same twice";
    compile(&second, p, jobs, job);
    if (second.blob.bytes == NULL) {
        pass_failure(e, &second);
        return;
    }
    proof_compare(&twice, &first->blob, &second.blob, is_layers);
    again_fini(&second);
    if (twice.verdict == proof_open) e->why = twice.what;
    if (twice.verdict != proof_same) return;
    e->state = prove_differed;
    e->why = proof->what;
    e->suspect = proof->suspect;
    memcpy(e->where, proof->where, sizeof e->where);
    e->is_removed = remove_entry(p, job->build->note, blob);
    tell(p, e, job->build->note);
}

static void judge(struct prove *p, const struct refresh_jobs *jobs,
        struct refresh_job *job, struct prove_entry *e,
        const struct proof_blob *blob)
{
    struct again again;
    struct proof proof;
    p->pool.makes_all = proof_has_code_for_all(blob);
    job->wants_form = proof_has_form(blob);
    compile(&again, p, jobs, job);
    if (again.blob.bytes == NULL) {
        pass_failure(e, &again);
        return;
    }
    proof_compare(&proof, blob, &again.blob,
            job->build->note->origin == dnnl_cache_note_layer);
    switch (proof.verdict) {
    case proof_same:
        e->state = prove_proved;
        break;
    case proof_open:
        e->state = prove_open;
        e->why = proof.what;
        break;
    case proof_differs:
        judge_difference(p, jobs, job, e, blob, &again, &proof);
        break;
    }
    again_fini(&again);
}

/* A copy: the store may be opened anew meanwhile. *is_there: it is intact, and
 * there was no memory if there is no copy. */
static struct proof_blob get_entry(
        struct tool *tool, const dnnl_cache_note_t *note, bool *is_there)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    struct proof_blob blob = {0, NULL};
    dnnl_cache_blob_info_t info;
    const uint8_t *bytes;
    size_t size;
    *is_there = false;
    if (s->get(s->user, note->id_size, note->id, &size, &bytes) != dnnl_success)
        return blob;
    *is_there = subject_check_blob(
                        tool, &info, note->id_size, note->id, size, bytes)
                == dnnl_success;
    if (*is_there) blob = copy_blob(size, bytes);
    s->release(s->user, size, bytes);
    return blob;
}

static void remember(struct prove *p, const struct prove_entry *e)
{
    enum prove_result result = prove_result_none;
    if (e->is_for_machine) return; /* it tells nothing of the entry */
    if (e->state == prove_proved)
        result = prove_result_proved;
    else if (e->state == prove_differed)
        result = prove_result_differed;
    else if (e->state == prove_open || e->state == prove_failed)
        result = prove_result_open;
    /* One that stays is counted once. */
    if (result == prove_result_differed
            && prove_memory_find(&p->memory, e->entry->name, &e->build,
                       e->entry->item.created_ns)
                       == prove_result_differed)
        return;
    prove_memory_add(&p->memory, p->tool, e->entry->name, &e->build, result);
}

/* So that what a killed refresh has spent is spent. */
static void count_time(struct prove *p)
{
    p->spent_ns = process_children_ns() - p->cpu_before_ns;
    if (!p->is_for_refresh) return;
    prove_budget_spend(p->spent_ns - p->cpu_noted_ns);
    p->cpu_noted_ns = p->spent_ns;
}

void prove_entry_again(struct prove *p, const struct refresh_jobs *jobs,
        struct refresh_job *job, struct prove_entry *e)
{
    bool is_there;
    const struct proof_blob blob =
            get_entry(p->tool, job->build->note, &is_there);
    p->tried++;
    if (blob.bytes == NULL) {
        e->state = prove_failed;
        e->why = is_there ? "out of memory" : "the entry is damaged or gone";
        e->is_for_machine = is_there;
    } else {
        judge(p, jobs, job, e, &blob);
    }
    free((uint8_t *)(uintptr_t)blob.bytes); /* copy_blob() */
    /* The next entry would fail, too, and another refresh comes. */
    p->lacks_means = e->is_for_machine && p->is_for_refresh;
    remember(p, e);
    count_time(p);
}
