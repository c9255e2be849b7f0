/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/assembly_texts.h"

#include "src/drivers/option_words.h"
#include "src/includes/include_assembly.h"
#include "src/includes/include_text.h"

#include <stdlib.h>
#include <string.h>

enum {
    most_tokens = 1 << 22,
    most_parameters = 128,
    most_levels = 256 /* of #if */
};

/* Tokens as they are read. */
enum kind {
    kind_end,
    kind_newline,
    kind_name,
    kind_open,
    kind_close,
    kind_boundary, /* ";", "{" or "}" */
    kind_hash,
    kind_paste,
    kind_directive,
    kind_other
};

struct reader {
    struct assembly_texts *texts;
    const char *p;
    const char *end;
    char word[assembly_name_size]; /* the last name */
    size_t word_size;
    size_t depth;               /* of round brackets */
    size_t depths[most_levels]; /* as it was at each #if that is open */
    size_t level;               /* their number */
    struct assembly_chunk chunk;
    size_t chunk_level; /* where the chunk began, or which it has left since */
};

/* ---- Lists --------------------------------------------------------------- */

/* Room for one more; false: no memory, or it is too much. */
static bool make_room(struct assembly_texts *texts, void **list, size_t count,
        size_t *room, size_t size)
{
    if (count < *room) return true;
    const size_t wanted = *room == 0 ? 256 : *room * 2;
    void *larger = wanted <= most_tokens ? realloc(*list, wanted * size) : NULL;
    if (larger == NULL) {
        texts->lacks_memory |= wanted <= most_tokens;
        texts->is_odd = true;
        return false;
    }
    *list = larger;
    *room = wanted;
    return true;
}

static void add_token(struct assembly_texts *texts,
        struct assembly_tokens *tokens, enum assembly_token_kind kind,
        struct assembly_name *name)
{
    void *list = tokens->list;
    if (!make_room(texts, &list, tokens->count, &tokens->room,
                sizeof *tokens->list))
        return;
    tokens->list = list;
    tokens->list[tokens->count++] = (struct assembly_token){kind, name};
}

static void add_macro(
        struct assembly_texts *texts, const struct assembly_macro *macro)
{
    void *list = texts->macros;
    if (!make_room(texts, &list, texts->macro_count, &texts->macro_room,
                sizeof *texts->macros))
        return;
    texts->macros = list;
    texts->macros[texts->macro_count++] = *macro;
}

static void add_chunk(
        struct assembly_texts *texts, const struct assembly_chunk *chunk)
{
    void *list = texts->chunks;
    if (!make_room(texts, &list, texts->chunk_count, &texts->chunk_room,
                sizeof *texts->chunks))
        return;
    texts->chunks = list;
    texts->chunks[texts->chunk_count++] = *chunk;
}

/* NULL: no memory, and the texts are odd. */
static struct assembly_name *find_name(
        struct assembly_texts *texts, const char *word, size_t size)
{
    struct assembly_name *name;
    HASH_FIND(hh, texts->names, word, size, name);
    if (name != NULL) return name;
    name = calloc(1, sizeof *name + size + 1);
    if (name != NULL) {
        memcpy(name->text, word, size);
        name->size = size;
        name->has_assembly =
                (assembly_in_word(name->text) & assembly_word) != 0;
        HASH_ADD_KEYPTR(hh, texts->names, name->text, size, name);
        if (name->hh.tbl != NULL) return name;
    }
    free(name);
    texts->lacks_memory = true;
    texts->is_odd = true;
    return NULL;
}

/* ---- Tokens -------------------------------------------------------------- */

/* Past blanks and comments. What is not ASCII may be a blank or a letter. */
static void skip(struct reader *r)
{
    r->p = skip_splices(r->p, r->end);
    while (r->p < r->end) {
        const char *past = match(r->p, r->end, "/*");
        if (past != NULL)
            r->p = skip_block_comment(past, r->end);
        else if (match(r->p, r->end, "//") != NULL)
            r->p = line_end(r->p, r->end);
        else if (is_blank(*r->p) || *r->p == '\0')
            r->p = step(r->p, r->end);
        else
            break;
    }
}

/* A sign goes on with the number that ends with an exponent's letter. */
static bool is_in_number(char c, char before)
{
    return c == '.'
           || ((c == '+' || c == '-') && strchr("eEpP", before) != NULL);
}

static enum kind read_word(struct reader *r)
{
    const bool is_number = is_digit(*r->p);
    char last = *r->p;
    r->word_size = 0;
    while (r->p < r->end
            && (is_word_char(*r->p)
                    || (is_number && is_in_number(*r->p, last)))) {
        last = *r->p;
        if (r->word_size < sizeof r->word) r->word[r->word_size++] = last;
        r->p = step(r->p, r->end);
    }
    /* A separator of digits, or the begin of a literal. */
    if (r->word_size == sizeof r->word
            || (is_number && r->p < r->end && *r->p == '\''))
        r->texts->is_odd = true;
    return kind_name;
}

static const char *past_hash(const char *p, const char *end)
{
    const char *past = match(p, end, "#");
    return past != NULL ? past : match(p, end, "%:");
}

static enum kind read_hash(struct reader *r)
{
    r->p = past_hash(r->p, r->end);
    const char *second = past_hash(r->p, r->end);
    if (second == NULL) return kind_hash;
    r->p = second;
    return kind_paste;
}

static enum kind read_literal(struct reader *r)
{
    const char *after = skip_literal(r->p, r->end);
    const unsigned seen =
            *r->p == '"' ? assembly_in_literal(r->p, after, r->end) : 0;
    r->p = after;
    return (seen & assembly_unknown) != 0 ? kind_directive : kind_other;
}

static enum kind read_other(struct reader *r)
{
    const char c = *r->p;
    /* Trigraphs are characters in some dialects only; a backslash begins the
     * name of a character, and a dollar may be a letter. */
    if (match(r->p, r->end, "\?\?") != NULL || c == '\\' || c == '$'
            || (unsigned char)c > 0x7f)
        r->texts->is_odd = true;
    r->p = step(r->p, r->end);
    if (c == '(') return kind_open;
    if (c == ')') return kind_close;
    return c == ';' || c == '{' || c == '}' ? kind_boundary : kind_other;
}

static enum kind next(struct reader *r)
{
    skip(r);
    if (r->p == r->end) return kind_end;
    if (is_newline(*r->p)) {
        r->p = step(r->p, r->end);
        return kind_newline;
    }
    if (is_word_char(*r->p)) return read_word(r);
    if (*r->p == '"' || *r->p == '\'') return read_literal(r);
    if (past_hash(r->p, r->end) != NULL) return read_hash(r);
    return read_other(r);
}

static bool is_in_line(enum kind kind)
{
    return kind != kind_end && kind != kind_newline;
}

static bool word_is(const struct reader *r, const char *word)
{
    return r->word_size == strlen(word)
           && memcmp(r->word, word, r->word_size) == 0;
}

/* The name that was read; NULL: it was something else. */
static struct assembly_name *name_of(const struct reader *r, enum kind kind)
{
    return kind == kind_name ? find_name(r->texts, r->word, r->word_size)
                             : NULL;
}

static enum assembly_token_kind token_kind(
        enum kind kind, const struct assembly_name *name)
{
    if (name != NULL) return assembly_token_name;
    if (kind == kind_open) return assembly_token_open;
    if (kind == kind_close) return assembly_token_close;
    if (kind == kind_paste) return assembly_token_paste;
    return kind == kind_directive ? assembly_token_directive
                                  : assembly_token_other;
}

/* ---- Definitions --------------------------------------------------------- */

struct parameters {
    const struct assembly_name *list[most_parameters];
    size_t count;
};

static void add_parameter(
        struct reader *r, struct parameters *to, const char *word, size_t size)
{
    if (to->count == most_parameters)
        r->texts->is_odd = true;
    else
        to->list[to->count++] = find_name(r->texts, word, size);
}

/* Behind the bracket that opens them. */
static void read_parameters(struct reader *r, struct parameters *to)
{
    static const char rest[] = "__VA_ARGS__";
    enum kind kind;
    add_parameter(r, to, rest, sizeof rest - 1);
    while (is_in_line(kind = next(r)) && kind != kind_close)
        if (kind == kind_name) add_parameter(r, to, r->word, r->word_size);
    if (kind != kind_close) r->texts->is_odd = true;
}

static bool is_parameter(
        const struct parameters *p, const struct assembly_name *name)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i] == name) return true;
    return false;
}

static void read_body(struct reader *r, const struct parameters *parameters,
        struct assembly_macro *m)
{
    enum kind kind;
    size_t depth = 0;
    m->body.first = r->texts->bodies.count;
    while (is_in_line(kind = next(r))) {
        struct assembly_name *name = name_of(r, kind);
        /* What stands in its brackets may be an operand of ##. */
        if (kind == kind_name && word_is(r, "__VA_OPT__"))
            r->texts->is_odd = true;
        if (kind == kind_hash) m->makes_strings = true;
        if (kind == kind_paste) m->pastes = true;
        if (kind == kind_open) depth++;
        /* What such a macro opens is closed elsewhere. */
        if (kind == kind_close && depth-- == 0) {
            r->texts->is_odd = true;
            depth = 0;
        }
        if (name != NULL && is_parameter(parameters, name)) name = NULL;
        add_token(r->texts, &r->texts->bodies, token_kind(kind, name), name);
    }
    if (depth != 0) r->texts->is_odd = true;
    m->body.count = r->texts->bodies.count - m->body.first;
}

/* Behind the word define. */
static void read_definition(struct reader *r)
{
    struct parameters parameters = {.count = 0};
    struct assembly_macro m = {0};
    m.name = name_of(r, next(r));
    if (m.name == NULL) {
        r->texts->is_odd = true;
        return;
    }
    m.name->is_macro = true;
    if (r->p < r->end && *r->p == '(') {
        m.has_parameters = true;
        (void)next(r);
        read_parameters(r, &parameters);
    }
    read_body(r, &parameters, &m);
    add_macro(r->texts, &m);
}

/* ---- Chunks -------------------------------------------------------------- */

static void add_to_chunk(struct reader *r, enum kind kind)
{
    struct assembly_name *name = name_of(r, kind);
    struct assembly_range *range = &r->chunk.range;
    if (range->count == 0) {
        range->first = r->texts->rest.count;
        r->chunk_level = r->level;
    }
    add_token(r->texts, &r->texts->rest, token_kind(kind, name), name);
    range->count = r->texts->rest.count - range->first;
}

static void end_chunk(struct reader *r)
{
    if (r->chunk.range.count > 0) add_chunk(r->texts, &r->chunk);
    r->chunk = (struct assembly_chunk){0};
}

static void add_rest(struct reader *r, enum kind kind)
{
    if (kind == kind_open) r->depth++;
    if (kind == kind_close) {
        if (r->depth == 0) r->texts->is_odd = true;
        if (r->depth > 0) r->depth--;
    }
    add_to_chunk(r, kind);
    /* An end in a branch of an #if that the chunk did not begin in is one for
     * some answers of the #if only. */
    if (kind == kind_boundary && r->depth == 0 && r->level <= r->chunk_level)
        end_chunk(r);
}

/* ---- Directives ---------------------------------------------------------- */

static void begin_if(struct reader *r)
{
    if (r->level == most_levels)
        r->texts->is_odd = true;
    else
        r->depths[r->level++] = r->depth;
}

/* The end of a branch, where as many brackets must be open as at its begin.
 * What goes on behind it is no longer where the chunk began. */
static void end_branch(struct reader *r, bool is_last)
{
    if (r->level == 0 || r->depths[r->level - 1] != r->depth) {
        r->texts->is_odd = true;
        return;
    }
    if (r->chunk_level == r->level) r->chunk_level--;
    if (is_last) r->level--;
}

/* A file's text comes in here. */
static void meet_include(struct reader *r)
{
    if (r->depth > 0) r->texts->is_odd = true;
    if (r->chunk.range.count > 0) r->chunk.is_open = true;
}

/* Behind the # of a directive. */
static void read_directive(struct reader *r)
{
    enum kind kind = next(r);
    if (kind == kind_name && word_is(r, "define")) {
        read_definition(r);
        return;
    }
    if (kind == kind_name) {
        if (word_is(r, "if") || word_is(r, "ifdef") || word_is(r, "ifndef"))
            begin_if(r);
        else if (word_is(r, "elif") || word_is(r, "else")
                 || word_is(r, "elifdef") || word_is(r, "elifndef"))
            end_branch(r, false);
        else if (word_is(r, "endif"))
            end_branch(r, true);
        else if (word_is(r, "include") || word_is(r, "import"))
            meet_include(r);
    }
    while (is_in_line(kind))
        kind = next(r);
}

static void read_text(struct reader *r)
{
    bool at_line_start = true;
    for (enum kind kind; !r->texts->is_odd && (kind = next(r)) != kind_end;) {
        if (kind == kind_hash && at_line_start) {
            read_directive(r);
            continue;
        }
        /* It is a directive to some. */
        if (kind == kind_paste && at_line_start) r->texts->is_odd = true;
        at_line_start = kind == kind_newline;
        if (kind != kind_newline) add_rest(r, kind);
    }
    if (r->level > 0 || r->depth > 0) r->texts->is_odd = true;
    r->chunk.is_open = true;
    end_chunk(r);
}

void assembly_texts_add(
        struct assembly_texts *texts, const char *text, size_t size)
{
    struct reader r = {.texts = texts, .p = text, .end = text + size};
    if (size > 0) read_text(&r);
}

/* What an option defines is NAME, NAME=BODY or NAME(X)=BODY. */
static void add_definition(struct assembly_texts *texts, char *word)
{
    char *equals = strchr(word, '=');
    struct reader r = {.texts = texts, .p = word, .end = word + strlen(word)};
    if (equals != NULL) *equals = ' ';
    read_definition(&r);
}

void assembly_texts_add_options(
        struct assembly_texts *texts, const char *options)
{
    if (options == NULL) return;
    char *word = malloc(strlen(options) + 1);
    if (word == NULL) texts->lacks_memory = true;
    if (word == NULL || !option_ways_are_one(options)) texts->is_odd = true;
    while (!texts->is_odd
            && option_word_next(option_way_blanks, &options, word)) {
        if (strncmp(word, "-D", 2) != 0) continue;
        if (word[2] != '\0')
            add_definition(texts, word + 2);
        else if (option_word_next(option_way_blanks, &options, word))
            add_definition(texts, word);
    }
    free(word);
}

void assembly_texts_fini(struct assembly_texts *texts)
{
    struct assembly_name *name;
    struct assembly_name *following;
    HASH_ITER(hh, texts->names, name, following)
    {
        HASH_DEL(texts->names, name);
        free(name);
    }
    free(texts->bodies.list);
    free(texts->rest.list);
    free(texts->macros);
    free(texts->chunks);
    *texts = (struct assembly_texts){0};
}
