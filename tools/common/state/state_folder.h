/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_folder.h: what the layer keeps besides blobs: a folder with small
 * files.
 *
 * The folder is named "layer" and is in the store's folder; that of a pack is
 * named like the pack with "-layer" appended. Stores ignore it and do not count
 * its bytes. It is created at the first write after the store was created. All
 * of it may be removed at any time, and damaged parts are ignored. A folder is
 * not used if it belongs to a user other than this one and root, or if other
 * users may write to it.
 *
 * Files are lines of text with a checksum each (state_lines.h). They are
 * changed under the folder's lock, which the system releases when the process
 * dies.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_STATE_FOLDER_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* What follows the store's path in that of the folder. */
const char *state_folder_suffix(bool is_pack);

/* Opens the folder, and creates it if make is true, but not in a folder of a
 * user other than this one and root. A descriptor that the caller closes; -1:
 * errno says why, EPERM if other users may write to it. */
int state_folder_open_path(const char *path, bool make);

/* Takes its lock, waiting at most timeout_ms. -1: not free in time, or a
 * read-only folder. */
int state_folder_lock(int folder, unsigned timeout_ms);
void state_folder_unlock(int lock);

/* The end of a file, at most most bytes, as text, which the caller frees. NULL:
 * there is none, or memory ran out. */
char *state_folder_read(int folder, const char *name, size_t most);

/* Both need the lock. False: it could not be done, and what was there is there
 * still. No file grows beyond that size. */
enum { state_folder_most_bytes = 2 << 20 };
bool state_folder_append(
        int folder, const char *name, const char *text, size_t size);
bool state_folder_replace(
        int folder, const char *name, const char *text, size_t size);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_STATE_FOLDER_H */
