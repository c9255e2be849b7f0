/* SPDX-License-Identifier: Apache-2.0 */
/* why: in which ingredients two IDs differ. */
#include "commands.h"
#include "fields.h"
#include "subject.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { names_size = 4096 }; /* of all ingredients there are */

/* The names in which two IDs differ, as dnnl_cache_id_diff() writes them. */
static bool get_names(char names[names_size], size_t a_size, const uint8_t *a,
        size_t b_size, const uint8_t *b)
{
    size_t size = names_size;
    return dnnl_cache_id_diff(a_size, a, b_size, b, &size, names)
           == dnnl_success;
}

static size_t count_names(const char *names)
{
    size_t count = names[0] != '\0';
    for (; *names != '\0'; names++)
        count += *names == ',';
    return count;
}

/* ---- The nearest entry --------------------------------------------------- */

struct nearest {
    const struct subject *subject;
    struct subject *best; /* its ID and item, once there is one */
    size_t distance;
    bool out_of_memory;
};

static bool has_name(const char *names, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += size)
        if ((at == names || at[-1] == ' ')
                && (at[size] == '\0' || at[size] == ','))
            return true;
    return false;
}

/* By the number of ingredients that differ. But the same source on another
 * driver is nearer than any other source on the same one: after an update
 * every entry differs in much from its former self, and little from the other
 * new ones, which explain nothing. */
static size_t distance_of(const char *names)
{
    static const char *const objects[] = {
            "source", "il", "primitive_kind", "op_desc", "memory_desc"};
    size_t distance = count_names(names);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        if (has_name(names, objects[i])) distance += names_size;
    return distance;
}

/* The most similar ID, the youngest of equals; but of another kind, whose name
 * comes first among the differences, none is similar. */
static bool compare_item(void *user, const struct store_item *item)
{
    struct nearest *n = user;
    struct subject *best = n->best;
    char names[names_size];
    if (!get_names(names, n->subject->id_size, n->subject->id, item->id_size,
                item->id))
        return true;
    const size_t distance = distance_of(names);
    if (distance == 0 && n->subject->is_entry) return true; /* itself */
    if (has_name(names, "kind")) return true;
    if (best->id != NULL
            && (distance > n->distance
                    || (distance == n->distance
                            && item->created_ns <= best->item.created_ns)))
        return true;
    uint8_t *id = realloc(best->id_memory, item->id_size);
    n->out_of_memory = id == NULL;
    if (id == NULL) return false;
    memcpy(id, item->id, item->id_size);
    best->id_memory = id;
    best->id = id;
    best->id_size = item->id_size;
    best->item = *item;
    best->item.id = NULL;
    n->distance = distance;
    return distance > 0;
}

static enum tool_exit find_nearest(struct subject *best, bool *same_object,
        struct tool *tool, const struct subject *subject)
{
    struct nearest nearest = {.subject = subject, .best = best};
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code != exit_ok) return code;
    best->is_entry = true;
    code = tool_check(
            tool, "search", store_iterate(tool->store, compare_item, &nearest));
    if (code == exit_ok && nearest.out_of_memory) code = tool_no_memory(tool);
    if (code != exit_ok) return code;
    if (best->id == NULL) {
        tool_error(tool, "%s: no other entry of its kind is in the store",
                subject->argument);
        return exit_no_entry;
    }
    entry_name(best->name, best->id_size, best->id);
    best->argument = best->name;
    *same_object = nearest.distance < names_size;
    return exit_ok;
}

/* ---- The values of one ingredient ---------------------------------------- */

/* One value; in an ID a header's contents stand behind its name. */
struct value {
    dnnl_cache_id_field_t field;
    dnnl_cache_id_field_t header_name; /* of a header, else of size 0 */
};

/* The values under one name that only one of two IDs has. */
struct values {
    struct value *items;
    size_t count;
};

static int compare_fields(
        const dnnl_cache_id_field_t *a, const dnnl_cache_id_field_t *b)
{
    const size_t both = a->size < b->size ? a->size : b->size;
    const int order = both > 0 ? memcmp(a->value, b->value, both) : 0;
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static int compare_values(const void *left, const void *right)
{
    const struct value *a = left;
    const struct value *b = right;
    const int order = compare_fields(&a->header_name, &b->header_name);
    return order != 0 ? order : compare_fields(&a->field, &b->field);
}

static bool add_one(
        struct values *values, size_t *capacity, const struct value *value)
{
    if (values->count == *capacity) {
        *capacity = 2 * *capacity + 8;
        void *items = realloc(values->items, *capacity * sizeof *values->items);
        if (items == NULL) return false;
        values->items = items;
    }
    values->items[values->count++] = *value;
    return true;
}

/* All values under a name, sorted. False if memory ran out. */
static bool get_values(
        struct values *values, const struct subject *subject, const char *name)
{
    struct value value = {.field = {0}};
    size_t capacity = 0;
    *values = (struct values){NULL, 0};
    for (size_t i = 0;
            fields_get(&value.field, subject->id_size, subject->id, i); i++) {
        if (strcmp(value.field.name, name) == 0
                && !add_one(values, &capacity, &value))
            return false;
        value.header_name = (dnnl_cache_id_field_t){0};
        if (strcmp(value.field.name, "header_name") == 0)
            value.header_name = value.field;
    }
    if (values->count > 1)
        qsort(values->items, values->count, sizeof *values->items,
                compare_values);
    return true;
}

/* Takes what both have out of both. */
static void leave_differences(struct values *a, struct values *b)
{
    size_t i = 0;
    size_t j = 0;
    size_t kept_a = 0;
    size_t kept_b = 0;
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : -1;
        if (i < a->count && j < b->count)
            order = compare_values(&a->items[i], &b->items[j]);
        if (order < 0)
            a->items[kept_a++] = a->items[i++];
        else if (order > 0)
            b->items[kept_b++] = b->items[j++];
        else
            i++, j++;
    }
    a->count = kept_a;
    b->count = kept_b;
}

/* What says which of several values under one name this one is: a header's
 * name, NAME= of NAME=value, the number of a constant. Of size 0: nothing. */
static dnnl_cache_id_field_t key_of(const struct value *value)
{
    dnnl_cache_id_field_t key = value->field;
    const uint8_t *end = NULL;
    if (value->header_name.size > 0) return value->header_name;
    if (strcmp(key.name, "driver_environment") == 0 && key.size > 0)
        end = memchr(key.value, '=', key.size);
    if (end != NULL)
        key.size = (size_t)(end - key.value) + 1;
    else if (strcmp(key.name, "spec_constant") == 0 && key.size > 4)
        key.size = 4;
    else
        key.size = 0;
    return key;
}

/* 0: they belong side by side, else which of the two comes first. */
static int compare_keys(const struct value *a, const struct value *b)
{
    const dnnl_cache_id_field_t key_a = key_of(a);
    const dnnl_cache_id_field_t key_b = key_of(b);
    return key_a.size > 0 && key_b.size > 0 ? compare_fields(&key_a, &key_b)
                                            : 0;
}

/* ---- Report -------------------------------------------------------------- */

struct comparison {
    const struct subject *a;
    const struct subject *b;
    char names[names_size];
    bool nearest;     /* b was looked for */
    bool same_object; /* and found: of the same source or operation */
};

/* Calls visit for each ingredient in which they differ. False if memory ran
 * out. */
static bool for_each_difference(const struct comparison *c,
        void (*visit)(void *user, const char *name, const struct values *a,
                const struct values *b),
        void *user)
{
    const char *at = c->names;
    bool good = true;
    while (good && *at != '\0') {
        struct values a;
        struct values b = {NULL, 0};
        char name[64];
        const size_t size = strcspn(at, ",");
        snprintf(name, sizeof name, "%.*s", (int)size, at);
        good = get_values(&a, c->a, name) && get_values(&b, c->b, name);
        if (good) {
            leave_differences(&a, &b);
            visit(user, name, &a, &b);
        }
        free(a.items);
        free(b.items);
        at += size + strspn(at + size, ", ");
    }
    return good;
}

/* value: NULL if this side has none. */
static void add_value(struct table *table, const struct value *value, size_t at)
{
    char *shown =
            value != NULL ? fields_show_part(&value->field, at) : strdup("-");
    table->out_of_memory = table->out_of_memory || shown == NULL;
    table_add_shown(table, shown != NULL ? shown : "");
    free(shown);
}

/* "header a.h", "build_options (byte 120)" */
static void add_name(struct table *table, const char *name,
        const struct value *value, size_t at)
{
    const int header_size = (int)value->header_name.size;
    char where[32] = "";
    char text[512];
    if (at > 0) snprintf(where, sizeof where, " (byte %zu)", at);
    const int n = snprintf(text, sizeof text, "%s%s%.*s%s", name,
            header_size > 0 ? " " : "", header_size > 256 ? 256 : header_size,
            header_size > 0 ? (const char *)value->header_name.value : "",
            where);
    table_add_bytes(table, text, (size_t)n);
}

/* Of long values the first part that differs, and where it is. */
static void add_row(struct table *table, const char *name,
        const struct value *a, const struct value *b)
{
    size_t at = 0;
    if (a != NULL && b != NULL
            && (fields_is_long(&a->field) || fields_is_long(&b->field)))
        at = fields_first_difference(&a->field, &b->field);
    add_name(table, name, a != NULL ? a : b, at);
    add_value(table, a, at);
    add_value(table, b, at);
}

static void add_rows(void *user, const char *name, const struct values *a,
        const struct values *b)
{
    struct table *table = user;
    size_t i = 0;
    size_t j = 0;
    if (a->count + b->count == 0) { /* another order, another kind */
        table_add(table, name);
        table_add(table, "-");
        table_add(table, "-");
    }
    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : 0;
        if (order == 0) order = compare_keys(&a->items[i], &b->items[j]);
        add_row(table, name, order <= 0 ? &a->items[i] : NULL,
                order >= 0 ? &b->items[j] : NULL);
        i += order <= 0;
        j += order >= 0;
    }
}

static enum tool_exit write_text(const struct comparison *c, struct tool *tool)
{
    char a[catalog_short_digits + 1];
    char b[catalog_short_digits + 1];
    snprintf(a, sizeof a, "%.*s", catalog_short_digits, c->a->name);
    snprintf(b, sizeof b, "%.*s", catalog_short_digits, c->b->name);
    if (c->names[0] == '\0') {
        fprintf(tool->out,
                c->nearest ? "%s is in the store\n" : "%s: both have this ID\n",
                a);
        return exit_ok;
    }
    const char *const headers[] = {"ingredient", a, b};
    struct table table;
    table_init(&table, 3, headers);
    if (c->nearest && !c->same_object)
        fprintf(tool->out, "no entry of the same %s\n",
                subject_kind(c->b) == dnnl_cache_blob_kind_primitive
                        ? "operation"
                        : "source");
    fprintf(tool->out, "%s%s and %s differ in: %s\n\n",
            c->nearest ? "nearest: " : "", a, b, c->names);
    const bool good = for_each_difference(c, add_rows, &table);
    table.out_of_memory = table.out_of_memory || !good;
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void write_json_values(
        struct json *json, const char *name, const struct values *values)
{
    json_begin_array(json, name);
    for (size_t i = 0; i < values->count; i++) {
        const struct value *value = &values->items[i];
        json_begin_object(json, NULL);
        if (value->header_name.size > 0)
            json_bytes(json, "header_name", value->header_name.value,
                    value->header_name.size);
        fields_write_value(json, &value->field);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_json_difference(void *user, const char *name,
        const struct values *a, const struct values *b)
{
    struct json *json = user;
    json_begin_object(json, NULL);
    json_text(json, "ingredient", name);
    write_json_values(json, "a", a);
    write_json_values(json, "b", b);
    json_end_object(json);
}

static void write_json_subject(
        struct json *json, const char *name, const struct subject *subject)
{
    json_begin_object(json, name);
    json_text(json, "name", subject->name);
    json_text(json, "file", subject->is_entry ? NULL : subject->argument);
    json_text(json, "kind", kind_name(subject_kind(subject)));
    json_end_object(json);
}

static enum tool_exit write_json(const struct comparison *c, struct tool *tool)
{
    struct json json;
    json_init(&json, tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "why");
    json_bool(&json, "equal", c->names[0] == '\0');
    json_bool(&json, "nearest", c->nearest);
    if (c->nearest) json_bool(&json, "same_source", c->same_object);
    write_json_subject(&json, "a", c->a);
    write_json_subject(&json, "b", c->b);
    json_begin_array(&json, "differences");
    const bool good = for_each_difference(c, write_json_difference, &json);
    json_end_array(&json);
    json_end_object(&json);
    return good ? exit_ok : tool_no_memory(tool);
}

/* An ID to compare; else a message. */
static enum tool_exit load(
        struct subject *subject, struct tool *tool, const char *argument)
{
    const enum tool_exit code = subject_load(subject, tool, argument);
    if (code != exit_ok || subject->id != NULL) return code;
    tool_error(tool, "%s: neither a blob nor an ID (%s): %s", argument,
            dnnl_status2str(subject->status), subject->reason);
    return exit_found;
}

static enum tool_exit compare(struct comparison *c, struct tool *tool)
{
    if (!get_names(
                c->names, c->a->id_size, c->a->id, c->b->id_size, c->b->id)) {
        tool_error(tool, "one of the two has an ID of no format that this "
                         "library knows");
        return exit_found;
    }
    enum tool_exit code = exit_ok;
    if (tool->options->json)
        code = write_json(c, tool);
    else if (tool_reports(tool))
        code = write_text(c, tool);
    if (code == exit_ok && c->names[0] != '\0') code = exit_found;
    return code;
}

int command_why(struct tool *tool)
{
    char **arguments = tool->options->arguments;
    struct subject a = {0};
    struct subject b = {0};
    enum tool_exit code = load(&a, tool, arguments[0]);
    const bool nearest = tool->options->argument_count == 1;
    bool same_object = false;
    if (code == exit_ok)
        code = nearest ? find_nearest(&b, &same_object, tool, &a)
                       : load(&b, tool, arguments[1]);
    if (code == exit_ok) {
        struct comparison *c = calloc(1, sizeof *c);
        if (c != NULL) {
            c->a = &a;
            c->b = &b;
            c->nearest = nearest;
            c->same_object = same_object;
            code = compare(c, tool);
        } else {
            code = tool_no_memory(tool);
        }
        free(c);
    }
    subject_fini(&a);
    subject_fini(&b);
    return (int)code;
}
