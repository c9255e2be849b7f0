/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_defines.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool is_blank(char c)
{
    return c != '\0' && strchr(" \t\v\f", c) != NULL;
}

/* A copy without line splices. NULL: no memory. */
static char *without_splices(const char *text, size_t size, size_t *joined)
{
    char *copy = malloc(size + 1);
    *joined = 0;
    for (size_t i = 0; i < size && copy != NULL; i++) {
        size_t past = i + 1;
        if (text[i] == '\\') {
            while (past < size && (is_blank(text[past]) || text[past] == '\r'))
                past++;
            if (past < size && (text[past] == '\n' || text[past - 1] == '\r')) {
                i = text[past] == '\n' ? past : past - 1;
                continue;
            }
        }
        copy[(*joined)++] = text[i];
    }
    return copy;
}

static bool ends_with(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    return size >= length && memcmp(text + size - length, word, length) == 0
           && (size == length || !is_word_char(text[size - length - 1]));
}

/* Compilers ignore NUL and blanks that are not ASCII. */
static bool may_be_blank(char c)
{
    return is_blank(c) || c == '\0' || (unsigned char)c > 0x7f;
}

/* What stands before a word, of which a comment could hide anything. */
static bool is_definition(const char *text, size_t size)
{
    while (size > 0 && may_be_blank(text[size - 1]))
        size--;
    return ends_with(text, size, "define") || ends_with(text, size, "undef")
           || (size >= 2 && memcmp(text + size - 2, "*/", 2) == 0);
}

bool include_words_add(
        struct include_word **words, const char *text, size_t size)
{
    struct include_word *word;
    HASH_FIND(hh, *words, text, size, word);
    if (word != NULL) return true;
    word = calloc(1, sizeof *word + size + 1);
    if (word == NULL) return false;
    memcpy(word->text, text, size);
    HASH_ADD_KEYPTR(hh, *words, word->text, size, word);
    if (word->hh.tbl != NULL) return true;
    free(word);
    return false;
}

void include_words_fini(struct include_word **words)
{
    struct include_word *word;
    struct include_word *following;
    HASH_ITER(hh, *words, word, following)
    {
        HASH_DEL(*words, word);
        free(word);
    }
}

static bool may_define(
        const char *text, size_t size, const struct include_word *words)
{
    const struct include_word *word;
    for (size_t at = 0, end; at < size; at = end) {
        end = at;
        while (end < size && is_word_char(text[end]))
            end++;
        if (end == at) {
            end++;
            continue;
        }
        HASH_FIND(hh, words, text + at, end - at, word);
        if (word != NULL && is_definition(text, at)) return true;
    }
    return false;
}

bool include_defines_any(
        const struct include_word *words, size_t size, const char *text)
{
    size_t joined;
    if (words == NULL) return false;
    /* A trigraph is a backslash to some, and a universal name a letter. */
    if (memmem(text, size, "\?\?/", 3) != NULL
            || memmem(text, size, "\\u", 2) != NULL
            || memmem(text, size, "\\U", 2) != NULL)
        return true;
    char *copy = without_splices(text, size, &joined);
    const bool may = copy == NULL || may_define(copy, joined, words);
    free(copy);
    return may;
}
