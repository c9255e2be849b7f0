/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_quiet.h: writing without SIGXFSZ.
 *
 * The kernel sends it to a thread that writes beyond the process's limit for
 * the size of files (RLIMIT_FSIZE), and it ends a process that did not ask for
 * it. A handler would be the application's to install: so the thread that
 * writes does not receive the signal between these two calls, and one that was
 * sent meanwhile is taken away. The write itself fails with EFBIG.
 *
 * Everything a store does that can make a file larger goes between them:
 * store_fs_write_at() and store_fs_truncate(), and whatever SQLite does. They
 * may be nested, and leave errno as it is.
 */
#ifndef DNNL_CACHE_STORES_STORE_QUIET_H
#define DNNL_CACHE_STORES_STORE_QUIET_H

#include <signal.h>
#include <stdbool.h>

struct store_quiet {
    sigset_t mask;    /* the thread's before */
    bool was_pending; /* one was waiting before: it is the application's */
};

void store_quiet_begin(struct store_quiet *quiet);
void store_quiet_end(const struct store_quiet *quiet);

#endif /* DNNL_CACHE_STORES_STORE_QUIET_H */
