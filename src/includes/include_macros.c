/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/include_macros.h"

#include "src/includes/include_defines.h"
#include "src/includes/include_reserved.h"

#include "src/drivers/option_words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { most_depth = 16, most_text = 4096 };

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- Macros of the options ----------------------------------------------- */

static void destroy(struct include_macro *macro)
{
    free(macro->name);
    free(macro->parameter);
    free(macro->body);
    free(macro);
}

void include_macros_fini(struct include_macros *macros)
{
    struct include_macro *macro;
    struct include_macro *following;
    HASH_ITER(hh, macros->list, macro, following)
    {
        HASH_DEL(macros->list, macro);
        destroy(macro);
    }
    include_words_fini(&macros->words);
    *macros = (struct include_macros){0};
}

static struct include_macro *find(
        const struct include_macros *macros, const char *name, size_t size)
{
    struct include_macro *found;
    HASH_FIND(hh, macros->list, name, size, found);
    return found;
}

/* Reads what follows the name, of size bytes. False: no memory. */
static bool read_macro(struct include_macro *m, const char *text, size_t size)
{
    const char *equals = strchr(text, '=');
    const char *rest = equals != NULL ? equals : text + strlen(text);
    m->name = strndup(text, size);
    m->body = strdup(equals != NULL ? equals + 1 : "1");
    if (text[size] == '(') {
        const char *close = strchr(text, ')');
        const char *parameter = text + size + 1;
        if (close == NULL || close + 1 != rest) m->is_odd = true;
        m->parameter = close != NULL
                               ? strndup(parameter, (size_t)(close - parameter))
                               : strdup("");
        if (m->parameter == NULL) return false;
        if (!is_word_start(m->parameter[0])
                || strpbrk(m->parameter, " ,.") != NULL)
            m->is_odd = true;
    } else if (text + size != rest) {
        m->is_odd = true;
    }
    return m->name != NULL && m->body != NULL;
}

/* A definition as it stands in options: NAME, NAME=BODY or NAME(X)=BODY. */
static bool define(struct include_macros *macros, const char *text, bool is_odd)
{
    const size_t size = strspn(text,
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    struct include_macro *m = find(macros, text, size);
    if (m != NULL) {
        m->is_odd = true;
        return true;
    }
    m = calloc(1, sizeof *m);
    if (m == NULL) return false;
    m->is_odd = is_odd;
    if (read_macro(m, text, size)) {
        HASH_ADD_KEYPTR(hh, macros->list, m->name, size, m);
        if (m->hh.tbl != NULL) return true;
    }
    destroy(m);
    return false;
}

static bool read_definitions(
        struct include_macros *macros, const char *options, char *word)
{
    while (option_word_next(option_way_blanks, &options, word)) {
        const char option = word[0] == '-' ? word[1] : '\0';
        if (option != 'D' && option != 'U') continue;
        const char *text = word + 2;
        if (*text == '\0') {
            if (!option_word_next(option_way_blanks, &options, word))
                return true;
            text = word;
        }
        if (!define(macros, text, option == 'U')) return false;
    }
    return true;
}

bool include_macros_init(struct include_macros *macros, const char *options)
{
    *macros = (struct include_macros){0};
    if (options == NULL || !option_ways_are_one(options)) return true;
    char *word = malloc(strlen(options) + 1);
    const bool done = word != NULL && read_definitions(macros, options, word);
    free(word);
    return done;
}

/* ---- Expansion ----------------------------------------------------------- */

/* What has been expanded; its end is cut off at the first failure. */
struct output {
    char text[most_text];
    size_t size;
};

struct expansion {
    struct include_macros *macros;
    const struct include_macro *open[most_depth]; /* being expanded */
    size_t depth;
};

static bool put(struct output *out, const char *text, size_t size)
{
    if (size >= sizeof out->text - out->size) return false;
    memcpy(out->text + out->size, text, size);
    out->size += size;
    out->text[out->size] = '\0';
    return true;
}

/* A word that must not be a macro of somebody else's: the compiler's own would
 * win over one of the options. */
static bool note_word(
        struct include_macros *macros, const char *word, size_t size)
{
    if (include_word_is_reserved(word, size)
            || (include_word_looks_like_macro(word, size)
                    && find(macros, word, size) == NULL))
        return false;
    return include_words_add(&macros->words, word, size);
}

static size_t word_size(const char *p, const char *end)
{
    size_t size = 0;
    while (p + size < end && is_word_char(p[size]))
        size++;
    return size;
}

/* The end of an argument that begins at p, where a ")" closes it; NULL: there
 * is none, or more than one argument. */
static const char *argument_end(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p++) {
        if (*p == ',' && depth == 0) return NULL;
        if (*p == '(') depth++;
        if (*p == ')' && depth-- == 0) return p;
    }
    return NULL;
}

static bool expand(struct expansion *e, const char *p, const char *end,
        struct output *out);

/* The macro's body with the argument, as it is behind #, else expanded. */
static bool substitute(struct expansion *e, const struct include_macro *m,
        const char *argument, size_t size, struct output *out)
{
    const char *p = m->body;
    const char *end = p + strlen(p);
    while (p < end) {
        const bool quotes = *p == '#';
        if (quotes) p++;
        const size_t word = is_word_start(*p) ? word_size(p, end) : 0;
        const bool is_parameter = m->parameter != NULL && word > 0
                                  && strlen(m->parameter) == word
                                  && memcmp(m->parameter, p, word) == 0;
        bool done;
        if (quotes)
            done = is_parameter && put(out, "\"", 1) && put(out, argument, size)
                   && put(out, "\"", 1);
        else if (is_parameter)
            done = expand(e, argument, argument + size, out);
        else
            done = put(out, p, word > 0 ? word : 1);
        if (!done) return false;
        p += word > 0 ? word : 1;
    }
    return true;
}

/* p is behind the name of a macro; returns where to go on, or NULL. */
static const char *expand_macro(struct expansion *e,
        const struct include_macro *m, const char *p, const char *end,
        struct output *out)
{
    struct output body = {.size = 0};
    const char *argument = p;
    const char *close = p;
    if (m->is_odd || e->depth == most_depth) return NULL;
    for (size_t i = 0; i < e->depth; i++)
        if (e->open[i] == m) return NULL;
    if (m->parameter != NULL) {
        if (p == end || *p != '(') return NULL;
        argument = p + 1;
        close = argument_end(argument, end);
        if (close == NULL) return NULL;
    }
    if (!substitute(e, m, argument, (size_t)(close - argument), &body))
        return NULL;
    e->open[e->depth++] = m;
    const bool done = expand(e, body.text, body.text + body.size, out);
    e->depth--;
    if (!done) return NULL;
    return m->parameter != NULL ? close + 1 : p;
}

/* Blanks and what else would need more of a preprocessor are refused. */
static bool expand(
        struct expansion *e, const char *p, const char *end, struct output *out)
{
    while (p < end) {
        size_t size = 1;
        if (*p == '"') { /* made by # */
            const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
            if (close == NULL) return false;
            size = (size_t)(close + 1 - p);
        } else if (is_word_start(*p)) {
            size = word_size(p, end);
            const struct include_macro *m = find(e->macros, p, size);
            if (!note_word(e->macros, p, size)) return false;
            if (m != NULL) {
                p = expand_macro(e, m, p + size, end, out);
                if (p == NULL) return false;
                continue;
            }
        } else if (isdigit((unsigned char)*p)) { /* a number, to its end */
            while (p + size < end && (is_word_char(p[size]) || p[size] == '.'))
                size++;
            /* Which may go on behind a sign. */
            if (p + size < end && strchr("eEpP", p[size - 1]) != NULL
                    && (p[size] == '+' || p[size] == '-'))
                return false;
        } else if (*p == '\0' || strchr("/.-+()", *p) == NULL) {
            return false;
        }
        if (!put(out, p, size)) return false;
        p += size;
    }
    return true;
}

char *include_macros_expand(
        struct include_macros *macros, const char *text, size_t size)
{
    struct expansion e = {.macros = macros};
    struct output out = {.size = 0};
    while (size > 0 && strchr(" \t\r", text[size - 1]) != NULL)
        size--;
    /* Only what begins with a macro is an include with one. */
    if (size == 0 || !is_word_start(text[0])
            || find(macros, text, word_size(text, text + size)) == NULL
            || !expand(&e, text, text + size, &out))
        return NULL;
    const char *close = memchr(out.text + 1, '"', out.size);
    if (out.text[0] != '"' || close == NULL || close == out.text + 1
            || close + 1 != out.text + out.size
            || strstr(out.text, "//") != NULL || strstr(out.text, "/*") != NULL)
        return NULL;
    return strndup(out.text + 1, out.size - 2);
}

bool include_macros_may_be_defined(
        const struct include_macros *macros, const char *text, size_t size)
{
    return include_defines_any(macros->words, size, text);
}
