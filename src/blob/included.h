/* SPDX-License-Identifier: Apache-2.0 */
/*
 * included.h: the section of a program's blob that names the files it included,
 * each with a digest, so that of two IDs with other includes the file that
 * changed can be told. No ID depends on it. docs/reference/format.md has the
 * bytes.
 */
#ifndef DNNL_CACHE_BLOB_INCLUDED_H
#define DNNL_CACHE_BLOB_INCLUDED_H

#include "src/blob/reader.h"
#include "src/common/buffer.h"

#include <stdbool.h>

/* The first bytes of the BLAKE2b-256 of a file. */
enum { included_digest_size = DNNL_CACHE_INCLUDED_DIGEST_SIZE };

/* Appends a file to a section, which is begun if the buffer is empty. The name
 * is as a source spells it; of an absolute one the last part is kept, since no
 * blob names a folder of a user's. False, and nothing appended: the section
 * has no room for it, or there is no name. The buffer's status tells of memory.
 */
bool included_append(struct buffer *section, const char *name,
        const uint8_t digest[included_digest_size]);

/* Checks a whole section. Statuses: dnnl_success; dnnl_cache_blob_corrupt, with
 * the reason. */
dnnl_status_t included_check(
        const uint8_t *data, size_t size, struct blob_reason *reason);

struct included_file {
    const char *name; /* not empty, relative; a NUL follows */
    size_t name_size;
    const uint8_t *digest; /* of included_digest_size */
};

/* The files of a section that was checked, in their order. *at is 0 at first;
 * false: no more. data may be NULL if size is 0. */
bool included_next(struct included_file *file, size_t *at, const uint8_t *data,
        size_t size);

#endif /* DNNL_CACHE_BLOB_INCLUDED_H */
