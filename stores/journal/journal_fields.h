/* SPDX-License-Identifier: Apache-2.0 */
/* journal_fields.h: the fields of the records of notes (journal_note.h). */
#ifndef DNNL_CACHE_STORES_JOURNAL_JOURNAL_FIELDS_H
#define DNNL_CACHE_STORES_JOURNAL_JOURNAL_FIELDS_H

enum { journal_digest_size = 32 };

/* Never used again for another meaning; a reader passes over others. */
enum journal_field {
    field_id = 1,
    field_origin = 2,      /* u32 */
    field_application = 3, /* string */
    field_tag = 4,         /* string */
    field_type = 10,       /* u32 */
    field_compile_ns = 11, /* u64 */
    field_source = 12,     /* key of a text; repeated, in order */
    field_il = 13,         /* key of a text */
    field_options = 14,    /* string */
    field_header = 15,     /* key of its text, name; repeated */
    field_constant = 16,   /* u32 ID, value; repeated */
    field_input = 17,      /* ID; repeated, in order */
    field_reads_files = 18,
    field_file = 19,           /* digest, path; repeated */
    field_directory = 20,      /* string */
    field_header_program = 21, /* key of its text, name; repeated, in order */
    field_kernel = 30,         /* string */
    field_work_dim = 31,       /* u32 */
    field_local_size = 32 /* 3 u64 */,
    field_has_offset = 33,
    field_is_small_grid = 34,
    field_global_size = 35, /* 3 u64; where the driver chose the local size */
    field_arguments = 36,   /* string */
    field_build = 40,       /* key of a build */
};

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_FIELDS_H */
