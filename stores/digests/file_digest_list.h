/* SPDX-License-Identifier: Apache-2.0 */
/*
 * file_digest_list.h: digests of files by their keys, and their bytes in a
 * file:
 *
 *     16  magic, whose last byte is the version
 *      8  when all were verified last, seconds since the epoch; 0: never
 *      4  number of digests
 *         for each, the oldest first: 4 bytes, size of the key; the key; 32
 *         bytes, the digest
 *     16  XXH3-128 of all before
 *
 * Numbers are little-endian.
 */
#ifndef DNNL_CACHE_STORES_DIGESTS_FILE_DIGEST_LIST_H
#define DNNL_CACHE_STORES_DIGESTS_FILE_DIGEST_LIST_H

#include "dnnl_cache.h"

#include <stdbool.h>

/* What file_digests.c attaches to the library. */
extern const dnnl_cache_file_digests_t file_digests_callbacks;

enum {
    file_digest_most = 1024,             /* digests in a list */
    file_digest_most_key_size = 8192,    /* longer keys are not kept */
    file_digest_most_file_size = 1 << 20 /* a larger file is damaged */
};

struct file_digest {
    size_t key_size;
    uint8_t *key; /* owned */
    uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE];
};

/* A zeroed one is empty. */
struct file_digest_list {
    uint64_t verified;
    size_t count;
    struct file_digest *items;
};

void file_digest_list_fini(struct file_digest_list *list);

/* NULL: there is none. */
struct file_digest *file_digest_list_find(const struct file_digest_list *list,
        size_t key_size, const uint8_t *key);

/* Puts a copy at the end, in the place of what had the key. False: memory ran
 * out, or the key is too long. */
bool file_digest_list_put(struct file_digest_list *list, size_t key_size,
        const uint8_t *key, const uint8_t *digest);

void file_digest_list_remove(
        struct file_digest_list *list, const struct file_digest *item);

/* Removes what is of another boot of the system than the last one of the list,
 * which cannot be asked for again, and the oldest until the rest fits the
 * limits. */
void file_digest_list_trim(struct file_digest_list *list);

/* False, and an empty list: they are not a list, or memory ran out. */
bool file_digest_list_read(
        struct file_digest_list *list, size_t size, const uint8_t *bytes);

/* The bytes of a trimmed list, from malloc; NULL: out of memory. */
uint8_t *file_digest_list_write(
        const struct file_digest_list *list, size_t *size);

#endif /* DNNL_CACHE_STORES_DIGESTS_FILE_DIGEST_LIST_H */
