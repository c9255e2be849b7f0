/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE2b-256 (RFC 7693) of several inputs of one size at once: lane i of each
 * vector belongs to input i. Included by one file for each set of
 * instructions, which defines
 *
 *     LANES         the number of inputs
 *     LANES_TARGET  the instructions, as for __attribute__((target()))
 */
#ifndef DNNL_CACHE_COMMON_BLAKE2B_LANES_H
#define DNNL_CACHE_COMMON_BLAKE2B_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { blake2b_block = 128, blake2b_words = 16, blake2b_rounds = 12 };

static const uint64_t blake2b_start[8] = {UINT64_C(0x6a09e667f3bcc908),
        UINT64_C(0xbb67ae8584caa73b), UINT64_C(0x3c6ef372fe94f82b),
        UINT64_C(0xa54ff53a5f1d36f1), UINT64_C(0x510e527fade682d1),
        UINT64_C(0x9b05688c2b3e6c1f), UINT64_C(0x1f83d9abfb41bd6b),
        UINT64_C(0x5be0cd19137e2179)};

/* Which words of a block a round takes, in order. */
static const uint8_t blake2b_order[blake2b_rounds][blake2b_words] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3}};

typedef uint64_t lanes_vector __attribute__((vector_size(8 * LANES)));

/* Without a call, vectors are in no function's arguments; unrolled, all indices
 * are constants. */
#define LANES_ROTATE(x, n) (((x) >> (n)) | ((x) << (64 - (n))))

/* Writes 32 bytes for each of LANES inputs, which are laid end to end. size: of
 * one of them, a multiple of blake2b_block and not 0. */
static void __attribute__((target(LANES_TARGET)))
digest_lanes(uint8_t *out, const uint8_t *data, size_t size)
{
    lanes_vector h[8];
    for (size_t i = 0; i < 8; i++)
        h[i] = blake2b_start[i] - (lanes_vector){0};
    h[0] ^= 0x01010020; /* one leaf of a tree of depth one, 32 bytes long */
    for (size_t at = 0; at < size; at += blake2b_block) {
        lanes_vector v[blake2b_words], m[blake2b_words];
        for (size_t i = 0; i < blake2b_words; i++) {
            uint64_t words[LANES];
            for (size_t lane = 0; lane < LANES; lane++)
                memcpy(&words[lane], data + lane * size + at + 8 * i, 8);
            memcpy(&m[i], words, sizeof words);
        }
        for (size_t i = 0; i < 8; i++) {
            v[i] = h[i];
            v[i + 8] = blake2b_start[i] - (lanes_vector){0};
        }
        v[12] ^= (uint64_t)at + blake2b_block;
        if (at + blake2b_block == size) v[14] = ~v[14];
#pragma GCC unroll 12
        for (size_t round = 0; round < blake2b_rounds; round++) {
            const uint8_t *order = blake2b_order[round];
#pragma GCC unroll 8
            for (size_t i = 0; i < 8; i++) {
                /* Four columns, then four diagonals. */
                const size_t turn = i / 4;
                const size_t a = i % 4;
                const size_t b = 4 + (i + turn) % 4;
                const size_t c = 8 + (i + 2 * turn) % 4;
                const size_t d = 12 + (i + 3 * turn) % 4;
                v[a] += v[b] + m[order[2 * i]];
                v[d] = LANES_ROTATE(v[d] ^ v[a], 32);
                v[c] += v[d];
                v[b] = LANES_ROTATE(v[b] ^ v[c], 24);
                v[a] += v[b] + m[order[2 * i + 1]];
                v[d] = LANES_ROTATE(v[d] ^ v[a], 16);
                v[c] += v[d];
                v[b] = LANES_ROTATE(v[b] ^ v[c], 63);
            }
        }
        for (size_t i = 0; i < 8; i++)
            h[i] ^= v[i] ^ v[i + 8];
    }
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t i = 0; i < 4; i++) {
            const uint64_t word = h[i][lane];
            memcpy(out + 32 * lane + 8 * i, &word, sizeof word);
        }
}

#endif /* DNNL_CACHE_COMMON_BLAKE2B_LANES_H */
