/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_root.h: the directory a store lives in. It stays open, since opening it
 * again would be a large part of a get; an application may
 * close what it does not know, and have the number for a folder of its own: so
 * each call looks first, and opens it anew by its path.
 */
#ifndef DNNL_CACHE_STORES_CORE_STORE_ROOT_H
#define DNNL_CACHE_STORES_CORE_STORE_ROOT_H

#include "stores/core/store_internal.h"

struct store_root;

/* Finds the root and makes it, with its parents, if it is not there. One that
 * is not safe to run code from is refused, and so is one with a store of
 * another kind, which has another size file, or with a file of a stranger's
 * that the store would write over; the log callback is told why.
 * *read_only: asked for, or all that is allowed. store and size_file have to
 * live as long. Statuses: dnnl_success; dnnl_out_of_memory;
 * dnnl_runtime_error. */
dnnl_status_t store_root_create(struct store_root **root, bool *read_only,
        const dnnl_cache_store_handle_t *store, const char *size_file);
void store_root_destroy(struct store_root *root); /* NULL is fine */

/* A call begins and ends: *fd refers to the root meanwhile, which is opened
 * anew if it was removed or the application has closed it; make: made anew as
 * well. Any thread. 0 or an errno value: EPERM if the folder is refused, ENOENT
 * if there is none; then there is nothing to leave. */
int store_root_enter(int *fd, struct store_root *root, bool make);
void store_root_leave(struct store_root *root);

/* Before a store's first file is made: takes the lock of the root, so that of
 * two processes that make stores of two types there one is refused. *claim_fd:
 * for store_unlock_file() when that file has something in it; -1: it had.
 * Returns as store_root_enter(), or ETIMEDOUT. */
int store_root_claim(int *claim_fd, int fd, struct store_root *root);

#endif /* DNNL_CACHE_STORES_CORE_STORE_ROOT_H */
