/* SPDX-License-Identifier: Apache-2.0 */
#include "store_trailer.h"

#include "store_bytes.h"

#include <errno.h>
#include <string.h>

#define XXH_STATIC_LINKING_ONLY /* for a hash state on the stack */
#include <xxhash.h>

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'e', 'n', 't'};

enum { version = 1, checksum_at = 48 };

static XXH128_canonical_t checksum(const uint8_t *trailer, size_t key_size,
        const void *key, size_t blob_size, const void *blob)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    XXH3_128bits_reset(&state);
    XXH3_128bits_update(&state, key, key_size);
    XXH3_128bits_update(&state, blob, blob_size);
    XXH3_128bits_update(&state, trailer, checksum_at);
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
    return canonical;
}

void store_trailer_encode(uint8_t bytes[store_trailer_size],
        const struct store_trailer *trailer, const void *key, const void *blob)
{
    memcpy(bytes, magic, sizeof magic);
    store_put_u32(bytes + 8, version);
    store_put_u32(bytes + 12, (uint32_t)trailer->kind);
    store_put_u64(bytes + 16, trailer->key_size);
    store_put_u64(bytes + 24, trailer->blob_size);
    store_put_u64(bytes + 32, trailer->created_ns);
    store_put_u64(bytes + 40, trailer->compile_ns);
    const XXH128_canonical_t sum = checksum(bytes, (size_t)trailer->key_size,
            key, (size_t)trailer->blob_size, blob);
    memcpy(bytes + checksum_at, sum.digest, sizeof sum.digest);
}

int store_trailer_decode(struct store_trailer *trailer,
        const uint8_t bytes[store_trailer_size], uint64_t file_size)
{
    if (memcmp(bytes, magic, sizeof magic) != 0
            || store_get_u32(bytes + 8) != version)
        return EBADMSG;
    const struct store_trailer read = {
            .kind = (dnnl_cache_blob_kind_t)store_get_u32(bytes + 12),
            .key_size = store_get_u64(bytes + 16),
            .blob_size = store_get_u64(bytes + 24),
            .created_ns = store_get_u64(bytes + 32),
            .compile_ns = store_get_u64(bytes + 40),
    };
    if (file_size < store_trailer_size
            || read.blob_size != file_size - store_trailer_size)
        return EBADMSG;
    *trailer = read;
    return 0;
}

bool store_trailer_matches(const uint8_t bytes[store_trailer_size],
        size_t key_size, const void *key, size_t blob_size, const void *blob)
{
    if (store_get_u64(bytes + 16) != key_size
            || store_get_u64(bytes + 24) != blob_size)
        return false;
    const XXH128_canonical_t sum =
            checksum(bytes, key_size, key, blob_size, blob);
    return memcmp(bytes + checksum_at, sum.digest, sizeof sum.digest) == 0;
}
