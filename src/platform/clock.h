/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h: what the clocks of this machine say. Any thread. */
#ifndef DNNL_CACHE_PLATFORM_CLOCK_H
#define DNNL_CACHE_PLATFORM_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nanoseconds of a clock that only goes forward; for durations. */
static inline uint64_t clock_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC);
}

/* The same as of the last tick of the kernel, some milliseconds ago: cheaper.
 */
static inline uint64_t clock_tick_ns(void)
{
    return clock_read_ns(CLOCK_MONOTONIC_COARSE);
}

/* clock_ns() in milliseconds. */
static inline double clock_ms(void)
{
    return 1e-6 * (double)clock_ns();
}

/* Nanoseconds since the epoch, by a clock that people and servers set. */
uint64_t clock_epoch_ns(void);

/* The same as the system stamps files: a file that is written from now on has
 * no earlier time. */
static inline uint64_t clock_file_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME_COARSE);
}

/* So long, or until a signal comes. */
void clock_sleep_ns(uint64_t ns);

/* Nanoseconds of processor time that the process has spent, all its threads. */
static inline uint64_t clock_process_ns(void)
{
    return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

#endif /* DNNL_CACHE_PLATFORM_CLOCK_H */
