/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_detach.h: files of a store that have a second name.
 *
 * Backups are made of hard links (cp -al, rsync --link-dest). A file that is
 * written in place changes in such a copy, too. So who is about to write to a
 * file that has a second name puts a copy of the file in its place first: the
 * store goes on with a file of its own, and the backup keeps the old one.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_DETACH_H
#define DNNL_CACHE_STORES_FILES_STORE_DETACH_H

#include "dnnl_cache/store.h"

/* What a copy is called until it is complete: the file's name, and this. */
#define STORE_DETACH_SUFFIX ".new"

/* Puts a copy of the file open at fd in the place of its name. The caller holds
 * the lock by which all who write to it exclude each other, and opens the name
 * anew afterwards: those who wait for the lock find that the name has moved.
 * Returns 0 or an errno value. */
int store_detach(int dirfd, const char *name, int fd,
        const struct dnnl_cache_store_options *options);

#endif /* DNNL_CACHE_STORES_FILES_STORE_DETACH_H */
