/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_names.h: the file by which a directory is known to be a store of a
 * type, and how numbers are written in names. Writers lock the file (lock_file
 * of struct directory_layout).
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_NAMES_H
#define DNNL_CACHE_STORES_FILES_STORE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define STORE_BUCKET_FILE "index.bin"
#define STORE_BUCKET_SIZE_FILE "size.txt" /* beside it */
#define STORE_FLAT_FILE "config.file"
enum { flat_size_bytes = 40 }; /* of it */
#define STORE_TREE_FILE "cache_size.txt"

/* A number in decimal digits, and a hash in 16 hexadecimal ones. Returns where
 * the text goes on; there is no NUL. Each get makes a path, of which snprintf()
 * would be a part that shows. */
char *store_name_put_decimal(char *at, uint64_t number);
char *store_name_put_hash(char *at, uint64_t hash);

/* Reads a canonical decimal number: no sign, no leading zero, nothing after
 * it. */
bool store_name_parse_decimal(const char *text, uint64_t *value);

/* Calls visit with each name in a folder that is a canonical decimal number of
 * at most max, until it returns another value than 0, which is returned. */
int store_names_each_number(int folder, uint64_t max,
        int (*visit)(void *user, uint64_t number), void *user);

#endif /* DNNL_CACHE_STORES_FILES_STORE_NAMES_H */
