/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key under which the digest of a file is kept: what would not be the same
 * if the file had been written to since, or were another one.
 *
 * A key is text, the path last:
 *     BOOT-ID VERSION DEVICE INODE SIZE SECONDS.NANOSECONDS SECONDS.NANOSECONDS
 *     PATH
 * with the version of the digest, and the times of the last modification and of
 * the last change. Behind the version is "/" and the number of the mount, where
 * only that tells an image from another one.
 */
#ifndef DNNL_CACHE_GPU_FILE_KEY_H
#define DNNL_CACHE_GPU_FILE_KEY_H

#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stdbool.h>
#include <stddef.h>

enum { FILE_KEY_MAX = path_size + 256 };

/* Writes the key of an open file, with a NUL that is no part of it, and returns
 * its size. 0: there is none, because the path is not known from the root on,
 * or because the file system has no change times or no inode numbers that can
 * be relied on; *system and a file that is not open: file_stamp.h. */
size_t file_key_make(char key[FILE_KEY_MAX], uint64_t *system, int fd,
        const struct file_facts *facts, const char *path);

/* True if the file was last changed so long ago that each later change has
 * another change time, whatever the file system's resolution. */
bool file_key_is_settled(const struct file_facts *facts);

/* The path in a key, which has a NUL at its end; NULL: it is not a key. */
const char *file_key_path(const char *key);

#endif /* DNNL_CACHE_GPU_FILE_KEY_H */
