/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers of blob format 1 that writer and reader share.
 * docs/reference/format.md explains them; a change here is a new format
 * version.
 */
#ifndef DNNL_CACHE_BLOB_FORMAT_H
#define DNNL_CACHE_BLOB_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

/* The first byte is no ASCII, and the line ends come in both styles: bytes
 * that went through a text-mode transfer no longer start like this. */
#define FORMAT_MAGIC                                 \
    {                                                \
        0x8b, 'D', 'C', 'B', '\r', '\n', 0x1a, '\n', \
    }

/* Header. */
enum {
    format_at_magic = 0,
    format_at_version = 8,        /* u32 */
    format_at_kind = 12,          /* u32, enum blob_kind */
    format_at_total_size = 16,    /* u64 */
    format_at_section_count = 24, /* u32 */
    format_at_reserved = 28,      /* u32, 0 */
    format_at_checksum = 32,      /* XXH3-128 of all bytes but these 16 */
    format_header_size = 48
};

/* Section table, behind the header. */
enum {
    format_section_at_tag = 0,    /* u32 */
    format_section_at_flags = 4,  /* u32 */
    format_section_at_offset = 8, /* u64, from the start of the blob */
    format_section_at_size = 16,  /* u64 */
    format_section_size = 24
};

/* A reader that does not know the section must refuse the blob. */
#define FORMAT_SECTION_MANDATORY 1u

/* Sections stand in the blob by ascending tag; what describes comes before
 * the bulk. The gaps leave room. */
enum {
    format_tag_id = 0x10,
    format_tag_programs = 0x20,
    format_tag_kernels = 0x30,
    format_tag_engine_facts = 0x40,
    format_tag_logs = 0x50, /* optional, as are the next two */
    format_tag_user_data = 0x60,
    format_tag_included = 0x70,
    format_tag_binaries = 0x100,
    format_tag_finalised = 0x110 /* optional */
};

/* Tables of programs and kernels: u32 count, u32 0, the entries, and what the
 * entries point to. Offsets are from the start of the section named. */
enum { format_table_header_size = 8 };

enum {
    format_program_at_backend = 0,
    format_program_at_codec = 4,
    format_program_at_raw_size = 8,
    format_program_at_id_offset = 16, /* programs; 0, 0: the blob's own ID */
    format_program_at_id_size = 24,
    format_program_at_binary_offset = 32, /* binaries */
    format_program_at_binary_size = 40,
    format_program_at_log_offset = 48, /* logs; 0, 0: none */
    format_program_at_log_size = 56,
    format_program_size = 64
};

enum {
    format_kernel_at_program = 0,
    format_kernel_at_reserved = 4,
    format_kernel_at_name_offset = 8, /* kernels */
    format_kernel_at_name_size = 16,
    format_kernel_at_facts_offset = 24, /* kernels; 0, 0: none */
    format_kernel_at_facts_size = 32,
    format_kernel_size = 40
};

enum {
    format_finalised_at_program = 0,
    format_finalised_at_codec = 4,
    format_finalised_at_raw_size = 8,
    format_finalised_at_offset = 16, /* finalised; 0, 0: the program's binary */
    format_finalised_at_size = 24,
    format_finalised_at_name_offset = 32, /* finalised */
    format_finalised_at_name_size = 40,
    format_finalised_at_binding = 48, /* XXH3-128: see finalised_binding() */
    format_finalised_size = 64
};

/* A file, with its name and a NUL behind it; files are not aligned. */
enum {
    format_included_at_digest = 0,
    format_included_at_name_size = 16, /* u16 */
    format_included_file_size = 18
};

/* Everything that something points to starts at a multiple of this; the
 * bytes between are 0. */
#define FORMAT_ALIGNMENT 8u

/* ---- Finding duplicates -------------------------------------------------- */

/* Which hashes came by, roughly: keeps the exact, quadratic search for
 * duplicates to the few cases that need it, of BLOB_MAX_KERNELS one in sixty.
 * Starts zeroed. */
struct format_seen {
    uint64_t bits[1024];
};

/* False if the bit was not set before. */
static inline bool format_seen_bit(struct format_seen *seen, uint16_t number)
{
    uint64_t *word = &seen->bits[number / 64];
    const uint64_t bit = UINT64_C(1) << number % 64;
    const bool before = (*word & bit) != 0;
    *word |= bit;
    return before;
}

/* Notes a hash; false if it cannot have come by before. */
static inline bool format_seen_before(struct format_seen *seen, uint64_t hash)
{
    const bool first = format_seen_bit(seen, (uint16_t)hash);
    const bool second = format_seen_bit(seen, (uint16_t)(hash >> 32));
    return first && second;
}

#endif /* DNNL_CACHE_BLOB_FORMAT_H */
