/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state_folder.h: what the layer keeps besides blobs: a folder with small
 * files.
 *
 * It is "layer" in the store's folder, which the stores ignore and whose bytes
 * they do not count, and "-layer" behind the name of a pack. It is made when
 * something is to be kept, once the store is there. All of it may be removed at
 * any time; whatever is damaged is ignored. A folder of another user's than
 * this one's or root's, or that others may write to, is as good as none.
 *
 * Files are lines of text with a check-sum each (state_lines.h). Who changes
 * them holds the folder's lock, which the system frees if he dies.
 */
#ifndef DNNL_CACHE_LAYER_STATE_FOLDER_H
#define DNNL_CACHE_LAYER_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* Opens it, and makes it if it is missing. A descriptor that the caller closes;
 * -1: there is none. Of the layer alone (state_place.c). */
int state_folder_open(void);

/* The same of any store: what is behind its path, and opening that. -1: errno
 * tells, EPERM if others may write to it. */
const char *state_folder_suffix(bool is_pack);
int state_folder_open_path(const char *path, bool make);

/* Takes its lock, waiting at most timeout_ms. -1: not free in time, or a
 * read-only folder. */
int state_folder_lock(int folder, unsigned timeout_ms);
void state_folder_unlock(int lock);

/* The end of a file, at most most bytes, as text, which the caller frees. NULL:
 * there is none, or memory ran out. */
char *state_folder_read(int folder, const char *name, size_t most);

/* Both need the lock. False: it could not be done, and what was there is there
 * still. */
bool state_folder_append(
        int folder, const char *name, const char *text, size_t size);
bool state_folder_replace(
        int folder, const char *name, const char *text, size_t size);

/* A name of so many characters with its NUL that nobody else has. */
enum { state_folder_name_size = 64 };
void state_folder_unique(char name[state_folder_name_size], const char *prefix);

#endif /* DNNL_CACHE_LAYER_STATE_FOLDER_H */
