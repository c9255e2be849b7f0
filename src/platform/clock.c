/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/clock.h"

/* Not inline: tests put another day in its place. */
uint64_t clock_epoch_ns(void)
{
    return clock_read_ns(CLOCK_REALTIME);
}

void clock_sleep_ns(uint64_t ns)
{
    const struct timespec pause = {
            (time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    (void)nanosleep(&pause, NULL);
}
