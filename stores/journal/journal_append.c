/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_append.h"

#include "stores/files/store_lock.h"
#include "stores/journal/journal_file.h"
#include "stores/journal/journal_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { append_timeout_ms = 100 };

bool journal_is_writable(const dnnl_cache_store_handle_t *store)
{
    return store->callbacks.note != NULL;
}

bool journal_copy_note(dnnl_cache_note_t *copy, const dnnl_cache_note_t *note)
{
    const dnnl_cache_note_t empty = DNNL_CACHE_NOTE_INIT;
    const uint8_t *bytes = (const uint8_t *)note;
    const size_t theirs = note->struct_size;
    if (theirs < sizeof note->struct_size) return false;
    for (size_t i = sizeof *note; i < theirs; i++)
        if (bytes[i] != 0) return false;
    *copy = empty;
    memcpy(copy, note, theirs < sizeof *copy ? theirs : sizeof *copy);
    copy->struct_size = sizeof *copy;
    return true;
}

static void put_new_text(struct journal_bytes *bytes,
        const struct store_journal *journal, struct journal_keys *put,
        size_t size, const void *text)
{
    const uint64_t key = journal_text_key(size, text);
    if (journal_index_has(journal, key) || journal_keys_find(put, key) != NULL)
        return;
    journal_put_text(bytes, key, size, text);
    if (!journal_keys_set(put, key, 0)) bytes->failed = true;
}

/* The texts of a build that the journal does not have. */
static void put_new_texts(struct journal_bytes *bytes,
        const struct store_journal *journal, const dnnl_cache_note_t *note)
{
    struct journal_keys put = {NULL, 0, 0};
    for (size_t i = 0; i < note->source_count; i++)
        put_new_text(
                bytes, journal, &put, note->source_sizes[i], note->sources[i]);
    if (note->il != NULL)
        put_new_text(bytes, journal, &put, note->il_size, note->il);
    for (size_t i = 0; i < note->header_count; i++)
        put_new_text(bytes, journal, &put, note->headers[i].size,
                note->headers[i].text);
    for (size_t i = 0; i < note->header_program_count; i++)
        put_new_text(bytes, journal, &put, note->header_programs[i].size,
                note->header_programs[i].text);
    journal_keys_fini(&put);
}

/* What is to be written of a note. */
struct wanted {
    const dnnl_cache_note_t *note;
    uint64_t key;
    uint64_t use_key; /* 0: its use is not noted */
    uint64_t used_ns;
};

static bool is_known(
        const struct store_journal *journal, const struct wanted *wanted)
{
    return journal_index_has(journal, wanted->key)
           && (wanted->use_key == 0
                   || journal_index_has(journal, wanted->use_key));
}

static void put_wanted(struct journal_bytes *bytes,
        const struct store_journal *journal, const struct wanted *wanted,
        const struct journal_writer *writer)
{
    const dnnl_cache_note_t *note = wanted->note;
    if (!journal_index_has(journal, wanted->key)) {
        if (note->kind == dnnl_cache_note_build)
            put_new_texts(bytes, journal, note);
        journal_put_note(bytes, note, writer);
    }
    if (wanted->use_key != 0 && !journal_index_has(journal, wanted->use_key))
        journal_put_use(bytes, wanted->use_key, wanted->key, wanted->used_ns);
}

static int append_locked(dnnl_cache_store_handle_t *store,
        const struct wanted *wanted, const struct journal_writer *writer)
{
    struct store_journal *journal = &store->journal;
    struct journal_file file;
    struct journal_bytes bytes = {NULL, 0, 0, false};
    if (is_known(journal, wanted) && journal_file_is_known(store))
        return EEXIST;
    int error = journal_file_open(&file, store, append_timeout_ms);
    if (error != 0) return error;
    if (is_known(journal, wanted)) {
        error = EEXIST;
    } else {
        put_wanted(&bytes, journal, wanted, writer);
        error = journal_file_append(&file, store, &bytes);
    }
    journal_file_close(&file);
    free(bytes.data);
    return error;
}

/* Counts what came of it. journal->lock is held. */
static dnnl_status_t finish_append_locked(
        dnnl_cache_store_handle_t *store, int error)
{
    struct store_journal *journal = &store->journal;
    switch (error) {
    case 0:
        journal->appended++;
        return dnnl_success;
    case EEXIST:
        journal->known++;
        return dnnl_success;
    case ETIMEDOUT:
        journal->busy++;
        return dnnl_runtime_error;
    case ENOBUFS:
        journal->full++;
        if (!journal->full_was_told)
            store_log(store, dnnl_cache_log_warning,
                    journal->is_alone
                            ? "%s: the record is full: nothing new is recorded"
                            : "%s: the journal is full: run dnnl-cache refresh",
                    store->options.path);
        journal->full_was_told = true;
        return dnnl_runtime_error;
    default:
        journal->failed++;
        return error == EPERM ? dnnl_runtime_error
                              : store_finish(store, "journal", error);
    }
}

dnnl_status_t journal_append(dnnl_cache_store_handle_t *store,
        const dnnl_cache_note_t *note, const struct journal_writer *writer,
        const struct journal_uses *uses)
{
    dnnl_cache_note_t copy;
    if (!journal_copy_note(&copy, note)) return dnnl_invalid_arguments;
    if (!journal_is_writable(store)) return dnnl_runtime_error;
    if (!journal_note_is_valid(&copy)) return dnnl_invalid_arguments;
    struct wanted wanted = {
            .note = &copy, .key = dnnl_cache_store_journal_key(&copy)};
    if (wanted.key == 0) return dnnl_out_of_memory;
    if (uses != NULL && copy.kind == dnnl_cache_note_build) {
        wanted.used_ns = uses->time_ns;
        wanted.use_key =
                journal_use_key(wanted.key, uses->time_ns / uses->period_ns);
    }
    store_journal_lock(&store->journal);
    const dnnl_status_t st =
            finish_append_locked(store, append_locked(store, &wanted, writer));
    store_journal_unlock(&store->journal);
    return st;
}

dnnl_status_t dnnl_cache_store_journal_append(
        dnnl_cache_store_handle_t *store, const dnnl_cache_note_t *note)
{
    const struct journal_writer writer = {program_invocation_short_name, ""};
    store = store_find_journal(store);
    if (store == NULL || note == NULL || note->kind == dnnl_cache_note_kernel)
        return dnnl_invalid_arguments;
    return journal_append(store, note, &writer, NULL);
}

dnnl_status_t dnnl_cache_store_journal_set_limit(
        dnnl_cache_store_handle_t *store, uint64_t bytes)
{
    store = store_find_journal(store);
    if (store == NULL) return dnnl_invalid_arguments;
    store_journal_lock(&store->journal);
    store->journal.max_bytes =
            bytes < JOURNAL_MAX_BYTES ? bytes : JOURNAL_MAX_BYTES;
    store_journal_unlock(&store->journal);
    return dnnl_success;
}

dnnl_status_t store_note(void *user, const dnnl_cache_note_t *note)
{
    return dnnl_cache_store_journal_append(user, note);
}

dnnl_status_t dnnl_cache_store_journal_add_failure(
        dnnl_cache_store_handle_t *store, uint64_t key)
{
    struct journal_file file;
    struct journal_bytes bytes = {NULL, 0, 0, false};
    store = store_find_journal(store);
    if (store == NULL || key == 0) return dnnl_invalid_arguments;
    if (!journal_is_writable(store)) return dnnl_runtime_error;
    store_journal_lock(&store->journal);
    int error = journal_file_open(&file, store, store->options.lock_timeout_ms);
    if (error == 0) {
        journal_put_failure(&bytes, key);
        error = journal_file_append(&file, store, &bytes);
        journal_file_close(&file);
    }
    const dnnl_status_t st = finish_append_locked(store, error);
    store_journal_unlock(&store->journal);
    free(bytes.data);
    return st;
}
