/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What compiling a probe kernel reveals of a device, and what an engine blob
 * carries. Each fact changes some dispatch decision (named beside it).
 */
#ifndef DNNL_CACHE_GPU_ENGINE_FACTS_H
#define DNNL_CACHE_GPU_ENGINE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* Bits of engine_facts::accepts. */
enum engine_accepts {
    engine_accepts_half = 1 << 0, /* half storage: tensors of f16 exist */
    engine_accepts_fma = 1 << 1,  /* fast fma: matmul, convolution use it */
    engine_accepts_large_tiles = 1 << 2, /* 64 KiB of local memory: matmul and
                                            convolution on CPUs use them */
    engine_accepts_all = (1 << 3) - 1
};

struct engine_facts {
    /* Preferred multiple of work-group sizes, or the sub-group size where that
     * is larger: below 32 matmul and convolution take the tile for CPUs, else
     * the one for GPUs; element-wise kernels make their groups a multiple. */
    uint32_t simd_width;
    /* Most work-items of the probe's kernel in a group: bounds every local
     * size. */
    uint32_t max_work_group_size;
    uint32_t accepts; /* enum engine_accepts */
};

/* True if the values can be a device's; others are refused. */
static inline bool engine_facts_are_valid(const struct engine_facts *facts)
{
    return facts->simd_width >= 1 && facts->simd_width <= 1024
           && facts->max_work_group_size >= 1
           && facts->max_work_group_size <= (1u << 20)
           && (facts->accepts & ~(uint32_t)engine_accepts_all) == 0;
}

#endif /* DNNL_CACHE_GPU_ENGINE_FACTS_H */
