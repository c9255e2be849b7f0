/* SPDX-License-Identifier: Apache-2.0 */
/*
 * quiet.h: writing without signals.
 *
 * Who writes more than a limit of the process allows is sent SIGXFSZ, and who
 * writes to a pipe that nobody reads SIGPIPE; both end a process that did not
 * ask for them. The application did not write: so the calling thread does not
 * receive them between the two calls, and what was meant for our writes is
 * taken away. Calls may be inside each other.
 */
#ifndef DNNL_CACHE_LAYER_QUIET_H
#define DNNL_CACHE_LAYER_QUIET_H

#include <signal.h>

struct quiet {
    sigset_t mask; /* the thread's before */
    sigset_t ours; /* those that were not waiting for it before */
};

void quiet_begin(struct quiet *quiet);
void quiet_end(const struct quiet *quiet); /* leaves errno as it is */

#endif /* DNNL_CACHE_LAYER_QUIET_H */
