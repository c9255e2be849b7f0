/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine: the layer's own files do the work. */
#include "src/platform/file.h"
#include "tools/common/state/crash_marker_files.h"
#include "tools/common/state/state_folder.h"
#include "tools/common/text/json.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/base/table.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/replay/quarantine.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <dnnl_cache/store_types.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const states[] = {
        [crash_state_load] = "watched",
        [crash_state_replace] = "replace",
        [crash_state_quarantined] = "quarantined",
};

static void name_of(char name[catalog_name_size], struct crash_key key)
{
    (void)snprintf(name, catalog_name_size, "%016" PRIx64 "%016" PRIx64,
            key.high, key.low);
}

/* *folder: -1 if there is none. What processes that have ended by now were
 * loading is noted in it. */
static enum tool_exit open_folder(int *folder, struct tool *tool)
{
    char place[place_path_size];
    char path[place_path_size + 16];
    (void)place_path(place, tool->options);
    (void)snprintf(path, sizeof path, "%s%s", place,
            state_folder_suffix(
                    dnnl_cache_store_find_type(tool->type)->is_file));
    *folder = state_folder_open_path(path, false);
    if (*folder >= 0)
        crash_marker_files_collect(*folder, NULL);
    else if (errno != ENOENT)
        tool_error(tool, "%s: %s", path,
                errno == EPERM ? "owned by another user, or writable by others"
                               : strerror(errno));
    return *folder >= 0 || errno == ENOENT ? exit_ok : exit_io;
}

/* ---- list ---------------------------------------------------------------- */

static uint64_t ns_of(uint64_t seconds)
{
    return seconds * 1000000000u;
}

static enum tool_exit write_table(
        const struct crashes *crashes, struct tool *tool)
{
    static const char *const headers[] = {
            "name", "state", ">deaths", "last", "forgotten"};
    struct table table;
    table_init(&table, 5, headers);
    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash *c = &crashes->items[i];
        char name[catalog_name_size];
        name_of(name, c->key);
        table_add_bytes(&table, name, catalog_short_digits);
        table_add(&table, states[crash_state_of(c)]);
        table_add_number(&table, c->deaths);
        table_add_time(&table, ns_of(c->last_s));
        table_add_time(&table, ns_of(c->last_s + crashes_forget_seconds));
    }
    const enum tool_exit code = table_write(&table, tool);
    table_fini(&table);
    return code;
}

static void write_json(const struct crashes *crashes, struct tool *tool)
{
    struct json json;
    tool_json_begin(&json, tool, "quarantine");
    json_begin_array(&json, "entries");
    for (size_t i = 0; i < crashes->count; i++) {
        const struct crash *c = &crashes->items[i];
        char name[catalog_name_size];
        name_of(name, c->key);
        json_begin_object(&json, NULL);
        json_text(&json, "name", name);
        json_text(&json, "state", states[crash_state_of(c)]);
        json_bool(&json, "replaced", c->is_replaced);
        json_number(&json, "deaths", c->deaths);
        json_time(&json, "last", ns_of(c->last_s));
        json_time(
                &json, "forgotten", ns_of(c->last_s + crashes_forget_seconds));
        json_end_object(&json);
    }
    json_end_array(&json);
    json_end_object(&json);
}

static enum tool_exit read_list(
        struct crashes *crashes, struct tool *tool, int folder)
{
    const int error = crashes_read(crashes, folder, crashes_now_s());
    if (error == 0) return exit_ok;
    tool_error(tool, "cannot read the quarantine list: %s", strerror(error));
    crashes_fini(crashes);
    return exit_io;
}

static enum tool_exit list(struct tool *tool, int folder)
{
    struct crashes crashes = {NULL, 0};
    enum tool_exit code = exit_ok;
    if (folder >= 0) code = read_list(&crashes, tool, folder);
    if (code != exit_ok) return code;
    if (tool->options->json)
        write_json(&crashes, tool);
    else if (crashes.count == 0)
        fputs("no entries\n", tool->out);
    else
        code = write_table(&crashes, tool);
    crashes_fini(&crashes);
    return code;
}

/* ---- clear --------------------------------------------------------------- */

static bool begins_with(struct crash_key key, const char *beginning)
{
    char name[catalog_name_size];
    name_of(name, key);
    return strncmp(name, beginning, strlen(beginning)) == 0;
}

static bool is_asked_for(void *user, struct crash_key key)
{
    const struct options *options = user;
    for (size_t i = 1; i < options->argument_count; i++)
        if (begins_with(key, options->arguments[i])) return true;
    return false;
}

/* Each of them names one. */
static enum tool_exit check_arguments(struct tool *tool, int folder)
{
    const struct options *options = tool->options;
    struct crashes crashes = {NULL, 0};
    enum tool_exit code = exit_ok;
    if (folder >= 0) code = read_list(&crashes, tool, folder);
    for (size_t i = 1; i < options->argument_count && code == exit_ok; i++) {
        size_t found = 0;
        for (size_t k = 0; k < crashes.count; k++)
            found += begins_with(crashes.items[k].key, options->arguments[i]);
        if (found == 1 && entry_is_prefix(options->arguments[i])) continue;
        tool_error(tool, "%s: %s (see dnnl-cache quarantine list)",
                options->arguments[i],
                found > 1 ? "more than one entry has a name with this prefix"
                          : "not in the quarantine list");
        code = exit_no_entry;
    }
    crashes_fini(&crashes);
    return code;
}

static enum tool_exit clear_in(struct tool *tool, int folder,
        bool (*is_meant)(void *user, struct crash_key key), size_t *cleared)
{
    *cleared = 0;
    if (folder < 0
            || crashes_clear(folder, is_meant, (void *)(uintptr_t)tool->options,
                    cleared))
        return exit_ok;
    tool_error(tool, "cannot change the quarantine list: %s",
            errno != 0 ? strerror(errno) : "another process is changing it");
    return exit_io;
}

static enum tool_exit clear(struct tool *tool, int folder)
{
    size_t cleared = 0;
    const bool some = tool->options->argument_count > 1;
    enum tool_exit code = check_arguments(tool, folder);
    if (code == exit_ok)
        code = clear_in(tool, folder, some ? is_asked_for : NULL, &cleared);
    if (code != exit_ok) return code;
    if (tool->options->json) {
        struct json json;
        tool_json_begin(&json, tool, "quarantine");
        json_number(&json, "cleared", cleared);
        json_end_object(&json);
    } else if (tool_reports(tool)) {
        fprintf(tool->out, "%zu cleared\n", cleared);
    }
    return exit_ok;
}

enum tool_exit quarantine_clear_all(struct tool *tool)
{
    int folder = -1;
    size_t cleared;
    enum tool_exit code = open_folder(&folder, tool);
    if (code == exit_ok) code = clear_in(tool, folder, NULL, &cleared);
    (void)file_close(folder);
    return code;
}

/* ---- Both ---------------------------------------------------------------- */

static int run_quarantine(struct tool *tool)
{
    const char *what = tool->options->arguments[0];
    const bool is_list = strcmp(what, "list") == 0;
    int folder = -1;
    if (!is_list && strcmp(what, "clear") != 0) {
        tool_error(tool, "quarantine %s: expected list or clear", what);
        return exit_usage;
    }
    if (is_list && tool->options->argument_count > 1) {
        tool_error(tool, "too many arguments for quarantine list");
        return exit_usage;
    }
    enum tool_exit code = tool_open(tool, tool_access_read);
    if (code == exit_ok) code = open_folder(&folder, tool);
    if (code == exit_ok)
        code = is_list ? list(tool, folder) : clear(tool, folder);
    (void)file_close(folder);
    return (int)code;
}

static const char quarantine_help[] =
        "The OpenCL layer records processes that ended while loading an "
        "entry:\n  watched      one process ended, or none yet with the "
        "replacement\n  replace      two did: the next start compiles and "
        "replaces the entry\n  quarantined  two more did with the "
        "replacement: every start compiles\nA successful load removes an "
        "entry from the list, as do seven days.\nclear removes all entries, "
        "or those named, at once. Running processes\nnotice when they start "
        "again.\n";

const struct command command_quarantine = {.name = "quarantine",
        .arguments = "list|clear [ENTRY ...]",
        .purpose = "Show or clear entries that crashed processes",
        .details = quarantine_help,
        .min_arguments = 1,
        .max_arguments = SIZE_MAX,
        .run = run_quarantine};
