/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_COMMON_CLOCK_H
#define DNNL_CACHE_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of a clock that only goes forward; for durations. */
static inline uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of processor time that the process has spent, all its threads. */
static inline uint64_t clock_process_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

#endif /* DNNL_CACHE_COMMON_CLOCK_H */
