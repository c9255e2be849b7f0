/* SPDX-License-Identifier: Apache-2.0 */
#include "src/includes/assembly_reach.h"

#include "src/includes/include_text.h"

#include <stdio.h>
#include <string.h>

enum {
    most_rounds = 64,       /* macros that name macros, against their order */
    most_lookups = 20000000 /* of parts of names: less than a second */
};

struct judgement {
    struct assembly_texts *texts;
    bool changed;   /* a mark was set in this round */
    size_t lookups; /* so far */
};

static void mark(struct judgement *j, bool *flag)
{
    if (*flag) return;
    *flag = true;
    j->changed = true;
}

static const struct assembly_token *tokens_of(
        const struct judgement *j, const struct assembly_macro *m)
{
    const struct assembly_token *list = j->texts->bodies.list;
    return list != NULL ? list + m->body.first : NULL; /* no body has any */
}

/* One step for each macro, until nothing changes; false: it goes on. */
static bool settle(struct judgement *j,
        void (*visit)(struct judgement *j, const struct assembly_macro *m))
{
    for (int round = 0; round < most_rounds; round++) {
        j->changed = false;
        for (size_t i = 0; i < j->texts->macro_count; i++)
            visit(j, &j->texts->macros[i]);
        if (!j->changed || j->lookups > most_lookups) break;
    }
    return !j->changed && j->lookups <= most_lookups;
}

/* ---- By name ------------------------------------------------------------- */

static void inherit(struct judgement *j, const struct assembly_macro *m)
{
    const struct assembly_token *t = tokens_of(j, m);
    if (m->makes_strings || m->pastes) mark(j, &m->name->makes);
    for (size_t i = 0; i < m->body.count; i++) {
        if (t[i].kind == assembly_token_directive) mark(j, &m->name->makes);
        if (t[i].kind != assembly_token_name) continue;
        if (t[i].name->has_assembly) mark(j, &m->name->has_assembly);
        if (t[i].name->makes) mark(j, &m->name->makes);
    }
}

/* ---- Operands of ## ------------------------------------------------------ */

static void take(
        struct judgement *j, const struct assembly_token *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (t[i].kind == assembly_token_name) mark(j, &t[i].name->is_operand);
}

/* The size of the arguments at t, with their brackets; 0: there are none, or
 * no end of them. */
static size_t arguments(const struct assembly_token *t, size_t count)
{
    size_t depth = 0;
    if (count == 0 || t->kind != assembly_token_open) return 0;
    for (size_t i = 0; i < count; i++) {
        if (t[i].kind == assembly_token_open) depth++;
        if (t[i].kind == assembly_token_close && --depth == 0) return i + 1;
    }
    return 0;
}

/* The size of the arguments behind the name at t[i], if that is a whole call of
 * a macro that pastes only what it is given there; else 0. */
static size_t call_at(const struct assembly_token *t, size_t i, size_t count)
{
    return t[i].name->escapes ? 0 : arguments(t + i + 1, count - i - 1);
}

static bool is_beside_paste(
        const struct assembly_token *t, size_t i, size_t count)
{
    return (i > 0 && t[i - 1].kind == assembly_token_paste)
           || (i + 1 < count && t[i + 1].kind == assembly_token_paste);
}

/* What a macro is given that pastes, or names one that does, may be an operand.
 * If it names one without a whole call, what is behind its own call may be,
 * too. */
static void note_pastes(struct judgement *j, const struct assembly_macro *m)
{
    const struct assembly_token *t = tokens_of(j, m);
    const size_t count = m->body.count;
    bool pastes = m->pastes;
    bool escapes = false;
    for (size_t i = 0; i < count; i++) {
        if (t[i].kind != assembly_token_name) continue;
        if (is_beside_paste(t, i, count)) take(j, t + i, 1);
        if (!t[i].name->pastes) continue;
        const size_t size = call_at(t, i, count);
        pastes = true;
        escapes |= size == 0;
        take(j, t + i + 1, size);
    }
    if (escapes) take(j, t, count);
    if (pastes && (m->has_parameters || escapes)) mark(j, &m->name->pastes);
    if (escapes) mark(j, &m->name->escapes);
}

static void note_operands(struct judgement *j, const struct assembly_chunk *c)
{
    const struct assembly_token *t = j->texts->rest.list + c->range.first;
    const size_t count = c->range.count;
    bool escapes = false;
    for (size_t i = 0; i < count; i++) {
        if (t[i].kind != assembly_token_name || !t[i].name->pastes) continue;
        const size_t size = call_at(t, i, count);
        escapes |= size == 0;
        take(j, t + i + 1, size);
    }
    if (escapes) take(j, t, count);
}

static bool is_operand(struct judgement *j, const char *p, size_t size)
{
    const struct assembly_name *name;
    j->lookups++;
    HASH_FIND(hh, j->texts->names, p, size, name);
    return name != NULL && name->is_operand;
}

/* Numbers are at hand everywhere: __LINE__. */
static bool is_number(const char *p, size_t size)
{
    while (size > 0 && is_digit(p[size - 1]))
        size--;
    return size == 0;
}

/* True if the text is made of operands, of more than one, or there were too
 * many lookups to tell. */
static bool can_be_pasted(struct judgement *j, const char *text, size_t size)
{
    bool reached[assembly_name_size + 1] = {true};
    if (j->lookups > most_lookups) return true;
    for (size_t from = 0; from < size; from++)
        for (size_t to = from + 1; reached[from] && to <= size; to++)
            if (!reached[to] && to - from < size
                    && (is_number(text + from, to - from)
                            || is_operand(j, text + from, to - from)))
                reached[to] = true;
    return reached[size];
}

/* What an operand is, or makes, is expanded before it is pasted. */
static void note_expansions(struct judgement *j, const struct assembly_macro *m)
{
    if (m->name->is_operand || can_be_pasted(j, m->name->text, m->name->size))
        take(j, tokens_of(j, m), m->body.count);
}

static bool can_paste_assembly(struct judgement *j)
{
    static const char *const words[] = {"asm", "_asm", "asm_", "_asm_", "__asm",
            "asm__", "__asm_", "_asm__", "__asm__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (can_be_pasted(j, words[i], strlen(words[i]))) return true;
    return false;
}

/* ---- Both ---------------------------------------------------------------- */

static bool settle_all(struct judgement *j)
{
    if (!settle(j, inherit) || !settle(j, note_pastes)) return false;
    for (size_t i = 0; i < j->texts->chunk_count; i++)
        note_operands(j, &j->texts->chunks[i]);
    return settle(j, note_expansions);
}

/* The macro that ## may name to lead to assembly, or to more operands. */
static const struct assembly_name *find_pasted(struct judgement *j)
{
    for (size_t i = 0; i < j->texts->macro_count; i++) {
        const struct assembly_name *name = j->texts->macros[i].name;
        if ((name->has_assembly || name->pastes)
                && can_be_pasted(j, name->text, name->size))
            return name;
    }
    return NULL;
}

/* What a chunk has; *maker is the first name in it that makes something. */
struct contents {
    bool has_assembly;
    bool has_directive;
    bool pastes;
    const struct assembly_name *maker;
};

static struct contents look_into(
        const struct judgement *j, const struct assembly_chunk *c)
{
    const struct assembly_token *t = j->texts->rest.list + c->range.first;
    struct contents found = {0};
    for (size_t i = 0; i < c->range.count; i++) {
        if (t[i].kind == assembly_token_directive) found.has_directive = true;
        if (t[i].kind != assembly_token_name) continue;
        found.has_assembly |= t[i].name->has_assembly;
        found.pastes |= t[i].name->pastes;
        if (t[i].name->makes && found.maker == NULL) found.maker = t[i].name;
    }
    return found;
}

/* A chunk that may go on in another text may have there what it has not. */
static bool check_chunk(
        const struct judgement *j, const struct assembly_chunk *c, char *reason)
{
    const struct contents found = look_into(j, c);
    const bool is_open =
            c->is_open
            && (found.has_assembly || found.pastes || found.maker != NULL);
    if (is_open)
        snprintf(reason, assembly_reason_size,
                "what may be assembly goes on in another file");
    else if (found.has_assembly && found.maker != NULL)
        snprintf(reason, assembly_reason_size,
                "assembly may be of what %.40s makes", found.maker->text);
    else if (found.has_assembly && found.has_directive)
        snprintf(reason, assembly_reason_size,
                "assembly has a directive that an operand completes");
    else
        return true;
    return false;
}

bool assembly_is_reached(struct assembly_texts *texts, char *reason)
{
    struct judgement j = {.texts = texts};
    snprintf(reason, assembly_reason_size,
            "what its assembly is made of cannot be told");
    if (texts->is_odd || !settle_all(&j) || can_paste_assembly(&j)) return true;
    const struct assembly_name *name = find_pasted(&j);
    if (name != NULL)
        snprintf(reason, assembly_reason_size,
                "the name %.40s may be pasted, which may be of assembly",
                name->text);
    for (size_t i = 0; i < texts->chunk_count && name == NULL; i++)
        if (!check_chunk(&j, &texts->chunks[i], reason)) return true;
    return name != NULL;
}
