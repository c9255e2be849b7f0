/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/id_file.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/view/detail.h"
#include "tools/dnnl_cache/view/waiting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the ID and the blob say of the entry's use. */
static enum tool_exit add_detail(struct table *table, struct tool *tool,
        const struct entry *entry, const struct waiting *waiting)
{
    struct detail detail;
    const enum tool_exit code = detail_load(&detail, tool, entry);
    char *kernels = code == exit_ok ? detail_kernels(&detail) : NULL;
    char *lacks = waiting_text(waiting, entry->item.id_size, entry->item.id,
            detail.size, detail.blob);
    if (kernels != NULL && lacks != NULL) {
        const char *what = detail.implementation[0] != '\0'
                                   ? detail.implementation
                                   : detail.build_options;
        table_add(table, what[0] != '\0' ? what : "-");
        table_add(table, kernels[0] != '\0' ? kernels : "-");
        if (waiting->list != NULL)
            table_add(table, lacks[0] != '\0' ? lacks : "-");
    }
    table->out_of_memory =
            table->out_of_memory
            || (code == exit_ok && (kernels == NULL || lacks == NULL));
    free(lacks);
    free(kernels);
    detail_fini(&detail, tool);
    return code;
}

static enum tool_exit write_table(
        const struct catalog *catalog, struct tool *tool)
{
    static const char *const headers[] = {"name", "kind", ">size", ">compile",
            "created", "used", "~driver", "~device",
            "~implementation or options", "+kernels", "~lacks launches"};
    /* What a narrow terminal has no room for: created, driver, used, device,
     * kind. */
    static const size_t less_needed[] = {4, 6, 5, 7, 1};
    const bool with_details = tool->options->details;
    enum tool_exit code = exit_ok;
    struct waiting waiting = {NULL};
    struct table table;
    if (with_details) waiting_load(&waiting, tool);
    const size_t more = waiting.list != NULL ? 3 : 2;
    table_init(&table, with_details ? 8 + more : 8, headers);
    for (size_t i = 0; i < catalog->count && code == exit_ok; i++) {
        const struct entry *e = &catalog->entries[i];
        table_add_bytes(&table, e->name, catalog_short_digits);
        table_add(&table, entry_kind_name(e));
        table_add_size(&table, e->item.blob_size);
        table_add_duration(&table, e->item.compile_ns);
        table_add_time(&table, e->item.created_ns);
        table_add_time(&table, e->item.used_ns);
        table_add(&table, e->driver[0] != '\0' ? e->driver : "-");
        table_add(&table, e->device[0] != '\0' ? e->device : "-");
        if (with_details) code = add_detail(&table, tool, e, &waiting);
    }
    table_fit(&table, tool, tool->columns, less_needed,
            sizeof less_needed / sizeof *less_needed);
    if (code == exit_ok) code = table_write(&table, tool);
    waiting_fini(&waiting);
    table_fini(&table);
    return code;
}

static void write_json_launch(void *user, const char *launch)
{
    json_text(user, NULL, launch);
}

static void write_json_waiting(struct json *json, const struct waiting *waiting,
        const struct entry *entry, const struct detail *detail)
{
    json_begin_array(json, "lacks_launches");
    waiting_for_each(waiting, entry->item.id_size, entry->item.id, detail->size,
            detail->blob, write_json_launch, json);
    json_end_array(json);
}

static enum tool_exit write_json(
        const struct catalog *catalog, struct tool *tool)
{
    struct json json;
    struct waiting waiting;
    enum tool_exit code = exit_ok;
    tool_json_begin(&json, tool, "list");
    waiting_load(&waiting, tool);
    json_begin_array(&json, "entries");
    for (size_t i = 0; i < catalog->count && code == exit_ok; i++) {
        const struct entry *e = &catalog->entries[i];
        struct detail detail;
        code = detail_load(&detail, tool, e);
        if (code == exit_ok) {
            json_begin_object(&json, NULL);
            json_text(&json, "name", e->name);
            json_text(&json, "kind", entry_kind_name(e));
            json_number(&json, "id_bytes", e->item.id_size);
            json_number(&json, "blob_bytes", e->item.blob_size);
            json_number(&json, "compile_ns", e->item.compile_ns);
            json_time(&json, "created", e->item.created_ns);
            json_time(&json, "used", e->item.used_ns);
            json_text(&json, "driver", e->driver);
            json_text(&json, "device", e->device);
            detail_write_json(&detail, &json);
            if (waiting.list != NULL)
                write_json_waiting(&json, &waiting, e, &detail);
            json_end_object(&json);
        }
        detail_fini(&detail, tool);
    }
    json_end_array(&json);
    json_end_object(&json);
    waiting_fini(&waiting);
    return code;
}

static void write_ids(const struct catalog *catalog, struct tool *tool)
{
    for (size_t i = 0; i < catalog->count; i++)
        id_file_write(tool->out, catalog->entries[i].item.id_size,
                catalog->entries[i].item.id);
}

static int run_list(struct tool *tool)
{
    struct catalog catalog = {0};
    const bool with_ids = tool->options->ids;
    const bool with_details = tool->options->details || tool->options->json;
    if (with_ids && with_details) {
        tool_error(tool, "list --ids excludes --long and --json");
        return exit_usage;
    }
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok)
        code = catalog_load(&catalog, tool,
                with_ids       ? catalog_keep_ids
                : with_details ? catalog_keep_all
                               : catalog_keep_names);
    if (code == exit_ok) {
        catalog_sort_by_creation(&catalog);
        if (with_ids)
            write_ids(&catalog, tool);
        else if (tool->options->json)
            code = write_json(&catalog, tool);
        else if (catalog.count == 0)
            fputs("no entries\n", tool->out);
        else
            code = write_table(&catalog, tool);
        if (code == exit_ok) code = tool_report_damage(tool, code);
    }
    catalog_fini(&catalog);
    return (int)code;
}

static const char list_help[] =
        "The name of an entry is a prefix of the hash of its ID; --json "
        "shows\nthe whole hash. --long and --json also show the "
        "implementation of a\nprimitive or the build options of a program, "
        "and the names of its\nkernels. On a terminal rows are as wide as it "
        "is, and what has no room is\ncut or left out; elsewhere nothing is.\n";

const struct command command_list = {.name = "list",
        .arguments = "",
        .purpose = "List the entries, the oldest first",
        .details = list_help,
        .options = "long ids id-list",
        .takes_url = true,
        .run = run_list};
