/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/hash.h"

/* Compiled in rather than linked: the streaming state may then live on the
 * stack, which the shared library's interface does not promise. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>
#include <sodium/core.h>

static struct digest128 canonical(XXH128_hash_t hash)
{
    XXH128_canonical_t bytes;
    struct digest128 digest;
    XXH128_canonicalFromHash(&bytes, hash);
    memcpy(digest.bytes, bytes.digest, sizeof digest.bytes);
    return digest;
}

uint64_t hash64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

struct digest128 hash128_parts(const struct hash_part *parts, size_t count)
{
    XXH3_state_t state;
    XXH3_INITSTATE(&state);
    (void)XXH3_128bits_reset(&state);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size == 0) continue;
        (void)XXH3_128bits_update(&state, parts[i].data, parts[i].size);
    }
    return canonical(XXH3_128bits_digest(&state));
}

/* Lets libsodium pick the BLAKE2b code of this processor. If that fails,
 * hashing works all the same, only slower. */
static void start_sodium(void)
{
    int ignored = sodium_init();
    (void)ignored;
}

void digest256_init(struct digest256_state *state)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, start_sodium);
    (void)crypto_generichash_init(
            &state->blake2b, NULL, 0, sizeof(struct digest256));
}

void digest256_update(
        struct digest256_state *state, const void *data, size_t size)
{
    if (size == 0) return;
    (void)crypto_generichash_update(&state->blake2b, data, size);
}

struct digest256 digest256_final(struct digest256_state *state)
{
    struct digest256 digest;
    (void)crypto_generichash_final(
            &state->blake2b, digest.bytes, sizeof digest.bytes);
    return digest;
}

struct digest256 digest256_of(const void *data, size_t size)
{
    struct digest256_state state;
    digest256_init(&state);
    digest256_update(&state, data, size);
    return digest256_final(&state);
}
