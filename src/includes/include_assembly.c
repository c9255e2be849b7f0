/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_assembly.h"

#include "src/includes/include_text.h"

#include <string.h>

/* What makes a literal one to report, in any case: directives, the dot of one
 * of which may be elsewhere, and what makes names of parts. */
static const char *const assembler_doubts[] = {
        "incbin", ".include", ".macro", ".irp", ".altmacro", NULL};

/* What assembly begins with, in all its spellings and parts. */
static const char keyword[] = "__asm__";

/* What assemblers read files by. */
static const char *const directives[] = {".incbin", ".include", NULL};

/* Past what stands at p of a directive, *size characters of it. */
static const char *match_begin(
        const char *p, const char *end, const char *directive, size_t *size)
{
    *size = 0;
    while (p < end && directive[*size] != '\0'
            && lower(*p) == directive[*size]) {
        p = step(p, end);
        (*size)++;
    }
    return p;
}

/* True if the literal at p ends with the begin of an assembler's directive,
 * which the next one may complete. */
static bool ends_in_directive(const char *p, const char *end)
{
    for (; p < end; p = step(p, end)) {
        if (*p != '.') continue;
        for (size_t i = 0; directives[i] != NULL; i++) {
            size_t size;
            const char *at = match_begin(p, end, directives[i], &size);
            if (at < end && *at == '"' && size > 1) return true;
        }
    }
    return false;
}

/* True if the literal from p to after ends with a dot, and what follows may go
 * on as an assembler's directive: a literal, or a macro that is one. */
static bool ends_before_directive(
        const char *p, const char *after, const char *end)
{
    char last = '\0';
    char before = '\0';
    for (; p < after; p = step(p, end)) {
        before = last;
        last = *p;
    }
    if (last != '"' || before != '.') return false;
    p = skip_space(after, end);
    if (p == end) return true; /* of a header */
    if (*p != '"') return is_word_char(*p) || *p == '#' || *p == '%';
    p = step(p, end);
    return p < end && strchr("iI\"\\\?", *p) != NULL;
}

static unsigned digit_of(char c)
{
    if (is_digit(c)) return (unsigned)(c - '0');
    c = lower(c);
    return c >= 'a' && c <= 'f' ? 10u + (unsigned)(c - 'a') : 16;
}

/* p is past a backslash. True if a number, or a name, stands there for a
 * character that may be one of a directive's; the others are control
 * characters. */
static bool escapes_letter(const char *p, const char *end)
{
    const bool is_hex = p < end && *p == 'x';
    const unsigned base = is_hex ? 16 : 8;
    unsigned value = 0;
    unsigned digits = 0;
    if (p == end) return false;
    if (*p == 'u' || *p == 'U' || *p == 'N') return true;
    if (is_hex) p = step(p, end);
    for (; p < end && digit_of(*p) < base && digits < 3; p = step(p, end)) {
        value = value * base + digit_of(*p);
        digits++;
    }
    /* A hexadecimal one has no end: compilers may take what fits. */
    return digits > 0
           && ((is_hex && digits > 2) || (value >= ' ' && value <= '~'));
}

static bool has_escaped_letter(const char *p, const char *end)
{
    while (p < end) {
        const bool is_escape = *p == '\\';
        p = step(p, end);
        if (!is_escape) continue;
        if (escapes_letter(p, end)) return true;
        if (p < end) p = step(p, end);
    }
    return false;
}

/* A choice between dialects, {a|b}, may end a name that begins before it. */
static bool has_choice(const char *p, const char *end)
{
    return contains(p, end, "{") && contains(p, end, "|");
}

/* Of a literal, string or not. */
static bool has_directive(const char *p, const char *end)
{
    for (const char *at = p; at < end; at = step(at, end))
        for (size_t i = 0; assembler_doubts[i] != NULL; i++)
            if (lower(*at) == *assembler_doubts[i]
                    && match_any_case(at, end, assembler_doubts[i]) != NULL)
                return true;
    return false;
}

bool assembly_may_read_file(const char *p, const char *after, const char *end)
{
    if (has_directive(p, after)) return true;
    return *p == '"'
           && (has_choice(p, after) || has_escaped_letter(p, after)
                   || ends_in_directive(p, after)
                   || ends_before_directive(p, after, end));
}

unsigned assembly_in_word(const char *word)
{
    unsigned seen = 0;
    if (strstr(keyword, word) == NULL) return 0;
    for (; *word != '\0'; word++) {
        if (*word == 'a') seen |= assembly_a;
        if (*word == 's') seen |= assembly_s;
        if (*word == 'm') seen |= assembly_m;
    }
    const unsigned all = assembly_a | assembly_s | assembly_m;
    return seen == all ? seen | assembly_word : seen;
}

/* p is at a dot. True if an operand may be what completes a directive. */
static bool takes_operand(const char *p, const char *end)
{
    for (size_t i = 0; directives[i] != NULL; i++) {
        size_t size;
        const char *at = match_begin(p, end, directives[i], &size);
        if (at < end && *at == '"') at = skip_space(step(at, end), end);
        if (at < end && *at == '"') at = step(at, end);
        if (at < end && *at == '%') return true;
    }
    return false;
}

unsigned assembly_in_literal(const char *p, const char *after, const char *end)
{
    for (; p < after; p = step(p, end))
        if (*p == '.' && takes_operand(p, end)) return assembly_unknown;
    return 0;
}

bool assembly_is_unknown(unsigned seen)
{
    const unsigned parts =
            assembly_a | assembly_s | assembly_m | assembly_pastes;
    return (seen & assembly_unknown) != 0
           && ((seen & assembly_word) != 0 || (seen & parts) == parts);
}
