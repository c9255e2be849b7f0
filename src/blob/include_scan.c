/* SPDX-License-Identifier: Apache-2.0 */
#include "blob/include_scan.h"

#include <string.h>

void include_scan_init(
        struct include_scan *scan, const char *source, size_t size)
{
    scan->cursor = source;
    scan->end = source + size;
    scan->at_line_start = true;
}

/* Length of a line splice at p: a backslash, blanks as compilers allow them,
 * and the end of the line; 0 if there is none. */
static size_t splice(const char *p, const char *end)
{
    const char *at = p;
    if (at == end || *at != '\\') return 0;
    at++;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (at < end && *at == '\r') at++;
    if (at < end && *at == '\n') return (size_t)(at + 1 - p);
    return at < end && at[-1] == '\r' ? (size_t)(at - p) : 0;
}

static const char *skip_splices(const char *p, const char *end)
{
    size_t n;
    while ((n = splice(p, end)) > 0)
        p += n;
    return p;
}

/* The character after p, past splices. */
static const char *step(const char *p, const char *end)
{
    return skip_splices(p + 1, end);
}

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

/* p is at "//"; returns the end of the line. */
static const char *skip_line_comment(const char *p, const char *end)
{
    while (p < end && !is_newline(*p))
        p = step(p, end);
    return p;
}

/* p is past the opening of a block comment; returns past its closing, or end.
 * Comments do not nest. */
static const char *skip_block_comment(const char *p, const char *end)
{
    while (p < end) {
        const char *next = step(p, end);
        if (*p == '*' && next < end && *next == '/') return step(next, end);
        p = next;
    }
    return end;
}

/* p is at a quote; returns past the literal, or at the line's end. */
static const char *skip_literal(const char *p, const char *end)
{
    char quote = *p;
    p = step(p, end);
    while (p < end && *p != quote && !is_newline(*p)) {
        if (*p == '\\') p = step(p, end);
        if (p < end) p = step(p, end);
    }
    return p < end && *p == quote ? step(p, end) : p;
}

/* Skips blanks and comments, which may span lines; not newlines. */
static const char *skip_blanks(const char *p, const char *end)
{
    for (;;) {
        p = skip_splices(p, end);
        if (p == end) return p;
        if (*p == ' ' || *p == '\t' || *p == '\f' || *p == '\v') {
            p++;
            continue;
        }
        const char *next = step(p, end);
        if (*p != '/' || next >= end || *next != '*') return p;
        p = skip_block_comment(step(next, end), end);
    }
}

/* True if the identifier at p is word; *after is past it then. */
static bool is_word(
        const char *p, const char *end, const char *word, const char **after)
{
    for (; *word != '\0'; word++) {
        if (p == end || *p != *word) return false;
        p = step(p, end);
    }
    if (p < end
            && (*p == '_' || (*p >= 'a' && *p <= 'z')
                    || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9')))
        return false;
    *after = p;
    return true;
}

static const char *line_end(const char *p, const char *end)
{
    while (p < end && !is_newline(*p))
        p = step(p, end);
    return p;
}

/* Reads what follows the directive's word. */
static const char *read_name(
        const char *p, const char *end, struct include_directive *directive)
{
    p = skip_blanks(p, end);
    char close = '\0';
    if (p < end && *p == '"') close = '"';
    if (p < end && *p == '<') close = '>';
    const char *stop = line_end(p, end);
    directive->form = include_macro;
    directive->name = p;
    directive->name_size = (size_t)(stop - p);
    if (close == '\0') return stop;
    const char *name = p + 1;
    const char *at = name;
    while (at < stop && *at != close)
        at++;
    if (at == stop) return stop;
    directive->form = close == '"' ? include_quoted : include_bracket;
    directive->name = name;
    directive->name_size = (size_t)(at - name);
    return stop;
}

/* p is at the # of a directive. True, and *after past it, if it includes. */
static bool read_directive(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    static const char *const words[] = {"include", "import", "include_next"};
    p = skip_blanks(step(p, end), end);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *rest;
        if (!is_word(p, end, words[i], &rest)) continue;
        *after = read_name(rest, end, directive);
        return true;
    }
    *after = p;
    return false;
}

bool include_scan_next(
        struct include_scan *scan, struct include_directive *directive)
{
    const char *p = scan->cursor;
    const char *end = scan->end;
    while ((p = skip_blanks(p, end)) < end) {
        const char *next = step(p, end);
        bool line_start = scan->at_line_start;
        scan->at_line_start = false;
        if (is_newline(*p)) {
            scan->at_line_start = true;
            p++;
        } else if (*p == '/' && next < end && *next == '/') {
            p = skip_line_comment(p, end);
        } else if (*p == '"' || *p == '\'') {
            p = skip_literal(p, end);
        } else if (*p == '#' && line_start) {
            if (read_directive(p, end, &p, directive)) {
                scan->cursor = p;
                return true;
            }
        } else if (*p == '%' && next < end && *next == ':' && line_start) {
            /* The digraph of #. */
            if (read_directive(next, end, &p, directive)) {
                scan->cursor = p;
                return true;
            }
        } else {
            p = next;
        }
    }
    scan->cursor = end;
    return false;
}

bool options_include_files(const char *options)
{
    static const char *const names[] = {"-include", "--include", "-imacros",
            "--imacros", "-include-pch", "-fmodule-file"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = options;
        while ((at = strstr(at, names[i])) != NULL) {
            if (at == options || at[-1] == ' ' || at[-1] == '\t'
                    || at[-1] == '"' || at[-1] == '\'')
                return true;
            at++;
        }
    }
    return false;
}
