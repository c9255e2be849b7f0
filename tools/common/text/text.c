/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/text/text.h"

#include <stdlib.h>
#include <string.h>

/* How many bytes a character with this first byte has; 0 if none has it. */
static size_t length_by_first(uint8_t first)
{
    if (first < 0x80) return 1;
    if (first >= 0xc2 && first < 0xe0) return 2;
    if (first >= 0xe0 && first < 0xf0) return 3;
    return first >= 0xf0 && first < 0xf5 ? 4 : 0;
}

size_t text_character(uint32_t *code, const uint8_t *text, size_t size)
{
    if (size == 0) return 0;
    const size_t length = length_by_first(text[0]);
    if (length == 0 || length > size) return 0;
    uint32_t c = length == 1 ? text[0] : text[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (text[i] & 0x3fu);
    }
    /* Longer than it needs to be, half of a pair, beyond the last. */
    if ((length == 3 && c < 0x800) || (length == 4 && c < 0x10000)
            || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
        return 0;
    *code = c;
    return length;
}

bool text_is_utf8(const void *text, size_t size)
{
    const uint8_t *at = text;
    uint32_t code;
    while (size > 0) {
        const size_t length = text_character(&code, at, size);
        if (length == 0) return false;
        at += length;
        size -= length;
    }
    return true;
}

size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text != '\0'; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Writes the next character of the text as it is shown, at most 4 bytes a byte
 * of text; returns how many bytes of the text that were. */
static size_t show(char **to, const uint8_t *text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    uint32_t code = 0;
    const size_t length = text_character(&code, text, size);
    if (length > 0 && !is_control(code)) {
        memcpy(*to, text, length);
        *to += length;
        return length;
    }
    *(*to)++ = '\\';
    if (text[0] == '\n' || text[0] == '\t') {
        *(*to)++ = text[0] == '\n' ? 'n' : 't';
    } else {
        *(*to)++ = 'x';
        *(*to)++ = digits[text[0] >> 4];
        *(*to)++ = digits[text[0] & 15];
    }
    return 1;
}

char *text_printable(const void *text, size_t size)
{
    const uint8_t *at = text;
    if (size > SIZE_MAX / 4 - 1) return NULL;
    char *printable = malloc(4 * size + 1);
    if (printable == NULL) return NULL;
    char *to = printable;
    while (size > 0) {
        const size_t taken = show(&to, at, size);
        at += taken;
        size -= taken;
    }
    *to = '\0';
    return printable;
}

void text_print(FILE *out, const void *text, size_t size)
{
    const uint8_t *at = text;
    while (size > 0) {
        char shown[4];
        char *to = shown;
        const size_t taken = show(&to, at, size);
        (void)fwrite(shown, 1, (size_t)(to - shown), out);
        at += taken;
        size -= taken;
    }
}

char *text_line(const char *prefix, const void *text, size_t size)
{
    char *shown = text_printable(text, size);
    char *line = NULL;
    if (shown == NULL || asprintf(&line, "%s: %s\n", prefix, shown) < 0)
        line = NULL;
    free(shown);
    return line;
}

void text_hex(char *hex, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        *hex++ = digits[bytes[i] >> 4];
        *hex++ = digits[bytes[i] & 15];
    }
    *hex = '\0';
}

void text_print_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text != '\0'; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    fputc('\'', out);
}
