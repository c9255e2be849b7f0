/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The three hashes of the library.
 *
 * hash64 and hash128_parts (XXH3) are fast and not cryptographic: they find
 * bytes and notice damage. digest256 (BLAKE2b-256) stands for bytes that are
 * not kept, such as a program's source inside an ID: two different inputs with
 * one digest are not to be expected, not even on purpose.
 *
 * None of them allocates or fails, and all may be called from any thread.
 */
#ifndef DNNL_CACHE_COMMON_HASH_H
#define DNNL_CACHE_COMMON_HASH_H

#include <sodium/crypto_generichash.h>
#include <stddef.h>
#include <stdint.h>

/* XXH3-128 in its canonical (big-endian) byte order, the same everywhere. */
struct digest128 {
    uint8_t bytes[16];
};

/* BLAKE2b with 32 bytes of output and no key. */
struct digest256 {
    uint8_t bytes[32];
};

/* One stretch of the bytes that hash128_parts() reads as a whole. */
struct hash_part {
    const void *data; /* may be NULL if size is 0 */
    size_t size;
};

/* XXH3-64 with seed 0. */
uint64_t hash64(const void *data, size_t size);

/* XXH3-128 with seed 0 of the parts laid end to end. */
struct digest128 hash128_parts(const struct hash_part *parts, size_t count);

/* BLAKE2b-256 of `size` bytes; data may be NULL if size is 0. */
struct digest256 digest256_of(const void *data, size_t size);

/* The same piece by piece: init, any number of updates, final once. */
struct digest256_state {
    crypto_generichash_state blake2b;
};

void digest256_init(struct digest256_state *state);
void digest256_update(
        struct digest256_state *state, const void *data, size_t size);
struct digest256 digest256_final(struct digest256_state *state);

#endif /* DNNL_CACHE_COMMON_HASH_H */
