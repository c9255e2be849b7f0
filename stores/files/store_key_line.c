/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_key_line.h"

#include "stores/files/store_secret.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>

enum { key_size = store_key_line_size, digits_size = 2 * key_size };

bool store_key_line_read(unsigned char key[store_key_line_size],
        const char *title, const unsigned char *text, size_t size)
{
    const size_t title_size = strlen(title);
    const char *digits = (const char *)text + title_size;
    size_t read = 0;
    const char *end = NULL;
    if (size > 0 && text[size - 1] == '\n') size--;
    return size == title_size + digits_size
           && memcmp(text, title, title_size) == 0
           && sodium_hex2bin(
                      key, key_size, digits, digits_size, NULL, &read, &end)
                      == 0
           && read == key_size && end == digits + digits_size;
}

bool store_key_line_has(
        const unsigned char *text, size_t size, const char *words)
{
    const size_t length = strlen(words);
    for (size_t at = 0; at + length <= size; at++)
        if (memcmp(text + at, words, length) == 0) return true;
    return false;
}

int store_key_line_write(const char *path, const char *title,
        const unsigned char key[store_key_line_size], bool is_public)
{
    char line[128];
    char digits[digits_size + 1];
    sodium_bin2hex(digits, sizeof digits, key, key_size);
    const int size = snprintf(line, sizeof line, "%s%s\n", title, digits);
    const int error = store_secret_write(path, line, (size_t)size, is_public);
    sodium_memzero(line, sizeof line);
    sodium_memzero(digits, sizeof digits);
    return error;
}
