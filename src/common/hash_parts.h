/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XXH3-128 of parts, for the instructions that the including file is compiled
 * for: a file of its own for each, since xxhash.h decides once.
 */
#ifndef DNNL_CACHE_COMMON_HASH_PARTS_H
#define DNNL_CACHE_COMMON_HASH_PARTS_H

#include "src/common/hash.h"

/* Compiled in rather than linked: the streaming state may then live on the
 * stack, which the shared library's interface does not promise. */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

static inline struct digest128 digest_parts(
        const struct hash_part *parts, size_t count)
{
    XXH3_state_t state;
    XXH128_canonical_t bytes;
    struct digest128 digest;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size == 0) continue;
        (void)XXH3_128bits_update(&state, parts[i].data, parts[i].size);
    }
    XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(&state));
    memcpy(digest.bytes, bytes.digest, sizeof digest.bytes);
    return digest;
}

#endif /* DNNL_CACHE_COMMON_HASH_PARTS_H */
