/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_fs.h: files of a directory that others may have tampered with.
 *
 * Names are relative to a directory descriptor, links are never followed, and
 * only regular files are read. Functions return 0 or an errno value; besides
 * the usual ones
 *   ELOOP    a link, a FIFO, a directory ... where a plain file should be,
 *   EBADMSG  a file shorter than it said, or of an impossible size.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_FS_H
#define DNNL_CACHE_STORES_FILES_STORE_FS_H

#include "dnnl_cache/store.h"

#include <sys/types.h>

/* A piece of a file to be written. */
struct store_part {
    const void *data;
    size_t size;
};

/* Makes the directory and its missing parents, all with this mode; the last
 * with exactly this one, whatever the umask, if exact. 0 also if it is there
 * already, as whatever. */
int store_fs_make_directories(const char *path, mode_t mode, bool exact);

/* mkdirat() that sets exactly this mode, whatever the umask, if exact. 0 or
 * an errno value, EEXIST included. */
int store_fs_make_directory(
        int dirfd, const char *name, mode_t mode, bool exact);

/* openat() that follows no link in any component of path and never leaves
 * dirfd. O_CLOEXEC and O_NOFOLLOW are added. The caller closes *fd. */
int store_fs_open_beneath(int *fd, int dirfd, const char *path, int flags);

/* Opens a regular file for reading and tells its size. Does not block on
 * FIFOs. The caller closes *fd, in the same call of the application's
 * (kept_descriptor_raise_read()). */
int store_fs_open_file(int *fd, uint64_t *size, int dirfd, const char *path);

/* Reads exactly size bytes at an offset; EBADMSG if there are fewer. */
int store_fs_read_at(int fd, void *data, size_t size, uint64_t offset);

/* Writes all of it at an offset, in as many calls as it takes. */
int store_fs_write_at(int fd, const void *data, size_t size, uint64_t offset);

/* Makes the file that long. Like writing, without a signal. */
int store_fs_truncate(int fd, uint64_t size);

/* Reads a whole regular file of at most max bytes into memory the caller
 * frees (at least one byte is allocated). */
int store_fs_read_file(uint8_t **data, size_t *size, int dirfd,
        const char *path, uint64_t max);

/* 0 if a regular file holds exactly these bytes, ENOMSG if others. */
int store_fs_compare_file(
        int dirfd, const char *path, const void *data, size_t size);

/* What stands where a file should be, and is none, is damage: links, FIFOs,
 * directories, files that we may not read. EBADMSG or ENOENT for such an errno
 * value, any other as it is. */
int store_fs_classify(int error);

/* Writes a new file: fails with EEXIST if the name is taken, and removes what
 * it wrote if it fails. */
int store_fs_write_file(int dirfd, const char *name,
        const struct store_part *parts, size_t count,
        const struct dnnl_cache_store_options *options);

/* Replaces a file atomically: writes a temporary one in tmp_dirfd (of the same
 * file system), then renames it. Readers see the old bytes or the new. */
int store_fs_replace_file(int tmp_dirfd, int dirfd, const char *name,
        const struct store_part *parts, size_t count,
        const struct dnnl_cache_store_options *options);

/* Syncs a directory if the options ask for that. */
int store_fs_sync_directory(
        int dirfd, const struct dnnl_cache_store_options *options);

/* Removes a name and, if it is a directory, what is in it, at most depth
 * levels deep. Links are removed, not followed. ENOENT is 0. */
int store_fs_remove_tree(int dirfd, const char *name, unsigned depth);

/* Removes all that is in a directory, but not itself; as above. */
int store_fs_empty_directory(int dirfd, unsigned depth);

/* A name nobody else has: process, thread of time, chance. */
enum { store_fs_name_size = 64 };
void store_fs_unique_name(char name[store_fs_name_size]);

/* A number in decimal digits, and a hash in 16 hexadecimal ones. Returns where
 * the text goes on; there is no NUL. Each get makes a path, of which snprintf()
 * would be a part that shows. */
char *store_fs_put_decimal(char *at, uint64_t number);
char *store_fs_put_hash(char *at, uint64_t hash);

/* Reads a canonical decimal number: no sign, no leading zero, nothing after
 * it. */
bool store_fs_parse_decimal(const char *text, uint64_t *value);

/* Calls visit with each name in a directory but "." and "..", until it returns
 * another value than 0, which is returned. */
int store_fs_for_each_name(
        int dirfd, int (*visit)(void *user, const char *name), void *user);

/* Calls visit with each name in a directory that is a canonical decimal number
 * of at most max, until it returns another value than 0, which is returned. */
int store_fs_for_each_number(int dirfd, uint64_t max,
        int (*visit)(void *user, uint64_t number), void *user);

#endif /* DNNL_CACHE_STORES_FILES_STORE_FS_H */
