/* SPDX-License-Identifier: Apache-2.0 */
#include "fake_source.h"

#include <stdlib.h>
#include <string.h>

#include "fake_preprocess.h"

static bool is_one_of(const struct token *token, const char *const *words)
{
    for (; *words != NULL; words++)
        if (token_is(token, *words)) return true;
    return false;
}

static bool is_kernel(const struct token *token)
{
    static const char *const words[] = {"__kernel", "kernel", NULL};

    return is_one_of(token, words);
}

/* Behind the parenthesis that closes the one at the token; NULL at the end. */
static const struct token *behind_parentheses(const struct token *token)
{
    unsigned depth = 0;

    for (; token != NULL; token = token->next) {
        if (token_is(token, "(")) depth++;
        if (token_is(token, ")") && --depth == 0) return token->next;
    }
    return NULL;
}

/* ---- arguments ---- */

static const struct {
    const char *name;
    size_t size;
} scalars[] = {
        {"bool", 1},
        {"char", 1},
        {"uchar", 1},
        {"short", 2},
        {"ushort", 2},
        {"half", 2},
        {"int", 4},
        {"uint", 4},
        {"unsigned", 4},
        {"float", 4},
        {"long", 8},
        {"ulong", 8},
        {"double", 8},
};

/* The size of a value of a type such as "unsigned int" or "float4", which its
 * last word tells; 0: unknown. */
static size_t type_size(const char *type)
{
    const char *blank = strrchr(type, ' ');

    if (blank != NULL) type = blank + 1;
    for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++) {
        size_t length = strlen(scalars[i].name);
        size_t width;

        if (strncmp(type, scalars[i].name, length) != 0) continue;
        if (type[length] == '\0') return scalars[i].size;
        width = (size_t)strtoul(type + length, NULL, 10);
        if (width == 3) width = 4;
        if (width != 0) return scalars[i].size * width;
    }
    return 0;
}

/* Takes a qualifier into account; false if the token is none. */
static bool take_qualifier(
        struct kernel_argument *argument, const struct token *token)
{
    static const struct {
        const char *word;
        cl_kernel_arg_address_qualifier address;
        cl_kernel_arg_type_qualifier type;
        cl_kernel_arg_access_qualifier access;
    } qualifiers[] = {
            {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL, 0, 0},
            {"local", CL_KERNEL_ARG_ADDRESS_LOCAL, 0, 0},
            {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT,
                    CL_KERNEL_ARG_TYPE_CONST, 0},
            {"private", CL_KERNEL_ARG_ADDRESS_PRIVATE, 0, 0},
            {"const", 0, CL_KERNEL_ARG_TYPE_CONST, 0},
            {"restrict", 0, CL_KERNEL_ARG_TYPE_RESTRICT, 0},
            {"volatile", 0, CL_KERNEL_ARG_TYPE_VOLATILE, 0},
            {"read_only", 0, 0, CL_KERNEL_ARG_ACCESS_READ_ONLY},
            {"write_only", 0, 0, CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
            {"read_write", 0, 0, CL_KERNEL_ARG_ACCESS_READ_WRITE},
    };
    const char *word = token->text;

    if (strncmp(word, "__", 2) == 0) word += 2;
    for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
        if (strcmp(word, qualifiers[i].word) != 0) continue;
        if (qualifiers[i].address != 0)
            argument->address = qualifiers[i].address;
        argument->qualifiers |= qualifiers[i].type;
        if (qualifiers[i].access != 0) argument->access = qualifiers[i].access;
        return true;
    }
    return false;
}

static void append(struct front_end *front, char **text, const char *more)
{
    char *joined = pool_get(front, strlen(*text) + strlen(more) + 1);

    strcpy(joined, *text);
    strcat(joined, more);
    *text = joined;
}

/* One parameter: qualifiers, the words of its type, stars, its name, [..]. */
static void read_argument(struct front_end *front,
        struct kernel_argument *argument, const struct token *from,
        const struct token *end)
{
    const struct token *name = NULL;
    bool named = false;

    for (const struct token *t = from; t != end; t = t->next)
        if (t->kind == TOKEN_WORD) name = t;
    argument->address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
    argument->access = CL_KERNEL_ARG_ACCESS_NONE;
    argument->type = pool_text(front, "", 0);
    argument->name = pool_text(front, "", 0);
    for (const struct token *t = from; t != end && !named; t = t->next) {
        if (t == name && argument->type[0] != '\0') {
            append(front, &argument->name, t->text);
            named = true;
            if (t->next != end && token_is(t->next, "["))
                argument->pointer = true;
        } else if (token_is(t, "*")) {
            argument->pointer = true;
        } else if (t->kind == TOKEN_WORD && !take_qualifier(argument, t)) {
            if (argument->type[0] != '\0') append(front, &argument->type, " ");
            append(front, &argument->type, t->text);
        }
    }
    if (argument->pointer)
        append(front, &argument->type, "*");
    else
        argument->size = type_size(argument->type);
}

static size_t count_arguments(const struct token *open)
{
    const struct token *end = behind_parentheses(open);
    size_t count = 1;
    unsigned depth = 0;

    if (token_is(open->next, ")")) return 0;
    if (token_is(open->next, "void") && token_is(open->next->next, ")"))
        return 0;
    for (const struct token *t = open; t != end; t = t->next) {
        if (token_is(t, "(")) depth++;
        if (token_is(t, ")")) depth--;
        if (token_is(t, ",") && depth == 1) count++;
    }
    return count;
}

static void read_arguments(struct front_end *front, struct kernel_decl *kernel,
        const struct token *open)
{
    const struct token *from = open->next;
    unsigned depth = 1;

    kernel->narguments = count_arguments(open);
    kernel->arguments = pool_get(
            front, (kernel->narguments + 1) * sizeof(*kernel->arguments));
    for (size_t i = 0; i < kernel->narguments; i++) {
        const struct token *end = from;

        while (depth > 1 || (!token_is(end, ",") && !token_is(end, ")"))) {
            if (token_is(end, "(")) depth++;
            if (token_is(end, ")")) depth--;
            end = end->next;
        }
        read_argument(front, &kernel->arguments[i], from, end);
        from = end->next;
    }
}

/* ---- kernels ---- */

/* Where the expression that begins at the token ends: a comma or parenthesis
 * of what is around it. Notes whether it is one as it was written. */
static const struct token *expression_end(
        const struct token *token, bool *computed)
{
    unsigned depth = 0;

    for (; token != NULL; token = token->next) {
        bool close = token_is(token, ")");

        if (depth == 0 && (close || token_is(token, ","))) break;
        if (close)
            depth--;
        else if (token_is(token, "("))
            depth++;
        else if (token->kind == TOKEN_MARK && !token->expanded)
            *computed = true;
    }
    return token;
}

/* The numbers of reqd_work_group_size(x, y, z); at is its parenthesis. */
static void read_required(struct front_end *front, struct kernel_decl *kernel,
        const struct token *at)
{
    bool computed[3] = {false, false, false};

    for (size_t i = 0; i < 3; i++) {
        long long value = 0;

        if (at != NULL && at->next != NULL)
            value = expression_value(front, at->next);
        if (value <= 0)
            front_end_fail(front, "reqd_work_group_size is not positive");
        kernel->required[i] = (size_t)value;
        at = expression_end(at->next, &computed[i]);
    }
    kernel->computed = computed[0];
}

/* What stands in __attribute__((..)), as clGetKernelInfo tells it. */
static void read_attributes(struct front_end *front, struct kernel_decl *kernel,
        const struct token *attribute)
{
    const struct token *end = behind_parentheses(attribute->next);
    bool first = true;

    if (end == NULL || attribute->next->next == NULL)
        front_end_fail(front, "bad __attribute__");
    if (kernel->attributes[0] != '\0') append(front, &kernel->attributes, " ");
    /* The two parentheses on either side are left out. */
    for (const struct token *t = attribute->next->next->next;
            t != NULL && t->next != NULL && t->next->next != end; t = t->next) {
        if (t->spaced && !first) append(front, &kernel->attributes, " ");
        append(front, &kernel->attributes, t->text);
        first = false;
        if (token_is(t, "reqd_work_group_size") && t->next != NULL)
            read_required(front, kernel, t->next);
    }
}

/* Reads a kernel from its first word or attribute on. NULL if it is none, or
 * only declared; else where its body begins. */
static const struct token *read_kernel(struct front_end *front,
        struct kernel_decl *kernel, const struct token *at)
{
    const struct token *end;
    bool marked = false;

    memset(kernel, 0, sizeof(*kernel));
    kernel->attributes = pool_text(front, "", 0);
    for (; at != NULL && !token_is(at, "void"); at = at->next) {
        if (is_kernel(at)) {
            marked = true;
        } else if (token_is(at, "__attribute__") && at->next != NULL) {
            read_attributes(front, kernel, at);
            for (end = behind_parentheses(at->next); at->next != end;)
                at = at->next;
        } else {
            return NULL;
        }
    }
    if (!marked || at == NULL) return NULL;
    at = at->next;
    if (at != NULL && token_is(at, "__attribute__") && at->next != NULL) {
        read_attributes(front, kernel, at);
        at = behind_parentheses(at->next);
    }
    if (at == NULL || at->kind != TOKEN_WORD || at->next == NULL
            || !token_is(at->next, "("))
        return NULL;
    end = behind_parentheses(at->next);
    if (end == NULL || !token_is(end, "{")) return NULL;
    kernel->name = pool_text(front, at->text, at->length);
    read_arguments(front, kernel, at->next);
    return end;
}

static size_t scan(struct front_end *front, const struct token *tokens,
        struct kernel_decl **kernels)
{
    size_t count = 0, room = 1;

    for (const struct token *t = tokens; t != NULL; t = t->next)
        if (is_kernel(t)) room++;
    *kernels = pool_get(front, room * sizeof(**kernels));
    while (tokens != NULL) {
        const struct token *body = NULL;

        if (token_is(tokens, "FAKE_BUILD_FAILURE"))
            front_end_fail(front, "FAKE_BUILD_FAILURE in the source");
        if (is_kernel(tokens) || token_is(tokens, "__attribute__"))
            body = read_kernel(front, &(*kernels)[count], tokens);
        if (body != NULL) {
            for (size_t i = 0; i < count; i++)
                if (strcmp((*kernels)[i].name, (*kernels)[count].name) == 0)
                    front_end_fail(
                            front, "redefinition of '%s'", (*kernels)[i].name);
            count++;
        }
        tokens = body != NULL ? body : tokens->next;
    }
    return count;
}

/* ---- from the pool to memory of the list's own ---- */

static bool copy_argument(
        struct kernel_argument *to, const struct kernel_argument *from)
{
    *to = *from;
    to->name = strdup(from->name);
    to->type = strdup(from->type);
    return to->name != NULL && to->type != NULL;
}

static bool copy_kernel(struct kernel_decl *to, const struct kernel_decl *from)
{
    bool fine = true;

    *to = *from;
    to->name = strdup(from->name);
    to->attributes = strdup(from->attributes);
    to->arguments = calloc(from->narguments + 1, sizeof(*to->arguments));
    fine = to->name != NULL && to->attributes != NULL && to->arguments != NULL;
    for (size_t i = 0; i < from->narguments && to->arguments != NULL; i++)
        fine = copy_argument(&to->arguments[i], &from->arguments[i]) && fine;
    return fine;
}

void kernel_list_fini(struct kernel_list *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        struct kernel_decl *kernel = &kernels->items[i];

        for (size_t j = 0; j < kernel->narguments && kernel->arguments != NULL;
                j++) {
            free(kernel->arguments[j].name);
            free(kernel->arguments[j].type);
        }
        free(kernel->arguments);
        free(kernel->attributes);
        free(kernel->name);
    }
    free(kernels->items);
    kernels->items = NULL;
    kernels->count = 0;
}

static cl_int copy_list(struct kernel_list *list,
        const struct kernel_decl *kernels, size_t count)
{
    bool fine = true;

    list->items = calloc(count + 1, sizeof(*list->items));
    if (list->items == NULL) return CL_OUT_OF_HOST_MEMORY;
    list->count = count;
    for (size_t i = 0; i < count; i++)
        fine = copy_kernel(&list->items[i], &kernels[i]) && fine;
    if (fine) return CL_SUCCESS;
    kernel_list_fini(list);
    return CL_OUT_OF_HOST_MEMORY;
}

/* All that a failure jumps out of happens in here; what is set before and
 * read after the jump lies behind pointers. */
static void compile(struct front_end *front, const struct source_input *input,
        struct kernel_list *list, cl_int *st)
{
    struct kernel_decl *kernels;
    size_t count;

    if (setjmp(front->failed) != 0) {
        *st = front->message[0] != '\0' ? CL_BUILD_PROGRAM_FAILURE
                                        : CL_OUT_OF_HOST_MEMORY;
        return;
    }
    if (strstr(input->options, "FAKE_BUILD_FAILURE") != NULL)
        front_end_fail(front, "FAKE_BUILD_FAILURE in the options");
    count = scan(front, preprocess(front, input), &kernels);
    *st = copy_list(list, kernels, count);
}

cl_int source_scan(const struct source_input *input,
        struct kernel_list *kernels, char **error)
{
    struct front_end front = {.pool = NULL};
    cl_int st;

    *error = NULL;
    compile(&front, input, kernels, &st);
    if (st == CL_BUILD_PROGRAM_FAILURE) {
        *error = strdup(front.message);
        st = *error != NULL ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    }
    pool_free(&front);
    return st;
}

const struct kernel_decl *kernel_list_find(
        const struct kernel_list *kernels, const char *name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (strcmp(kernels->items[i].name, name) == 0)
            return &kernels->items[i];
    return NULL;
}
