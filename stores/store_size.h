/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_size.h: the recorded size of a store, a file with a decimal number.
 *
 * What it says is a hint: whoever writes to the store compares it with what it
 * knows, and counts again if they differ.
 */
#ifndef DNNL_CACHE_STORES_STORE_SIZE_H
#define DNNL_CACHE_STORES_STORE_SIZE_H

#include "store.h"

/* Longest content: 20 digits. */
enum { store_size_max_bytes = 20 };

/* Reads the number. 0; EBADMSG if it is none (empty, cut, not canonical: any
 * byte after the digits); another errno value, ENOENT for one. */
int store_size_read(uint64_t *bytes, int dirfd, const char *name);

/* Replaces the file atomically through a temporary one in tmp_dirfd. */
int store_size_write(uint64_t bytes, int tmp_dirfd, int dirfd, const char *name,
        const struct dnnl_cache_store_options *options);

/* Sums and differences that stop at the ends instead of wrapping. */
uint64_t store_size_add(uint64_t a, uint64_t b);
uint64_t store_size_subtract(uint64_t a, uint64_t b);

#endif /* DNNL_CACHE_STORES_STORE_SIZE_H */
