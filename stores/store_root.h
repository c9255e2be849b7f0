/* SPDX-License-Identifier: Apache-2.0 */
/* store_root.h: the directory a store lives in. */
#ifndef DNNL_CACHE_STORES_STORE_ROOT_H
#define DNNL_CACHE_STORES_STORE_ROOT_H

#include "store_internal.h"

/* Opens the root and makes it, with its parents, if it is not there. One that
 * is not safe to run code from is refused, and so is one with a store of
 * another kind, which has another size file, or with a file of a stranger's
 * that the store would write over; the log callback is told why.
 * *read_only: asked for, or all that is allowed. The caller closes *fd.
 * Statuses: dnnl_success; dnnl_out_of_memory; dnnl_runtime_error. */
dnnl_status_t store_root_open(int *fd, bool *read_only,
        const struct dnnl_cache_store_handle *store, const char *size_file);

/* Makes the root anew if somebody removed the whole directory; fd then refers
 * to the new one. 0 or an errno value: EPERM if what has the name now would
 * have been refused. */
int store_root_revive(int fd, const struct dnnl_cache_store_handle *store,
        const char *size_file);

/* Before a store's first file is made: takes the lock of the root, so that of
 * two processes that make stores of two types there one is refused. *claim_fd:
 * for store_unlock_file() when that file has something in it; -1: it had.
 * Returns as store_root_revive(), or ETIMEDOUT. */
int store_root_claim(int *claim_fd, int fd,
        const struct dnnl_cache_store_handle *store, const char *size_file);

#endif /* DNNL_CACHE_STORES_STORE_ROOT_H */
