/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/reader.h"

#include "src/blob/finalised.h"
#include "src/blob/format.h"
#include "src/blob/included.h"
#include "src/blob/strip.h"
#include "src/common/byte_order.h"
#include "src/common/hash.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* ---- Header -------------------------------------------------------------- */

static dnnl_status_t check_checksum(
        const uint8_t *data, size_t size, struct blob_reason *reason)
{
    const struct hash_part all_but_checksum[] = {
            {data, format_at_checksum},
            {data + format_header_size, size - format_header_size},
    };
    struct digest128 checksum = hash128_parts(all_but_checksum, 2);
    if (memcmp(data + format_at_checksum, checksum.bytes, sizeof checksum.bytes)
            == 0)
        return dnnl_success;
    return CORRUPT("wrong checksum");
}

static dnnl_status_t read_header(struct blob_view *v, const uint8_t *data,
        size_t size, struct blob_reason *reason)
{
    static const uint8_t magic[8] = FORMAT_MAGIC;
    if (size < format_at_section_count)
        return CORRUPT("%zu bytes are no header", size);
    if (memcmp(data + format_at_magic, magic, sizeof magic) != 0)
        return CORRUPT("wrong magic");
    uint64_t total = load_le64(data + format_at_total_size);
    if (total != size)
        return CORRUPT("%zu bytes, written as %" PRIu64, size, total);
    uint32_t version = load_le32(data + format_at_version);
    if (version > BLOB_FORMAT_VERSION)
        return UNSUPPORTED("format version %" PRIu32 " > %u", version,
                BLOB_FORMAT_VERSION);
    if (version != BLOB_FORMAT_VERSION)
        return CORRUPT("format version %" PRIu32, version);
    if (size < format_header_size)
        return CORRUPT("%zu bytes are no header", size);
    dnnl_status_t st = check_checksum(data, size, reason);
    if (st != dnnl_success) return st;

    uint32_t kind = load_le32(data + format_at_kind);
    if (kind < blob_kind_engine || kind > blob_kind_program)
        return UNSUPPORTED("kind %" PRIu32, kind);
    uint32_t reserved = load_le32(data + format_at_reserved);
    if (reserved != 0) return CORRUPT("reserved word %" PRIu32, reserved);
    v->data = data;
    v->size = size;
    v->format_version = version;
    v->kind = (enum blob_kind)kind;
    v->section_count = load_le32(data + format_at_section_count);
    return dnnl_success;
}

/* ---- Sections ------------------------------------------------------------ */

/* A section that was found; NULL and 0 if it was not. */
struct section {
    const uint8_t *data;
    size_t size;
};

struct sections {
    struct section id;
    struct section programs;
    struct section kernels;
    struct section engine_facts;
    struct section logs;
    struct section user_data;
    struct section included;
    struct section binaries;
    struct section finalised;
};

/* Where a section of this tag is kept, NULL if this version has none; and
 * the flags it must have. */
static struct section *find_section(
        struct sections *s, uint32_t tag, uint32_t *flags)
{
    *flags = FORMAT_SECTION_MANDATORY;
    switch (tag) {
    case format_tag_id:
        return &s->id;
    case format_tag_programs:
        return &s->programs;
    case format_tag_kernels:
        return &s->kernels;
    case format_tag_engine_facts:
        return &s->engine_facts;
    case format_tag_logs:
        *flags = 0;
        return &s->logs;
    case format_tag_user_data:
        *flags = 0;
        return &s->user_data;
    case format_tag_included:
        *flags = 0;
        return &s->included;
    case format_tag_binaries:
        return &s->binaries;
    case format_tag_finalised:
        *flags = 0;
        return &s->finalised;
    default:
        *flags = 0;
        return NULL;
    }
}

static dnnl_status_t read_section(struct sections *sections,
        struct strip *strip, uint32_t index, const uint8_t *entry,
        struct blob_reason *reason)
{
    uint32_t tag = load_le32(entry + format_section_at_tag);
    uint32_t flags = load_le32(entry + format_section_at_flags);
    uint64_t offset = load_le64(entry + format_section_at_offset);
    uint64_t size = load_le64(entry + format_section_at_size);
    if (index > 0
            && tag <= load_le32(
                       entry - format_section_size + format_section_at_tag))
        return CORRUPT("section %" PRIu32 ": tag %#" PRIx32
                       " is not above the one before",
                index, tag);
    dnnl_status_t st = strip_take(strip, index, offset, size, reason);
    if (st != dnnl_success) return st;
    uint32_t expected;
    struct section *section = find_section(sections, tag, &expected);
    if (section == NULL && flags == FORMAT_SECTION_MANDATORY)
        return UNSUPPORTED("section %" PRIu32
                           ": unknown mandatory tag %#" PRIx32,
                index, tag);
    if (flags != expected)
        return CORRUPT("section %" PRIu32 ": flags %#" PRIx32 ", not %#" PRIx32,
                index, flags, expected);
    if (section == NULL) return dnnl_success;
    section->data = strip->base + offset;
    section->size = (size_t)size;
    return dnnl_success;
}

static dnnl_status_t read_sections(struct sections *sections,
        const struct blob_view *v, struct blob_reason *reason)
{
    uint32_t count = v->section_count;
    if (count > BLOB_MAX_SECTIONS
            || count > (v->size - format_header_size) / format_section_size)
        return CORRUPT("%" PRIu32 " sections", count);
    struct strip strip = {"section", v->data, v->size,
            format_header_size + (size_t)format_section_size * count};
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry =
                v->data + format_header_size + (size_t)format_section_size * i;
        dnnl_status_t st = read_section(sections, &strip, i, entry, reason);
        if (st != dnnl_success) return st;
    }
    return strip_end(&strip, reason);
}

/* ---- ID ------------------------------------------------------------------ */

/* An ID that must be of one kind; whose ID is for the reason. */
static dnnl_status_t check_id(const uint8_t *id, size_t size,
        enum blob_kind kind, const char *whose, struct blob_reason *reason)
{
    struct id_reader reader;
    dnnl_status_t st = id_reader_init(&reader, id, size);
    if (st == dnnl_cache_blob_unsupported)
        return UNSUPPORTED("the %s's ID is of a newer format", whose);
    if (st != dnnl_success) return CORRUPT("the %s's ID is no ID", whose);
    if (reader.kind != kind)
        return CORRUPT("the %s's ID is of kind %d, not %d", whose,
                (int)reader.kind, (int)kind);
    return dnnl_success;
}

/* Which sections go with which kind. */
static dnnl_status_t check_sections(const struct sections *s,
        enum blob_kind kind, struct blob_reason *reason)
{
    bool engine = kind == blob_kind_engine;
    if (s->id.data == NULL) return CORRUPT("no ID");
    if ((s->engine_facts.data != NULL) != engine)
        return CORRUPT("engine facts: only and always in an engine's blob");
    if ((s->binaries.data != NULL) != (s->programs.data != NULL))
        return CORRUPT("programs without binaries or the reverse");
    if (s->programs.data == NULL
            && (s->kernels.data != NULL || s->logs.data != NULL))
        return CORRUPT("kernels or logs without programs");
    if (s->programs.data == NULL && s->finalised.data != NULL)
        return CORRUPT("finalised forms without programs");
    if (s->programs.data != NULL && engine)
        return CORRUPT("programs in an engine's blob");
    if (s->programs.data == NULL && kind == blob_kind_program)
        return CORRUPT("a program's blob without a program");
    if (s->user_data.data != NULL && kind != blob_kind_program)
        return CORRUPT("user data: only in a program's blob");
    if (s->user_data.size > BLOB_MAX_USER_DATA_SIZE)
        return CORRUPT("%zu bytes of user data", s->user_data.size);
    if (s->included.data != NULL && kind != blob_kind_program)
        return CORRUPT("included files: only in a program's blob");
    return dnnl_success;
}

/* ---- Programs and kernels ------------------------------------------------ */

static const uint8_t *program_entry(const struct blob_view *v, uint32_t index)
{
    return v->programs + format_table_header_size
           + (size_t)format_program_size * index;
}

static const uint8_t *kernel_entry(const struct blob_view *v, uint32_t index)
{
    return v->kernels + format_table_header_size
           + (size_t)format_kernel_size * index;
}

/* Fills in a program whose entry has been checked. */
static void load_program(
        const struct blob_view *v, uint32_t index, struct blob_program *p)
{
    const uint8_t *e = program_entry(v, index);
    p->backend = load_le32(e + format_program_at_backend);
    p->codec = load_le32(e + format_program_at_codec);
    p->raw_size = load_le64(e + format_program_at_raw_size);
    p->id_size = (size_t)load_le64(e + format_program_at_id_size);
    p->id = v->programs + load_le64(e + format_program_at_id_offset);
    if (p->id_size == 0) {
        p->id_size = v->id_size;
        p->id = v->id;
    }
    p->binary_size = (size_t)load_le64(e + format_program_at_binary_size);
    p->binary = v->binaries + load_le64(e + format_program_at_binary_offset);
    p->log_size = (size_t)load_le64(e + format_program_at_log_size);
    p->log = NULL;
    if (p->log_size != 0)
        p->log = (const char *)v->logs
                 + load_le64(e + format_program_at_log_offset);
}

/* Fills in a kernel whose entry has been checked. */
static void load_kernel(
        const struct blob_view *v, uint32_t index, struct blob_kernel *k)
{
    const uint8_t *e = kernel_entry(v, index);
    k->program = load_le32(e + format_kernel_at_program);
    k->name_size = (size_t)load_le64(e + format_kernel_at_name_size);
    k->name = (const char *)v->kernels
              + load_le64(e + format_kernel_at_name_offset);
    k->facts_size = (size_t)load_le64(e + format_kernel_at_facts_size);
    k->facts = NULL;
    if (k->facts_size != 0)
        k->facts = v->kernels + load_le64(e + format_kernel_at_facts_offset);
}

/* The numbers of a program that point nowhere. */
static dnnl_status_t check_codec(
        const uint8_t *entry, uint32_t index, struct blob_reason *reason)
{
    uint32_t backend = load_le32(entry + format_program_at_backend);
    uint32_t codec = load_le32(entry + format_program_at_codec);
    uint64_t raw_size = load_le64(entry + format_program_at_raw_size);
    uint64_t stored = load_le64(entry + format_program_at_binary_size);
    if (backend != blob_backend_opencl)
        return UNSUPPORTED(
                "program %" PRIu32 ": back-end %" PRIu32, index, backend);
    if (codec != blob_codec_none && codec != blob_codec_zstd)
        return UNSUPPORTED("program %" PRIu32 ": codec %" PRIu32, index, codec);
    if (raw_size == 0 || raw_size > BLOB_MAX_BINARY_SIZE
            || (codec == blob_codec_none && raw_size != stored))
        return CORRUPT("program %" PRIu32 ": binary of %" PRIu64
                       " bytes, %" PRIu64 " stored",
                index, raw_size, stored);
    return dnnl_success;
}

/* The ID of a program, once its place is known to be good. */
static dnnl_status_t check_program_id(const struct blob_view *v, uint32_t index,
        struct format_seen *seen, struct blob_reason *reason)
{
    struct blob_program p;
    load_program(v, index, &p);
    dnnl_status_t st =
            check_id(p.id, p.id_size, blob_kind_program, "program", reason);
    if (st != dnnl_success) return st;
    if (p.id != v->id && p.id_size == v->id_size
            && memcmp(p.id, v->id, p.id_size) == 0)
        return CORRUPT("program %" PRIu32 ": the blob's ID again", index);
    if (!format_seen_before(seen, hash64(p.id, p.id_size))) return dnnl_success;
    for (uint32_t i = 0; i < index; i++) {
        struct blob_program q;
        load_program(v, i, &q);
        if (q.id_size == p.id_size && memcmp(q.id, p.id, p.id_size) == 0)
            return CORRUPT("programs %" PRIu32 " and %" PRIu32
                           " have the same ID",
                    i, index);
    }
    return dnnl_success;
}

/* What programs point into. */
struct program_strips {
    struct strip ids;
    struct strip binaries;
    struct strip logs;
};

static dnnl_status_t read_program(struct blob_view *v, uint32_t index,
        struct program_strips *strips, struct format_seen *seen,
        struct blob_reason *reason)
{
    const uint8_t *e = program_entry(v, index);
    dnnl_status_t st = check_codec(e, index, reason);
    if (st != dnnl_success) return st;
    st = strip_take_optional(&strips->ids, index,
            load_le64(e + format_program_at_id_offset),
            load_le64(e + format_program_at_id_size), reason);
    if (st != dnnl_success) return st;
    uint64_t stored = load_le64(e + format_program_at_binary_size);
    st = strip_take(&strips->binaries, index,
            load_le64(e + format_program_at_binary_offset), stored, reason);
    if (st != dnnl_success) return st;
    uint64_t log_offset = load_le64(e + format_program_at_log_offset);
    uint64_t log_size = load_le64(e + format_program_at_log_size);
    if (log_offset != 0 || log_size != 0) {
        st = strip_take_text(
                &strips->logs, index, log_offset, log_size, reason);
        if (st != dnnl_success) return st;
    }
    v->binary_bytes += load_le64(e + format_program_at_raw_size);
    v->stored_bytes += stored;
    return check_program_id(v, index, seen, reason);
}

static dnnl_status_t read_programs(struct blob_view *v,
        const struct sections *s, struct blob_reason *reason)
{
    dnnl_status_t st = strip_table(s->programs.data, s->programs.size,
            "program", BLOB_MAX_PROGRAMS, format_program_size,
            &v->program_count, reason);
    if (st != dnnl_success) return st;
    struct program_strips strips = {
            {"program ID", s->programs.data, s->programs.size,
                    format_table_header_size
                            + (size_t)format_program_size * v->program_count},
            {"binary", s->binaries.data, s->binaries.size, 0},
            {"log", s->logs.data, s->logs.size, 0},
    };
    struct format_seen seen = {{0}};
    v->programs = s->programs.data;
    v->binaries = s->binaries.data;
    v->logs = s->logs.data;
    for (uint32_t i = 0; i < v->program_count; i++) {
        st = read_program(v, i, &strips, &seen, reason);
        if (st != dnnl_success) return st;
    }
    st = strip_end(&strips.ids, reason);
    if (st == dnnl_success) st = strip_end(&strips.binaries, reason);
    if (st == dnnl_success) st = strip_end(&strips.logs, reason);
    return st;
}

/* The name of a kernel, once its place is known to be good. */
static dnnl_status_t check_kernel_name(const struct blob_view *v,
        uint32_t index, struct format_seen *seen, struct blob_reason *reason)
{
    struct blob_kernel k;
    load_kernel(v, index, &k);
    if (memchr(k.name, '\0', k.name_size) != NULL)
        return CORRUPT("kernel %" PRIu32 ": NUL in its name", index);
    uint64_t hash = hash64(k.name, k.name_size) + k.program;
    if (!format_seen_before(seen, hash)) return dnnl_success;
    for (uint32_t i = 0; i < index; i++) {
        struct blob_kernel q;
        load_kernel(v, i, &q);
        if (q.program == k.program && q.name_size == k.name_size
                && memcmp(q.name, k.name, k.name_size) == 0)
            return CORRUPT("kernels %" PRIu32 " and %" PRIu32 " are the same",
                    i, index);
    }
    return dnnl_success;
}

static dnnl_status_t read_kernel(const struct blob_view *v, uint32_t index,
        struct strip *strip, struct format_seen *seen,
        struct blob_reason *reason)
{
    const uint8_t *e = kernel_entry(v, index);
    uint32_t program = load_le32(e + format_kernel_at_program);
    uint32_t reserved = load_le32(e + format_kernel_at_reserved);
    if (program >= v->program_count)
        return CORRUPT("kernel %" PRIu32 ": program %" PRIu32 " of %" PRIu32,
                index, program, v->program_count);
    if (reserved != 0)
        return CORRUPT(
                "kernel %" PRIu32 ": reserved word %" PRIu32, index, reserved);
    dnnl_status_t st = strip_take_text(strip, index,
            load_le64(e + format_kernel_at_name_offset),
            load_le64(e + format_kernel_at_name_size), reason);
    if (st != dnnl_success) return st;
    st = strip_take_optional(strip, index,
            load_le64(e + format_kernel_at_facts_offset),
            load_le64(e + format_kernel_at_facts_size), reason);
    if (st != dnnl_success) return st;
    return check_kernel_name(v, index, seen, reason);
}

static dnnl_status_t read_kernels(struct blob_view *v, const struct section *s,
        struct blob_reason *reason)
{
    dnnl_status_t st = strip_table(s->data, s->size, "kernel", BLOB_MAX_KERNELS,
            format_kernel_size, &v->kernel_count, reason);
    if (st != dnnl_success) return st;
    struct strip strip = {"name or facts of kernel", s->data, s->size,
            format_table_header_size
                    + (size_t)format_kernel_size * v->kernel_count};
    struct format_seen seen = {{0}};
    v->kernels = s->data;
    for (uint32_t i = 0; i < v->kernel_count; i++) {
        st = read_kernel(v, i, &strip, &seen, reason);
        if (st != dnnl_success) return st;
    }
    return strip_end(&strip, reason);
}

/* ---- The blob ------------------------------------------------------------ */

static dnnl_status_t read_blob(struct blob_view *v, const uint8_t *data,
        size_t size, struct blob_reason *reason)
{
    dnnl_status_t st = read_header(v, data, size, reason);
    if (st != dnnl_success) return st;
    struct sections sections = {0};
    st = read_sections(&sections, v, reason);
    if (st != dnnl_success) return st;
    st = check_sections(&sections, v->kind, reason);
    if (st != dnnl_success) return st;
    v->id = sections.id.data;
    v->id_size = sections.id.size;
    v->engine_facts = sections.engine_facts.data;
    v->engine_facts_size = sections.engine_facts.size;
    v->user_data = sections.user_data.data;
    v->user_data_size = sections.user_data.size;
    v->included = sections.included.data;
    v->included_size = sections.included.size;
    st = check_id(v->id, v->id_size, v->kind, "blob", reason);
    if (st == dnnl_success && sections.programs.data != NULL)
        st = read_programs(v, &sections, reason);
    if (st == dnnl_success && sections.kernels.data != NULL)
        st = read_kernels(v, &sections.kernels, reason);
    if (st == dnnl_success && sections.finalised.data != NULL)
        st = finalised_read(
                v, sections.finalised.data, sections.finalised.size, reason);
    if (st == dnnl_success && v->included != NULL)
        st = included_check(v->included, v->included_size, reason);
    return st;
}

dnnl_status_t blob_read(struct blob_view *view, const uint8_t *data,
        size_t size, struct blob_reason *reason)
{
    if (view == NULL || data == NULL || size == 0)
        return blob_refuse(reason, dnnl_invalid_arguments, "no blob given");
    struct blob_view verified = {0};
    dnnl_status_t st = read_blob(&verified, data, size, reason);
    if (st == dnnl_success) *view = verified;
    return st;
}

static const char *section_name(uint32_t tag)
{
    switch (tag) {
    case format_tag_id:
        return "id";
    case format_tag_programs:
        return "programs";
    case format_tag_kernels:
        return "kernels";
    case format_tag_engine_facts:
        return "engine_facts";
    case format_tag_logs:
        return "logs";
    case format_tag_user_data:
        return "user_data";
    case format_tag_included:
        return "included";
    case format_tag_binaries:
        return "binaries";
    case format_tag_finalised:
        return "finalised";
    default: /* optional, or the blob would have been refused */
        return "unknown";
    }
}

dnnl_status_t blob_view_section(const struct blob_view *view, uint32_t index,
        struct blob_section *section)
{
    if (view == NULL || section == NULL || index >= view->section_count)
        return dnnl_invalid_arguments;
    const uint8_t *entry = view->data + format_header_size
                           + (size_t)format_section_size * index;
    section->tag = load_le32(entry + format_section_at_tag);
    section->name = section_name(section->tag);
    section->size = (size_t)load_le64(entry + format_section_at_size);
    return dnnl_success;
}

dnnl_status_t blob_view_program(const struct blob_view *view, uint32_t index,
        struct blob_program *program)
{
    if (view == NULL || program == NULL || index >= view->program_count)
        return dnnl_invalid_arguments;
    load_program(view, index, program);
    finalised_load(view, index, program);
    return dnnl_success;
}

dnnl_status_t blob_view_kernel(const struct blob_view *view, uint32_t index,
        struct blob_kernel *kernel)
{
    if (view == NULL || kernel == NULL || index >= view->kernel_count)
        return dnnl_invalid_arguments;
    load_kernel(view, index, kernel);
    return dnnl_success;
}
