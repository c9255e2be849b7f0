/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the records of notes, which may hold anything. */
#include "src/common/byte_order.h"
#include "stores/journal/journal_fields.h"
#include "stores/journal/journal_note.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A string of so many bytes, its NUL included; NULL: it is none. */
static const char *string_in(size_t size, const uint8_t *data)
{
    return size > 0 && memchr(data, '\0', size) == data + size - 1
                   ? (const char *)data
                   : NULL;
}

/* How many elements there are for each list. */
struct counts {
    size_t sources, headers, header_programs, constants, inputs, files;
};

static bool count_fields(
        struct counts *counts, const struct journal_record *record)
{
    struct journal_field_view f;
    size_t at = 0;
    while (journal_next_field(&f, record, &at)) {
        counts->sources += f.tag == field_source;
        counts->headers += f.tag == field_header;
        counts->header_programs += f.tag == field_header_program;
        counts->constants += f.tag == field_constant;
        counts->inputs += f.tag == field_input;
        counts->files += f.tag == field_file;
    }
    return at == record->size;
}

/* The lists of a note while they are filled in. */
struct lists {
    size_t *source_sizes;
    const char **sources;
    dnnl_cache_note_header_t *headers;
    dnnl_cache_note_header_t *header_programs;
    dnnl_cache_note_constant_t *constants;
    size_t *input_sizes;
    const uint8_t **inputs;
    dnnl_cache_note_file_t *files;
};

/* All lists in one piece of memory; each element has a multiple of 8 bytes, but
 * on machines with 4 for a pointer, where 4 suffice. */
static bool lists_make(
        struct lists *lists, void **memory, const struct counts *n)
{
    const size_t size =
            n->sources * (sizeof(size_t) + sizeof(char *))
            + (n->headers + n->header_programs) * sizeof *lists->headers
            + n->constants * sizeof *lists->constants
            + n->inputs * (sizeof(size_t) + sizeof(uint8_t *))
            + n->files * sizeof *lists->files;
    uint8_t *at = calloc(1, size + 1);
    if (at == NULL) return false;
    *memory = at;
    lists->headers = (void *)at;
    at += n->headers * sizeof *lists->headers;
    lists->header_programs = (void *)at;
    at += n->header_programs * sizeof *lists->header_programs;
    lists->files = (void *)at;
    at += n->files * sizeof *lists->files;
    lists->sources = (void *)at;
    at += n->sources * sizeof *lists->sources;
    lists->inputs = (void *)at;
    at += n->inputs * sizeof *lists->inputs;
    lists->source_sizes = (void *)at;
    at += n->sources * sizeof *lists->source_sizes;
    lists->input_sizes = (void *)at;
    at += n->inputs * sizeof *lists->input_sizes;
    lists->constants = (void *)at;
    return true;
}

struct reading {
    struct journal_note *out;
    struct lists lists;
    const struct journal_keys *texts;
    const uint8_t *data;
};

/* The text whose key is at key; false: it is missing. */
static bool find_text(const struct reading *r, const uint8_t *key, size_t *size,
        const char **text)
{
    struct journal_record record;
    const uint64_t *at = journal_keys_find(r->texts, load_le64(key));
    if (at == NULL) return false;
    /* Checked when the table was made. */
    const uint8_t *head = r->data + *at;
    record.size = (size_t)load_le64(head + 8);
    record.payload = head + journal_record_head_size;
    if (record.size == 0 || record.payload[record.size - 1] != '\0')
        return false;
    *size = record.size - 1;
    *text = (const char *)record.payload;
    return true;
}

static bool take_source(struct reading *r, const struct journal_field_view *f)
{
    dnnl_cache_note_t *note = &r->out->note;
    const size_t i = note->source_count++;
    return f->size == 8
           && find_text(
                   r, f->data, &r->lists.source_sizes[i], &r->lists.sources[i]);
}

static bool take_header(const struct reading *r, dnnl_cache_note_header_t *h,
        const struct journal_field_view *f)
{
    if (f->size < 8) return false;
    h->name = string_in(f->size - 8, f->data + 8);
    return h->name != NULL && find_text(r, f->data, &h->size, &h->text);
}

static bool take_constant(struct reading *r, const struct journal_field_view *f)
{
    dnnl_cache_note_constant_t *c =
            &r->lists.constants[r->out->note.constant_count++];
    if (f->size < 4 || f->size > 4 + sizeof c->value) return false;
    c->id = load_le32(f->data);
    c->size = (uint32_t)(f->size - 4);
    memcpy(c->value, f->data + 4, c->size);
    return true;
}

static bool take_input(struct reading *r, const struct journal_field_view *f)
{
    const size_t i = r->out->note.input_count++;
    r->lists.inputs[i] = f->data;
    r->lists.input_sizes[i] = f->size;
    return true;
}

static bool take_file(struct reading *r, const struct journal_field_view *f)
{
    dnnl_cache_note_file_t *file = &r->lists.files[r->out->note.file_count++];
    if (f->size < journal_digest_size) return false;
    memcpy(file->digest, f->data, journal_digest_size);
    file->path = string_in(
            f->size - journal_digest_size, f->data + journal_digest_size);
    return file->path != NULL;
}

static bool take_il(struct reading *r, const struct journal_field_view *f)
{
    const char *text;
    if (f->size != 8 || !find_text(r, f->data, &r->out->note.il_size, &text))
        return false;
    r->out->note.il = text;
    return true;
}

static bool take_u32(uint32_t *value, const struct journal_field_view *f)
{
    if (f->size != 4) return false;
    *value = load_le32(f->data);
    return true;
}

static bool take_u64(uint64_t *value, const struct journal_field_view *f)
{
    if (f->size != 8) return false;
    *value = load_le64(f->data);
    return true;
}

static bool take_int(int *value, const struct journal_field_view *f)
{
    uint32_t number;
    if (!take_u32(&number, f)) return false;
    *value = number != 0;
    return true;
}

static bool take_string(const char **text, const struct journal_field_view *f)
{
    *text = string_in(f->size, f->data);
    return *text != NULL;
}

static bool take_sizes(size_t sizes[3], const struct journal_field_view *f)
{
    if (f->size != 24) return false;
    for (int i = 0; i < 3; i++)
        sizes[i] = (size_t)load_le64(f->data + 8 * i);
    return true;
}

static bool take_build_field(
        struct reading *r, const struct journal_field_view *f)
{
    dnnl_cache_note_t *note = &r->out->note;
    uint32_t number = 0;
    bool is_good;
    switch (f->tag) {
    case field_type:
        is_good = take_u32(&number, f) && number <= dnnl_cache_note_linked;
        if (is_good) note->type = (dnnl_cache_note_type_t)number;
        return is_good;
    case field_compile_ns:
        return take_u64(&note->compile_ns, f);
    case field_source:
        return take_source(r, f);
    case field_il:
        return take_il(r, f);
    case field_options:
        return take_string(&note->options, f);
    case field_header:
        return take_header(r, &r->lists.headers[note->header_count++], f);
    case field_constant:
        return take_constant(r, f);
    case field_input:
        return take_input(r, f);
    case field_reads_files:
        is_good = take_u32(&number, f) && number <= 2;
        note->reads_files = (int)number;
        return is_good;
    case field_file:
        return take_file(r, f);
    case field_directory:
        return take_string(&note->directory, f);
    case field_header_program:
        return take_header(
                r, &r->lists.header_programs[note->header_program_count++], f);
    default:
        return true; /* of a later release */
    }
}

static bool take_launch_field(
        dnnl_cache_note_t *note, const struct journal_field_view *f)
{
    switch (f->tag) {
    case field_kernel:
        return take_string(&note->kernel, f);
    case field_work_dim:
        return take_u32(&note->work_dim, f);
    case field_local_size:
        return take_sizes(note->local_size, f);
    case field_has_offset:
        return take_int(&note->has_offset, f);
    case field_is_small_grid:
        return take_int(&note->is_small_grid, f);
    case field_global_size:
        return take_sizes(note->global_size, f);
    case field_arguments:
        return take_string(&note->arguments, f);
    default:
        return true; /* of a later release */
    }
}

static bool take_field(struct reading *r, const struct journal_field_view *f)
{
    dnnl_cache_note_t *note = &r->out->note;
    uint32_t number = 0;
    bool is_good;
    switch (f->tag) {
    case field_id:
        note->id = f->data;
        note->id_size = f->size;
        return true;
    case field_origin:
        is_good = take_u32(&number, f) && number <= dnnl_cache_note_primitive;
        if (is_good) note->origin = (dnnl_cache_note_origin_t)number;
        return is_good;
    case field_application:
        return take_string(&r->out->application, f);
    case field_tag:
        return take_string(&r->out->tag, f);
    default:
        return f->tag < field_kernel ? take_build_field(r, f)
                                     : take_launch_field(note, f);
    }
}

int journal_read_note(struct journal_note *out,
        const struct journal_record *record, const struct journal_keys *texts,
        const uint8_t *data)
{
    struct counts counts = {0};
    struct reading r = {.out = out, .texts = texts, .data = data};
    const dnnl_cache_note_t empty = DNNL_CACHE_NOTE_INIT;
    *out = (struct journal_note){.note = empty, .application = "", .tag = ""};
    dnnl_cache_note_t *note = &out->note;
    note->kind = record->kind == journal_build    ? dnnl_cache_note_build
                 : record->kind == journal_kernel ? dnnl_cache_note_kernel
                 : record->kind == journal_made   ? dnnl_cache_note_made
                                                  : dnnl_cache_note_launch;
    if (!count_fields(&counts, record)) return EBADMSG;
    if (!lists_make(&r.lists, &out->lists, &counts)) return ENOMEM;
    note->source_sizes = r.lists.source_sizes;
    note->sources = r.lists.sources;
    note->headers = r.lists.headers;
    note->header_programs = r.lists.header_programs;
    note->constants = r.lists.constants;
    note->input_id_sizes = r.lists.input_sizes;
    note->input_ids = r.lists.inputs;
    note->files = r.lists.files;
    struct journal_field_view field;
    size_t at = 0;
    bool is_good = true;
    while (is_good && journal_next_field(&field, record, &at))
        is_good = take_field(&r, &field);
    if (is_good && journal_note_is_valid(note)
            && dnnl_cache_store_journal_key(note) == record->key)
        return 0;
    journal_note_fini(out);
    return EBADMSG;
}

void journal_note_fini(struct journal_note *note)
{
    free(note->lists);
    note->lists = NULL;
}

void journal_for_each_text(const struct journal_record *build,
        void (*visit)(void *user, uint64_t key), void *user)
{
    struct journal_field_view f;
    size_t at = 0;
    while (journal_next_field(&f, build, &at))
        if ((f.tag == field_source || f.tag == field_il || f.tag == field_header
                    || f.tag == field_header_program)
                && f.size >= 8)
            visit(user, load_le64(f.data));
}
