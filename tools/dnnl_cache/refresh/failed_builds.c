/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/refresh/failed_builds.h"

#include "src/common/array.h"
#include "src/platform/clock.h"
#include "tools/common/id/failure.h"
#include "tools/common/state/failed_place.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/refresh/refresh_outcome.h"
#include "tools/dnnl_cache/refresh/refresh_run.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/store_types.h>

#include <stdlib.h>
#include <string.h>

enum { usual_seconds_of_job = 600 };

/* NULL: there are none. What their store has to say is nobody's concern: they
 * are no entries. */
static dnnl_cache_store_handle_t *open_store(
        const struct tool *tool, enum failed_access access)
{
    char place[place_path_size];
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type(tool->type);
    if (place_is_remote(tool->options) || type == NULL
            || !place_path(place, tool->options))
        return NULL;
    return failed_place_open(place, type->is_file, access, NULL, NULL);
}

/* ---- Records ------------------------------------------------------------- */

struct record {
    size_t key_size;
    uint8_t *key; /* owned */
    bool is_read; /* its bytes are whole */
    bool is_good; /* else nothing of the rest is known */
    enum failure_state state;
    uint64_t when_s;
};

struct records {
    dnnl_cache_store_handle_t *store; /* NULL: there are none */
    struct record *list;
    size_t count;
    uint64_t bytes;
};

static void read_record(struct record *record, size_t size, const uint8_t *data)
{
    struct failure failure;
    record->is_read = true;
    record->is_good = failure_decode(&failure, data, size);
    if (!record->is_good) return;
    record->state = failure.state;
    record->when_s = failure.when_s;
    failure_fini(&failure);
}

/* What cannot be read is gone by now, or damaged: the store says it of the
 * latter. */
static bool add_record(void *user, const struct dnnl_cache_store_entry *item)
{
    struct records *r = user;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(r->store);
    const uint8_t *bytes = NULL;
    size_t size = 0;
    uint8_t *key = malloc(item->id_size + 1);
    if (key == NULL || !array_grow(&r->list, r->count, sizeof *r->list)) {
        free(key);
        return false;
    }
    memcpy(key, item->id, item->id_size);
    struct record *record = &r->list[r->count++];
    *record = (struct record){.key_size = item->id_size, .key = key};
    r->bytes += item->blob_size;
    if (s->get(s->user, item->id_size, item->id, &size, &bytes) != dnnl_success)
        return true;
    read_record(record, size, bytes);
    s->release(s->user, size, bytes);
    return true;
}

static void records_init(
        struct records *r, const struct tool *tool, enum failed_access access)
{
    *r = (struct records){.store = open_store(tool, access)};
    if (r->store != NULL)
        (void)dnnl_cache_store_iterate(r->store, add_record, r);
}

static void records_fini(struct records *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->list[i].key);
    free(r->list);
    dnnl_cache_store_close(r->store);
    *r = (struct records){.store = NULL};
}

/* How old it is; UINT64_MAX: the clock was set back since. */
static uint64_t age_of(const struct record *record)
{
    const uint64_t now = clock_epoch_ns() / 1000000000u;
    return record->when_s <= now ? now - record->when_s : UINT64_MAX;
}

static bool is_expired(const struct record *record)
{
    return record->is_good && age_of(record) > failure_most_seconds;
}

static bool remove_record(const struct records *r, const struct record *record)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(r->store);
    return s->remove(s->user, record->key_size, record->key) == dnnl_success;
}

static bool have_id(const struct records *r, const dnnl_cache_note_t *note)
{
    for (size_t i = 0; i < r->count; i++)
        if (failure_key_has(r->list[i].key_size, r->list[i].key, note->id_size,
                    note->id))
            return true;
    return false;
}

/* Of what is not kept any more. */
static void drop_notes(const struct records *r)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    size_t count = 0;
    if (dnnl_cache_store_journal_load(&list, r->store) != dnnl_success) return;
    uint64_t *keys = calloc(list->count + 1, sizeof *keys);
    for (size_t i = 0; keys != NULL && i < list->count; i++)
        if (!have_id(r, list->items[i]->note))
            keys[count++] = list->items[i]->key;
    if (count > 0) (void)dnnl_cache_store_journal_drop(r->store, count, keys);
    free(keys);
    dnnl_cache_store_journal_free(list);
}

/* ---- Counting and removing ----------------------------------------------- */

void failed_builds_count(struct failed_builds_counts *counts, struct tool *tool)
{
    struct records r;
    *counts = (struct failed_builds_counts){.kept = 0};
    records_init(&r, tool, failed_access_read);
    for (size_t i = 0; i < r.count; i++) {
        const struct record *record = &r.list[i];
        counts->damaged += !record->is_good;
        counts->expired += is_expired(record);
        if (!record->is_good || is_expired(record)) continue;
        counts->kept += record->state == failure_kept;
        counts->seen += record->state == failure_seen;
    }
    counts->bytes = r.bytes;
    records_fini(&r);
}

/* Removes what is meant from the store and the list. */
static uint64_t remove_some(struct records *r,
        bool (*is_meant)(const struct record *record, uint64_t seconds),
        uint64_t seconds)
{
    uint64_t removed = 0;
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (is_meant(&r->list[i], seconds) && remove_record(r, &r->list[i])) {
            free(r->list[i].key);
            removed++;
        } else {
            r->list[kept++] = r->list[i];
        }
    }
    r->count = kept;
    return removed;
}

static bool is_old(const struct record *record, uint64_t seconds)
{
    return seconds == 0 || !record->is_good || age_of(record) > seconds;
}

static bool is_useless(const struct record *record, uint64_t unused)
{
    (void)unused;
    return !record->is_good || is_expired(record);
}

static bool is_damaged(const struct record *record, uint64_t unused)
{
    (void)unused;
    return !record->is_good;
}

uint64_t failed_builds_remove(struct tool *tool, uint64_t older_than_seconds)
{
    struct records r;
    uint64_t removed = 0;
    records_init(&r, tool, failed_access_change);
    if (r.store != NULL) {
        removed = remove_some(&r, is_old, older_than_seconds);
        drop_notes(&r);
    }
    records_fini(&r);
    return removed;
}

static bool count_damaged(
        void *user, const struct dnnl_cache_store_verdict *verdict)
{
    size_t *damaged = user;
    *damaged += !verdict->intact;
    return true;
}

/* Bytes first, then what is whole and no record. */
size_t failed_builds_verify(struct tool *tool, bool repair)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    struct records r;
    size_t damaged = 0;
    dnnl_cache_store_handle_t *store = open_store(
            tool, repair ? failed_access_change : failed_access_read);
    if (store == NULL) return 0;
    (void)dnnl_cache_store_verify(
            store, repair, count_damaged, &damaged, &check);
    dnnl_cache_store_close(store);
    records_init(&r, tool, repair ? failed_access_change : failed_access_read);
    for (size_t i = 0; i < r.count; i++)
        damaged += r.list[i].is_read && !r.list[i].is_good;
    if (repair && r.store != NULL) (void)remove_some(&r, is_damaged, 0);
    records_fini(&r);
    return damaged;
}

/* ---- Compiling them again ------------------------------------------------ */

struct retry {
    struct refresh_run run;
    struct records records;
    struct failed_builds_retried *retried;
};

/* Each build that this device's failure is a part of. */
static void forget(struct retry *r, const dnnl_cache_note_t *note)
{
    for (size_t i = 0; i < r->records.count; i++) {
        const struct record *record = &r->records.list[i];
        if (failure_key_has(
                    record->key_size, record->key, note->id_size, note->id)
                && remove_record(&r->records, record))
            r->retried->forgotten++;
    }
}

static void drop(void *user, const struct refresh_job *job)
{
    struct retry *r = user;
    const uint64_t key = job->build->key;
    if (job->state == refresh_kept) forget(r, job->build->note);
    (void)dnnl_cache_store_journal_drop(r->records.store, 1, &key);
}

static void note_failure(void *user, const struct refresh_job *job)
{
    struct retry *r = user;
    r->retried->failing += job->why == refresh_driver_failed;
}

static void do_nothing(void *user, const struct refresh_job *job)
{
    (void)user;
    (void)job;
}

static bool is_there(void *user, const struct refresh_job *job)
{
    const struct retry *r = user;
    return refresh_result_is_there(r->run.tool, &r->run.jobs, job);
}

static const struct refresh_hooks hooks = {
        .drop = drop,
        .fail = note_failure,
        .pass_over = do_nothing,
        .is_there = is_there,
};

static enum tool_exit compile_again(struct retry *r, struct tool *tool)
{
    const struct refresh_policy policy = {
            .reads_files = tool->options->read_files};
    enum tool_exit code = exit_ok;
    r->run = (struct refresh_run){.tool = tool,
            .hooks = &hooks,
            .user = r,
            .expects_failures = true,
            .most_seconds = tool->options->program_seconds > 0
                                    ? tool->options->program_seconds
                                    : usual_seconds_of_job,
            .began_ns = clock_ns()};
    if (refresh_jobs_load(&r->run.jobs, r->records.store, &policy)
            != dnnl_success)
        return exit_ok; /* their journal cannot be read: they expire */
    if (r->run.jobs.count > 0) code = refresh_run_make(&r->run);
    refresh_jobs_fini(&r->run.jobs);
    return code;
}

enum tool_exit failed_builds_retry(
        struct failed_builds_retried *retried, struct tool *tool)
{
    struct retry r = {.retried = retried};
    enum tool_exit code = exit_ok;
    *retried = (struct failed_builds_retried){.failing = 0};
    records_init(&r.records, tool, failed_access_change);
    if (r.records.store != NULL) {
        (void)remove_some(&r.records, is_useless, 0);
        drop_notes(&r.records);
        code = compile_again(&r, tool);
    }
    records_fini(&r.records);
    return code;
}
