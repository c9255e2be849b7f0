/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/signal_mask.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGXFSZ, SIGPIPE};
enum { signal_count = sizeof signals / sizeof *signals };

static _Thread_local unsigned depth;

void signal_mask_begin(struct signal_mask *mask)
{
    sigset_t all;
    sigset_t waiting;
    if (depth++ > 0) return;
    (void)sigemptyset(&all);
    (void)sigemptyset(&mask->ours);
    (void)sigpending(&waiting);
    for (int i = 0; i < signal_count; i++) {
        (void)sigaddset(&all, signals[i]);
        if (!sigismember(&waiting, signals[i]))
            (void)sigaddset(&mask->ours, signals[i]);
    }
    (void)pthread_sigmask(SIG_BLOCK, &all, &mask->before);
}

void signal_mask_end(const struct signal_mask *mask)
{
    static const struct timespec at_once = {0, 0};
    const int error = errno;
    if (--depth > 0) return;
    while (sigtimedwait(&mask->ours, NULL, &at_once) > 0)
        continue;
    (void)pthread_sigmask(SIG_SETMASK, &mask->before, NULL);
    errno = error;
}

int signal_mask_write(int fd, const char *bytes, size_t size)
{
    struct signal_mask mask;
    int error = 0;
    signal_mask_begin(&mask);
    while (size > 0 && error == 0) {
        const ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            error = n < 0 ? errno : ENOSPC;
        } else {
            bytes += n;
            size -= (size_t)n;
        }
    }
    signal_mask_end(&mask);
    return error;
}
