/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_sight.h"

#include "src/includes/include_text.h"

#include <ctype.h>
#include <string.h>

enum { word_size = 64 };

/* Macros, built-in functions and names of functions that are, or may be made
 * of, the name of a file or how deep it is included; annotations, beside which
 * clang writes the name of the file; pragmas and attributes whose words a
 * compiler repeats, which could spell a folder, or whose effect is an error
 * where there would be a warning. #import asks which file is one that the
 * driver has read before. */
static const char *const sights[] = {"__FILE__", "__BASE_FILE__",
        "__FILE_NAME__", "__INCLUDE_LEVEL__", "__TIMESTAMP__", "__MODULE__",
        "__FUNCTION__", "__func__", "__PRETTY_FUNCTION__", "__FUNCSIG__",
        "__FUNCDNAME__", "__LFUNCTION__", "__LFUNCSIG__", "__builtin_FILE",
        "__builtin_FILE_NAME", "__builtin_FUNCTION", "__builtin_FUNCSIG",
        "__builtin_source_location", "__builtin_dump_struct",
        "__builtin_sycl_unique_stable_name", "__builtin_unique_stable_name",
        "__builtin_assume_separate_storage", "__builtin_annotation",
        "__builtin_ptr_annotation", "source_location", "import", "annotate",
        "diagnostic", "message", "warning", "deprecated", "unavailable",
        "diagnose_if", "enable_if", "static_assert", "_Static_assert", NULL};

static const char *const tags[] = {"struct", "union", "enum", "class", NULL};

/* include_scan.h refuses programs with shorter ones that begin with
 * underscores. */
enum { shortest_part = 3 };

/* Parts that texts are full of. What they are parts of tells a path in messages
 * alone, which are kept without. */
static const char *const common[] = {"static", "source", "enable", NULL};

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(word, *words) != 0)
        words++;
    return *words != NULL;
}

/* Copies the word at p, as far as there is room, and returns past it. */
static const char *read_word(
        const char *p, const char *end, char word[word_size])
{
    size_t size = 0;
    for (; p < end && is_word_char(*p); p = step(p, end))
        if (size < word_size - 1) word[size++] = *p;
    word[size] = '\0';
    return p;
}

/* Attributes may have underscores around their names. */
static bool is_sight(const char *word, size_t size)
{
    char bare[word_size] = "";
    if (is_one_of(word, sights)) return true;
    if (size <= 4 || strncmp(word, "__", 2) != 0
            || strcmp(word + size - 2, "__") != 0)
        return false;
    memcpy(bare, word + 2, size - 4);
    return is_one_of(bare, sights);
}

static unsigned of_word(const char *word)
{
    const size_t size = strlen(word);
    if (is_sight(word, size)
            || (word[0] == '_' && strstr(word, "FILE") != NULL))
        return sight_sure;
    if (size < shortest_part || is_one_of(word, common)) return 0;
    for (size_t i = 0; sights[i] != NULL; i++)
        if (strncmp(sights[i], word, size) == 0) return sight_part;
    return 0;
}

/* p is past the #. Lines that are numbered anew may name a file. */
static bool is_line_directive(const char *p, const char *end)
{
    char word[word_size];
    p = skip_blanks(p, end);
    if (p < end && is_digit(*p)) return true;
    (void)read_word(p, end, word);
    return strcmp(word, "line") == 0;
}

/* p is past struct or the like. Where a macro or an attribute may stand before
 * the brace there is perhaps no name: macros are in capital letters. */
static bool may_be_unnamed(const char *p, const char *end)
{
    char word[word_size];
    p = skip_space(p, end);
    if (p == end || !is_word_char(*p)) return true;
    const char *past = skip_space(read_word(p, end, word), end);
    bool has_small = false;
    for (size_t i = 0; word[i] != '\0'; i++)
        has_small = has_small || islower((unsigned char)word[i]);
    return !has_small || word[0] == '_' || strcmp(word, "alignas") == 0
           || past == end
           || (!is_word_char(*past) && strchr("{;*:,)", *past) == NULL);
}

/* Past # in any of its spellings, else NULL. */
static const char *match_hash(const char *p, const char *end)
{
    const char *past = match(p, end, "#");
    if (past == NULL) past = match(p, end, "%:");
    if (past == NULL) past = match(p, end, "\?\?=");
    return past;
}

/* What must follow the braces of a type without a name, for clang to name the
 * type by it, or to have nothing to name: of a typedef a name, and then the
 * end; of what is inside other braces the end. */
enum what_follows {
    may_be_all,
    must_be_name,
    must_end,
    must_be_part,
    must_end_inside, /* behind an attribute at most */
    must_be_attribute
};

enum { most_unnamed = 16 };

struct reading {
    unsigned seen;
    char quote; /* of the literal that is open; NUL: none */
    bool is_included;
    bool is_after_typedef; /* the last token was that word */
    bool is_after_define;  /* or one that gives words another meaning */
    size_t depth;          /* of braces */
    enum what_follows follows;
    size_t parentheses;   /* of the attribute that follows */
    size_t unnamed_count; /* types without a name, whose braces are open */
    struct {
        size_t depth; /* outside its braces */
        bool is_typedef;
    } unnamed[most_unnamed];
};

/* ---- Types without a name ------------------------------------------------ */

static void begin_unnamed(struct reading *r, const char *p, const char *end)
{
    p = skip_space(p, end);
    if (p == end || *p != '{' || r->unnamed_count == most_unnamed
            || (!r->is_after_typedef && r->depth == 0)) {
        r->seen |= sight_sure;
        return;
    }
    r->unnamed[r->unnamed_count].depth = r->depth;
    r->unnamed[r->unnamed_count++].is_typedef = r->is_after_typedef;
}

static void close_brace(struct reading *r)
{
    if (r->depth > 0) r->depth--;
    if (r->unnamed_count == 0
            || r->unnamed[r->unnamed_count - 1].depth != r->depth)
        return;
    r->unnamed_count--;
    r->follows = r->unnamed[r->unnamed_count].is_typedef ? must_be_name
                                                         : must_end_inside;
}

/* Until the end of its parentheses. */
static void follow_attribute(struct reading *r, char c)
{
    if (c == '(') r->parentheses++;
    if (c == ')' && r->parentheses > 0 && --r->parentheses == 0)
        r->follows = must_end;
    if (c == ';' || c == '{' || c == '}') r->seen |= sight_sure;
}

/* The name may be pasted of words: "ROOT##_t". */
static void follow(
        struct reading *r, const char *p, const char *end, bool is_paste)
{
    const bool is_name = is_word_char(*p) && *p != '_';
    const bool is_end = *p == ';' || *p == ',';
    switch (r->follows) {
    case may_be_all:
        return;
    case must_be_part:
        r->follows = must_end;
        if (!is_word_char(*p)) r->seen |= sight_sure;
        return;
    case must_be_name:
        r->follows = must_end;
        if (!is_name) r->seen |= sight_sure;
        return;
    case must_be_attribute:
        follow_attribute(r, *p);
        return;
    case must_end_inside:
        if (match(p, end, "__attribute__") != NULL) {
            r->follows = must_be_attribute;
            return;
        }
        r->follows = may_be_all;
        if (!is_end) r->seen |= sight_sure;
        return;
    case must_end:
        r->follows = is_paste ? must_be_part : may_be_all;
        if (!is_paste && !is_end) r->seen |= sight_sure;
        return;
    }
}

/* ---- Tokens -------------------------------------------------------------- */

/* The word that ends at p. A typedef or a tag that is a macro is neither. */
static void read_type(
        struct reading *r, const char *word, const char *p, const char *end)
{
    const bool is_tag = is_one_of(word, tags);
    const bool is_typedef = strcmp(word, "typedef") == 0;
    if (r->is_after_define && (is_tag || is_typedef)) r->seen |= sight_sure;
    if (r->is_included && is_tag && may_be_unnamed(p, end))
        begin_unnamed(r, p, end);
    r->is_after_typedef = is_typedef;
    r->is_after_define =
            strcmp(word, "define") == 0 || strcmp(word, "undef") == 0;
}

/* Reads what begins at p, which is no comment; returns past it. */
static const char *read_token(struct reading *r, const char *p, const char *end)
{
    char word[word_size];
    const char *hash = match_hash(p, end);
    if (hash != NULL) {
        const char *paste = match_hash(hash, end);
        follow(r, p, end, paste != NULL);
        if (paste != NULL) r->seen |= sight_pastes;
        if (is_line_directive(hash, end)) r->seen |= sight_sure;
        return paste != NULL ? paste : hash;
    }
    if (r->quote == '\0' && !isspace((unsigned char)*p))
        follow(r, p, end, false);
    if (is_word_char(*p)) {
        p = read_word(p, end, word);
        r->seen |= of_word(word);
        read_type(r, word, p, end);
        return p;
    }
    if (r->quote == '\0' && *p == '{') r->depth++;
    if (r->quote == '\0' && *p == '}') close_brace(r);
    if (!isspace((unsigned char)*p))
        r->is_after_typedef = r->is_after_define = false;
    if (r->quote != '\0' && *p == '\\') {
        p = step(p, end); /* what is behind it ends nothing */
        return p < end && (*p == '"' || *p == '\'' || *p == '\\') ? step(p, end)
                                                                  : p;
    }
    if (is_newline(*p) || *p == r->quote)
        r->quote = '\0';
    else if (r->quote == '\0' && (*p == '"' || *p == '\''))
        r->quote = *p;
    return step(p, end);
}

/* Words in literals count: macros and pragmas are made of these. */
unsigned include_sight_of(const char *text, size_t size, bool is_included)
{
    struct reading r = {.is_included = is_included};
    const char *end = size > 0 ? text + size : text;
    const char *p = skip_splices(text, end);
    while (p < end) {
        const char *past = NULL;
        if (r.quote == '\0' && *p == '/') {
            past = match(p, end, "/*");
            if (past != NULL) past = skip_block_comment(past, end);
            if (past == NULL && match(p, end, "//") != NULL)
                past = line_end(p, end);
        }
        p = past != NULL ? past : read_token(&r, p, end);
    }
    if (r.unnamed_count > 0 || r.follows != may_be_all) r.seen |= sight_sure;
    return r.seen;
}

bool include_sight_is_open(unsigned seen)
{
    return (seen & sight_sure) != 0
           || ((seen & sight_part) != 0 && (seen & sight_pastes) != 0);
}
