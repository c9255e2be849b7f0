/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signal_mask.h: writes that send the application no signal.
 *
 * A write beyond the process's file size limit raises SIGXFSZ, and a write to a
 * pipe without a reader raises SIGPIPE. Both end a process that does not handle
 * them. Between the two calls the calling thread blocks both signals, and those
 * that our writes raised are discarded. Calls may be nested; inner ones ask the
 * system for nothing.
 */
#ifndef DNNL_CACHE_PLATFORM_SIGNAL_MASK_H
#define DNNL_CACHE_PLATFORM_SIGNAL_MASK_H

#include <signal.h>
#include <stddef.h>

struct signal_mask {
    sigset_t before; /* the thread's mask */
    sigset_t ours;   /* those that were not pending before */
};

void signal_mask_begin(struct signal_mask *mask);
void signal_mask_end(const struct signal_mask *mask); /* keeps errno */

/* Writes all bytes between the two. 0 or an errno value. */
int signal_mask_write(int fd, const char *bytes, size_t size);

#endif /* DNNL_CACHE_PLATFORM_SIGNAL_MASK_H */
