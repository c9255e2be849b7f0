/* SPDX-License-Identifier: Apache-2.0 */
/* plain_file.h: what a store is compared with, the blob alone in a file. */
#ifndef BENCH_PLAIN_FILE_H
#define BENCH_PLAIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes a new file. False, with errno, if that fails or there is one. */
bool plain_file_write(const char *path, const uint8_t *bytes, size_t size);

/* The first bytes of a file in memory; the caller frees them. NULL if that
 * fails or there are fewer. */
uint8_t *plain_file_read(const char *path, size_t size);

#endif /* BENCH_PLAIN_FILE_H */
