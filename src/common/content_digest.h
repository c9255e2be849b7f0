/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The digest of a file's contents: a tree of BLAKE2b-256, so that a processor
 * with wide vectors digests several parts of the file at once. Every byte
 * counts, and two contents with one digest are as little to be expected as with
 * BLAKE2b itself.
 *
 *     contents   leaves of content_digest_leaf bytes; the last one has the rest
 *     digest     BLAKE2b-256 of
 *                    "dnnl_cache contents 1" and a NUL
 *                    the BLAKE2b-256 of each leaf, in order
 *                    the size of the contents, 8 bytes, little-endian
 *
 * It is the same on every machine. None of the calls allocates or fails; one
 * thread at a time.
 */
#ifndef DNNL_CACHE_COMMON_CONTENT_DIGEST_H
#define DNNL_CACHE_COMMON_CONTENT_DIGEST_H

#include "src/common/hash.h"

enum { content_digest_leaf = 1 << 14 };

struct content_digest {
    struct digest256_state root;
    uint64_t size;
};

void content_digest_init(struct content_digest *digest);

/* The next part of the contents: a multiple of content_digest_leaf bytes, or
 * the last one. */
void content_digest_update(
        struct content_digest *digest, const void *data, size_t size);

struct digest256 content_digest_final(struct content_digest *digest);

#endif /* DNNL_CACHE_COMMON_CONTENT_DIGEST_H */
