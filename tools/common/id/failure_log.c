/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/failure_log.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* A part of a log. */
struct span {
    const char *at;
    const char *end;
};

static size_t length(struct span text)
{
    return (size_t)(text.end - text.at);
}

/* Up to the first NUL, which drivers have at the end. */
static struct span log_span(const char *log, size_t size)
{
    const char *nul = size > 0 ? memchr(log, '\0', size) : NULL;
    return (struct span){log, nul != NULL ? nul : log + size};
}

/* False: there is no more. */
static bool next_line(struct span *line, struct span *rest)
{
    if (rest->at == rest->end) return false;
    const char *end = memchr(rest->at, '\n', length(*rest));
    line->at = rest->at;
    line->end = end != NULL ? end : rest->end;
    rest->at = end != NULL ? end + 1 : rest->end;
    return true;
}

static bool begins_with(struct span text, const char *word)
{
    const size_t size = strlen(word);
    return length(text) >= size && memcmp(text.at, word, size) == 0;
}

static const char *find(struct span text, const char *word)
{
    for (; length(text) >= strlen(word); text.at++)
        if (begins_with(text, word)) return text.at;
    return NULL;
}

static bool has_word(struct span text, const char *word)
{
    const size_t size = strlen(word);
    for (; length(text) >= size; text.at++)
        if (strncasecmp(text.at, word, size) == 0) return true;
    return false;
}

/* ---- Places -------------------------------------------------------------- */

/* ":7" at the start; digits and no more than a compiler counts. */
static bool take_number(struct span *text)
{
    enum { most_digits = 9 };
    const char *at = text->at;
    if (at == text->end || *at != ':') return false;
    const char *first = ++at;
    while (at < text->end && isdigit((unsigned char)*at))
        at++;
    if (at == first || at - first > most_digits) return false;
    text->at = at;
    return true;
}

/* ":7:13:" at the start of the text: takes it. */
static bool take_place(struct span *text)
{
    struct span rest = *text;
    if (!take_number(&rest) || !take_number(&rest) || rest.at == rest.end
            || *rest.at != ':')
        return false;
    text->at = rest.at + 1;
    return true;
}

/* The name, and ":7:13:" behind it: where the name ends, and the text begins.
 * False: the line names no place. */
static bool find_place(
        struct span line, const char **name_end, const char **behind)
{
    for (struct span text = line; text.at < text.end; text.at++) {
        struct span rest = text;
        if (text.at == line.at || !take_place(&rest)) continue;
        *name_end = text.at;
        *behind = rest.at;
        return true;
    }
    return false;
}

static void skip_blanks(struct span *text)
{
    while (text->at < text->end && *text->at == ' ')
        text->at++;
}

static bool is_error(struct span text)
{
    return begins_with(text, "error:") || begins_with(text, "fatal error:");
}

/* "error: " before a name, as PoCL writes it. */
static void skip_severity(struct span *line)
{
    static const char *const words[] = {"fatal error:", "error:"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins_with(*line, words[i])) {
            line->at += strlen(words[i]);
            skip_blanks(line);
            return;
        }
}

/* ---- Reasons ------------------------------------------------------------- */

/* What the system says of itself, in words of strerror(), LLVM and linkers: in
 * a log with one of these the source may be right. */
static bool tells_of_machine(struct span log)
{
    static const char *const words[] = {"no space left", "quota exceeded",
            "cannot allocate memory", "out of memory", "bad_alloc",
            "not enough memory", "too many open files", "input/output error",
            "read-only file system", "permission denied",
            "operation not permitted", "resource temporarily unavailable",
            "stale file handle", "stale nfs", "interrupted system call",
            "device or resource busy", "text file busy", "transport endpoint",
            "connection ", "timed out", "killed", "terminated",
            "segmentation fault", "aborted", "signal", "stack dump",
            "please submit a bug report", "unable to execute command",
            "command failed", "cannot open", "can't open", "unable to open",
            "could not open", "error opening", "error reading", "error writing",
            "unable to create", "could not create", "cannot create",
            "failed to create", "failed to open", "failed to write",
            "ld returned", "linker", "ran out of"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(log, words[i])) return true;
    return false;
}

/* Behind the errors that have places: clang stops. */
static bool is_end_of_errors(struct span line)
{
    return find(line, "too many errors emitted, stopping now") != NULL;
}

/* A line of clang's or PoCL's that has an error: does it name a place? */
static bool names_place(struct span line)
{
    const char *name_end = NULL;
    const char *behind = NULL;
    const bool is_pocls = is_error(line);
    if (is_pocls) skip_severity(&line);
    if (!find_place(line, &name_end, &behind)) return false;
    if (is_pocls) return true;
    struct span text = {behind, line.end};
    skip_blanks(&text);
    return is_error(text);
}

bool failure_log_blames_source(const char *log, size_t size)
{
    struct span rest = log_span(log, size);
    struct span line;
    bool has_place = false;
    if (tells_of_machine(rest)) return false;
    while (next_line(&line, &rest)) {
        if (!has_word(line, "error:") || is_end_of_errors(line)) continue;
        if (!names_place(line)) return false;
        has_place = true;
    }
    return has_place;
}

/* ---- Comparing ----------------------------------------------------------- */

/* Without the file's name, if the line names a place: what is before it
 * (PoCL's "error: "), and what is from the place on. */
static void split(struct span line, struct span *before, struct span *from)
{
    struct span name = line;
    const char *name_end = NULL;
    const char *behind = NULL;
    *before = line;
    *from = (struct span){line.end, line.end};
    skip_severity(&name);
    if (begins_with(name, "warning:") || begins_with(name, "note:")) {
        name.at = (const char *)memchr(name.at, ':', length(name)) + 1;
        skip_blanks(&name);
    }
    if (!find_place(name, &name_end, &behind)) return;
    before->end = name.at;
    from->at = name_end;
}

static bool are_equal(struct span a, struct span b)
{
    return length(a) == length(b)
           && (length(a) == 0 || memcmp(a.at, b.at, length(a)) == 0);
}

bool failure_log_is_same(
        const char *a, size_t a_size, const char *b, size_t b_size)
{
    struct span rest_a = log_span(a, a_size);
    struct span rest_b = log_span(b, b_size);
    struct span line_a, line_b;
    for (;;) {
        const bool has_a = next_line(&line_a, &rest_a);
        const bool has_b = next_line(&line_b, &rest_b);
        struct span before_a, before_b, from_a, from_b;
        if (!has_a || !has_b) return has_a == has_b;
        split(line_a, &before_a, &from_a);
        split(line_b, &before_b, &from_b);
        if (!are_equal(before_a, before_b) || !are_equal(from_a, from_b))
            return false;
    }
}
