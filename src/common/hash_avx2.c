/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/hash_wide.h"

#if HASH_WIDE

#include "src/common/hash_parts.h"

#ifndef __AVX2__
#error "to be compiled with -mavx2"
#endif

struct digest128 hash128_parts_avx2(const struct hash_part *parts, size_t count)
{
    return digest_parts(parts, count);
}

#endif
