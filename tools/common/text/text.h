/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h: bytes of unknown origin as text. Names of devices, build logs and
 * file names may hold anything; a terminal must not obey it.
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_TEXT_TEXT_H
#define DNNL_CACHE_TOOLS_COMMON_TEXT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The bytes of the UTF-8 character that text starts with, and its number; 0 if
 * there is none. */
size_t text_character(uint32_t *code, const uint8_t *text, size_t size);

/* True if all of it is UTF-8. */
bool text_is_utf8(const void *text, size_t size);

/* Characters of a NUL-terminated UTF-8 text. */
size_t text_width(const char *text);

/* Printable: control characters and what is no UTF-8 become "\n", "\t" or
 * "\x1b". The caller frees it; NULL if memory ran out. */
char *text_printable(const void *text, size_t size);
void text_print(FILE *out, const void *text, size_t size);

/* In single quotes, for any shell; as it is, for the one who gave it. */
void text_print_quoted(FILE *out, const char *text);

/* "PREFIX: TEXT" and an end of line, printable, to be written at once where
 * others write, too. The caller frees it; NULL if memory ran out. */
char *text_line(const char *prefix, const void *text, size_t size);

/* Lower-case hexadecimal digits, two for each byte, and a NUL. */
void text_hex(char *hex, const uint8_t *bytes, size_t size);

#endif /* DNNL_CACHE_TOOLS_COMMON_TEXT_TEXT_H */
