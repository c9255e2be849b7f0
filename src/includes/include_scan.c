/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_scan.h"

#include "src/includes/include_assembly.h"
#include "src/includes/include_text.h"
#include "src/includes/include_words.h"

#include <string.h>

enum { shown_size = 200 /* of a line whose end does not matter */ };

/* Directives that read the file they name. */
static const char *const include_directives[] = {"include", "import", NULL};

/* Operators of #if whose answer depends on files; all begin with _. */
static const char *const file_operators[] = {
        "__has_include", "__has_include_next", "__has_embed", NULL};

/* How they may begin if macros paste them together of parts that are too short
 * to tell, or as what compilers define the first of these parts. Longer ones
 * are told by is_part_of_operator(). */
static const char *const operator_begins[] = {
        "_", "__", "__h", "__USER_LABEL_PREFIX__", "__REGISTER_PREFIX__", NULL};

/* What assemblers read files by. */
static const char *const assembler_directives[] = {".incbin", ".include", NULL};

/* Before a quote they begin a raw string in C++, and are macros in C. */
static const char *const raw_prefixes[] = {"R", "LR", "uR", "UR", "u8R", NULL};

/* What a name must not contain to be sure of it: trigraphs and, since a name in
 * brackets is ordinary tokens where #if is false, literals and comments. */
static const char *const quoted_doubts[] = {"\?\?", NULL};
static const char *const bracket_doubts[] = {
        "\?\?", "\"", "'", "//", "/*", NULL};

/* What makes a literal one to report, besides inline assembly: words of
 * pragmas, and trigraphs that are a backslash or no quote to some dialects
 * only. */
static const char *const literal_doubts[] = {
        "include_alias", "\?\?/", "\?\?'", NULL};

/* What the rest of a line must not contain if one dialect may see it in a
 * literal and another not. */
static const char *const line_doubts[] = {
        "/*", "\"", "__has", "#", "%:", "\?\?=", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Copies the identifier or number at p, as far as there is room, and returns
 * past it. */
static const char *read_word(
        const char *p, const char *end, char word[include_word_size])
{
    size_t size = 0;
    for (; p < end && is_word_char(*p); p = step(p, end))
        if (size < include_word_size - 1) word[size++] = *p;
    word[size] = '\0';
    return p;
}

/* Reports the line at p. True, for callers to return. */
static bool report_unknown(
        const char *p, const char *end, struct include_directive *directive)
{
    directive->form = include_macro;
    directive->name = p;
    if (end - p > shown_size) end = p + shown_size;
    directive->name_size = (size_t)(line_end(p, end) - p);
    return true;
}

/* Reads what follows the word of a directive; returns where to go on, since a
 * comment may begin there. */
static const char *read_name(
        const char *p, const char *end, struct include_directive *directive)
{
    const char *word_end = p;
    p = skip_blanks(p, end);
    report_unknown(p, end, directive);
    if (p == end || (*p != '"' && *p != '<')) return p;
    /* What is not ASCII may be a macro. */
    for (const char *q = word_end; q < p; q++)
        if ((unsigned char)*q > 0x7f) return p;
    const char *name = p + 1;
    size_t room = (size_t)(line_end(p, end) - name);
    const char *close = memchr(name, *p == '"' ? '"' : '>', room);
    if (close == NULL) return p;
    size_t size = (size_t)(close - name);
    bool quoted = *p == '"';
    if (memchr(name, '\\', size) != NULL || memchr(name, '\0', size) != NULL
            || contains_any(
                    name, close, quoted ? quoted_doubts : bracket_doubts))
        return quoted ? p : close + 1;
    directive->form = quoted ? include_quoted : include_bracket;
    directive->name = name;
    directive->name_size = size;
    return close + 1;
}

/* Past the # of a directive in any of its spellings, else NULL. */
static const char *match_hash(const char *p, const char *end)
{
    const char *past = match(p, end, "#");
    if (past == NULL) past = match(p, end, "%:");
    if (past == NULL) past = match(p, end, "\?\?=");
    return past;
}

/* The readers below return true if there is something to report, and always
 * set *after to where to go on. */

/* True if a comment may begin in the rest of the line and not end there: some
 * compilers, or some directives, take a line as it is. */
static bool may_open_comment(const char *p, const char *end)
{
    const char *last = NULL;
    end = line_end(p, end);
    for (; p < end; p = step(p, end))
        if (match(p, end, "/*") != NULL) last = p;
    return last != NULL && !contains(match(last, end, "/*"), end, "*/");
}

/* p is past the word "pragma". */
static bool read_pragma(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    char first[include_word_size];
    char second[include_word_size];
    p = skip_blanks(p, end);
    *after = p;
    if (p == end || is_newline(*p) || match(p, end, "//") != NULL)
        return false; /* an empty one */
    const char *past = skip_blanks(read_word(p, end, first), end);
    past = read_word(past, end, second);
    if (pragma_is_known(first, second))
        return may_open_comment(p, end) && report_unknown(p, end, directive);
    *after = past;
    return report_unknown(p, end, directive);
}

/* p is past the # of a directive. */
static bool read_directive(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    char word[include_word_size];
    p = skip_blanks(p, end);
    const char *past = read_word(p, end, word);
    *after = p; /* a token as any other, unless it is one of these */
    if (is_one_of(word, include_directives)) {
        *after = read_name(past, end, directive);
        return true;
    }
    if (strcmp(word, "pragma") == 0)
        return read_pragma(past, end, after, directive);
    if (word[0] != '\0' && !directive_is_known(word)) {
        *after = past;
        return report_unknown(p, end, directive);
    }
    /* To some compilers the text of these is no tokens, nor what stands behind
     * a # alone. */
    if ((word[0] == '\0' || strcmp(word, "error") == 0
                || strcmp(word, "warning") == 0)
            && may_open_comment(past, end))
        return report_unknown(p, end, directive);
    return false;
}

/* p is at a quote. */
static bool read_literal(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    *after = skip_literal(p, end);
    if (!contains_any(p, *after, literal_doubts)
            && !assembly_may_read_file(p, *after, end))
        return false;
    return report_unknown(p, end, directive);
}

/* p is past _Pragma, with a literal in brackets, or __pragma, with tokens. True
 * if it is not certain that the pragma reads no file. One that is made by a
 * macro, as _Pragma(#x) is, shows its words elsewhere. */
static bool is_doubtful_pragma(const char *p, const char *end, bool is_literal)
{
    char first[include_word_size];
    char second[include_word_size];
    p = skip_space(p, end);
    if (p == end || *p != '(') return false;
    p = skip_space(step(p, end), end);
    if (is_literal) {
        /* A prefix of the literal is a word, too. */
        if (p < end && is_word_char(*p)) p = read_word(p, end, first);
        if (p == end || *p != '"') return false;
        p = step(p, end);
    }
    p = read_word(skip_space(p, end), end, first);
    (void)read_word(skip_space(p, end), end, second);
    return !pragma_is_known(first, second);
}

/* True if a word that begins a pragma, wherever it stands, goes on as one that
 * reads a file. */
static bool begins_file_pragma(
        const char *word, const char *past, const char *end)
{
    char second[include_word_size];
    if (word[0] != 'G' && word[0] != 'c' && word[0] != 'i') return false;
    if (strcmp(word, "GCC") != 0 && strcmp(word, "clang") != 0)
        return pragma_reads_file(word, "");
    (void)read_word(skip_space(past, end), end, second);
    return pragma_reads_file(word, second);
}

/* True if macros may paste the word together with others to an operator that
 * looks for files. Of shorter parts only the first is told: others are usual.
 */
static bool is_part_of_operator(const char *word)
{
    if (word[0] == '_' && is_one_of(word, operator_begins)) return true;
    if (strlen(word) < 4 || strchr(word, '_') == NULL) return false;
    for (size_t i = 0; file_operators[i] != NULL; i++)
        if (strstr(file_operators[i], word) != NULL) return true;
    return false;
}

/* p is at an identifier. */
static bool read_identifier(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    char word[include_word_size];
    const char *past = read_word(p, end, word);
    *after = past;
    if (begins_file_pragma(word, past, end) || is_part_of_operator(word)
            || (word[0] == '_'
                    && ((strcmp(word, "_Pragma") == 0
                                && is_doubtful_pragma(past, end, true))
                            || (strcmp(word, "__pragma") == 0
                                    && is_doubtful_pragma(past, end, false))))
            || (past < end && *past == '"' && is_one_of(word, raw_prefixes)))
        return report_unknown(p, end, directive);
    return false;
}

/* p is at a digit; returns past what any dialect takes for the number, so that
 * an identifier may be in it for others. *last is its last character. */
static const char *skip_number(const char *p, const char *end, char *last)
{
    *last = *p;
    while (p < end
            && (is_word_char(*p) || *p == '.' || *p == '\\'
                    || (unsigned char)*p > 0x7f
                    || ((*p == '+' || *p == '-')
                            && strchr("eEpP", *last) != NULL))) {
        *last = *p;
        p = step(p, end);
    }
    return p;
}

/* p is at a digit. */
static bool read_number(const char *p, const char *end, const char **after,
        struct include_directive *directive)
{
    char last;
    const char *past = skip_number(p, end, &last);
    const char *until = past;
    *after = past;
    if (past < end && *past == '\'') {
        /* A separator of digits in C++, the begin of a literal in C. They
         * agree again at the end of the line unless a comment may begin
         * before. */
        until = line_end(past, end);
        *after = until;
    } else if (past < end && *past == '"' && last == 'R') {
        until = past + 1; /* of a raw string if the number ended before */
    }
    if (!contains_any(p, until, line_doubts)) return false;
    return report_unknown(p, end, directive);
}

static bool read_token(const char *p, const char *end, bool line_start,
        const char **after, struct include_directive *directive)
{
    const char *past = line_start ? match_hash(p, end) : NULL;
    if (past != NULL) return read_directive(past, end, after, directive);
    if (*p == '"' || *p == '\'') return read_literal(p, end, after, directive);
    if (is_digit(*p)) return read_number(p, end, after, directive);
    if (is_word_char(*p)) return read_identifier(p, end, after, directive);
    if (match(p, end, "//") != NULL) {
        *after = line_end(p, end);
        return false;
    }
    *after = step(p, end);
    /* A macro may make a literal of it; the second may be a member's name. */
    if (*p == '.'
            && (match(p, end, assembler_directives[0]) != NULL
                    || match(p, end, assembler_directives[1]) != NULL))
        return report_unknown(p, end, directive);
    /* To some dialects a quote, and a backslash before no comment. */
    if (match(p, end, "\?\?'") != NULL || match(p, end, "\?\?//") != NULL
            || match(p, end, "\?\?/*") != NULL)
        return report_unknown(p, end, directive);
    return false;
}

/* The first trigraph at a line's end that is a splice to some dialects only,
 * so what they take for a comment differs; NULL if there is none. */
static const char *find_trigraph_splice(const char *p, const char *end)
{
    for (; p < end; p++) {
        p = memchr(p, '?', (size_t)(end - p));
        if (p == NULL || end - p < 3) break;
        if (memcmp(p, "\?\?/", 3) == 0 && blanks_and_newline(p + 3, end) > 0)
            return p;
    }
    return NULL;
}

void include_scan_init(
        struct include_scan *scan, const char *source, size_t size)
{
    scan->cursor = source;
    scan->end = size > 0 ? source + size : source;
    scan->doubt = find_trigraph_splice(scan->cursor, scan->end);
    scan->at_line_start = true;
    scan->seen = 0;
}

/* p is at a token that is no directive, *after past it: of ## past both. What
 * it adds to what a program has of assembly. */
static unsigned see_assembly(
        const char *p, const char *end, const char **after_token)
{
    char word[include_word_size];
    const char *after = *after_token;
    const char *past = match_hash(p, end);
    if (past != NULL) {
        const char *second = match_hash(past, end);
        *after_token = second != NULL ? second : past;
        return second != NULL ? assembly_pastes : assembly_unknown;
    }
    if (*p == '"') return assembly_in_literal(p, after, end);
    if (is_digit(*p)) {
        /* Any word may stand in a line that was not read. */
        char last;
        const char *number_end = skip_number(p, end, &last);
        return number_end < after ? assembly_word : 0;
    }
    if (!is_word_char(*p) || strchr("_asm", *p) == NULL) return 0;
    (void)read_word(p, end, word);
    return assembly_in_word(word);
}

bool include_scan_next(
        struct include_scan *scan, struct include_directive *directive)
{
    const char *end = scan->end;
    const char *p;
    if (scan->doubt != NULL) {
        p = scan->doubt;
        scan->doubt = NULL;
        return report_unknown(p, end, directive);
    }
    while ((p = skip_blanks(scan->cursor, end)) < end) {
        bool line_start = scan->at_line_start;
        scan->at_line_start = is_newline(*p);
        if (read_token(p, end, line_start, &scan->cursor, directive))
            return true;
        if (line_start && match_hash(p, end) != NULL) continue;
        scan->seen |= see_assembly(p, end, &scan->cursor);
        if ((scan->seen & assembly_told) != 0
                || !assembly_is_unknown(scan->seen))
            continue;
        scan->seen |= assembly_told;
        return report_unknown(p, end, directive);
    }
    scan->cursor = end;
    return false;
}
