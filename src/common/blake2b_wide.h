/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BLAKE2b-256 of several inputs at once, with the vectors of some processors.
 */
#ifndef DNNL_CACHE_COMMON_BLAKE2B_WIDE_H
#define DNNL_CACHE_COMMON_BLAKE2B_WIDE_H

#include <stddef.h>
#include <stdint.h>

#if defined __x86_64__ && defined __GNUC__
#define BLAKE2B_WIDE 1
#else
#define BLAKE2B_WIDE 0
#endif

enum { blake2b_wide_most = 8 };

struct blake2b_wide {
    size_t lanes; /* inputs at once, at most blake2b_wide_most */
    /* Writes 32 bytes for each input; they are laid end to end. size: of one
     * of them, a multiple of 128 and not 0. */
    void (*digest)(uint8_t *out, const uint8_t *data, size_t size);
};

#if BLAKE2B_WIDE
extern const struct blake2b_wide blake2b_avx2;
extern const struct blake2b_wide blake2b_avx512;
#endif

/* The ways of this processor, the widest first; NULL behind the last one. */
const struct blake2b_wide *blake2b_wide_get(size_t i);

#endif /* DNNL_CACHE_COMMON_BLAKE2B_WIDE_H */
