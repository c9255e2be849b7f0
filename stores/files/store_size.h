/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_size.h: the recorded size of a store, a file with a decimal number.
 *
 * That of a bucket store is a hint: a writer compares it with the index, and
 * counts if they differ. That of a tree store is believed unless it is marked,
 * as by a writer at work, or is no number.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_SIZE_H
#define DNNL_CACHE_STORES_FILES_STORE_SIZE_H

#include <stddef.h>
#include <stdint.h>

/* Longest content: 20 digits. */
enum { store_size_max_bytes = 20 };

/* Reads the number in the file open at fd; root_fd is not used. 0; EBADMSG if
 * it is none (empty, cut, not canonical: any byte after the digits); another
 * errno value. */
int store_size_read(uint64_t *bytes, int fd, int root_fd);

/* The number as it stands in the file; returns its length. */
size_t store_size_format(char text[store_size_max_bytes + 1], uint64_t bytes);

/* Sums and differences that stop at the ends instead of wrapping. */
uint64_t store_size_add(uint64_t a, uint64_t b);
uint64_t store_size_subtract(uint64_t a, uint64_t b);

#endif /* DNNL_CACHE_STORES_FILES_STORE_SIZE_H */
