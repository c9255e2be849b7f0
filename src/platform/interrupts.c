/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/interrupts.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

int interrupts_init(struct interrupts *interrupts)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    interrupts->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (interrupts->fd < 0) return errno;
    (void)sigprocmask(SIG_BLOCK, &set, &interrupts->before);
    return 0;
}

void interrupts_fini(struct interrupts *interrupts)
{
    (void)close(interrupts->fd);
    (void)sigprocmask(SIG_SETMASK, &interrupts->before, NULL);
}

int interrupts_take(int fd)
{
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info
                   ? (int)info.ssi_signo
                   : 0;
}
