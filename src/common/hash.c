/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/hash.h"

#include "src/common/hash_parts.h"
#include "src/common/hash_wide.h"

#include <pthread.h>
#include <sodium/core.h>
#include <stdbool.h>

uint64_t hash64(const void *data, size_t size)
{
    return XXH3_64bits(data, size);
}

#if HASH_WIDE
/* Wide vectors are slow to start, on processors that save power for them. */
static bool is_for_wide(const struct hash_part *parts, size_t count)
{
    enum { least = 4096 };
    size_t size = 0;
    for (size_t i = 0; i < count && size < least; i++)
        size += parts[i].size;
    return size >= least && __builtin_cpu_supports("avx2");
}
#endif

struct digest128 hash128_parts(const struct hash_part *parts, size_t count)
{
#if HASH_WIDE
    if (is_for_wide(parts, count)) return hash128_parts_avx2(parts, count);
#endif
    return digest_parts(parts, count);
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
