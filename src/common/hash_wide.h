/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XXH3-128 with the vectors of some processors, for many bytes: the same values
 * in half the time.
 */
#ifndef DNNL_CACHE_COMMON_HASH_WIDE_H
#define DNNL_CACHE_COMMON_HASH_WIDE_H

#include "src/common/hash.h"

#if defined __x86_64__ && defined __GNUC__
#define HASH_WIDE 1
#else
#define HASH_WIDE 0
#endif

#if HASH_WIDE
/* As hash128_parts(). For processors with AVX2 alone. */
struct digest128 hash128_parts_avx2(
        const struct hash_part *parts, size_t count);
#endif

#endif /* DNNL_CACHE_COMMON_HASH_WIDE_H */
