/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scratch.h: a folder for targets whose parsers read files, in memory where the
 * system has such a file system (/dev/shm), removed when the process ends.
 */
#ifndef DNNL_CACHE_TESTS_FUZZ_SCRATCH_H
#define DNNL_CACHE_TESTS_FUZZ_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

enum { scratch_path_size = 256 };

/* The folder, made at the first call. */
const char *scratch_folder(void);

/* A path in it. */
void scratch_path(char path[scratch_path_size], const char *name);

/* Writes a file (mode 0600) in place of what has the name; folders above it are
 * made. */
void scratch_write(const char *name, const void *data, size_t size);

/* Reads a file; the caller frees it. NULL: there is none. */
unsigned char *scratch_read(const char *name, size_t *size);

/* True if there was something of that name. */
bool scratch_remove(const char *name);

/* An open descriptor of a file without a name that has these bytes, with its
 * path. The caller closes it. */
int scratch_file(char path[scratch_path_size], const void *data, size_t size);

#endif /* DNNL_CACHE_TESTS_FUZZ_SCRATCH_H */
