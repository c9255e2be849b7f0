/* SPDX-License-Identifier: Apache-2.0 */
#include "model_text.h"

#include "model/base/half.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool ok, const char *what, const char *text)
{
    if (ok) return;
    fprintf(stderr, "model_text: no %s: %s\n", what, text);
    abort();
}

/* ---- Messages ------------------------------------------------------------ */

static void put(struct model_text *to, const void *bytes, size_t size)
{
    if (size > to->capacity - to->size) {
        to->capacity = 2 * (to->size + size);
        to->bytes = realloc(to->bytes, to->capacity);
        must(to->bytes != NULL, "memory", "");
    }
    if (size != 0) memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_varint(struct model_text *to, uint64_t number)
{
    do {
        uint8_t byte = (uint8_t)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        put(to, &byte, 1);
        number >>= 7;
    } while (number != 0);
}

static void put_int(struct model_text *to, unsigned field, int64_t number)
{
    put_varint(to, (uint64_t)field << 3);
    put_varint(to, (uint64_t)number);
}

static void put_float(struct model_text *to, unsigned field, float number)
{
    put_varint(to, (uint64_t)field << 3 | 5);
    put(to, &number, sizeof number);
}

static void put_bytes(
        struct model_text *to, unsigned field, const void *bytes, size_t size)
{
    put_varint(to, (uint64_t)field << 3 | 2);
    put_varint(to, size);
    put(to, bytes, size);
}

static void put_text(struct model_text *to, unsigned field, const char *text)
{
    put_bytes(to, field, text, strlen(text));
}

/* A message in another, which it ends. */
static void put_message(
        struct model_text *to, unsigned field, struct model_text *inner)
{
    put_bytes(to, field, inner->bytes, inner->size);
    model_text_fini(inner);
}

/* ---- Words --------------------------------------------------------------- */

/* The next word of a line, at most up to `stop`; NULL at the end. */
static char *next_word(char **line, const char *stop)
{
    char *word = *line + strspn(*line, " ");
    if (*word == '\0') return NULL;
    size_t size = strcspn(word, stop);
    *line = word + size + (word[size] != '\0');
    word[size] = '\0';
    return word;
}

static int64_t to_int(const char *word)
{
    char *end;
    int64_t number = strtoll(word, &end, 10);
    must(end != word && *end == '\0', "integer", word);
    return number;
}

static double to_float(const char *word)
{
    char *end;
    double number = strtod(word, &end);
    must(end != word && *end == '\0', "number", word);
    return number;
}

/* ---- Tensors ------------------------------------------------------------- */

enum {
    type_f32 = 1,
    type_u8 = 2,
    type_i8 = 3,
    type_u16 = 4,
    type_i16 = 5,
    type_i32 = 6,
    type_i64 = 7,
    type_bool = 9,
    type_f16 = 10,
    type_f64 = 11,
    type_u32 = 12,
    type_bf16 = 16
};

static int type_of(const char *word)
{
    static const struct {
        const char *word;
        int type;
    } types[] = {{"f32", type_f32}, {"i32", type_i32}, {"i64", type_i64},
            {"bool", type_bool}, {"f16", type_f16}, {"f64", type_f64},
            {"bf16", type_bf16}, {"u8", type_u8}, {"i8", type_i8},
            {"u16", type_u16}, {"i16", type_i16}, {"u32", type_u32}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(word, types[i].word) == 0) return types[i].type;
    must(false, "type", word);
    return 0;
}

static void put_element(struct model_text *raw, int type, const char *word)
{
    if (type == type_f32) {
        float value = (float)to_float(word);
        put(raw, &value, sizeof value);
    } else if (type == type_f16) {
        uint16_t value = half_from_float((float)to_float(word));
        put(raw, &value, sizeof value);
    } else if (type == type_f64) {
        double value = to_float(word);
        put(raw, &value, sizeof value);
    } else if (type == type_i64) {
        int64_t value = to_int(word);
        put(raw, &value, sizeof value);
    } else if (type == type_i32 || type == type_u32) {
        uint32_t value = (uint32_t)to_int(word);
        put(raw, &value, sizeof value);
    } else if (type == type_i16 || type == type_u16) {
        uint16_t value = (uint16_t)to_int(word);
        put(raw, &value, sizeof value);
    } else {
        uint8_t value = (uint8_t)to_int(word);
        put(raw, &value, sizeof value);
    }
}

/* "TYPE DIMS = VALUES" as a TensorProto. */
static void put_tensor(
        struct model_text *to, unsigned field, const char *name, char *line)
{
    struct model_text tensor = {0};
    struct model_text raw = {0};
    char *words[64];
    size_t count = 0;
    int64_t elements = 1;
    int type = type_of(next_word(&line, " "));
    char *dims = next_word(&line, " ");
    char *equals = next_word(&line, " ");
    must(equals != NULL && strcmp(equals, "=") == 0, "values", line);
    for (char *dim;
            strcmp(dims, "-") != 0 && (dim = next_word(&dims, ",")) != NULL;) {
        put_int(&tensor, 1, to_int(dim));
        elements *= to_int(dim);
    }
    while (count < 64 && (words[count] = next_word(&line, " ")) != NULL)
        count++;
    for (int64_t i = 0; i < elements && count != 0; i++)
        put_element(&raw, type, words[(size_t)i % count]);
    put_int(&tensor, 2, type);
    put_text(&tensor, 8, name);
    put_message(&tensor, 9, &raw);
    put_message(to, field, &tensor);
}

static void put_pair(struct model_text *to, const char *key, const char *value)
{
    struct model_text pair = {0};
    if (value == NULL) return;
    put_text(&pair, 1, key);
    put_text(&pair, 2, value);
    put_message(to, 13, &pair);
}

/* "NAME TYPE DIMS = LOCATION OFFSET [LENGTH]" as a TensorProto. */
static void put_external(struct model_text *to, unsigned field, char *line)
{
    struct model_text tensor = {0};
    put_text(&tensor, 8, next_word(&line, " "));
    put_int(&tensor, 2, type_of(next_word(&line, " ")));
    char *dims = next_word(&line, " ");
    for (char *dim; (dim = next_word(&dims, ",")) != NULL;)
        put_int(&tensor, 1, to_int(dim));
    must(strcmp(next_word(&line, " "), "=") == 0, "values", line);
    put_pair(&tensor, "location", next_word(&line, " "));
    put_pair(&tensor, "offset", next_word(&line, " "));
    put_pair(&tensor, "length", next_word(&line, " "));
    put_int(&tensor, 14, 1);
    put_message(to, field, &tensor);
}

/* "NAME [TYPE DIMS]" as a ValueInfoProto. */
static void put_value(struct model_text *to, unsigned field, char *line)
{
    struct model_text value = {0};
    struct model_text shape = {0};
    struct model_text tensor = {0};
    struct model_text type = {0};
    put_text(&value, 1, next_word(&line, " "));
    char *word = next_word(&line, " ");
    char *dims = next_word(&line, " ");
    if (word != NULL) {
        must(dims != NULL, "dimensions", word);
        for (char *dim; strcmp(dims, "-") != 0
                        && (dim = next_word(&dims, ",")) != NULL;) {
            struct model_text one = {0};
            if (dim[0] == '?')
                put_text(&one, 2, dim[1] == '\0' ? "n" : dim + 1);
            else
                put_int(&one, 1, to_int(dim));
            put_message(&shape, 1, &one);
        }
        put_int(&tensor, 1, type_of(word));
        put_message(&tensor, 2, &shape);
        put_message(&type, 1, &tensor);
        put_message(&value, 2, &type);
    }
    put_message(to, field, &value);
}

/* ---- Nodes --------------------------------------------------------------- */

enum {
    field_f = 2,
    field_i = 3,
    field_s = 4,
    field_t = 5,
    field_g = 6,
    field_floats = 7,
    field_ints = 8
};

static int put_list(struct model_text *attribute, char *list)
{
    bool floats = strchr(list, '.') != NULL;
    for (char *word; (word = next_word(&list, ",]")) != NULL;)
        if (floats)
            put_float(attribute, field_floats, (float)to_float(word));
        else
            put_int(attribute, field_ints, to_int(word));
    return floats ? 6 : 7;
}

/* Graphs that attributes take by their names. */
struct inner {
    char name[32];
    struct model_text bytes;
};

struct inners {
    struct inner all[8];
    size_t count;
};

static void put_graph(struct model_text *attribute, const struct inners *inners,
        const char *name)
{
    for (size_t i = 0; i < inners->count; i++)
        if (strcmp(inners->all[i].name, name) == 0) {
            put_bytes(attribute, field_g, inners->all[i].bytes.bytes,
                    inners->all[i].bytes.size);
            return;
        }
    must(false, "graph", name);
}

/* A value, from which its kind follows; the kind's number. */
static int put_attribute_value(
        struct model_text *attribute, const struct inners *inners, char *value)
{
    if (*value == '@') {
        put_graph(attribute, inners, value + 1);
        return 5;
    }
    if (*value == '$') {
        put_text(attribute, 21, value + 1);
        return 2;
    }
    if (*value == '[') return put_list(attribute, value + 1);
    if (*value == '\'') {
        put_bytes(attribute, field_s, value + 1, strcspn(value + 1, "'"));
        return 3;
    }
    if (*value == '{') {
        value[strcspn(value, "}")] = '\0';
        put_tensor(attribute, field_t, "", value + 1);
        return 4;
    }
    if (strchr(value, '.') != NULL) {
        put_float(attribute, field_f, (float)to_float(value));
        return 1;
    }
    put_int(attribute, field_i, to_int(value));
    return 2;
}

/* Where an attribute ends: tensors have blanks in them. */
static char *next_attribute(char **line)
{
    char *word = *line + strspn(*line, " ");
    if (*word == '\0') return NULL;
    size_t name = strcspn(word, "= ");
    must(word[name] == '=', "attribute", word);
    size_t size = strcspn(word, word[name + 1] == '{' ? "}" : " ");
    if (word[size] == '}') size++;
    *line = word + size + (word[size] != '\0');
    word[size] = '\0';
    return word;
}

static void put_names(struct model_text *node, unsigned field, char *names)
{
    /* An empty one counts, also behind the last comma. */
    for (bool more = *names != '\0'; more;) {
        size_t size = strcspn(names, ",");
        more = names[size] == ',';
        put_bytes(node, field, names, size);
        names += size + more;
    }
}

/* "OP[:NAME] INPUTS -> OUTPUTS ATTRIBUTES" as a NodeProto. */
static void put_node(struct model_text *graph, unsigned field,
        const struct inners *inners, const char *domain, bool old, char *op,
        char *line)
{
    struct model_text node = {0};
    char none[] = "";
    char *arrow = strstr(line, "-> ");
    must(arrow != NULL, "arrow", line);
    *arrow = '\0';
    char *rest = arrow + 3;
    char *inputs = next_word(&line, " ");
    char *outputs = next_word(&rest, " ");
    put_names(&node, 1, inputs == NULL ? none : inputs);
    put_names(&node, 2, outputs == NULL ? none : outputs);
    char *colon = strchr(op, ':');
    if (colon != NULL) {
        *colon = '\0';
        put_text(&node, 3, colon + 1);
    }
    put_text(&node, 4, op);
    if (domain[0] != '\0') put_text(&node, 7, domain);
    for (char *word; (word = next_attribute(&rest)) != NULL;) {
        struct model_text attribute = {0};
        char *name = next_word(&word, "=");
        put_text(&attribute, 1, name);
        int kind = put_attribute_value(&attribute, inners, word);
        if (!old) put_int(&attribute, 20, kind);
        put_message(&node, 5, &attribute);
    }
    put_message(graph, field, &node);
}

/* ---- Models -------------------------------------------------------------- */

/* What lines say of those that follow. */
struct state {
    struct model_text model, graph;
    char domain[32];
    bool old, has_imports;
    struct inners inners;
    /* What "function" or "graph" began: its bytes, and the field that nodes
     * are in; or not is_inside. */
    bool is_inside, is_function;
    struct model_text inside;
};

static void put_each(struct model_text *to, unsigned field, char *names)
{
    for (char *name; (name = next_word(&names, ",")) != NULL;)
        put_text(to, field, name);
}

/* "NAME INPUTS -> OUTPUTS [ATTRIBUTES]" */
static void begin_function(struct state *state, char *line)
{
    struct model_text opset = {0};
    put_text(&state->inside, 1, next_word(&line, " "));
    put_each(&state->inside, 4, next_word(&line, " "));
    must(strcmp(next_word(&line, " "), "->") == 0, "arrow", line);
    put_each(&state->inside, 5, next_word(&line, " "));
    char *attributes = next_word(&line, " ");
    if (attributes != NULL) put_each(&state->inside, 6, attributes);
    put_int(&opset, 2, 13);
    put_message(&state->inside, 9, &opset);
    put_text(&state->inside, 10, "local");
    state->is_inside = state->is_function = true;
}

static void end_inside(struct state *state)
{
    state->is_inside = false;
    if (state->is_function) {
        state->is_function = false;
        put_message(&state->model, 25, &state->inside);
    } else {
        state->inners.all[state->inners.count++].bytes = state->inside;
        state->inside = (struct model_text){0};
    }
}

static void put_line_inside(struct state *state, char *word, char *line)
{
    if (strcmp(word, "end") == 0)
        end_inside(state);
    else if (strcmp(word, "input") == 0)
        put_value(&state->inside, 11, line);
    else if (strcmp(word, "output") == 0)
        put_value(&state->inside, 12, line);
    else if (strcmp(word, "const") == 0) {
        char *name = next_word(&line, " ");
        put_tensor(&state->inside, 5, name, line);
    } else
        put_node(&state->inside, state->is_function ? 7 : 1, &state->inners,
                state->domain, state->old, word, line);
}

static void put_line(struct state *state, char *line)
{
    char *word = next_word(&line, " ");
    if (word == NULL) return;
    if (strcmp(word, "domain") == 0) {
        char *domain = next_word(&line, " ");
        snprintf(state->domain, sizeof state->domain, "%s",
                domain != NULL ? domain : "");
    } else if (state->is_inside) {
        put_line_inside(state, word, line);
    } else if (strcmp(word, "function") == 0) {
        begin_function(state, line);
    } else if (strcmp(word, "graph") == 0) {
        must(state->inners.count < 8, "room", line);
        snprintf(state->inners.all[state->inners.count].name,
                sizeof state->inners.all[0].name, "%s", line);
        state->is_inside = true;
    } else if (strcmp(word, "ir") == 0) {
        put_int(&state->model, 1, to_int(line));
        state->has_imports = true;
    } else if (strcmp(word, "opset") == 0) {
        struct model_text opset = {0};
        char *version = next_word(&line, " ");
        char *domain = next_word(&line, " ");
        if (domain != NULL) put_text(&opset, 1, domain);
        put_int(&opset, 2, to_int(version));
        state->has_imports = true;
        put_message(&state->model, 8, &opset);
    } else if (strcmp(word, "old") == 0) {
        state->old = true;
    } else if (strcmp(word, "input") == 0) {
        put_value(&state->graph, 11, line);
    } else if (strcmp(word, "output") == 0) {
        put_value(&state->graph, 12, line);
    } else if (strcmp(word, "info") == 0) {
        put_value(&state->graph, 13, line);
    } else if (strcmp(word, "external") == 0) {
        put_external(&state->graph, 5, line);
    } else if (strcmp(word, "const") == 0) {
        char *name = next_word(&line, " ");
        put_tensor(&state->graph, 5, name, line);
    } else {
        put_node(&state->graph, 1, &state->inners, state->domain, state->old,
                word, line);
    }
}

void model_text_init(struct model_text *model, const char *text)
{
    struct state state = {.domain = ""};
    char *copy = strdup(text);
    must(copy != NULL, "memory", "");
    put_int(&state.model, 1, 8);
    for (char *line = copy; line != NULL;) {
        char *end = strchr(line, '\n');
        if (end != NULL) *end = '\0';
        put_line(&state, line);
        line = end == NULL ? NULL : end + 1;
    }
    /* One of the first files, which imported nothing. */
    if (!state.has_imports) put_int(&state.model, 1, 2);
    put_message(&state.model, 7, &state.graph);
    must(!state.is_inside, "end", "");
    for (size_t i = 0; i < state.inners.count; i++)
        model_text_fini(&state.inners.all[i].bytes);
    free(copy);
    *model = state.model;
}

void model_text_fini(struct model_text *model)
{
    free(model->bytes);
    *model = (struct model_text){0};
}
