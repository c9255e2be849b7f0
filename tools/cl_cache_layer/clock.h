/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNL_CACHE_LAYER_CLOCK_H
#define DNNL_CACHE_LAYER_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic nanoseconds; any thread. */
static inline uint64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif /* DNNL_CACHE_LAYER_CLOCK_H */
