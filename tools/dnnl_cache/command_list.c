/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog.h"
#include "commands.h"
#include "json.h"
#include "table.h"

#include <string.h>

static enum tool_exit write_table(
        const struct catalog *catalog, struct tool *tool)
{
    static const char *const headers[] = {"name", "kind", ">size", ">compile",
            "created", "used", "driver", "device"};
    struct table table;
    table_init(&table, 8, headers);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct entry *e = &catalog->entries[i];
        table_add_bytes(&table, e->name, catalog_short_digits);
        table_add(&table, kind_name(e->item.kind));
        table_add_size(&table, e->item.blob_size);
        table_add_duration(&table, e->item.compile_ns);
        table_add_time(&table, e->item.created_ns);
        table_add_time(&table, e->item.used_ns);
        table_add(&table, e->driver[0] != '\0' ? e->driver : "-");
        table_add(&table, e->device[0] != '\0' ? e->device : "-");
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void write_json(const struct catalog *catalog, struct tool *tool)
{
    struct json json;
    json_init(&json, tool->out);
    json_begin_object(&json, NULL);
    json_text(&json, "command", "list");
    json_begin_array(&json, "entries");
    for (size_t i = 0; i < catalog->count; i++) {
        const struct entry *e = &catalog->entries[i];
        json_begin_object(&json, NULL);
        json_text(&json, "name", e->name);
        json_text(&json, "kind", kind_name(e->item.kind));
        json_number(&json, "id_bytes", e->item.id_size);
        json_number(&json, "blob_bytes", e->item.blob_size);
        json_number(&json, "compile_ns", e->item.compile_ns);
        json_time(&json, "created", e->item.created_ns);
        json_time(&json, "used", e->item.used_ns);
        json_text(&json, "driver", e->driver);
        json_text(&json, "device", e->device);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

int command_list(struct tool *tool)
{
    struct catalog catalog = {0};
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok)
        code = catalog_load(&catalog, tool, catalog_keep_names);
    if (code == exit_ok) {
        catalog_sort_by_creation(&catalog);
        if (tool->options->json)
            write_json(&catalog, tool);
        else if (catalog.count == 0)
            fputs("no entries\n", tool->out);
        else
            code = write_table(&catalog, tool);
        if (code == exit_ok) code = tool_tell_damage(tool, code);
    }
    catalog_fini(&catalog);
    return (int)code;
}
