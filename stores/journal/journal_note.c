/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_note.h"

#include "dnnl_cache/blob.h"
#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "stores/core/store_trailer.h"
#include "stores/journal/journal_fields.h"

#include <stdlib.h>
#include <string.h>

/* ---- What a note must have ----------------------------------------------- */

static bool headers_are_valid(
        size_t count, const dnnl_cache_note_header_t *headers)
{
    if (count > 0 && headers == NULL) return false;
    for (size_t i = 0; i < count; i++)
        if (headers[i].name == NULL || headers[i].text == NULL) return false;
    return true;
}

static bool lists_are_valid(const dnnl_cache_note_t *note)
{
    if ((note->source_count > 0
                && (note->sources == NULL || note->source_sizes == NULL))
            || !headers_are_valid(note->header_count, note->headers)
            || !headers_are_valid(
                    note->header_program_count, note->header_programs)
            || (note->constant_count > 0 && note->constants == NULL)
            || (note->input_count > 0
                    && (note->input_ids == NULL
                            || note->input_id_sizes == NULL))
            || (note->file_count > 0 && note->files == NULL))
        return false;
    for (size_t i = 0; i < note->source_count; i++)
        if (note->sources[i] == NULL) return false;
    for (size_t i = 0; i < note->constant_count; i++) {
        const uint32_t size = note->constants[i].size;
        if (size != 1 && size != 2 && size != 4 && size != 8) return false;
    }
    for (size_t i = 0; i < note->input_count; i++)
        if (note->input_ids[i] == NULL || note->input_id_sizes[i] == 0)
            return false;
    for (size_t i = 0; i < note->file_count; i++)
        if (note->files[i].path == NULL) return false;
    return true;
}

static bool build_is_valid(const dnnl_cache_note_t *note)
{
    const bool has_source = note->source_count > 0;
    const bool has_il = note->il != NULL && note->il_size > 0;
    if (!lists_are_valid(note) || note->reads_files < 0
            || note->reads_files > 2)
        return false;
    if (note->header_program_count > 0
            && (note->type != dnnl_cache_note_object
                    || note->origin != dnnl_cache_note_layer))
        return false;
    if (note->type == dnnl_cache_note_linked)
        return note->input_count > 0 && !has_source && !has_il;
    return (note->type == dnnl_cache_note_executable
                   || note->type == dnnl_cache_note_object)
           && has_source != has_il && note->input_count == 0;
}

static bool made_is_valid(const dnnl_cache_note_t *note)
{
    return note->file_count > 0 && note->directory != NULL
           && note->directory[0] == '/' && note->source_count == 0
           && note->il == NULL && note->input_count == 0
           && lists_are_valid(note);
}

bool journal_note_is_valid(const dnnl_cache_note_t *note)
{
    if (note->id == NULL || note->id_size == 0
            || note->id_size > STORE_MAX_ID_BYTES
            || note->origin < dnnl_cache_note_library
            || note->origin > dnnl_cache_note_primitive)
        return false;
    switch (note->kind) {
    case dnnl_cache_note_build:
        return build_is_valid(note);
    case dnnl_cache_note_launch:
        return note->kernel != NULL && note->kernel[0] != '\0'
               && note->work_dim >= 1 && note->work_dim <= 3;
    case dnnl_cache_note_made:
        return made_is_valid(note);
    case dnnl_cache_note_kernel:
        return note->kernel != NULL && note->kernel[0] != '\0';
    default:
        return false;
    }
}

/* ---- Their key ----------------------------------------------------------- */

static void put_sizes(struct journal_bytes *bytes, enum journal_field tag,
        const size_t sizes[3])
{
    uint8_t data[24];
    for (int i = 0; i < 3; i++)
        store_le64(data + 8 * i, sizes[i]);
    journal_put_field(bytes, tag, sizeof data, data, 0, NULL);
}

/* What makes two launches equal. */
static void put_launch(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    journal_put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    journal_put_string(bytes, field_kernel, note->kernel);
    journal_put_u32(bytes, field_work_dim, note->work_dim);
    put_sizes(bytes, field_local_size, note->local_size);
    journal_put_u32(bytes, field_has_offset, note->has_offset != 0);
    journal_put_u32(bytes, field_is_small_grid, note->is_small_grid != 0);
    if (note->global_size[0] != 0)
        put_sizes(bytes, field_global_size, note->global_size);
}

/* What makes two kernels equal. */
static void put_kernel(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    journal_put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    journal_put_string(bytes, field_kernel, note->kernel);
}

static void put_files(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    for (size_t i = 0; i < note->file_count; i++) {
        const dnnl_cache_note_file_t *f = &note->files[i];
        journal_put_field(bytes, field_file, journal_digest_size, f->digest,
                strlen(f->path) + 1, f->path);
    }
    if (note->directory != NULL)
        journal_put_string(bytes, field_directory, note->directory);
}

/* What makes two notes of files equal: all that they have. */
static void put_made(struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    journal_put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
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

/* Does the ID tell the folders of the options by numbers? */
static bool has_numbered_folders(const dnnl_cache_note_t *note)
{
    static const char number[] = "<folder ";
    const dnnl_cache_id_field_t none = DNNL_CACHE_ID_FIELD_INIT;
    dnnl_cache_id_field_t field = none;
    size_t at = 0;
    if (note->options == NULL || strchr(note->options, '/') == NULL)
        return false;
    while (dnnl_cache_id_next_field(note->id_size, note->id, &at, &field)
            == dnnl_success) {
        if (strcmp(field.name, "build_options") == 0)
            return memmem(field.value, field.size, number, sizeof number - 1)
                   != NULL;
        field = none;
    }
    return false;
}

/* A program whose headers are at two places has one ID and two notes: if one of
 * the places is removed, the binary is made of the other. */
static uint64_t key_of_build(const dnnl_cache_note_t *note)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    if (!has_numbered_folders(note))
        return journal_key_of(journal_build, note->id_size, note->id);
    journal_put_field(&bytes, field_id, note->id_size, note->id, 0, NULL);
    journal_put_string(&bytes, field_options, note->options);
    const uint64_t key = bytes.failed ? 0
                                      : journal_key_of(journal_build,
                                              bytes.size, bytes.data);
    free(bytes.data);
    return key;
}

uint64_t dnnl_cache_store_journal_key(const dnnl_cache_note_t *note)
{
    struct journal_bytes bytes = {NULL, 0, 0, false};
    if (note == NULL || !journal_note_is_valid(note)) return 0;
    if (note->kind == dnnl_cache_note_build) return key_of_build(note);
    put_key_fields(&bytes, note);
    const uint64_t key = bytes.failed ? 0
                                      : journal_key_of(kind_of(note),
                                              bytes.size, bytes.data);
    free(bytes.data);
    return key;
}

bool journal_is_note(const struct journal_record *record)
{
    return record->kind == journal_build || record->kind == journal_launch
           || record->kind == journal_kernel || record->kind == journal_made;
}

/* ---- Writing ------------------------------------------------------------- */

static void put_headers(struct journal_bytes *bytes, enum journal_field tag,
        size_t count, const dnnl_cache_note_header_t *headers)
{
    uint8_t key[8];
    for (size_t i = 0; i < count; i++) {
        const dnnl_cache_note_header_t *h = &headers[i];
        store_le64(key, journal_text_key(h->size, h->text));
        journal_put_field(bytes, tag, 8, key, strlen(h->name) + 1, h->name);
    }
}

static void put_build(
        struct journal_bytes *bytes, const dnnl_cache_note_t *note)
{
    uint8_t number[8];
    journal_put_field(bytes, field_id, note->id_size, note->id, 0, NULL);
    journal_put_u32(bytes, field_type, (uint32_t)note->type);
    journal_put_u64(bytes, field_compile_ns, note->compile_ns);
    for (size_t i = 0; i < note->source_count; i++)
        journal_put_u64(bytes, field_source,
                journal_text_key(note->source_sizes[i], note->sources[i]));
    if (note->il != NULL)
        journal_put_u64(
                bytes, field_il, journal_text_key(note->il_size, note->il));
    journal_put_string(
            bytes, field_options, note->options != NULL ? note->options : "");
    put_headers(bytes, field_header, note->header_count, note->headers);
    put_headers(bytes, field_header_program, note->header_program_count,
            note->header_programs);
    for (size_t i = 0; i < note->constant_count; i++) {
        const dnnl_cache_note_constant_t *c = &note->constants[i];
        store_le32(number, c->id);
        journal_put_field(bytes, field_constant, 4, number, c->size, c->value);
    }
    for (size_t i = 0; i < note->input_count; i++)
        journal_put_field(bytes, field_input, note->input_id_sizes[i],
                note->input_ids[i], 0, NULL);
    if (note->reads_files)
        journal_put_u32(bytes, field_reads_files, (uint32_t)note->reads_files);
    put_files(bytes, note);
}

void journal_put_note(struct journal_bytes *bytes,
        const dnnl_cache_note_t *note, const struct journal_writer *writer)
{
    const size_t at = journal_begin_record(bytes);
    if (note->kind == dnnl_cache_note_build)
        put_build(bytes, note);
    else
        put_key_fields(bytes, note);
    if (note->kind == dnnl_cache_note_kernel && note->arguments != NULL)
        journal_put_string(bytes, field_arguments, note->arguments);
    journal_put_u32(bytes, field_origin, (uint32_t)note->origin);
    journal_put_string(bytes, field_application, writer->application);
    if (writer->tag[0] != '\0')
        journal_put_string(bytes, field_tag, writer->tag);
    const uint64_t key = dnnl_cache_store_journal_key(note);
    if (key == 0) bytes->failed = true;
    journal_end_record(bytes, at, kind_of(note), key, clock_epoch_ns());
}

/* ---- Uses ---------------------------------------------------------------- */

uint64_t journal_use_key(uint64_t build_key, uint64_t period)
{
    const uint64_t both[] = {build_key, period};
    return journal_key_of(journal_use, sizeof both, both);
}

void journal_put_use(struct journal_bytes *bytes, uint64_t key,
        uint64_t build_key, uint64_t time_ns)
{
    const size_t at = journal_begin_record(bytes);
    journal_put_u64(bytes, field_build, build_key);
    journal_end_record(bytes, at, journal_use, key, time_ns);
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
