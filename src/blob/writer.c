/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/writer.h"

#include "src/blob/finalised.h"
#include "src/blob/format.h"
#include "src/blob/included.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include <stdbool.h>
#include <string.h>

/* ---- What may be written ------------------------------------------------- */

static bool id_is_good(const uint8_t *id, size_t size, enum blob_kind kind)
{
    struct id_reader reader;
    return id_reader_init(&reader, id, size) == dnnl_success
           && reader.kind == kind;
}

static bool binary_is_good(const struct blob_program *p)
{
    if (p->binary == NULL || p->binary_size == 0) return false;
    if (p->raw_size == 0 || p->raw_size > BLOB_MAX_BINARY_SIZE) return false;
    if (p->codec == blob_codec_none) return p->raw_size == p->binary_size;
    return p->codec == blob_codec_zstd;
}

/* A finalised form has a name; it may be the binary itself. */
static bool form_is_good(const struct blob_program *p)
{
    if (p->finaliser_size == 0)
        return p->final_binary == NULL && p->final_size == 0;
    if (p->finaliser == NULL || p->finaliser_size > BLOB_MAX_FINALISER_SIZE
            || memchr(p->finaliser, '\0', p->finaliser_size) != NULL)
        return false;
    if (p->final_binary == NULL)
        return p->final_size == 0 && p->final_raw_size == 0
               && p->final_codec == blob_codec_none;
    const struct blob_program form = {.binary = p->final_binary,
            .binary_size = p->final_size,
            .raw_size = p->final_raw_size,
            .codec = p->final_codec};
    return binary_is_good(&form);
}

static bool programs_are_good(const struct blob_contents *c)
{
    if (c->program_count == 0) return true;
    if (c->programs == NULL || c->program_count > BLOB_MAX_PROGRAMS)
        return false;
    struct format_seen seen = {{0}};
    for (uint32_t i = 0; i < c->program_count; i++) {
        const struct blob_program *p = &c->programs[i];
        if (p->backend != blob_backend_opencl || !binary_is_good(p)
                || !form_is_good(p)
                || !id_is_good(p->id, p->id_size, blob_kind_program)
                || (p->log == NULL && p->log_size != 0))
            return false;
        if (!format_seen_before(&seen, hash64(p->id, p->id_size))) continue;
        for (const struct blob_program *q = c->programs; q != p; q++)
            if (q->id_size == p->id_size
                    && memcmp(q->id, p->id, p->id_size) == 0)
                return false;
    }
    return true;
}

static bool kernels_are_good(const struct blob_contents *c)
{
    if (c->kernel_count == 0) return true;
    if (c->kernels == NULL || c->kernel_count > BLOB_MAX_KERNELS) return false;
    struct format_seen seen = {{0}};
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct blob_kernel *k = &c->kernels[i];
        if (k->program >= c->program_count || k->name == NULL
                || k->name_size == 0
                || memchr(k->name, '\0', k->name_size) != NULL
                || (k->facts == NULL && k->facts_size != 0))
            return false;
        uint64_t hash = hash64(k->name, k->name_size) + k->program;
        if (!format_seen_before(&seen, hash)) continue;
        for (const struct blob_kernel *q = c->kernels; q != k; q++)
            if (q->program == k->program && q->name_size == k->name_size
                    && memcmp(q->name, k->name, k->name_size) == 0)
                return false;
    }
    return true;
}

static bool user_data_is_good(const struct blob_contents *c)
{
    if (c->user_data_size == 0) return true;
    return c->kind == blob_kind_program && c->user_data != NULL
           && c->user_data_size <= BLOB_MAX_USER_DATA_SIZE;
}

static bool included_are_good(const struct blob_contents *c)
{
    if (c->included_size == 0) return true;
    return c->kind == blob_kind_program && c->included != NULL
           && included_check(c->included, c->included_size, NULL)
                      == dnnl_success;
}

static bool contents_are_good(const struct blob_contents *c)
{
    if (!id_is_good(c->id, c->id_size, c->kind) || !user_data_is_good(c)
            || !included_are_good(c))
        return false;
    if (c->kind == blob_kind_engine)
        return c->engine_facts != NULL && c->engine_facts_size != 0
               && c->program_count == 0 && c->kernel_count == 0;
    if (c->engine_facts_size != 0) return false;
    if (c->kind == blob_kind_program && c->program_count == 0) return false;
    return programs_are_good(c) && kernels_are_good(c);
}

/* ---- Where bytes go ------------------------------------------------------ */

/* Takes the blob's bytes in order; with `out` NULL it only counts them, so
 * measuring and writing are the same code. */
struct sink {
    uint8_t *out;
    size_t at;
    bool overflow; /* the blob would be larger than any memory */
};

static void put(struct sink *s, const void *data, size_t size)
{
    if (size > SIZE_MAX - s->at) {
        s->overflow = true;
        return;
    }
    if (s->out != NULL && size != 0) memcpy(s->out + s->at, data, size);
    s->at += size;
}

static void put_u32(struct sink *s, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    put(s, bytes, sizeof bytes);
}

static void put_u64(struct sink *s, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    put(s, bytes, sizeof bytes);
}

static void put_padding(struct sink *s)
{
    static const uint8_t zeros[FORMAT_ALIGNMENT];
    put(s, zeros, (0 - s->at) % FORMAT_ALIGNMENT);
}

/* One thing that an entry points to: aligned, unless it is empty. */
static void put_item(struct sink *s, const void *data, size_t size)
{
    if (size == 0) return;
    put_padding(s);
    put(s, data, size);
}

/* The same with a NUL behind it. */
static void put_text(struct sink *s, const char *text, size_t size)
{
    if (size == 0) return;
    put_item(s, text, size);
    put(s, "", 1);
}

/* Puts an entry's offset and size of something for which put_item() will be
 * called in the same order; `end` is where the one before ends. */
static void put_place(
        struct sink *s, uint64_t *end, size_t size, size_t terminator)
{
    uint64_t offset = *end + (0 - *end) % FORMAT_ALIGNMENT;
    if (size != 0) *end = offset + size + terminator;
    put_u64(s, size != 0 ? offset : 0);
    put_u64(s, size);
}

/* ---- The sections -------------------------------------------------------- */

static void put_id(struct sink *s, const struct blob_contents *c)
{
    put(s, c->id, c->id_size);
}

/* 0 if the program's ID is the blob's, which is not stored again. */
static size_t own_id_size(
        const struct blob_contents *c, const struct blob_program *p)
{
    bool same =
            p->id_size == c->id_size && memcmp(p->id, c->id, p->id_size) == 0;
    return same ? 0 : p->id_size;
}

static void put_programs(struct sink *s, const struct blob_contents *c)
{
    uint64_t id_end = format_table_header_size
                      + (uint64_t)format_program_size * c->program_count;
    uint64_t binary_end = 0;
    uint64_t log_end = 0;
    put_u32(s, c->program_count);
    put_u32(s, 0);
    for (uint32_t i = 0; i < c->program_count; i++) {
        const struct blob_program *p = &c->programs[i];
        put_u32(s, p->backend);
        put_u32(s, p->codec);
        put_u64(s, p->raw_size);
        put_place(s, &id_end, own_id_size(c, p), 0);
        put_place(s, &binary_end, p->binary_size, 0);
        put_place(s, &log_end, p->log_size, 1);
    }
    for (uint32_t i = 0; i < c->program_count; i++) {
        const struct blob_program *p = &c->programs[i];
        put_item(s, p->id, own_id_size(c, p));
    }
}

static void put_kernels(struct sink *s, const struct blob_contents *c)
{
    uint64_t end = format_table_header_size
                   + (uint64_t)format_kernel_size * c->kernel_count;
    put_u32(s, c->kernel_count);
    put_u32(s, 0);
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct blob_kernel *k = &c->kernels[i];
        put_u32(s, k->program);
        put_u32(s, 0);
        put_place(s, &end, k->name_size, 1);
        put_place(s, &end, k->facts_size, 0);
    }
    for (uint32_t i = 0; i < c->kernel_count; i++) {
        const struct blob_kernel *k = &c->kernels[i];
        put_text(s, k->name, k->name_size);
        put_item(s, k->facts, k->facts_size);
    }
}

static void put_engine_facts(struct sink *s, const struct blob_contents *c)
{
    put(s, c->engine_facts, c->engine_facts_size);
}

static void put_logs(struct sink *s, const struct blob_contents *c)
{
    for (uint32_t i = 0; i < c->program_count; i++)
        put_text(s, c->programs[i].log, c->programs[i].log_size);
}

static void put_user_data(struct sink *s, const struct blob_contents *c)
{
    put(s, c->user_data, c->user_data_size);
}

static void put_included(struct sink *s, const struct blob_contents *c)
{
    put(s, c->included, c->included_size);
}

static void put_binaries(struct sink *s, const struct blob_contents *c)
{
    for (uint32_t i = 0; i < c->program_count; i++)
        put_item(s, c->programs[i].binary, c->programs[i].binary_size);
}

/* One entry; its place in the section follows, and what it points to is put by
 * put_finalised() in the same order. */
static void put_form_entry(struct sink *s, const struct blob_program *p,
        uint32_t index, uint64_t *end)
{
    /* Measured first: the name stands before the form. */
    uint64_t name_end = *end;
    struct sink measure = {NULL, 0, false};
    put_place(&measure, &name_end, p->finaliser_size, 1);
    uint64_t form_end = name_end;
    const size_t start = s->at;
    put_u32(s, index);
    put_u32(s, p->final_codec);
    put_u64(s, p->final_raw_size);
    put_place(s, &form_end, p->final_size, 0);
    put_place(s, end, p->finaliser_size, 1);
    *end = form_end;
    struct digest128 binding = {{0}};
    if (s->out != NULL) binding = finalised_binding(s->out + start, p);
    put(s, binding.bytes, sizeof binding.bytes);
}

static uint32_t count_forms(const struct blob_contents *c)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->program_count; i++)
        if (c->programs[i].finaliser_size != 0) count++;
    return count;
}

static void put_finalised(struct sink *s, const struct blob_contents *c)
{
    const uint32_t count = count_forms(c);
    uint64_t end =
            format_table_header_size + (uint64_t)format_finalised_size * count;
    put_u32(s, count);
    put_u32(s, 0);
    for (uint32_t i = 0; i < c->program_count; i++)
        if (c->programs[i].finaliser_size != 0)
            put_form_entry(s, &c->programs[i], i, &end);
    for (uint32_t i = 0; i < c->program_count; i++) {
        put_text(s, c->programs[i].finaliser, c->programs[i].finaliser_size);
        put_item(s, c->programs[i].final_binary, c->programs[i].final_size);
    }
}

/* By ascending tag. A section that would be empty is left out. */
static const struct {
    uint32_t tag;
    uint32_t flags;
    void (*put)(struct sink *s, const struct blob_contents *c);
} sections[] = {
        {format_tag_id, FORMAT_SECTION_MANDATORY, put_id},
        {format_tag_programs, FORMAT_SECTION_MANDATORY, put_programs},
        {format_tag_kernels, FORMAT_SECTION_MANDATORY, put_kernels},
        {format_tag_engine_facts, FORMAT_SECTION_MANDATORY, put_engine_facts},
        {format_tag_logs, 0, put_logs},
        {format_tag_user_data, 0, put_user_data},
        {format_tag_included, 0, put_included},
        {format_tag_binaries, FORMAT_SECTION_MANDATORY, put_binaries},
        {format_tag_finalised, 0, put_finalised},
};

enum { known_sections = sizeof sections / sizeof sections[0] };

static bool is_left_out(const struct blob_contents *c, uint32_t tag)
{
    switch (tag) {
    case format_tag_programs:
    case format_tag_binaries:
        return c->program_count == 0;
    case format_tag_kernels:
        return c->kernel_count == 0;
    case format_tag_engine_facts:
        return c->kind != blob_kind_engine;
    case format_tag_logs:
        for (uint32_t i = 0; i < c->program_count; i++)
            if (c->programs[i].log_size != 0) return false;
        return true;
    case format_tag_user_data:
        return c->user_data_size == 0;
    case format_tag_included:
        return c->included_size == 0;
    case format_tag_finalised:
        return count_forms(c) == 0;
    default:
        return false;
    }
}

/* ---- The blob ------------------------------------------------------------ */

static void store_section(
        uint8_t *entry, size_t index, size_t start, size_t end)
{
    store_le32(entry + format_section_at_tag, sections[index].tag);
    store_le32(entry + format_section_at_flags, sections[index].flags);
    store_le64(entry + format_section_at_offset, start);
    store_le64(entry + format_section_at_size, end - start);
}

static void store_header(uint8_t *out, const struct blob_contents *c,
        uint32_t section_count, size_t size)
{
    static const uint8_t magic[8] = FORMAT_MAGIC;
    memcpy(out + format_at_magic, magic, sizeof magic);
    store_le32(out + format_at_version, BLOB_FORMAT_VERSION);
    store_le32(out + format_at_kind, (uint32_t)c->kind);
    store_le64(out + format_at_total_size, size);
    store_le32(out + format_at_section_count, section_count);
    store_le32(out + format_at_reserved, 0);
    const struct hash_part all_but_checksum[] = {
            {out, format_at_checksum},
            {out + format_header_size, size - format_header_size},
    };
    struct digest128 checksum = hash128_parts(all_but_checksum, 2);
    memcpy(out + format_at_checksum, checksum.bytes, sizeof checksum.bytes);
}

/* Sections first, then the table entries and the header in front of them,
 * which need to know where the sections came to lie. */
static void put_blob(struct sink *s, const struct blob_contents *c)
{
    uint32_t count = 0;
    for (size_t i = 0; i < known_sections; i++)
        if (!is_left_out(c, sections[i].tag)) count++;
    size_t entry = format_header_size;
    s->at = entry + (size_t)format_section_size * count;
    for (size_t i = 0; i < known_sections; i++) {
        if (is_left_out(c, sections[i].tag)) continue;
        put_padding(s);
        size_t start = s->at;
        sections[i].put(s, c);
        if (s->out != NULL) store_section(s->out + entry, i, start, s->at);
        entry += format_section_size;
    }
    if (s->out != NULL) store_header(s->out, c, count, s->at);
}

dnnl_status_t blob_write(const struct blob_contents *contents, uint8_t *out,
        size_t capacity, size_t *size)
{
    if (contents == NULL || size == NULL || !contents_are_good(contents))
        return dnnl_invalid_arguments;
    struct sink sink = {NULL, 0, false};
    put_blob(&sink, contents);
    if (sink.overflow) return dnnl_invalid_arguments;
    bool fits = out == NULL || sink.at <= capacity;
    if (out != NULL && fits) {
        sink = (struct sink){out, 0, false};
        put_blob(&sink, contents);
    }
    *size = sink.at;
    return fits ? dnnl_success : dnnl_invalid_arguments;
}
