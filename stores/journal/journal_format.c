/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_format.h"

#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "stores/core/journal_state.h"
#include "stores/core/store_internal.h"
#include "stores/journal/journal_fields.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* Without a NUL. */
static const char journal_magic[8] = JOURNAL_MAGIC;
static const char record_magic[4] = "dnjr";

enum { version = 1 };

/* ---- Bytes --------------------------------------------------------------- */

uint8_t *journal_bytes_room(struct journal_bytes *bytes, size_t size)
{
    const size_t most = UINT32_MAX;
    if (bytes->failed || size > most || bytes->size > most - size) {
        bytes->failed = true;
        return NULL;
    }
    if (bytes->size + size > bytes->capacity) {
        const size_t capacity = 2 * bytes->capacity > bytes->size + size
                                        ? 2 * bytes->capacity
                                        : bytes->size + size;
        uint8_t *data = realloc(bytes->data, capacity);
        if (data == NULL) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    uint8_t *at = bytes->data + bytes->size;
    bytes->size += size;
    return at;
}

static void put(struct journal_bytes *bytes, size_t size, const void *data)
{
    uint8_t *at = journal_bytes_room(bytes, size);
    if (at != NULL && size > 0) memcpy(at, data, size);
}

/* Two pieces in one field; the second may be empty. */
static void put_field(struct journal_bytes *bytes, enum journal_field tag,
        size_t size, const void *data, size_t more_size, const void *more)
{
    uint8_t head[journal_field_head_size];
    if (size > UINT32_MAX / 2 || more_size > UINT32_MAX / 2) {
        bytes->failed = true;
        return;
    }
    store_le32(head, (uint32_t)tag);
    store_le32(head + 4, (uint32_t)(size + more_size));
    put(bytes, sizeof head, head);
    put(bytes, size, data);
    put(bytes, more_size, more);
}

static void put_u32(
        struct journal_bytes *bytes, enum journal_field tag, uint32_t value)
{
    uint8_t data[4];
    store_le32(data, value);
    put_field(bytes, tag, sizeof data, data, 0, NULL);
}

static void put_u64(
        struct journal_bytes *bytes, enum journal_field tag, uint64_t value)
{
    uint8_t data[8];
    store_le64(data, value);
    put_field(bytes, tag, sizeof data, data, 0, NULL);
}

static void put_string(
        struct journal_bytes *bytes, enum journal_field tag, const char *text)
{
    put_field(bytes, tag, strlen(text) + 1, text, 0, NULL);
}

/* ---- Records ------------------------------------------------------------- */

static uint32_t make_generation(void)
{
    char name[file_unique_size]; /* of a random number */
    file_unique_name(name, "");
    return (uint32_t)XXH3_64bits(name, strlen(name));
}

static void put_fixed_head(uint8_t head[journal_generation_at])
{
    memcpy(head, journal_magic, sizeof journal_magic);
    store_le32(head + sizeof journal_magic, version);
}

void journal_make_head(uint8_t head[journal_head_size])
{
    put_fixed_head(head);
    store_le32(head + journal_generation_at, make_generation());
}

void journal_put_head(struct journal_bytes *bytes)
{
    uint8_t *at = journal_bytes_room(bytes, journal_head_size);
    if (at != NULL) journal_make_head(at);
}

static bool begins_like_a_head(size_t size, const uint8_t *data)
{
    uint8_t good[journal_generation_at];
    put_fixed_head(good);
    return memcmp(data, good, size < sizeof good ? size : sizeof good) == 0;
}

bool journal_is_head(size_t size, const uint8_t *data)
{
    return size >= journal_head_size && begins_like_a_head(size, data);
}

bool journal_is_head_begun(size_t size, const uint8_t *data)
{
    return size < journal_head_size && begins_like_a_head(size, data);
}

uint32_t journal_generation_of(const uint8_t head[journal_head_size])
{
    return load_le32(head + journal_generation_at);
}

static uint64_t checksum(const uint8_t *head, size_t size, const uint8_t *data)
{
    /* Chained, so that no state has to be allocated. */
    return XXH3_64bits_withSeed(data, size, XXH3_64bits(head, 32));
}

/* Begins a record, whose payload follows. Returns where it is. */
static size_t begin_record(struct journal_bytes *bytes)
{
    const size_t at = bytes->size;
    (void)journal_bytes_room(bytes, journal_record_head_size);
    return at;
}

static void end_record(struct journal_bytes *bytes, size_t at,
        enum journal_kind kind, uint64_t key, uint64_t time_ns)
{
    if (bytes->failed) return;
    uint8_t *head = bytes->data + at;
    const size_t size = bytes->size - at - journal_record_head_size;
    memcpy(head, record_magic, sizeof record_magic);
    store_le32(head + 4, (uint32_t)kind);
    store_le64(head + 8, size);
    store_le64(head + 16, key);
    store_le64(head + 24, time_ns);
    store_le64(
            head + 32, checksum(head, size, head + journal_record_head_size));
}

size_t journal_read_record(
        struct journal_record *record, size_t size, const uint8_t *data)
{
    if (size < journal_record_head_size
            || memcmp(data, record_magic, sizeof record_magic) != 0)
        return 0;
    const uint64_t payload = load_le64(data + 8);
    if (payload > size - journal_record_head_size) return 0;
    *record = (struct journal_record){.kind = load_le32(data + 4),
            .key = load_le64(data + 16),
            .time_ns = load_le64(data + 24),
            .size = (size_t)payload,
            .payload = data + journal_record_head_size};
    return checksum(data, record->size, record->payload) == load_le64(data + 32)
                   ? journal_record_head_size + record->size
                   : 0;
}

void journal_put_record(
        struct journal_bytes *bytes, const struct journal_record *record)
{
    const size_t at = begin_record(bytes);
    put(bytes, record->size, record->payload);
    end_record(bytes, at, (enum journal_kind)record->kind, record->key,
            record->time_ns);
}

/* 0 stands for none. */
static uint64_t key_of(enum journal_kind kind, size_t size, const void *data)
{
    const uint64_t key = XXH3_64bits_withSeed(data, size, (uint64_t)kind);
    return key != 0 ? key : 1;
}

uint64_t journal_text_key(size_t size, const void *text)
{
    return key_of(journal_text, size, text);
}

void journal_put_text(struct journal_bytes *bytes, uint64_t key, size_t size,
        const void *text)
{
    const size_t at = begin_record(bytes);
    put(bytes, size, text);
    put(bytes, 1, "");
    end_record(bytes, at, journal_text, key, clock_epoch_ns());
}

void journal_put_failure(struct journal_bytes *bytes, uint64_t build_key)
{
    const size_t at = begin_record(bytes);
    end_record(bytes, at, journal_failure, build_key, clock_epoch_ns());
}

/* ---- Uses ---------------------------------------------------------------- */

uint64_t journal_use_key(uint64_t build_key, uint64_t period)
{
    const uint64_t both[] = {build_key, period};
    return key_of(journal_use, sizeof both, both);
}

void journal_put_use(struct journal_bytes *bytes, uint64_t key,
        uint64_t build_key, uint64_t time_ns)
{
    const size_t at = begin_record(bytes);
    put_u64(bytes, field_build, build_key);
    end_record(bytes, at, journal_use, key, time_ns);
}

uint64_t journal_used_build(const struct journal_record *use)
{
    const uint8_t *data = use->payload;
    return use->size == journal_field_head_size + 8
                           && load_le32(data) == field_build
                           && load_le32(data + 4) == 8
                   ? load_le64(data + journal_field_head_size)
                   : 0;
}

/* ---- Notes --------------------------------------------------------------- */

static void put_sizes(struct journal_bytes *bytes, enum journal_field tag,
        const size_t sizes[3])
{
    uint8_t data[24];
    for (int i = 0; i < 3; i++)
        store_le64(data + 8 * i, sizes[i]);
    put_field(bytes, tag, sizeof data, data, 0, NULL);
}

/* What makes two launches equal. */
static void put_launch(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    put_string(bytes, field_kernel, note->kernel);
    put_u32(bytes, field_work_dim, note->work_dim);
    put_sizes(bytes, field_local_size, note->local_size);
    put_u32(bytes, field_has_offset, note->has_offset != 0);
    put_u32(bytes, field_is_small_grid, note->is_small_grid != 0);
    if (note->global_size[0] != 0)
        put_sizes(bytes, field_global_size, note->global_size);
}

/* What makes two kernels equal. */
static void put_kernel(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    put_string(bytes, field_kernel, note->kernel);
}

static void put_files(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    for (size_t i = 0; i < note->file_count; i++) {
        const dnnl_cache_note_file_t *f = &note->files[i];
        put_field(bytes, field_file, journal_digest_size, f->digest,
                strlen(f->path) + 1, f->path);
    }
    if (note->directory != NULL)
        put_string(bytes, field_directory, note->directory);
}

/* What makes two notes of files equal: all that they have. */
static void put_made(struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    put_files(bytes, note);
}

static void put_build(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    uint8_t number[8];
    put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    put_u32(bytes, field_type, (uint32_t)note->type);
    put_u64(bytes, field_compile_ns, note->compile_ns);
    for (size_t i = 0; i < note->source_count; i++)
        put_u64(bytes, field_source,
                journal_text_key(note->source_sizes[i], note->sources[i]));
    if (note->il != NULL)
        put_u64(bytes, field_il, journal_text_key(note->il_size, note->il));
    put_string(
            bytes, field_options, note->options != NULL ? note->options : "");
    for (size_t i = 0; i < note->header_count; i++) {
        const dnnl_cache_note_header_t *h = &note->headers[i];
        store_le64(number, journal_text_key(h->size, h->text));
        put_field(bytes, field_header, 8, number, strlen(h->name) + 1, h->name);
    }
    for (size_t i = 0; i < note->constant_count; i++) {
        const dnnl_cache_note_constant_t *c = &note->constants[i];
        store_le32(number, c->id);
        put_field(bytes, field_constant, 4, number, c->size, c->value);
    }
    for (size_t i = 0; i < note->input_count; i++)
        put_field(bytes, field_input, note->input_id_sizes[i],
                note->input_ids[i], 0, NULL);
    if (note->reads_files)
        put_u32(bytes, field_reads_files, (uint32_t)note->reads_files);
    put_files(bytes, note);
}

static enum journal_kind kind_of(const dnnl_cache_note_t *note)
{
    switch (note->kind) {
    case dnnl_cache_note_build:
        return journal_build;
    case dnnl_cache_note_kernel:
        return journal_kernel;
    case dnnl_cache_note_made:
        return journal_made;
    default:
        return journal_launch;
    }
}

static void put_key_fields(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    if (note->kind == dnnl_cache_note_kernel)
        put_kernel(bytes, note);
    else if (note->kind == dnnl_cache_note_made)
        put_made(bytes, note);
    else
        put_launch(bytes, note);
}

uint64_t dnnl_cache_store_journal_key(const dnnl_cache_note_t *note)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    if (note == NULL || !journal_note_is_valid(note)) return 0;
    if (note->kind == dnnl_cache_note_build)
        return key_of(journal_build, note->id_size, note->id);
    put_key_fields(&bytes, note);
    const uint64_t key =
            bytes.failed ? 0 : key_of(kind_of(note), bytes.size, bytes.data);
    free(bytes.data);
    return key;
}

bool journal_is_note(const struct journal_record *record)
{
    return record->kind == journal_build || record->kind == journal_launch
           || record->kind == journal_kernel || record->kind == journal_made;
}

void journal_put_note(struct journal_bytes *bytes,
        const dnnl_cache_note_t *note, const struct journal_writer *writer)
{
    const size_t at = begin_record(bytes);
    if (note->kind == dnnl_cache_note_build)
        put_build(bytes, note);
    else
        put_key_fields(bytes, note);
    if (note->kind == dnnl_cache_note_kernel && note->arguments != NULL)
        put_string(bytes, field_arguments, note->arguments);
    put_u32(bytes, field_origin, (uint32_t)note->origin);
    put_string(bytes, field_application, writer->application);
    if (writer->tag[0] != '\0') put_string(bytes, field_tag, writer->tag);
    const uint64_t key = dnnl_cache_store_journal_key(note);
    if (key == 0) bytes->failed = true;
    end_record(bytes, at, kind_of(note), key, clock_epoch_ns());
}
