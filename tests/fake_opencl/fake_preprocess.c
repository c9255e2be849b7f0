/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_preprocess.h"

#include <string.h>

#define MAX_DEPTH 64 /* of includes and of conditionals */

struct macro {
    struct macro *next;
    const char *name;
    bool function;
    bool variadic;
    size_t nparameters;
    const char **parameters;
    const struct token *body;
    bool active; /* its expansion is being read */
};

/* Tokens to be read before the text: an expansion, or a token put back. */
struct pending {
    struct pending *below;
    const struct token *next;
    struct macro *macro; /* whose expansion it is, or NULL */
};

struct conditional {
    bool outer; /* what is around it is read */
    bool taken; /* one of its branches was */
    bool reading;
};

struct preprocessor {
    struct front_end *front;
    const struct source_input *input;
    struct macro *macros;
    struct pending *pending;
    bool isolated; /* only what is pending counts, not the text */
    size_t nfiles;
    const char *files[MAX_DEPTH]; /* where reading goes on, innermost last */
    const char *names[MAX_DEPTH]; /* of those that are headers, else "" */
    size_t nconditionals;
    struct conditional conditionals[MAX_DEPTH];
};

struct list {
    struct token *first;
    struct token *last;
};

static void list_add(struct list *list, struct token *token)
{
    token->next = NULL;
    if (list->last != NULL)
        list->last->next = token;
    else
        list->first = token;
    list->last = token;
}

static void list_add_copies(struct preprocessor *p, struct list *list,
        const struct token *tokens, bool spaced)
{
    for (; tokens != NULL; tokens = tokens->next) {
        list_add(list, token_copy(p->front, tokens));
        if (spaced) list->last->spaced = true;
        spaced = false;
    }
}

static struct macro *macro_find(struct preprocessor *p, const char *name)
{
    struct macro *macro = p->macros;

    while (macro != NULL && strcmp(macro->name, name) != 0)
        macro = macro->next;
    return macro;
}

static void macro_remove(struct preprocessor *p, const char *name)
{
    struct macro **place = &p->macros;

    while (*place != NULL && strcmp((*place)->name, name) != 0)
        place = &(*place)->next;
    if (*place != NULL) *place = (*place)->next;
}

static void push(
        struct preprocessor *p, const struct token *tokens, struct macro *macro)
{
    struct pending *pending = pool_get(p->front, sizeof(*pending));

    pending->below = p->pending;
    pending->next = tokens;
    pending->macro = macro;
    if (macro != NULL) macro->active = true;
    p->pending = pending;
}

static bool reading(const struct preprocessor *p)
{
    return p->nconditionals == 0
           || p->conditionals[p->nconditionals - 1].reading;
}

static void directive(struct preprocessor *p);

/* The next token, macros not expanded, directives obeyed. */
static struct token *read_raw(struct preprocessor *p)
{
    struct token *token;

    while (p->pending != NULL) {
        if (p->pending->next != NULL) {
            token = token_copy(p->front, p->pending->next);
            p->pending->next = p->pending->next->next;
            return token;
        }
        if (p->pending->macro != NULL) p->pending->macro->active = false;
        p->pending = p->pending->below;
    }
    if (p->isolated) return token_make(p->front, "");
    for (;;) {
        const char **at = &p->files[p->nfiles - 1];
        const char *before = *at;

        token = token_read(p->front, at, false);
        if (token->kind == TOKEN_END && p->nfiles > 1) {
            p->nfiles--;
            continue;
        }
        if (token->kind == TOKEN_END) {
            if (p->nconditionals != 0)
                front_end_fail(p->front, "unterminated conditional directive");
            return token;
        }
        /* A file's first token stands first in a line as well. */
        if (token_is(token, "#") && (token->first || before[-1] == '\0'))
            directive(p);
        else if (reading(p))
            return token;
    }
}

/* ---- expansion ---- */

static struct token *read_expanded(struct preprocessor *p);

/* What a list becomes when it stands alone: a macro's argument, a condition. */
static struct token *expand_alone(
        struct preprocessor *p, const struct token *tokens)
{
    struct pending *pending = p->pending;
    bool isolated = p->isolated;
    struct list out = {NULL, NULL};
    struct token *token;

    p->pending = NULL;
    p->isolated = true;
    push(p, tokens, NULL);
    while ((token = read_expanded(p))->kind != TOKEN_END)
        list_add(&out, token);
    p->pending = pending;
    p->isolated = isolated;
    return out.first;
}

/* The arguments behind the opening parenthesis, one list a parameter. */
static struct token **read_arguments(
        struct preprocessor *p, const struct macro *macro)
{
    size_t room = macro->nparameters + 1, n = 0;
    struct list *lists = pool_get(p->front, room * sizeof(*lists));
    struct token **arguments = pool_get(p->front, room * sizeof(*arguments));
    unsigned depth = 0;

    for (;;) {
        struct token *token = read_raw(p);

        if (token->kind == TOKEN_END)
            front_end_fail(
                    p->front, "unterminated use of macro %s", macro->name);
        if (token_is(token, ")") && depth == 0) break;
        if (token_is(token, "(")) depth++;
        if (token_is(token, ")")) depth--;
        if (token_is(token, ",") && depth == 0
                && !(macro->variadic && n + 1 == macro->nparameters)) {
            if (++n >= macro->nparameters)
                front_end_fail(p->front, "too many arguments to macro %s",
                        macro->name);
            continue;
        }
        list_add(&lists[n], token);
    }
    if (n + 1 < macro->nparameters
            && !(macro->variadic && n + 2 == macro->nparameters))
        front_end_fail(p->front, "too few arguments to macro %s", macro->name);
    for (size_t i = 0; i < room; i++)
        arguments[i] = lists[i].first;
    return arguments;
}

static struct token *stringized(
        struct preprocessor *p, const struct token *tokens)
{
    size_t size = 3;
    char *text, *to;
    struct token *token;

    for (const struct token *t = tokens; t != NULL; t = t->next)
        size += 2 * t->length + 1;
    text = pool_get(p->front, size);
    to = text;
    *to++ = '"';
    for (const struct token *t = tokens; t != NULL; t = t->next) {
        if (t->spaced && t != tokens) *to++ = ' ';
        for (size_t i = 0; i < t->length; i++) {
            if (t->kind == TOKEN_LITERAL
                    && (t->text[i] == '"' || t->text[i] == '\\'))
                *to++ = '\\';
            *to++ = t->text[i];
        }
    }
    *to = '"';
    token = token_make(p->front, text);
    return token;
}

/* Joins the first of the tokens to the last of the list, adds the others. */
static void paste(
        struct preprocessor *p, struct list *list, const struct token *tokens)
{
    struct token *joined;
    char *text;

    if (tokens == NULL) return;
    if (list->last == NULL) {
        list_add_copies(p, list, tokens, false);
        return;
    }
    text = pool_get(p->front, list->last->length + tokens->length + 1);
    strcpy(text, list->last->text);
    strcat(text, tokens->text);
    joined = token_make(p->front, text);
    list->last->kind = joined->kind;
    list->last->text = text;
    list->last->length = strlen(text);
    list->last->painted = false;
    list_add_copies(p, list, tokens->next, false);
}

static bool parameter_of(
        const struct macro *macro, const struct token *token, size_t *index)
{
    for (size_t i = 0; i < macro->nparameters; i++) {
        if (token->kind != TOKEN_WORD
                || strcmp(macro->parameters[i], token->text) != 0)
            continue;
        *index = i;
        return true;
    }
    return false;
}

/* The macro's body for these arguments, which stands where its name stood. */
static struct token *substitute(struct preprocessor *p,
        const struct macro *macro, const struct token *name,
        struct token **arguments)
{
    struct list out = {NULL, NULL};
    size_t i;

    for (const struct token *t = macro->body; t != NULL; t = t->next) {
        bool pasted = t->next != NULL && token_is(t->next, "##");

        if (macro->function && token_is(t, "#") && t->next != NULL
                && parameter_of(macro, t->next, &i)) {
            list_add(&out, stringized(p, arguments[i]));
            t = t->next;
        } else if (token_is(t, "##") && t->next != NULL) {
            struct token *alone = token_copy(p->front, t->next);

            t = t->next;
            paste(p, &out, parameter_of(macro, t, &i) ? arguments[i] : alone);
        } else if (parameter_of(macro, t, &i)) {
            list_add_copies(p, &out,
                    pasted ? arguments[i] : expand_alone(p, arguments[i]),
                    t->spaced);
        } else {
            list_add(&out, token_copy(p->front, t));
        }
    }
    for (struct token *t = out.first; t != NULL; t = t->next)
        t->expanded = true;
    if (out.first != NULL) out.first->spaced = name->spaced;
    return out.first;
}

static struct token *read_expanded(struct preprocessor *p)
{
    for (;;) {
        struct token *token = read_raw(p);
        struct token *behind;
        struct macro *macro;

        if (token->kind != TOKEN_WORD || token->painted) return token;
        macro = macro_find(p, token->text);
        if (macro == NULL) return token;
        if (macro->active) {
            token->painted = true;
            return token;
        }
        if (!macro->function) {
            push(p, substitute(p, macro, token, NULL), macro);
            continue;
        }
        behind = read_raw(p);
        if (token_is(behind, "(")) {
            push(p, substitute(p, macro, token, read_arguments(p, macro)),
                    macro);
            continue;
        }
        /* An end is not put back: it comes again by itself. */
        if (behind->kind != TOKEN_END) push(p, behind, NULL);
        return token;
    }
}

/* ---- conditions ---- */

/* "defined X" and "defined(X)" become numbers before macros are expanded. */
static bool condition_holds(struct preprocessor *p, const struct token *line)
{
    struct list out = {NULL, NULL};

    for (const struct token *t = line; t != NULL; t = t->next) {
        const struct token *name = t->next;
        bool enclosed = name != NULL && token_is(name, "(");

        if (!token_is(t, "defined") || name == NULL) {
            list_add(&out, token_copy(p->front, t));
            continue;
        }
        if (enclosed) name = name->next;
        if (name == NULL || (enclosed && name->next == NULL))
            front_end_fail(p->front, "bad 'defined'");
        list_add(&out, token_make(p->front,
                               macro_find(p, name->text) != NULL ? "1" : "0"));
        t = enclosed ? name->next : name;
    }
    if (out.first == NULL) front_end_fail(p->front, "#if with no expression");
    return expression_value(p->front, expand_alone(p, out.first)) != 0;
}

/* ---- directives ---- */

static struct token *read_line(struct preprocessor *p)
{
    struct list line = {NULL, NULL};
    struct token *token;

    while ((token = token_read(p->front, &p->files[p->nfiles - 1], true))->kind
            != TOKEN_END)
        list_add(&line, token);
    return line.first;
}

static const struct token *read_parameters(
        struct preprocessor *p, struct macro *macro, const struct token *at)
{
    size_t room = 1;

    for (const struct token *t = at; t != NULL; t = t->next)
        room++;
    macro->parameters = pool_get(p->front, room * sizeof(char *));
    for (; at != NULL && !token_is(at, ")"); at = at->next) {
        if (token_is(at, ",")) continue;
        macro->variadic = token_is(at, "...");
        macro->parameters[macro->nparameters++] =
                macro->variadic ? "__VA_ARGS__" : at->text;
    }
    if (at == NULL)
        front_end_fail(p->front, "bad parameters of macro %s", macro->name);
    return at->next;
}

static void define(struct preprocessor *p, const struct token *line)
{
    struct macro *macro = pool_get(p->front, sizeof(*macro));

    if (line == NULL || line->kind != TOKEN_WORD)
        front_end_fail(p->front, "#define without a name");
    macro->name = line->text;
    line = line->next;
    if (line != NULL && token_is(line, "(") && !line->spaced) {
        macro->function = true;
        line = read_parameters(p, macro, line->next);
    }
    macro->body = line;
    macro_remove(p, macro->name);
    macro->next = p->macros;
    p->macros = macro;
}

static void enter_file(
        struct preprocessor *p, const char *name, const char *text)
{
    char *begun;
    const char *spliced = text_spliced(p->front, text);

    if (p->nfiles == MAX_DEPTH)
        front_end_fail(p->front, "#include nested too deeply");
    /* A byte before the text says that its first token begins a line. */
    begun = pool_get(p->front, strlen(spliced) + 2);
    strcpy(begun + 1, spliced);
    p->names[p->nfiles] = name;
    p->files[p->nfiles++] = begun + 1;
}

/* Is the header's name that of the folder, up to a slash, and the other one? */
static bool is_header(const char *header, const char *folder, size_t nfolder,
        const char *name, size_t nname)
{
    return strlen(header) == nfolder + nname
           && strncmp(header, folder, nfolder) == 0
           && strncmp(header + nfolder, name, nname) == 0;
}

/* Beside the header that has the directive, then by its whole name. */
static bool enter_header(struct preprocessor *p, const char *name, size_t size)
{
    const char *includer = p->names[p->nfiles - 1];
    const char *slash = strrchr(includer, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - includer) + 1 : 0;

    for (int beside = folder > 0; beside >= 0; beside--)
        for (size_t i = 0; i < p->input->nheaders; i++) {
            const char *header = p->input->header_names[i];

            if (!is_header(header, includer, beside ? folder : 0, name, size))
                continue;
            enter_file(p, header, p->input->headers[i]);
            return true;
        }
    return false;
}

static void include(struct preprocessor *p, const struct token *line)
{
    char name[128] = "";
    const char *from, *end;

    line = expand_alone(p, line);
    for (const struct token *t = line; t != NULL; t = t->next) {
        if (strlen(name) + t->length >= sizeof(name))
            front_end_fail(p->front, "#include of a name too long");
        strcat(name, t->text);
    }
    from = name + 1;
    end = name[0] != '\0' ? name + strlen(name) - 1 : name;
    if (!enter_header(p, from, (size_t)(end - from)))
        front_end_fail(p->front, "%s file not found", name);
}

static void condition_begin(struct preprocessor *p, bool holds)
{
    struct conditional *made;
    bool outer = reading(p);

    if (p->nconditionals == MAX_DEPTH)
        front_end_fail(p->front, "#if nested too deeply");
    made = &p->conditionals[p->nconditionals++];
    made->outer = outer;
    made->reading = outer && holds;
    made->taken = !outer || holds;
}

static bool is_defined(struct preprocessor *p, const struct token *line)
{
    if (line == NULL) front_end_fail(p->front, "#ifdef without a name");
    return macro_find(p, line->text) != NULL;
}

/* True if it was one of the directives that stand in skipped text too. */
static bool conditional_directive(
        struct preprocessor *p, const char *name, const struct token *line)
{
    struct conditional *inner = NULL;

    if (p->nconditionals != 0) inner = &p->conditionals[p->nconditionals - 1];
    if (strcmp(name, "if") == 0) {
        condition_begin(p, reading(p) && condition_holds(p, line));
        return true;
    }
    if (strcmp(name, "ifdef") == 0) {
        condition_begin(p, reading(p) && is_defined(p, line));
        return true;
    }
    if (strcmp(name, "ifndef") == 0) {
        condition_begin(p, reading(p) && !is_defined(p, line));
        return true;
    }
    if (strcmp(name, "elif") != 0 && strcmp(name, "else") != 0
            && strcmp(name, "endif") != 0)
        return false;
    if (inner == NULL) front_end_fail(p->front, "#%s without #if", name);
    if (strcmp(name, "endif") == 0) {
        p->nconditionals--;
        return true;
    }
    inner->reading = !inner->taken
                     && (strcmp(name, "else") == 0 || condition_holds(p, line));
    inner->taken = inner->taken || inner->reading;
    return true;
}

static _Noreturn void fail_by_error(
        struct preprocessor *p, const struct token *line)
{
    char text[200] = "";

    for (; line != NULL; line = line->next) {
        if (strlen(text) + line->length + 2 >= sizeof(text)) break;
        if (text[0] != '\0' && line->spaced) strcat(text, " ");
        strcat(text, line->text);
    }
    front_end_fail(p->front, "#error %s", text);
}

static void directive(struct preprocessor *p)
{
    struct token *line = read_line(p);
    const char *name;

    if (line == NULL) return;
    name = line->text;
    if (conditional_directive(p, name, line->next) || !reading(p)) return;
    if (strcmp(name, "define") == 0) define(p, line->next);
    if (strcmp(name, "undef") == 0 && line->next != NULL)
        macro_remove(p, line->next->text);
    if (strcmp(name, "include") == 0) include(p, line->next);
    if (strcmp(name, "error") == 0) fail_by_error(p, line->next);
}

/* ---- options ---- */

/* The next option, quotes removed, in the pool; NULL at the end. */
static const char *next_option(struct preprocessor *p, const char **at)
{
    char *option, *to;
    char quote = '\0';

    *at += strspn(*at, " \t\n");
    if (**at == '\0') return NULL;
    option = to = pool_get(p->front, strlen(*at) + 1);
    for (; **at != '\0' && (quote != '\0' || strchr(" \t\n", **at) == NULL);
            ++*at) {
        if (**at == quote)
            quote = '\0';
        else if (quote == '\0' && (**at == '"' || **at == '\''))
            quote = **at;
        else
            *to++ = **at;
    }
    return option;
}

static void define_option(struct preprocessor *p, const char *definition)
{
    const char *equals = strchr(definition, '=');
    char *text = pool_get(p->front, strlen(definition) + 3);
    struct list line = {NULL, NULL};
    const char *at = text;
    struct token *token;

    strcpy(text, definition);
    if (equals != NULL)
        text[equals - definition] = ' ';
    else
        strcat(text, " 1");
    while ((token = token_read(p->front, &at, true))->kind != TOKEN_END)
        list_add(&line, token);
    define(p, line.first);
}

static void read_options(struct preprocessor *p, const char *options)
{
    const char *option;

    while ((option = next_option(p, &options)) != NULL) {
        bool bare = option[0] == '-' && option[1] != '\0' && option[2] == '\0';
        const char *value = bare ? NULL : option + 2;

        if (option[0] != '-' || strchr("DU", option[1]) == NULL) continue;
        if (bare) value = next_option(p, &options);
        if (value == NULL) front_end_fail(p->front, "%s needs a name", option);
        if (option[1] == 'D') define_option(p, value);
        if (option[1] == 'U') macro_remove(p, value);
    }
}

struct token *preprocess(
        struct front_end *front, const struct source_input *input)
{
    struct preprocessor *p = pool_get(front, sizeof(*p));
    struct list out = {NULL, NULL};
    struct token *token;

    p->front = front;
    p->input = input;
    enter_file(p, "", input->predefined);
    while (read_expanded(p)->kind != TOKEN_END) {
    }
    p->nfiles = 0;
    read_options(p, input->options);
    enter_file(p, "", input->text);
    while ((token = read_expanded(p))->kind != TOKEN_END)
        list_add(&out, token);
    return out.first;
}
