/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_signals.h: writing without SIGXFSZ.
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
#ifndef DNNL_CACHE_PLATFORM_STORE_SIGNALS_H
#define DNNL_CACHE_PLATFORM_STORE_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct store_signal_mask {
    sigset_t before;  /* the thread's own */
    bool was_pending; /* one was waiting before: it is the application's */
};

void store_signals_block(struct store_signal_mask *mask);
void store_signals_restore(const struct store_signal_mask *mask);

#endif /* DNNL_CACHE_PLATFORM_STORE_SIGNALS_H */
