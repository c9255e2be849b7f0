/* SPDX-License-Identifier: Apache-2.0 */
/* why: in which ingredients two IDs differ. */
#include "tools/common/id/difference.h"
#include "tools/common/id/fields.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/commands/why_changes.h"
#include "tools/dnnl_cache/view/detail.h"
#include "tools/dnnl_cache/view/known_texts.h"
#include "tools/dnnl_cache/view/parts.h"
#include "tools/dnnl_cache/view/subject.h"
#include "tools/dnnl_cache/view/waiting.h"

#include <stdlib.h>
#include <string.h>

static struct difference_id id_of(const struct subject *subject)
{
    return (struct difference_id){subject->id_size, subject->id};
}

/* ---- The nearest entry --------------------------------------------------- */

struct nearest {
    const struct subject *subject;
    struct subject *best; /* its ID and item, once there is one */
    size_t distance;
    bool out_of_memory;
};

/* Makes it the best so far; false: no memory. */
static bool take_item(
        struct subject *best, const struct dnnl_cache_store_entry *item)
{
    uint8_t *id = realloc(best->id_memory, item->id_size);
    if (id == NULL) return false;
    memcpy(id, item->id, item->id_size);
    best->id_memory = id;
    best->id = id;
    best->id_size = item->id_size;
    best->item = *item;
    best->item.id = NULL;
    return true;
}

/* The most similar ID, the youngest of equals; but of another kind, whose name
 * comes first among the differences, none is similar. */
static bool compare_item(void *user, const struct dnnl_cache_store_entry *item)
{
    struct nearest *n = user;
    struct subject *best = n->best;
    const struct difference_id a = id_of(n->subject);
    const struct difference_id b = {item->id_size, item->id};
    char names[difference_names_size];
    if (!difference_names(names, &a, &b)) return true;
    const size_t distance = difference_distance(names);
    if (distance == 0 && n->subject->is_entry) return true; /* itself */
    if (difference_has(names, "kind")) return true;
    if (best->id != NULL
            && (distance > n->distance
                    || (distance == n->distance
                            && item->created_ns <= best->item.created_ns)))
        return true;
    n->out_of_memory = !take_item(best, item);
    if (n->out_of_memory) return false;
    n->distance = distance;
    return distance > 0;
}

/* ---- The same kernels ---------------------------------------------------- */

static bool has_kernel(const struct parts *parts, const char *name)
{
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].kind == dnnl_cache_blob_part_kernel
                && strcmp(parts->items[i].name, name) == 0)
            return true;
    return false;
}

/* How many of one's kernels the other has by name. */
static size_t count_shared(const struct parts *one, const struct parts *other)
{
    size_t count = 0;
    for (size_t i = 0; i < one->count; i++)
        count += one->items[i].kind == dnnl_cache_blob_part_kernel
                 && has_kernel(other, one->items[i].name);
    return count;
}

/* Not the subject itself, nor of another kind, which explains nothing. */
static bool is_comparable(const struct subject *subject,
        const struct dnnl_cache_store_entry *item)
{
    const struct difference_id a = id_of(subject);
    const struct difference_id b = {item->id_size, item->id};
    char names[difference_names_size];
    return difference_names(names, &a, &b) && names[0] != '\0'
           && !difference_has(names, "kind");
}

/* Of a source that was edited: the entry with the most kernels of the same
 * names, the youngest of equals, if any has one. *shared: how many. */
static enum tool_exit find_of_same_kernels(struct subject *best, size_t *shared,
        struct tool *tool, const struct subject *subject)
{
    struct catalog catalog = {0};
    struct parts ours;
    enum tool_exit code =
            parts_load(&ours, tool, subject->blob_size, subject->blob);
    if (code == exit_ok) code = catalog_load(&catalog, tool, catalog_keep_all);
    for (size_t i = 0; i < catalog.count && code == exit_ok; i++) {
        const struct entry *e = &catalog.entries[i];
        struct detail detail;
        if (e->is_working_set || !is_comparable(subject, &e->item)) continue;
        code = detail_load(&detail, tool, e);
        const size_t count = code == exit_ok && detail.has_parts
                                     ? count_shared(&ours, &detail.parts)
                                     : 0;
        detail_fini(&detail, tool);
        if (count == 0 || count < *shared
                || (count == *shared
                        && e->item.created_ns <= best->item.created_ns))
            continue;
        *shared = count;
        if (!take_item(best, &e->item)) code = tool_no_memory(tool);
    }
    catalog_fini(&catalog);
    parts_fini(&ours);
    return code;
}

/* *shared: of another source, how many kernels have the same names. */
static enum tool_exit find_nearest(struct subject *best, bool *same_object,
        size_t *shared, struct tool *tool, const struct subject *subject)
{
    struct nearest nearest = {.subject = subject, .best = best};
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code != exit_ok) return code;
    best->is_entry = true;
    code = tool_check(tool, "search",
            dnnl_cache_store_iterate(tool->store, compare_item, &nearest));
    if (code == exit_ok && nearest.out_of_memory) code = tool_no_memory(tool);
    if (code != exit_ok) return code;
    if (best->id == NULL) {
        tool_error(tool, "%s: the store has no other entry of its kind",
                subject->argument);
        return exit_no_entry;
    }
    *same_object = nearest.distance < difference_names_size;
    if (!*same_object && subject->has_blob && subject->status == dnnl_success)
        code = find_of_same_kernels(best, shared, tool, subject);
    entry_name(best->name, best->id_size, best->id);
    best->argument = best->name;
    return code;
}

/* ---- Report -------------------------------------------------------------- */

struct comparison {
    const struct subject *a;
    const struct subject *b;
    char names[difference_names_size];
    bool nearest;     /* b was looked for */
    bool same_object; /* and found: of the same source or operation */
    size_t shared;    /* else, how many of its kernels have the same names */
};

/* Calls visit for each difference. False if memory ran out. */
static bool for_each_difference(const struct comparison *c,
        void (*visit)(void *user, const char *name,
                const struct difference_values *a,
                const struct difference_values *b),
        void *user)
{
    const struct difference_id a = id_of(c->a);
    const struct difference_id b = id_of(c->b);
    return difference_for_each(c->names, &a, &b, visit, user);
}

/* The rows of one ingredient. */
struct rows {
    struct table *table;
    const char *name;
};

/* value: NULL if this side has none. */
static void add_value(
        struct table *table, const struct difference_value *value, size_t at)
{
    char *shown =
            value != NULL ? fields_show_part(&value->field, at) : strdup("-");
    table->out_of_memory = table->out_of_memory || shown == NULL;
    table_add_shown(table, shown != NULL ? shown : "");
    free(shown);
}

static void add_row(void *user, const struct difference_value *a,
        const struct difference_value *b)
{
    const struct rows *rows = user;
    const size_t at = difference_position(a, b);
    char title[difference_title_size];
    difference_title(title, rows->name, a != NULL ? a : b, at);
    table_add_bytes(rows->table, title, strlen(title));
    add_value(rows->table, a, at);
    add_value(rows->table, b, at);
}

static void add_rows(void *user, const char *name,
        const struct difference_values *a, const struct difference_values *b)
{
    struct rows rows = {user, name};
    if (a->count + b->count == 0) { /* another order, another kind */
        table_add(rows.table, name);
        table_add(rows.table, "-");
        table_add(rows.table, "-");
    }
    difference_for_each_row(a, b, add_row, &rows);
}

/* Does the ID tell folders by numbers? */
static bool has_numbered_folders(const struct subject *subject)
{
    char *options =
            fields_get_text(subject->id_size, subject->id, "build_options");
    const bool has = options != NULL && strstr(options, "<folder ") != NULL;
    free(options);
    return has;
}

/* What a person cannot know of the words in an ID. */
static void explain_folders(const struct comparison *c, struct tool *tool)
{
    if (!has_numbered_folders(c->a) && !has_numbered_folders(c->b)) return;
    fputs("\n<folder 1> is the first absolute folder of -I, wherever it is: "
          "the trace\n(DNNL_CACHE_TRACE) says which one it is in a process.\n",
            tool->out);
    if (difference_has(c->names, "application_key"))
        fputs("application_key: included files differ, or which of the folders "
              "exist or are the same.\n",
                tool->out);
}

static struct why_changes changes_of(const struct comparison *c)
{
    return (struct why_changes){c->a, c->b, c->names, c->nearest};
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
    if (c->shared > 0)
        fprintf(tool->out, "an entry with %zu kernel%s of the same name%s\n",
                c->shared, c->shared == 1 ? "" : "s",
                c->shared == 1 ? "" : "s");
    fprintf(tool->out, "%s%s and %s differ in: %s\n\n",
            c->nearest ? "nearest: " : "", a, b, c->names);
    const bool good = for_each_difference(c, add_rows, &table);
    table.out_of_memory = table.out_of_memory || !good;
    enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    if (code == exit_ok) explain_folders(c, tool);
    const struct why_changes changes = changes_of(c);
    return code == exit_ok ? why_changes_write(&changes, tool) : code;
}

static void write_json_values(struct json *json, const char *name,
        const struct difference_values *values)
{
    json_begin_array(json, name);
    for (size_t i = 0; i < values->count; i++) {
        const struct difference_value *value = &values->items[i];
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
        const struct difference_values *a, const struct difference_values *b)
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
    json_text(json, "kind",
            subject->is_working_set ? working_set_kind_name
                                    : kind_name(subject_kind(subject)));
    json_end_object(json);
}

static enum tool_exit write_json(const struct comparison *c, struct tool *tool)
{
    struct json json;
    tool_json_begin(&json, tool, "why");
    json_bool(&json, "equal", c->names[0] == '\0');
    json_bool(&json, "nearest", c->nearest);
    if (c->nearest) json_bool(&json, "same_source", c->same_object);
    if (c->nearest && !c->same_object)
        json_number(&json, "shared_kernels", c->shared);
    write_json_subject(&json, "a", c->a);
    write_json_subject(&json, "b", c->b);
    json_begin_array(&json, "differences");
    const bool good = for_each_difference(c, write_json_difference, &json);
    json_end_array(&json);
    const struct why_changes changes = changes_of(c);
    const enum tool_exit code = why_changes_write_json(&changes, tool, &json);
    json_end_object(&json);
    return good ? code : tool_no_memory(tool);
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

static void tell_launch(void *user, const char *launch)
{
    struct tool *tool = user;
    fprintf(tool->out, "incomplete: lacks kernel ");
    text_print(tool->out, launch, strlen(launch));
    fprintf(tool->out, "; run dnnl-cache refresh\n");
}

/* With its blob: what the nearest one included is in there. It may have been
 * evicted meanwhile; then its ID remains. */
static enum tool_exit load_nearest(struct subject *best, struct tool *tool)
{
    struct subject whole;
    enum tool_exit code = exit_ok;
    struct entry entry;
    if (entry_find(&entry, tool, best->name, true) != exit_ok) return exit_ok;
    entry_fini(&entry);
    code = subject_load(&whole, tool, best->name);
    if (code != exit_ok) return code;
    whole.argument = whole.name;
    subject_fini(best);
    *best = whole;
    best->argument = best->name;
    return exit_ok;
}

/* Of an entry: an application that found it compiled more. */
static void tell_waiting(const struct subject *subject, struct tool *tool)
{
    struct waiting waiting;
    if (!subject->is_entry || subject->id == NULL || tool->options->json
            || !tool_reports(tool))
        return;
    waiting_load(&waiting, tool);
    waiting_for_each(&waiting, subject->id_size, subject->id,
            subject->has_blob ? subject->blob_size : 0,
            subject->has_blob ? subject->blob : NULL, tell_launch, tool);
    waiting_fini(&waiting);
}

static enum tool_exit compare(struct comparison *c, struct tool *tool)
{
    const struct difference_id a = id_of(c->a);
    const struct difference_id b = id_of(c->b);
    if (!difference_names(c->names, &a, &b)) {
        tool_error(tool, "one of the two IDs has a format that this library "
                         "does not know");
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

/* Also if nothing of it will be shown: who names it expects that it is read. */
static enum tool_exit check_record(struct tool *tool)
{
    char complaint[tool_reason_size];
    const char *record = tool->options->record;
    if (record == NULL || known_texts_is_record(record, complaint))
        return exit_ok;
    tool_error(tool, "%s: no record: %s", record, complaint);
    return exit_io;
}

static int run_why(struct tool *tool)
{
    char **arguments = tool->options->arguments;
    struct subject a = {0};
    struct subject b = {0};
    enum tool_exit code = check_record(tool);
    if (code == exit_ok) code = load(&a, tool, arguments[0]);
    const bool nearest = tool->options->argument_count == 1;
    bool same_object = false;
    size_t shared = 0;
    if (code == exit_ok && nearest) tell_waiting(&a, tool);
    if (code == exit_ok)
        code = nearest ? find_nearest(&b, &same_object, &shared, tool, &a)
                       : load(&b, tool, arguments[1]);
    if (code == exit_ok && nearest) code = load_nearest(&b, tool);
    if (code == exit_ok) {
        struct comparison *c = calloc(1, sizeof *c);
        if (c != NULL) {
            c->a = &a;
            c->b = &b;
            c->nearest = nearest;
            c->same_object = same_object;
            c->shared = shared;
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

static const char why_help[] =
        "One argument is compared with the most similar entry of its kind, "
        "if\npossible of the same source or operation, else with the most "
        "kernels of\nthe same names: why was it not found? FILE\nholds a blob "
        "or an ID. Of long values the table shows the "
        "first part\nthat differs with its byte offset; --json shows all of "
        "them.\nBelow the table: included files and files of the driver that "
        "are others,\nby name, and the lines that differ, of sources and files "
        "that the journal\nor the record has (the one beside the store, or "
        "--record FILE).\nThe exit status is 0 if the IDs are equal and 1 if "
        "they "
        "differ.\n";

const struct command command_why = {.name = "why",
        .arguments = "ENTRY|FILE [ENTRY|FILE]",
        .purpose = "Show in which ingredients two IDs differ",
        .details = why_help,
        .options = "record",
        .takes_url = true,
        .min_arguments = 1,
        .max_arguments = 2,
        .run = run_why};
