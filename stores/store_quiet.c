/* SPDX-License-Identifier: Apache-2.0 */
#include "store_quiet.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void make_set(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGXFSZ);
}

void store_quiet_begin(struct store_quiet *quiet)
{
    sigset_t set;
    sigset_t waiting;
    const int saved = errno;
    make_set(&set);
    quiet->was_pending =
            sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &set, &quiet->mask);
    errno = saved;
}

void store_quiet_end(const struct store_quiet *quiet)
{
    static const struct timespec at_once = {0, 0};
    sigset_t set;
    const int saved = errno;
    make_set(&set);
    /* At most one waits: it does not queue. */
    if (!quiet->was_pending) (void)sigtimedwait(&set, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &quiet->mask, NULL);
    errno = saved;
}
