/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/id/fields.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/parts.h"
#include "tools/dnnl_cache/view/subject.h"

#include <stdlib.h>

/* ---- Text ---------------------------------------------------------------- */

static void add_number(struct table *table, const char *name, uint64_t number)
{
    table_add(table, name);
    table_add_number(table, number);
}

static void add_size(struct table *table, const char *name, uint64_t bytes)
{
    table_add(table, name);
    table_add_size(table, bytes);
}

static void add_facts(struct table *table, const struct subject *subject)
{
    const dnnl_cache_blob_info_t *info = &subject->info;
    table_add(table, subject->is_entry ? "entry" : "file");
    table_add(table, subject->is_entry ? subject->name : subject->argument);
    if (!subject->is_entry && subject->name[0] != '\0') {
        table_add(table, "name of its ID");
        table_add(table, subject->name);
    }
    if (subject->id != NULL) add_size(table, "ID", subject->id_size);
    if (subject->is_entry) {
        table_add(table, "compile time");
        table_add_duration(table, subject->item.compile_ns);
        table_add(table, "created");
        table_add_time(table, subject->item.created_ns);
        table_add(table, "last use noted");
        table_add_time(table, subject->item.used_ns);
    }
    if (!subject->has_blob) return;
    if (subject->tail_size > 0)
        add_size(table, "store's trailer", subject->tail_size);
    table_add(table, "blob");
    if (subject->status != dnnl_success) {
        table_add(table, dnnl_status2str(subject->status));
        table_add(table, "because");
        table_add(table, subject->reason);
        return;
    }
    if (subject->is_working_set) {
        table_add_size(table, subject->blob_size);
        table_add(table, "kind");
        table_add(table, working_set_kind_name);
        return;
    }
    table_add_size(table, info->total_size);
    table_add(table, "kind");
    table_add(table, kind_name(info->kind));
    add_number(table, "format version", info->format_version);
    add_number(table, "sections", info->section_count);
    add_number(table, "programs", info->program_count);
    add_number(table, "kernels", info->kernel_count);
    add_size(table, "binaries", info->binary_bytes);
    add_size(table, "binaries as stored", info->stored_bytes);
}

static void add_fields(struct table *table, const struct subject *subject)
{
    dnnl_cache_id_field_t field;
    size_t position = 0;
    while (fields_next(&field, &position, subject->id_size, subject->id)) {
        char *shown = fields_show(&field);
        table->out_of_memory = table->out_of_memory || shown == NULL;
        table_add(table, field.name);
        table_add_shown(table, shown != NULL ? shown : "");
        free(shown);
    }
}

/* With parts? */
static bool is_intact(const struct subject *subject)
{
    return subject->has_blob && subject->status == dnnl_success
           && !subject->is_working_set;
}

static enum tool_exit write_text(const struct subject *subject,
        const struct parts *parts, struct tool *tool)
{
    static const char *const headers[] = {"ingredient", "value"};
    struct table table;
    table_init_plain(&table, 2);
    add_facts(&table, subject);
    enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    if (code == exit_ok) code = parts_write_tables(parts, tool);
    if (code != exit_ok || subject->id == NULL) return code;
    table_init(&table, 2, headers);
    add_fields(&table, subject);
    fputc('\n', tool->out);
    code = table_write(&table, tool);
    table_fini(&table);
    if (code == exit_ok) parts_write_logs(parts, tool->out);
    return code;
}

/* ---- JSON ---------------------------------------------------------------- */

static void write_json_blob(struct json *json, const struct subject *subject,
        const struct parts *parts)
{
    const dnnl_cache_blob_info_t *info = &subject->info;
    if (!subject->has_blob) {
        json_null(json, "blob");
        return;
    }
    json_begin_object(json, "blob");
    json_text(json, "status", dnnl_status2str(subject->status));
    if (subject->status != dnnl_success) {
        json_text(json, "reason", subject->reason);
    } else if (subject->is_working_set) {
        json_text(json, "kind", working_set_kind_name);
        json_number(json, "bytes", subject->blob_size);
    } else {
        json_text(json, "kind", kind_name(info->kind));
        json_number(json, "bytes", info->total_size);
        json_number(json, "format_version", info->format_version);
        json_number(json, "binary_bytes", info->binary_bytes);
        json_number(json, "stored_bytes", info->stored_bytes);
        parts_write_json(parts, json);
    }
    json_end_object(json);
}

static void write_json(const struct subject *subject, const struct parts *parts,
        struct tool *tool)
{
    struct json json;
    dnnl_cache_id_field_t field;
    size_t position = 0;
    tool_json_begin(&json, tool, "inspect");
    json_text(&json, "file", subject->is_entry ? NULL : subject->argument);
    json_text(&json, "name", subject->id != NULL ? subject->name : NULL);
    if (subject->is_entry) {
        json_number(&json, "compile_ns", subject->item.compile_ns);
        json_time(&json, "created", subject->item.created_ns);
        json_time(&json, "used", subject->item.used_ns);
    }
    write_json_blob(&json, subject, parts);
    json_number(&json, "id_bytes", subject->id_size);
    json_begin_array(&json, "ingredients");
    while (subject->id != NULL
            && fields_next(&field, &position, subject->id_size, subject->id)) {
        json_begin_object(&json, NULL);
        json_text(&json, "name", field.name);
        json_number(&json, "tag", field.tag);
        fields_write_value(&json, &field);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static int run_inspect(struct tool *tool)
{
    struct subject subject;
    struct parts parts = {0};
    enum tool_exit code =
            subject_load(&subject, tool, tool->options->arguments[0]);
    if (code == exit_ok && is_intact(&subject))
        code = parts_load(&parts, tool, subject.blob_size, subject.blob);
    if (code == exit_ok) {
        if (tool->options->json)
            write_json(&subject, &parts, tool);
        else
            code = write_text(&subject, &parts, tool);
    }
    if (code == exit_ok && subject.has_blob && subject.status != dnnl_success) {
        tool_error(tool, "%s: not a blob that this library can use (%s): %s",
                subject.argument, dnnl_status2str(subject.status),
                subject.reason);
        code = exit_found;
    }
    parts_fini(&parts);
    subject_fini(&subject);
    return (int)code;
}

static const char inspect_help[] = "Shows sizes and times, sections, each "
                                   "program with the size and codec\n"
                                   "of its binary, each kernel, all "
                                   "ingredients of the ID, and build logs.\n"
                                   "FILE holds a blob, with or without a "
                                   "store's trailer (kernel.bin), or\n"
                                   "an ID (key.bin); it needs no store.\n";

const struct command command_inspect = {.name = "inspect",
        .arguments = "ENTRY|FILE",
        .purpose = "Show one entry, or the blob in a file",
        .details = inspect_help,
        .takes_url = true,
        .min_arguments = 1,
        .max_arguments = 1,
        .run = run_inspect};
