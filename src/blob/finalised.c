/* SPDX-License-Identifier: Apache-2.0 */
#include "src/blob/finalised.h"

#include "src/blob/strip.h"
#include "src/common/byte_order.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

struct digest128 finalised_binding(
        const uint8_t *entry, const struct blob_program *program)
{
    const struct hash_part parts[] = {
            {entry, format_finalised_at_binding},
            {program->id, program->id_size},
            {program->binary, program->binary_size},
            {program->finaliser, program->finaliser_size},
            {program->final_binary, program->final_size},
    };
    return hash128_parts(parts, sizeof parts / sizeof parts[0]);
}

static const uint8_t *entry_of(const struct blob_view *view, uint32_t at)
{
    return view->finalised + format_table_header_size
           + (size_t)format_finalised_size * at;
}

/* Fills in a form whose entry has been checked. */
static void load_entry(const struct blob_view *view, const uint8_t *entry,
        struct blob_program *p)
{
    p->final_codec = load_le32(entry + format_finalised_at_codec);
    p->final_raw_size = load_le64(entry + format_finalised_at_raw_size);
    p->final_size = (size_t)load_le64(entry + format_finalised_at_size);
    p->final_binary = NULL;
    if (p->final_size != 0)
        p->final_binary =
                view->finalised + load_le64(entry + format_finalised_at_offset);
    p->finaliser_size =
            (size_t)load_le64(entry + format_finalised_at_name_size);
    p->finaliser = (const char *)view->finalised
                   + load_le64(entry + format_finalised_at_name_offset);
}

void finalised_load(const struct blob_view *view, uint32_t index,
        struct blob_program *program)
{
    uint32_t from = 0;
    uint32_t to = view->finalised_count;
    while (from < to) { /* entries are in the order of the programs */
        const uint32_t middle = from + (to - from) / 2;
        const uint8_t *entry = entry_of(view, middle);
        const uint32_t at = load_le32(entry + format_finalised_at_program);
        if (at == index) {
            load_entry(view, entry, program);
            return;
        }
        if (at < index)
            from = middle + 1;
        else
            to = middle;
    }
    program->finaliser = NULL;
    program->finaliser_size = 0;
    program->final_binary = NULL;
    program->final_size = 0;
    program->final_raw_size = 0;
    program->final_codec = blob_codec_none;
}

/* The numbers of an entry that point nowhere. */
static dnnl_status_t check_numbers(const struct blob_view *view,
        const uint8_t *entry, uint32_t index, struct blob_reason *reason)
{
    const uint32_t program = load_le32(entry + format_finalised_at_program);
    const uint32_t codec = load_le32(entry + format_finalised_at_codec);
    const uint64_t raw_size = load_le64(entry + format_finalised_at_raw_size);
    const uint64_t size = load_le64(entry + format_finalised_at_size);
    const uint64_t name_size = load_le64(entry + format_finalised_at_name_size);
    if (program >= view->program_count)
        return CORRUPT("finalised form %" PRIu32 ": program %" PRIu32
                       " of %" PRIu32,
                index, program, view->program_count);
    if (index > 0
            && program <= load_le32(entry - format_finalised_size
                                    + format_finalised_at_program))
        return CORRUPT("finalised form %" PRIu32 ": program %" PRIu32
                       " is not behind the one before",
                index, program);
    if (codec != blob_codec_none && codec != blob_codec_zstd)
        return UNSUPPORTED(
                "finalised form %" PRIu32 ": codec %" PRIu32, index, codec);
    if (name_size > BLOB_MAX_FINALISER_SIZE)
        return CORRUPT("finalised form %" PRIu32 ": name of %" PRIu64 " bytes",
                index, name_size);
    if ((raw_size == 0) != (size == 0) || (size == 0 && codec != 0)
            || raw_size > BLOB_MAX_BINARY_SIZE
            || (codec == blob_codec_none && raw_size != size))
        return CORRUPT("finalised form %" PRIu32 ": %" PRIu64 " bytes, %" PRIu64
                       " stored",
                index, raw_size, size);
    return dnnl_success;
}

static dnnl_status_t read_entry(struct blob_view *view, uint32_t index,
        struct strip *strip, struct blob_reason *reason)
{
    const uint8_t *entry = entry_of(view, index);
    const uint64_t size = load_le64(entry + format_finalised_at_size);
    dnnl_status_t st = check_numbers(view, entry, index, reason);
    if (st == dnnl_success)
        st = strip_take_text(strip, index,
                load_le64(entry + format_finalised_at_name_offset),
                load_le64(entry + format_finalised_at_name_size), reason);
    if (st == dnnl_success)
        st = strip_take_optional(strip, index,
                load_le64(entry + format_finalised_at_offset), size, reason);
    if (st != dnnl_success) return st;
    struct blob_program p;
    const uint32_t program = load_le32(entry + format_finalised_at_program);
    st = blob_view_program(view, program, &p);
    if (st != dnnl_success) return st;
    load_entry(view, entry, &p);
    if (memchr(p.finaliser, '\0', p.finaliser_size) != NULL)
        return CORRUPT("finalised form %" PRIu32 ": NUL in its name", index);
    const struct digest128 binding = finalised_binding(entry, &p);
    if (memcmp(entry + format_finalised_at_binding, binding.bytes,
                sizeof binding.bytes)
            != 0)
        return CORRUPT("finalised form %" PRIu32 ": not one of program %" PRIu32
                       "'s binary",
                index, program);
    view->finalised_bytes += size;
    return dnnl_success;
}

dnnl_status_t finalised_read(struct blob_view *view, const uint8_t *data,
        size_t size, struct blob_reason *reason)
{
    uint32_t count = 0;
    dnnl_status_t st = strip_table(data, size, "finalised form",
            BLOB_MAX_PROGRAMS, format_finalised_size, &count, reason);
    if (st != dnnl_success) return st;
    struct strip strip = {"finalised form", data, size,
            format_table_header_size + (size_t)format_finalised_size * count};
    view->finalised = data;
    for (uint32_t i = 0; i < count && st == dnnl_success; i++)
        st = read_entry(view, i, &strip, reason);
    /* Known only now: what was read before has no form yet. */
    view->finalised_count = count;
    return st == dnnl_success ? strip_end(&strip, reason) : st;
}
