/* SPDX-License-Identifier: Apache-2.0 */
#include "reference_scan.h"

#include "fuzz.h"

#include <string.h>

/* ---- Trigraphs, then splices --------------------------------------------- */

static bool is_newline(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

/* Both return the size of what they write. */
static size_t replace_trigraphs(char *to, const char *from, size_t size)
{
    static const char third[] = "=/'()!<>-";
    static const char means[] = "#\\^[]|{}~";
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        const char *found = NULL;
        if (size - i > 2 && from[i] == '?' && from[i + 1] == '?'
                && from[i + 2] != '\0')
            found = strchr(third, from[i + 2]);
        to[written++] = found != NULL ? means[found - third] : from[i];
        if (found != NULL) i += 2;
    }
    return written;
}

/* Compilers allow blanks between a backslash and the newline. */
static size_t remove_splices(char *to, const char *from, size_t size)
{
    size_t written = 0;
    for (size_t i = 0; i < size; i++) {
        size_t next = i + 1;
        if (from[i] == '\\') {
            while (next < size && is_blank(from[next]))
                next++;
            if (next < size && is_newline(from[next])) {
                if (next + 1 < size && from[next] != from[next + 1]
                        && is_newline(from[next + 1]))
                    next++;
                i = next;
                continue;
            }
        }
        to[written++] = from[i];
    }
    return written;
}

/* ---- Tokens -------------------------------------------------------------- */

/* The text, ended by a newline of our own. */
struct lexer {
    struct dialect dialect;
    const char *at;
    const char *end; /* past that newline */
    unsigned directives;
    bool in_directive;
    bool is_dead; /* what is in the line does not become code */
    struct buffer *lines;
    bool doubt;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(const struct lexer *l, char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'
           || (l->dialect.wide && (unsigned char)c > 0x7f);
}

/* What may follow a letter in a name. */
static bool continues(const struct lexer *l, char c)
{
    return is_digit(c) || is_letter(l, c);
}

static bool starts(const struct lexer *l, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(l->end - l->at) >= size && memcmp(l->at, text, size) == 0;
}

static void to_newline(struct lexer *l)
{
    while (*l->at != '\n')
        l->at++;
}

/* Steps over blanks, comments and what compilers ignore. */
static void blanks(struct lexer *l)
{
    while (l->at < l->end) {
        if (starts(l, "//")) {
            to_newline(l);
        } else if (starts(l, "/*")) {
            l->at += 2;
            while (l->at < l->end && !starts(l, "*/"))
                l->at++;
            l->at = l->at < l->end ? l->at + 2 : l->end;
        } else if (is_blank(*l->at) || *l->at == '\0'
                   || ((unsigned char)*l->at > 0x7f && !l->dialect.wide)) {
            l->at++;
        } else {
            break;
        }
    }
}

/* Steps over a name. */
static size_t name(struct lexer *l, const char **start)
{
    *start = l->at;
    while (l->at < l->end && continues(l, *l->at))
        l->at++;
    return (size_t)(l->at - *start);
}

static bool is(const char *start, size_t size, const char *text)
{
    return size == strlen(text) && memcmp(start, text, size) == 0;
}

static bool holds(const char *start, size_t size, const char *text)
{
    return memmem(start, size, text, strlen(text)) != NULL;
}

/* Steps over a literal, or to the end of the line if it does not end there. */
static void skip_literal(struct lexer *l)
{
    char quote = *l->at++;
    while (*l->at != quote && *l->at != '\n') {
        if (*l->at == '\\' && l->at[1] != '\n') l->at++;
        l->at++;
    }
    if (*l->at == quote) l->at++;
}

static void literal(struct lexer *l)
{
    const char *start = l->at;
    skip_literal(l);
    size_t size = (size_t)(l->at - start);
    /* Inline assembly is made of strings. */
    if (*start == '"' && !l->is_dead
            && (holds(start, size, ".incbin")
                    || holds(start, size, ".include")))
        l->doubt = true;
}

/* Characters of a universal character name, \u1234, at the place; or 0. */
static size_t universal(const struct lexer *l)
{
    if (l->at[0] != '\\' || (l->at[1] != 'u' && l->at[1] != 'U')) return 0;
    size_t digits = l->at[1] == 'u' ? 4 : 8;
    if (strspn(l->at + 2, "0123456789abcdefABCDEF") < digits) return 0;
    return 2 + digits;
}

/* Steps over what a preprocessor takes for a number. */
static void number(struct lexer *l)
{
    for (;;) {
        char c = *l->at;
        if (c == '\'' && l->dialect.cxx && continues(l, l->at[1]))
            l->at += 2;
        else if ((c == '+' || c == '-') && strchr("eE", l->at[-1]) != NULL)
            l->at++;
        else if ((c == '+' || c == '-') && l->dialect.cxx
                 && strchr("pP", l->at[-1]) != NULL)
            l->at++;
        else if (continues(l, c) || c == '.')
            l->at++;
        else if (l->dialect.wide && universal(l) > 0)
            l->at += universal(l);
        else
            break;
    }
}

static void word(struct lexer *l)
{
    const char *start;
    size_t size = name(l, &start);
    /* Operators of #if, which a macro may stand for. */
    if (l->in_directive
            && (is(start, size, "__has_include")
                    || is(start, size, "__has_include_next")
                    || is(start, size, "__has_embed")))
        l->doubt = true;
    if (l->dialect.cxx && *l->at == '"'
            && (is(start, size, "R") || is(start, size, "u8R")
                    || is(start, size, "uR") || is(start, size, "UR")
                    || is(start, size, "LR"))) {
        l->doubt = true;
        l->at = l->end; /* it would need the text before these phases */
    }
}

/* ---- Directives ---------------------------------------------------------- */

/* What follows #include. */
static void header(struct lexer *l)
{
    blanks(l);
    const char *start = l->at;
    if (l->at == l->end) {
        l->doubt = true;
        return;
    }
    if (*start == '"') {
        skip_literal(l);
    } else if (*start == '<') {
        while (*l->at != '>' && *l->at != '\n')
            l->at++;
        if (*l->at == '>') l->at++;
    }
    char close = *start == '"' ? '"' : '>';
    if (l->at - start < 2 || l->at[-1] != close) {
        l->doubt = true;
        return;
    }
    buffer_append(l->lines, start, (size_t)(l->at - start));
    buffer_append_u8(l->lines, '\n');
}

/* What follows #pragma: a line that is taken as it is, or one that may look a
 * file up. */
static void pragma(struct lexer *l, bool skipped)
{
    const char *first;
    const char *second;
    blanks(l);
    size_t size = name(l, &first);
    blanks(l);
    size_t second_size = name(l, &second);
    if ((is(first, size, "GCC") || is(first, size, "clang"))
            && (is(second, second_size, "dependency")
                    || is(second, second_size, "module")))
        l->doubt = true;
    if (skipped || !is(first, size, "mark")) return;
    l->at = first;
    to_newline(l);
}

/* Directives that read no file; of all others it cannot be told. */
static bool is_plain(const char *start, size_t size)
{
    static const char *const words[] = {"define", "undef", "if", "ifdef",
            "ifndef", "elif", "else", "endif", "line", "error", "warning",
            "pragma", "ident"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(start, size, words[i])) return true;
    return false;
}

/* What nobody but some compilers has, and reads no file either. */
static bool is_harmless(const char *start, size_t size)
{
    static const char *const words[] = {"elifdef", "elifndef", "sccs", "assert",
            "unassert", "version", "extension", "region", "endregion"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(start, size, words[i])) return true;
    return false;
}

static void directive(struct lexer *l)
{
    l->at += *l->at == '#' ? 1 : 2;
    l->in_directive = true;
    blanks(l);
    const char *start = l->at;
    size_t size = 0;
    if (is_letter(l, *start)) size = name(l, &start);
    l->is_dead = !is(start, size, "define");
    bool skipped = (l->dialect.skipped >> l->directives++ % 16 & 1) != 0;
    if ((is(start, size, "warning") || is(start, size, "error")) && !skipped)
        to_newline(l);
    if (is(start, size, "pragma")) pragma(l, skipped);
    if (!is(start, size, "include") && !is(start, size, "import")) {
        /* A letter that is not ASCII may be a blank to others, behind one of
         * these. */
        size_t narrow = 0;
        while (narrow < size && (unsigned char)start[narrow] <= 0x7f)
            narrow++;
        if (narrow > 0 && !is_plain(start, narrow)
                && !is_harmless(start, narrow))
            l->doubt = true;
        return;
    }
    if (skipped)
        l->in_directive = false;
    else
        header(l);
}

static void other(struct lexer *l)
{
    char c = *l->at;
    if (c == '\n') {
        l->in_directive = false;
        l->is_dead = false;
    }
    /* An error. */
    if (!l->in_directive && (c == '#' || starts(l, "%:"))) l->is_dead = true;
    l->at++;
}

static void lex(struct lexer *l)
{
    bool line_start = true;
    for (blanks(l); l->at < l->end; blanks(l)) {
        char c = *l->at;
        if (line_start && (c == '#' || starts(l, "%:")))
            directive(l);
        else if (c == '"' || c == '\'')
            literal(l);
        else if (is_digit(c) || (c == '.' && is_digit(l->at[1])))
            number(l);
        else if (is_letter(l, c))
            word(l);
        else
            other(l);
        line_start = c == '\n';
    }
}

bool reference_scan(const char *source, size_t size, struct dialect dialect,
        struct buffer *lines)
{
    char *first = malloc(size + 1);
    char *text = malloc(size + 2);
    REQUIRE(first != NULL && text != NULL);
    if (dialect.trigraphs)
        size = replace_trigraphs(first, source, size);
    else if (size > 0)
        memcpy(first, source, size);
    size = remove_splices(text, first, size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == '\r') text[i] = '\n';
    text[size] = '\n';
    text[size + 1] = '\0';
    struct lexer l = {
            dialect, text, text + size + 1, 0, false, false, lines, false};
    lex(&l);
    REQUIRE(buffer_status(lines) == dnnl_success);
    free(first);
    free(text);
    return l.doubt;
}
