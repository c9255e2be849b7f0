/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/blake2b_wide.h"

#if BLAKE2B_WIDE

const struct blake2b_wide *blake2b_wide_get(size_t i)
{
    const struct blake2b_wide *ways[3] = {NULL};
    size_t count = 0;
    if (__builtin_cpu_supports("avx512f")) ways[count++] = &blake2b_avx512;
    if (__builtin_cpu_supports("avx2")) ways[count++] = &blake2b_avx2;
    return i < count ? ways[i] : NULL;
}

#else

const struct blake2b_wide *blake2b_wide_get(size_t i)
{
    (void)i;
    return NULL;
}

#endif
