/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_lock.h: exclusion between writers of one store, threads and processes
 * alike.
 *
 * The lock is an flock() on a descriptor opened for one operation, so the
 * kernel frees it when a process dies; that a file exists never means a lock.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_LOCK_H
#define DNNL_CACHE_STORES_FILES_STORE_LOCK_H

#include "dnnl_cache/store.h"

/* Opens a regular file (made if it is missing; whatever else has the name is
 * replaced) and takes its lock, waiting at most timeout_ms. The descriptor is
 * open for reading and writing. 0, ETIMEDOUT, or another errno value. */
int store_lock_file(int *fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options, unsigned timeout_ms);

/* Takes the lock of an open file or directory, waiting at most timeout_ms. 0,
 * ETIMEDOUT, or another errno value; closing the descriptor frees it. */
int store_lock_descriptor(int fd, unsigned timeout_ms);

/* With the lock of a file that had this name when it was opened: 0 if the name
 * still leads to it and to nothing else does. EAGAIN if the file is to be
 * opened anew: somebody removed it while we waited, and a lock on an orphan
 * excludes nobody; or it had a second name, and was detached (store_detach.h).
 * Else an errno value. */
int store_lock_settle(int fd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options);

/* Is another attempt to lock a file by its name worth it? At least some, and
 * more until the deadline: each may meet a file that was just replaced. */
bool store_lock_may_retry(int attempt, uint64_t deadline_ns);

/* Frees the lock and closes the descriptor. -1 is fine. 0, or the errno value
 * of what failed; the descriptor is closed all the same, which frees the lock
 * unless a child forked meanwhile has a copy. */
int store_unlock_file(int fd);

#endif /* DNNL_CACHE_STORES_FILES_STORE_LOCK_H */
