/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/store_signals.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static void make_set(sigset_t *set)
{
    (void)sigemptyset(set);
    (void)sigaddset(set, SIGXFSZ);
}

void store_signals_block(struct store_signal_mask *mask)
{
    sigset_t set;
    sigset_t waiting;
    const int saved = errno;
    make_set(&set);
    mask->was_pending =
            sigpending(&waiting) == 0 && sigismember(&waiting, SIGXFSZ) == 1;
    (void)pthread_sigmask(SIG_BLOCK, &set, &mask->before);
    errno = saved;
}

void store_signals_restore(const struct store_signal_mask *mask)
{
    static const struct timespec at_once = {0, 0};
    sigset_t set;
    const int saved = errno;
    make_set(&set);
    /* At most one waits: it does not queue. */
    if (!mask->was_pending) (void)sigtimedwait(&set, NULL, &at_once);
    (void)pthread_sigmask(SIG_SETMASK, &mask->before, NULL);
    errno = saved;
}
