/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h: how long something took. */
#ifndef DNNL_CACHE_EXAMPLES_SUPPORT_CLOCK_H
#define DNNL_CACHE_EXAMPLES_SUPPORT_CLOCK_H

#include <time.h>

/* Monotonic milliseconds; any thread. */
static inline double clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

#endif /* DNNL_CACHE_EXAMPLES_SUPPORT_CLOCK_H */
