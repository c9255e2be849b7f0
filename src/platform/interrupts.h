/* SPDX-License-Identifier: Apache-2.0 */
/* interrupts.h: being asked to end, as a descriptor that can be waited for. For
 * programs whose main is ours, with one thread that does so. */
#ifndef DNNL_CACHE_SRC_PLATFORM_INTERRUPTS_H
#define DNNL_CACHE_SRC_PLATFORM_INTERRUPTS_H

#include <signal.h>

struct interrupts {
    int fd; /* to be read from: something has come; file_none: none */
    sigset_t before;
};

/* From now on what asks this process to end (UNIX: SIGINT, SIGTERM, SIGHUP)
 * does not end it, but waits there. 0 or an errno value; fini only after 0. */
int interrupts_init(struct interrupts *interrupts);
void interrupts_fini(struct interrupts *interrupts);

/* The number of the signal that has come; 0: none. */
int interrupts_take(int fd);

#endif /* DNNL_CACHE_SRC_PLATFORM_INTERRUPTS_H */
