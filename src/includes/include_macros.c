/* SPDX-License-Identifier: Apache-2.0 */
#include "include_macros.h"

#include "include_defines.h"
#include "include_reserved.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { most_depth = 16, most_text = 4096 };

static const char blanks[] = " \t\n\v\f\r";

static bool is_word_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- Macros of the options ----------------------------------------------- */

void include_macros_fini(struct include_macros *macros)
{
    for (size_t i = 0; i < macros->count; i++) {
        free(macros->list[i].name);
        free(macros->list[i].parameter);
        free(macros->list[i].body);
    }
    for (size_t i = 0; i < macros->word_count; i++)
        free(macros->words[i]);
    free(macros->list);
    free(macros->words);
    *macros = (struct include_macros){0};
}

static struct include_macro *find(
        const struct include_macros *macros, const char *name, size_t size)
{
    for (size_t i = 0; i < macros->count; i++)
        if (strlen(macros->list[i].name) == size
                && memcmp(macros->list[i].name, name, size) == 0)
            return &macros->list[i];
    return NULL;
}

/* A definition as it stands in options: NAME, NAME=BODY or NAME(X)=BODY. */
static bool define(struct include_macros *macros, const char *text, bool is_odd)
{
    const size_t size = strspn(text,
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *equals = strchr(text, '=');
    const char *rest = equals != NULL ? equals : text + strlen(text);
    struct include_macro *known = find(macros, text, size);
    if (known != NULL) {
        known->is_odd = true;
        return true;
    }
    struct include_macro *list =
            realloc(macros->list, (macros->count + 1) * sizeof *list);
    if (list == NULL) return false;
    macros->list = list;
    struct include_macro *m = &list[macros->count++];
    *m = (struct include_macro){.name = strndup(text, size),
            .body = strdup(equals != NULL ? equals + 1 : "1"),
            .is_odd = is_odd};
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

static bool read_definitions(struct include_macros *macros, char *options)
{
    char *more = NULL;
    char *word = strtok_r(options, blanks, &more);
    for (; word != NULL; word = strtok_r(NULL, blanks, &more)) {
        const char option = word[0] == '-' ? word[1] : '\0';
        if (option != 'D' && option != 'U') continue;
        const char *text = word + 2;
        if (*text == '\0') text = strtok_r(NULL, blanks, &more);
        if (text == NULL) return true;
        if (!define(macros, text, option == 'U')) return false;
    }
    return true;
}

bool include_macros_init(struct include_macros *macros, const char *options)
{
    *macros = (struct include_macros){0};
    if (options == NULL || strpbrk(options, "\"'\\") != NULL) return true;
    char *copy = strdup(options);
    const bool done = copy != NULL && read_definitions(macros, copy);
    free(copy);
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
    for (size_t i = 0; i < macros->word_count; i++)
        if (strlen(macros->words[i]) == size
                && memcmp(macros->words[i], word, size) == 0)
            return true;
    char **list =
            realloc(macros->words, (macros->word_count + 1) * sizeof *list);
    if (list == NULL) return false;
    macros->words = list;
    list[macros->word_count] = strndup(word, size);
    return list[macros->word_count] != NULL && ++macros->word_count > 0;
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
    return include_defines_any(
            macros->word_count, (const char *const *)macros->words, size, text);
}
