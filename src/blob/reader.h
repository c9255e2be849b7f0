/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads cache blobs. Any bytes whatsoever are safe to read; nothing is
 * believed before the checksum was found right, and no offset or size even
 * then. Allocates nothing; may be called from any thread.
 */
#ifndef DNNL_CACHE_BLOB_READER_H
#define DNNL_CACHE_BLOB_READER_H

#include "src/blob/blob.h"

/* Why a blob was refused, with the values that tell: "section 3: length 90 >
 * 12 left". NUL-terminated. */
struct blob_reason {
    char text[160];
};

/* A verified blob. Pointers go into its bytes, which must outlive the view
 * and not change. Everything may be read; only blob_read() fills it in. */
struct blob_view {
    const uint8_t *data; /* the whole blob */
    size_t size;
    uint32_t format_version;
    enum blob_kind kind;
    uint32_t section_count;
    const uint8_t *id; /* well-formed, of the blob's kind */
    size_t id_size;
    uint32_t program_count;
    uint32_t kernel_count;
    uint64_t binary_bytes;       /* of all binaries, decoded */
    uint64_t stored_bytes;       /* of all binaries, as stored */
    uint32_t finalised_count;    /* programs with a finalised form */
    uint64_t finalised_bytes;    /* of the forms beside a binary, as stored */
    const uint8_t *engine_facts; /* NULL unless it is an engine's blob */
    size_t engine_facts_size;
    const uint8_t *user_data; /* NULL if there are none */
    size_t user_data_size;
    const uint8_t *included; /* for included.h; NULL if there are none */
    size_t included_size;
    /* Sections, for blob_view_program() and blob_view_kernel(); NULL if the
     * blob has no such section. */
    const uint8_t *programs;
    const uint8_t *kernels;
    const uint8_t *binaries;
    const uint8_t *logs;
    const uint8_t *finalised;
};

/*
 * Verifies `size` bytes and fills in `view`.
 *
 * dnnl_success                 `view` is good; `reason` is untouched.
 * dnnl_invalid_arguments       view or data is NULL, or size is 0.
 * dnnl_cache_blob_corrupt      no intact blob.
 * dnnl_cache_blob_unsupported  whole as far as can be told, but of a newer
 *                              format, or using something this version does
 *                              not know and may not ignore.
 *
 * On failure `view` is untouched and `reason`, unless it is NULL, says why.
 */
dnnl_status_t blob_read(struct blob_view *view, const uint8_t *data,
        size_t size, struct blob_reason *reason);

/* One section, as it stands in the section table. */
struct blob_section {
    uint32_t tag;
    const char *name; /* static: "id", "programs", ...; "unknown" */
    size_t size;
};

/* The i-th section, program or kernel of a view that blob_read() filled in, in
 * constant time (programs, where some have finalised forms: logarithmic).
 * dnnl_invalid_arguments, and the output untouched, if there is no such one or
 * an argument is NULL. */
dnnl_status_t blob_view_section(const struct blob_view *view, uint32_t index,
        struct blob_section *section);
dnnl_status_t blob_view_program(const struct blob_view *view, uint32_t index,
        struct blob_program *program);
dnnl_status_t blob_view_kernel(const struct blob_view *view, uint32_t index,
        struct blob_kernel *kernel);

#endif /* DNNL_CACHE_BLOB_READER_H */
