/* SPDX-License-Identifier: Apache-2.0 */
/* files.h: small files, read and replaced as a whole, with warnings. */
#ifndef DNNL_CACHE_EXAMPLES_SUPPORT_FILES_H
#define DNNL_CACHE_EXAMPLES_SUPPORT_FILES_H

#include <stddef.h>
#include <stdint.h>

enum { files_path_size = 4096 };

/* The contents of a file, which the caller frees. NULL if there are none, and
 * errno says why: ENOENT for no file (path "" included), which is no trouble;
 * after a warning ENODATA for an empty file, or whatever kept it from being
 * read. */
uint8_t *files_read(const char *path, size_t *size);

/* Replaces a file as a whole, and makes the folders that its path names and
 * that are missing: readers see the old bytes or the new ones, also if this
 * process dies halfway. What does not work is a warning. */
void files_write(const char *path, size_t size, const uint8_t *bytes);

/* "NAME: warning: PATH WHAT", to standard error. */
void files_warn(const char *path, const char *what);

#endif /* DNNL_CACHE_EXAMPLES_SUPPORT_FILES_H */
