/* SPDX-License-Identifier: Apache-2.0 */
/* gone: what belongs to drivers that this machine does not have any more. */
#include "tools/dnnl_cache/refresh/gone.h"

#include "tools/common/text/json.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/archive/keeping.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"

#include <inttypes.h>

struct removal {
    uint64_t entries;
    uint64_t bytes;
};

static uint64_t count_removes(struct tool *tool)
{
    struct dnnl_cache_store_statistics s = DNNL_CACHE_STORE_STATISTICS_INIT;
    (void)dnnl_cache_store_get_statistics(tool->store, &s);
    return s.removes;
}

/* What another process has removed meanwhile is not counted. */
static enum tool_exit remove_all(
        struct removal *removal, struct tool *tool, const struct gone *gone)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(tool->store);
    enum tool_exit code = exit_ok;
    for (size_t i = 0; i < gone->entry_count && code == exit_ok; i++) {
        const struct gone_entry *entry = &gone->entries[i];
        const uint64_t before = count_removes(tool);
        code = tool_check(
                tool, "remove", s->remove(s->user, entry->id_size, entry->id));
        if (code != exit_ok || count_removes(tool) == before) continue;
        removal->entries++;
        removal->bytes += entry->bytes;
    }
    return code;
}

static void write_json(struct tool *tool, const struct gone *gone,
        uint64_t seconds, const struct removal *removal)
{
    struct json json;
    tool_json_begin(&json, tool, "gone");
    json_bool(&json, "judged", gone->why_not[0] == '\0');
    json_text(
            &json, "why_not", gone->why_not[0] != '\0' ? gone->why_not : NULL);
    json_number(&json, "unused_seconds", seconds);
    json_begin_array(&json, "drivers");
    for (size_t i = 0; i < gone->driver_count; i++) {
        const struct gone_driver *driver = &gone->drivers[i];
        json_begin_object(&json, NULL);
        json_text(&json, "platform", driver->platform);
        json_text(&json, "version", driver->version);
        json_text(&json, "build", driver->object);
        json_number(&json, "entries", driver->entries);
        json_number(&json, "bytes", driver->bytes);
        json_time(&json, "used", driver->used_ns);
        json_number(&json, "gone_entries", driver->gone_entries);
        json_number(&json, "gone_bytes", driver->gone_bytes);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_number(&json, "removed", removal->entries);
    json_number(&json, "removed_bytes", removal->bytes);
    json_end_object(&json);
}

static enum tool_exit write_table(struct tool *tool, const struct gone *gone)
{
    static const char *const headers[] = {"driver", "version", "build",
            ">entries", ">size", "used", ">gone", ">size"};
    struct table table;
    table_init(&table, sizeof headers / sizeof *headers, headers);
    for (size_t i = 0; i < gone->driver_count; i++) {
        const struct gone_driver *driver = &gone->drivers[i];
        table_add(&table, driver->platform[0] != '\0' ? driver->platform : "-");
        table_add(&table, driver->version[0] != '\0' ? driver->version : "-");
        table_add(&table, driver->object[0] != '\0' ? driver->object : "-");
        table_add_number(&table, driver->entries);
        table_add_size(&table, driver->bytes);
        table_add_time(&table, driver->used_ns);
        table_add_number(&table, driver->gone_entries);
        table_add_size(&table, driver->gone_bytes);
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static enum tool_exit write_text(struct tool *tool, const struct gone *gone,
        const struct removal *removal)
{
    char size[units_text_size];
    if (tool->options->remove) {
        units_print_size(size, removal->bytes);
        fprintf(tool->out, "%" PRIu64 " removed, %s freed\n", removal->entries,
                size);
        return exit_ok;
    }
    if (gone->driver_count > 0) return write_table(tool, gone);
    if (gone->why_not[0] == '\0')
        fputs("all drivers of the entries are here\n", tool->out);
    return exit_ok;
}

static int run_gone(struct tool *tool)
{
    const struct options *options = tool->options;
    const uint64_t seconds = options->older_than_seconds > 0
                                     ? options->older_than_seconds
                                     : GONE_USUAL_SECONDS;
    struct gone gone = {.why_not = ""};
    struct removal removal = {0, 0};
    enum tool_exit code = options->remove ? keep_open(tool, tool_access_change)
                                          : tool_open(tool, tool_access_read);
    if (code == exit_ok) code = gone_judge(&gone, tool, seconds);
    if (code == exit_ok && options->remove)
        code = remove_all(&removal, tool, &gone);
    if (code == exit_ok) {
        if (options->json)
            write_json(tool, &gone, seconds, &removal);
        else if (tool_reports(tool))
            code = write_text(tool, &gone, &removal);
        if (code == exit_ok && gone.why_not[0] != '\0') {
            tool_warn(tool, "no entry of this store is judged gone: %s",
                    gone.why_not);
            code = exit_found;
        }
    }
    gone_fini(&gone);
    return (int)code;
}

static const char gone_help[] =
        "Lists the drivers that entries belong to and that this machine does "
        "not\nhave, by build. Those of their entries that were not used for "
        "AGE (default:\n30d) are gone: when refresh needs room they go first, "
        "and --remove removes\nthem now. Nothing is judged gone in a store "
        "that another machine, another\nsystem or image of this one, or a "
        "container has used in the last three\nmonths, that is shared or "
        "read-only, or whose policy is not lru or cost. The\nexit status is 1 "
        "then.\n";

const struct command command_gone = {.name = "gone",
        .arguments = "",
        .purpose = "List or remove entries of drivers that are gone",
        .details = gone_help,
        .options = "remove older-than",
        .run = run_gone};
