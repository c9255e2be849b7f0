/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled and asked about, never launched: see src/gpu/engine/probe.c. */

/* Bits of enum engine_accepts, in src/gpu/engine/engine_facts.h. */
#ifdef NO_HALF
#define ACCEPTS_HALF 0
#else
#define ACCEPTS_HALF 1
#endif
#ifdef FP_FAST_FMAF
#define ACCEPTS_FMA 2
#else
#define ACCEPTS_FMA 0
#endif

__kernel void probe_limits(__global float *data)
{
    size_t i = get_global_id(0);
    data[i] = data[i] * 2.0f;
}

__kernel __attribute__((
        reqd_work_group_size(1 + ACCEPTS_HALF + ACCEPTS_FMA, 1, 1))) void
probe_accepts(__global float *data
#ifndef NO_HALF
        ,
        __global half *halves
#endif
)
{
    size_t i = get_global_id(0);
#ifndef NO_HALF
    data[i] += vload_half(i, halves);
    vstore_half(data[i], i, halves);
#else
    data[i] += 1.0f;
#endif
}
