/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_PLATFORM_CLOCK_NOW_H
#define DNNL_CACHE_PLATFORM_CLOCK_NOW_H

#include <stdint.h>
#include <time.h>

/* Monotonic nanoseconds; any thread. */
static inline uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The same in milliseconds. */
static inline double clock_now_ms(void)
{
    return 1e-6 * (double)clock_now_ns();
}

#endif /* DNNL_CACHE_PLATFORM_CLOCK_NOW_H */
