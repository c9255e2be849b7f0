/* SPDX-License-Identifier: Apache-2.0 */
/* archive_bytes.h: what both sides of an archive share. */
#ifndef DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_BYTES_H
#define DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_BYTES_H

#include "src/common/byte_order.h"
#include "tools/dnnl_cache/archive/archive.h"

#include <string.h>
#include <xxhash.h>

/* No ASCII at its start, and both styles of line end: as that of blobs. */
#define ARCHIVE_MAGIC                               \
    {                                               \
        0x8b, 'D', 'C', 'A', '\r', '\n', 0x1a, '\n' \
    }

enum {
    archive_at_kind = 0,     /* 0: the end */
    archive_at_number = 8,   /* compile_ns; of the end: number of entries */
    archive_at_id_size = 16, /* of the end: size of the archive */
    archive_at_blob_size = 24,
    archive_at_checksum = 32,
    archive_checksum_size = 16
};

static inline void archive_store_checksum(
        uint8_t bytes[archive_checksum_size], XXH3_state_t *state)
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    memcpy(bytes, canonical.digest, archive_checksum_size);
}

#endif /* DNNL_CACHE_TOOLS_ARCHIVE_ARCHIVE_BYTES_H */
