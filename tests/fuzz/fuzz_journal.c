/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a journal or a record, once as they are and once with the
 * checksums of what looks like records made right. What is read as a note stays
 * within the bytes, has what its kind needs, and is the same when it is written
 * and read again.
 */
#include "fuzz.h"
#include "repair_journal.h"
#include "stores/journal/journal_note.h"

#include <string.h>

/* All bytes that a note points to. */
static void touch(const void *data, size_t size)
{
    static volatile uint8_t sink;
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        sink = bytes[i];
    (void)sink;
}

static void touch_text(const char *text)
{
    if (text != NULL) touch(text, strlen(text) + 1);
}

static void touch_headers(size_t count, const dnnl_cache_note_header_t *headers)
{
    for (size_t i = 0; i < count; i++) {
        touch_text(headers[i].name);
        touch(headers[i].text, headers[i].size);
    }
}

static void touch_note(const dnnl_cache_note_t *note)
{
    touch(note->id, note->id_size);
    for (size_t i = 0; i < note->source_count; i++)
        touch(note->sources[i], note->source_sizes[i] + 1);
    touch(note->il, note->il_size);
    touch_text(note->options);
    touch_headers(note->header_count, note->headers);
    touch_headers(note->header_program_count, note->header_programs);
    for (size_t i = 0; i < note->constant_count; i++)
        REQUIRE(note->constants[i].size <= 8);
    for (size_t i = 0; i < note->input_count; i++)
        touch(note->input_ids[i], note->input_id_sizes[i]);
    for (size_t i = 0; i < note->file_count; i++)
        touch_text(note->files[i].path);
    touch_text(note->directory);
    touch_text(note->kernel);
    touch_text(note->arguments);
}

/* Written again it is the same record, but for the order of its fields. */
static void read_again(const struct journal_note *note,
        const struct journal_record *record, const struct journal_keys *texts,
        const uint8_t *data)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    struct journal_record copy;
    struct journal_note second;
    const struct journal_writer writer = {note->application, note->tag};
    journal_put_note(&bytes, &note->note, &writer);
    REQUIRE(!bytes.failed);
    REQUIRE(journal_read_record(&copy, bytes.size, bytes.data) == bytes.size);
    REQUIRE(copy.kind == record->kind && copy.key == record->key);
    /* Its texts are named by what they hold, which the first one's need not be.
     */
    if (record->kind != journal_build) {
        REQUIRE(journal_read_note(&second, &copy, texts, data) == 0);
        REQUIRE(strcmp(second.note.kernel, note->note.kernel) == 0);
        journal_note_fini(&second);
    }
    free(bytes.data);
}

static void read_all(size_t size, const uint8_t *data)
{
    struct journal_keys texts = {NULL, 0, 0};
    struct journal_record record;
    struct journal_note note;
    size_t at = journal_head_size;
    size_t n;
    if (!journal_is_head(size, data)) return;
    while ((n = journal_read_record(&record, size - at, data + at)) > 0) {
        REQUIRE(n <= size - at);
        if (record.kind == journal_text && record.key != 0)
            REQUIRE(journal_keys_set(&texts, record.key, at));
        at += n;
    }
    at = journal_head_size;
    while ((n = journal_read_record(&record, size - at, data + at)) > 0) {
        at += n;
        if (record.kind == journal_use) (void)journal_used_build(&record);
        if (!journal_is_note(&record)
                || journal_read_note(&note, &record, &texts, data) != 0)
            continue;
        REQUIRE(journal_note_is_valid(&note.note));
        touch_note(&note.note);
        touch_text(note.application);
        touch_text(note.tag);
        read_again(&note, &record, &texts, data);
        journal_note_fini(&note);
    }
    journal_keys_fini(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = calloc(1, size + 1);
    REQUIRE(copy != NULL);
    if (size > 0) memcpy(copy, data, size);
    read_all(size, copy);
    repair_journal(size, copy);
    read_all(size, copy);
    free(copy);
    return 0;
}
