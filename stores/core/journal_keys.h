/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal_keys.h: a table from 64-bit keys, which are hashes, to numbers.
 */
#ifndef DNNL_CACHE_STORES_CORE_JOURNAL_KEYS_H
#define DNNL_CACHE_STORES_CORE_JOURNAL_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct journal_key_entry {
    uint64_t key; /* 0: free */
    uint64_t value;
};

/* Zeroed: empty. */
struct journal_keys {
    struct journal_key_entry *entries; /* owned */
    size_t count;
    size_t capacity; /* a power of 2, or 0 */
};

/* Makes room for so many more, once; else it grows as they come. */
void journal_keys_expect(struct journal_keys *keys, size_t count);

/* Sets the number of a key other than 0. False: out of memory. */
bool journal_keys_set(struct journal_keys *keys, uint64_t key, uint64_t value);

/* The number of a key; NULL: it has none. Valid until the next set. */
uint64_t *journal_keys_find(const struct journal_keys *keys, uint64_t key);

/* Frees the table, which is empty then. */
void journal_keys_fini(struct journal_keys *keys);

#endif /* DNNL_CACHE_STORES_CORE_JOURNAL_KEYS_H */
