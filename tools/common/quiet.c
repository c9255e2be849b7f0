/* SPDX-License-Identifier: Apache-2.0 */
#include "quiet.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static const int signals[] = {SIGXFSZ, SIGPIPE};
enum { signal_count = sizeof signals / sizeof *signals };

void quiet_begin(struct quiet *quiet)
{
    sigset_t all;
    sigset_t waiting;
    (void)sigemptyset(&all);
    (void)sigemptyset(&quiet->ours);
    (void)sigpending(&waiting);
    for (int i = 0; i < signal_count; i++) {
        (void)sigaddset(&all, signals[i]);
        if (!sigismember(&waiting, signals[i]))
            (void)sigaddset(&quiet->ours, signals[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &all, &quiet->mask);
}

void quiet_end(const struct quiet *quiet)
{
    static const struct timespec at_once = {0, 0};
    const int error = errno;
    while (sigtimedwait(&quiet->ours, NULL, &at_once) > 0)
        continue;
    (void)pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
    errno = error;
}
