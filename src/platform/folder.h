/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.h: folders, their names, and what is in them. As file.h: 0 or an errno
 * value, any thread.
 */
#ifndef DNNL_CACHE_SRC_PLATFORM_FOLDER_H
#define DNNL_CACHE_SRC_PLATFORM_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* EEXIST if the name is taken. exact: this mode, whatever the umask. */
int folder_make(int folder, const char *name, unsigned mode, bool exact);

/* With the folders above that are missing, all with this mode, the last exactly
 * so if exact. 0 also if it is there already, as whatever. */
int folder_make_all(const char *path, unsigned mode, bool exact);

/* The folders above a path alone. If it fails: *failed of its bytes name the
 * folder that cannot be made. */
int folder_make_above(const char *path, unsigned mode, size_t *failed);

/* A new one for this user alone: path ends with XXXXXX, which is replaced. */
int folder_make_temporary(char *path);

/* For the caller to close; for reading names and as the place of others. */
int folder_open(int *fd, int folder, const char *path);

/* The same, with no link on the way, nor out of the folder. */
int folder_open_beneath(int *fd, int folder, const char *path);

/* May this user change what is in it? False: errno says why. */
bool folder_may_be_changed(int folder, const char *path);

/* Calls visit with each name but "." and ".." until it returns another value
 * than 0, which is returned. In no order. */
int folder_each(int fd, int (*visit)(void *user, const char *name), void *user);

/* The same names, each with a NUL behind it, in few calls: of a descriptor that
 * was opened for this alone. The caller frees *names; NULL: there are none.
 * at_once: all are of one moment. The system tells names of a large folder
 * piece by piece, and a name that a file is renamed to meanwhile may be in
 * none.
 */
int folder_read_names(char **names, size_t *size, bool *at_once, int fd);

/* Is every name that leads to something in this open folder among the names
 * that it tells? Not known, which is false, of file systems that make what is
 * asked for, or are a program's or another machine's. */
bool folder_tells_all_names(int fd);

/* As folder_each(), for a path. */
int folder_each_of(const char *path, int (*visit)(void *user, const char *name),
        void *user);

/* The same with each path that a shell's pattern (*, ?, [a-z]) stands for. */
int folder_each_match(const char *pattern,
        int (*visit)(void *user, const char *path), void *user);

/* Empty ones alone. */
int folder_remove(int folder, const char *name);

/* A name and, if it is a folder, what is in it, at most depth levels deep.
 * Links are removed, not followed. 0 also if there is none. */
int folder_remove_tree(int folder, const char *name, unsigned depth);

/* All that is in a folder, but not itself; as above. */
int folder_empty(int fd, unsigned depth);

/* What is left for this user on its file system, in bytes. */
int folder_room(uint64_t *bytes, const char *path);

/* Why no new file of so many bytes can be in it; it is tried without leaving
 * one. 0 also where that cannot be tried. */
int folder_try_room(const char *path, uint64_t bytes);

/* The names in it, to the disk. */
int folder_sync(int fd);

#endif /* DNNL_CACHE_SRC_PLATFORM_FOLDER_H */
