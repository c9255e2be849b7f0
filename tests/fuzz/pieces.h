/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.h: an input that is several things, one behind the other. */
#ifndef DNNL_CACHE_TESTS_FUZZ_PIECES_H
#define DNNL_CACHE_TESTS_FUZZ_PIECES_H

#include "fuzz.h"

#include <string.h>

struct pieces {
    const uint8_t *at;
    size_t left;
};

/* In memory of its own that ends where it ends: a byte too far is seen. The NUL
 * of pieces_text() alone is behind it. */
struct piece {
    uint8_t *data;
    size_t size;
};

/* 0 behind the end. */
static inline unsigned pieces_byte(struct pieces *pieces)
{
    if (pieces->left == 0) return 0;
    pieces->left--;
    return *pieces->at++;
}

static inline struct piece pieces_take(
        struct pieces *pieces, size_t size, size_t more)
{
    struct piece piece = {calloc(size + more > 0 ? size + more : 1, 1), size};
    REQUIRE(piece.data != NULL && size <= pieces->left);
    if (size > 0) memcpy(piece.data, pieces->at, size);
    pieces->at += size;
    pieces->left -= size;
    return piece;
}

/* Two bytes, low one first, that say how long it is, then as much of it as
 * there is. The caller frees data. */
static inline struct piece pieces_next(struct pieces *pieces)
{
    const size_t low = pieces_byte(pieces);
    const size_t size = low | (size_t)pieces_byte(pieces) << 8;
    return pieces_take(pieces, size < pieces->left ? size : pieces->left, 0);
}

static inline struct piece pieces_rest(struct pieces *pieces)
{
    return pieces_take(pieces, pieces->left, 0);
}

/* Up to the first NUL, or 0xff, which no text of UTF-8 has, or the end; with a
 * NUL behind it. */
static inline char *pieces_text(struct pieces *pieces)
{
    size_t size = 0;
    while (size < pieces->left && pieces->at[size] != '\0'
            && pieces->at[size] != 0xff)
        size++;
    struct piece piece = pieces_take(pieces, size, 1);
    piece.data[size] = '\0';
    (void)pieces_byte(pieces);
    return (char *)piece.data;
}

/* Reads each byte, which a sanitizer sees. */
static inline void touch(const void *data, size_t size)
{
    static volatile uint8_t sink;
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++)
        sink = bytes[i];
    (void)sink;
}

#endif /* DNNL_CACHE_TESTS_FUZZ_PIECES_H */
