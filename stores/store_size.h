/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_size.h: the recorded size of a store, a file with a decimal number.
 *
 * What it says is a hint: whoever writes to the store compares it with what it
 * knows, and counts again if they differ.
 */
#ifndef DNNL_CACHE_STORES_STORE_SIZE_H
#define DNNL_CACHE_STORES_STORE_SIZE_H

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

#endif /* DNNL_CACHE_STORES_STORE_SIZE_H */
