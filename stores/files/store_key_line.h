/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_key_line.h: files with one key of 32 bytes, a line of text: a title,
 * which says what the key is for, and 64 hexadecimal digits.
 */
#ifndef DNNL_CACHE_STORES_FILES_STORE_KEY_LINE_H
#define DNNL_CACHE_STORES_FILES_STORE_KEY_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { store_key_line_size = 32 /* of the key */ };

/* The key of a text of so many bytes; its end of line may be missing. False: it
 * is no such line. */
bool store_key_line_read(unsigned char key[store_key_line_size],
        const char *title, const unsigned char *text, size_t size);

/* Whether these words are anywhere in a text. */
bool store_key_line_has(
        const unsigned char *text, size_t size, const char *words);

/* Creates the file, by store_secret_write(). 0 or an errno value. */
int store_key_line_write(const char *path, const char *title,
        const unsigned char key[store_key_line_size], bool is_public);

#endif /* DNNL_CACHE_STORES_FILES_STORE_KEY_LINE_H */
