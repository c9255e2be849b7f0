/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_tmp.h: <path>/.tmp, where writers make what they then rename into
 * place.
 *
 * Only the holder of the store's lock has it, from open to close, so whatever
 * is in it at open was left by a writer that died. Functions return 0 or an
 * errno value.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_TMP_H
#define DNNL_CACHE_STORES_FILES_STORE_TMP_H

#include "dnnl_cache/store.h"

/* Makes the directory, or empties the one that is there. */
int store_tmp_open(
        int *fd, int root_fd, const struct dnnl_cache_store_options *options);

/* Closes and removes it. What could not be removed stays, for the next writer
 * to try. */
void store_tmp_close(int fd, int root_fd);

/* Takes a name out of a directory at one stroke, then removes what it was:
 * readers see all of it or nothing, but of a folder that overlayfs cannot move.
 * ENOENT if there is no such name, ESTALE if
 * somebody removed .tmp itself. *left (may be NULL) says why it could not be
 * removed and stays in here; 0: it is gone. */
int store_tmp_discard(int fd, int dirfd, const char *name, int *left);

/* Removes what is in here under the name, as far as that can be done. */
void store_tmp_remove(int fd, const char *name);

#endif /* DNNL_CACHE_STORES_FILES_STORE_TMP_H */
