/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the file of a record, and as the journal beside a store, once as
 * they are and once with the heads of their records made right. What is read
 * has what its kind needs, and is as much when it is copied into another
 * record; whoever drops all notes has an empty journal; what is no journal is
 * refused or begun anew.
 */
#include "dnnl_cache/recording.h"
#include "dnnl_cache/store_types.h"
#include "pieces.h"
#include "repair_journal.h"
#include "scratch.h"

enum { most_notes = 64 };

struct notes {
    dnnl_cache_store_handle_t *copy; /* a record, or NULL */
    size_t count, copied;
    uint64_t keys[most_notes];
};

static dnnl_cache_store_handle_t *open_record(const char *name, bool read_only)
{
    struct dnnl_cache_recording_options options =
            DNNL_CACHE_RECORDING_OPTIONS_INIT;
    dnnl_cache_store_handle_t *record = NULL;
    char path[scratch_path_size];
    scratch_path(path, name);
    options.path = path;
    options.read_only = read_only;
    (void)dnnl_cache_recording_open(&record, &options);
    return record;
}

static void check_note(const dnnl_cache_note_t *note)
{
    size_t key_size;
    size_t at = 0;
    const uint8_t *key;
    touch(note->id, note->id_size);
    for (size_t i = 0; i < note->source_count; i++)
        touch(note->sources[i], note->source_sizes[i] + 1);
    for (size_t i = 0; i < note->header_count; i++) {
        (void)dnnl_cache_recording_is_header_name(note->headers[i].name);
        touch(note->headers[i].text, note->headers[i].size);
    }
    while ((key = dnnl_cache_recording_next_key(
                    &key_size, &at, note->id_size, note->id))
            != NULL) {
        REQUIRE(key >= note->id && at <= note->id_size);
        touch(key, key_size);
    }
}

static bool visit(void *user, const struct dnnl_cache_store_journal_item *item)
{
    struct notes *notes = user;
    touch(item->application, strlen(item->application) + 1);
    touch(item->tag, strlen(item->tag) + 1);
    check_note(item->note);
    if (notes->count < most_notes) notes->keys[notes->count++] = item->key;
    if (notes->copy != NULL)
        notes->copied +=
                dnnl_cache_recording_copy(notes->copy, item) == dnnl_success;
    return true;
}

static size_t count_notes(dnnl_cache_store_handle_t *store)
{
    struct dnnl_cache_store_journal_list *list = NULL;
    const dnnl_status_t st = dnnl_cache_store_journal_load(&list, store);
    const size_t count = st == dnnl_success ? list->count : 0;
    dnnl_cache_store_journal_free(list);
    return count;
}

/* Reads it, and copies it to another record. */
static void use_record(size_t size, const uint8_t *data)
{
    struct notes notes = {.copy = NULL};
    scratch_write("record", data, size);
    dnnl_cache_store_handle_t *record = open_record("record", true);
    if (record == NULL) return;
    notes.copy = open_record("copy", false);
    REQUIRE(notes.copy != NULL);
    (void)dnnl_cache_store_journal_read(record, visit, &notes);
    REQUIRE(notes.count == most_notes || notes.count == count_notes(record));
    REQUIRE(count_notes(notes.copy) <= notes.copied);
    dnnl_cache_store_close(notes.copy);
    dnnl_cache_store_close(record);
    (void)scratch_remove("copy");
}

/* Drains it. */
static void use_journal(size_t size, const uint8_t *data)
{
    static dnnl_cache_store_handle_t *store;
    struct dnnl_cache_store_journal_statistics statistics =
            DNNL_CACHE_STORE_JOURNAL_STATISTICS_INIT;
    struct notes notes = {.copy = NULL};
    if (store == NULL) {
        struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
        char path[scratch_path_size];
        scratch_path(path, "store");
        options.path = path;
        REQUIRE(dnnl_cache_store_open(&store, "flat", &options)
                == dnnl_success);
    }
    (void)scratch_remove("store/journal"); /* a new one */
    scratch_write("store/journal", data, size);
    REQUIRE(dnnl_cache_store_journal_begin_drain(store, 1) == dnnl_success);
    (void)dnnl_cache_store_journal_read(store, visit, &notes);
    (void)dnnl_cache_store_journal_get_statistics(store, &statistics);
    if (notes.count > 0) {
        (void)dnnl_cache_store_journal_add_failure(store, notes.keys[0]);
        const dnnl_status_t st =
                dnnl_cache_store_journal_drop(store, notes.count, notes.keys);
        if (st == dnnl_success && notes.count < most_notes)
            REQUIRE(count_notes(store) == 0);
    }
    dnnl_cache_store_journal_end_drain(store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece copy = pieces_take(&pieces, size, 1);
    copy.data[size] = 0;
    use_record(size, copy.data);
    use_journal(size, copy.data);
    repair_journal(size, copy.data);
    use_record(size, copy.data);
    use_journal(size, copy.data);
    free(copy.data);
    return 0;
}
