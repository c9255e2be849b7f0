/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Characters of a source as a compiler reads them: line splices are not there.
 * Every function takes a place and the end of the source, and none reads at the
 * end. Inline, since a scan of includes walks through every character.
 */
#ifndef DNNL_CACHE_INCLUDES_INCLUDE_TEXT_H
#define DNNL_CACHE_INCLUDES_INCLUDE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

static inline bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_word_char(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || is_digit(c);
}

/* Length of the blanks and the newline at p, which may be two characters; 0 if
 * something else stands before the newline. */
static inline size_t blanks_and_newline(const char *p, const char *end)
{
    const char *at = p;
    while (at < end && is_blank(*at))
        at++;
    if (at == end || !is_newline(*at)) return 0;
    at++;
    if (at < end && is_newline(*at) && *at != at[-1]) at++;
    return (size_t)(at - p);
}

/* Line splices are backslashes at the end of a line; compilers allow blanks in
 * between. */
static inline const char *skip_splices(const char *p, const char *end)
{
    while (p < end && *p == '\\') {
        size_t size = blanks_and_newline(p + 1, end);
        if (size == 0) break;
        p += 1 + size;
    }
    return p;
}

/* The character after p, past splices, of which there are few. */
static inline const char *step(const char *p, const char *end)
{
    p++;
    return p < end && *p == '\\' ? skip_splices(p, end) : p;
}

static inline const char *line_end(const char *p, const char *end)
{
    while (p < end && !is_newline(*p))
        p = step(p, end);
    return p;
}

static inline char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Past text if it stands at p, in letters of any case, else NULL. */
static inline const char *match_any_case(
        const char *p, const char *end, const char *text)
{
    for (; *text != '\0'; text++) {
        if (p == end || lower(*p) != *text) return NULL;
        p = step(p, end);
    }
    return p;
}

/* Past text if it stands at p, which it seldom does, else NULL. */
static inline const char *match(
        const char *p, const char *end, const char *text)
{
    if (p == end || *p != *text) return NULL;
    for (; *text != '\0'; text++) {
        if (p == end || *p != *text) return NULL;
        p = step(p, end);
    }
    return p;
}

static inline bool contains(const char *p, const char *end, const char *text)
{
    while (p < end && match(p, end, text) == NULL)
        p = step(p, end);
    return p < end;
}

static inline bool contains_any(
        const char *p, const char *end, const char *const *texts)
{
    while (*texts != NULL && !contains(p, end, *texts))
        texts++;
    return *texts != NULL;
}

/* p is at a quote; returns past the literal, or at the line's end: a lone
 * apostrophe must not swallow what follows its line. */
static inline const char *skip_literal(const char *p, const char *end)
{
    char quote = *p;
    p = step(p, end);
    while (p < end && *p != quote && !is_newline(*p)) {
        if (*p == '\\') p = step(p, end);
        if (p < end && !is_newline(*p)) p = step(p, end);
    }
    return p < end && *p == quote ? step(p, end) : p;
}

/* p is past the opening of a block comment; returns past its closing, or end.
 * Comments do not nest. */
static inline const char *skip_block_comment(const char *p, const char *end)
{
    while (p < end) {
        const char *past = match(p, end, "*/");
        if (past != NULL) return past;
        p = step(p, end);
    }
    return end;
}

/* Skips blanks and comments, which may span lines; not newlines. Compilers
 * ignore NUL; what is not ASCII may be a byte order mark or a blank. */
static inline const char *skip_blanks(const char *p, const char *end)
{
    p = skip_splices(p, end);
    while (p < end) {
        const char *past = match(p, end, "/*");
        if (past != NULL)
            p = skip_block_comment(past, end);
        else if (is_blank(*p) || *p == '\0' || (unsigned char)*p > 0x7f)
            p = step(p, end);
        else
            break;
    }
    return p;
}

/* Past blanks, comments and newlines. */
static inline const char *skip_space(const char *p, const char *end)
{
    while ((p = skip_blanks(p, end)) < end) {
        if (match(p, end, "//") != NULL)
            p = line_end(p, end);
        else if (is_newline(*p))
            p = step(p, end);
        else
            break;
    }
    return p;
}

#endif /* DNNL_CACHE_INCLUDES_INCLUDE_TEXT_H */
