/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forged blobs: a real one taken apart, changed, and written again with a
 * right checksum, so that it is not the checksum that refuses it.
 */
#ifndef DNNL_CACHE_TESTS_API_BLOB_EDIT_H
#define DNNL_CACHE_TESTS_API_BLOB_EDIT_H

#include "bytes.h"

#include "src/blob/reader.h"

/* Contents that may be changed before they are written. */
struct blob_edit {
    struct bytes blob; /* a copy: what contents points to at first */
    struct bytes id;   /* another one, to change */
    struct blob_contents contents;
    struct blob_program programs[4];
    struct blob_kernel kernels[8];
};

/* Takes a good blob apart; aborts if it is none. Pair with
 * blob_edit_close(). */
void blob_edit_open(struct blob_edit *edit, const struct bytes *blob);
void blob_edit_close(struct blob_edit *edit);

/* Changes the last byte of an ID's first field of that tag (enum id_tag). */
void blob_edit_id(struct blob_edit *edit, uint16_t tag);

/* The blob of what the contents are now; aborts if there is none. */
struct bytes blob_edit_write(const struct blob_edit *edit);

/* In one step: a blob of which only that field of the ID differs. */
struct bytes blob_with_other_field(const struct bytes *blob, uint16_t tag);
/* An engine's blob with these facts, encoded as src/gpu does. */
struct bytes blob_with_facts(const struct bytes *blob, uint32_t simd_width,
        uint32_t max_work_group_size, uint32_t accepts);
/* A blob of one program with another binary, stored as it is. */
struct bytes blob_with_binary(
        const struct bytes *blob, const void *binary, size_t size);
/* Notes a failure if any 32 bytes in a row of a program's source are in the
 * blob besides the driver's binary, in which the fake driver has it all. The
 * binaries must not be compressed. */
void blob_expect_no_source(const struct bytes *blob);
/* A program's blob whose build log has more to say. */
struct bytes blob_with_log(const struct bytes *blob, const char *log);

#endif /* DNNL_CACHE_TESTS_API_BLOB_EDIT_H */
