/* SPDX-License-Identifier: Apache-2.0 */
/* evict, gc and clear: all that removes what is good. */
#include "src/platform/environment.h"
#include "tools/common/text/json.h"
#include "tools/common/text/units.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/commands/commands.h"
#include "tools/dnnl_cache/refresh/failed_builds.h"
#include "tools/dnnl_cache/refresh/refresh_prune.h"
#include "tools/dnnl_cache/replay/quarantine.h"
#include "tools/dnnl_cache/view/catalog.h"

#include <inttypes.h>

static enum tool_exit report(
        struct tool *tool, const char *command, uint64_t removed)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    uint64_t left;
    const enum tool_exit code = catalog_count(tool, &left);
    if (code != exit_ok) return code;
    (void)dnnl_cache_store_get_statistics(tool->store, &statistics);
    const bool is_known = statistics.bytes != 0 || left == 0;
    if (tool->options->json) {
        struct json json;
        tool_json_begin(&json, tool, command);
        json_number(&json, "removed", removed);
        json_number(&json, "entries", left);
        if (is_known)
            json_number(&json, "disk_bytes", statistics.bytes);
        else
            json_null(&json, "disk_bytes");
        json_end_object(&json);
    } else if (tool_reports(tool)) {
        char size[units_text_size];
        if (is_known)
            units_print_size(size, statistics.bytes);
        else
            snprintf(size, sizeof size, "an unknown size");
        fprintf(tool->out,
                "%" PRIu64 " removed, %" PRIu64 " left with %s on disk\n",
                removed, left, size);
    }
    return exit_ok;
}

static enum tool_exit trim(struct tool *tool, const char *command,
        uint64_t max_bytes, uint64_t max_age_seconds)
{
    uint64_t removed = 0;
    enum tool_exit code = tool_open(tool, tool_access_change);
    if (code == exit_ok)
        code = tool_check(tool, command,
                dnnl_cache_store_trim(
                        tool->store, max_bytes, max_age_seconds, &removed));
    return code == exit_ok ? report(tool, command, removed) : code;
}

static int run_evict(struct tool *tool)
{
    return (int)trim(tool, "evict", tool->options->to_bytes,
            DNNL_CACHE_STORE_AGE_UNLIMITED);
}

static const char evict_help[] = "SIZE is in bytes or has a unit: K, M, G, T "
                                 "and KiB, MiB ... are powers\n"
                                 "of 1024, KB, MB ... are powers of 1000.\n";

const struct command command_evict = {.name = "evict",
        .arguments = "",
        .purpose = "Remove entries until the store has at most SIZE",
        .details = evict_help,
        .options = "to! policy",
        .run = run_evict};

static int run_gc(struct tool *tool)
{
    const enum tool_exit code =
            trim(tool, "gc", UINT64_MAX, tool->options->older_than_seconds);
    if (code == exit_ok)
        (void)failed_builds_remove(tool, tool->options->older_than_seconds);
    return (int)code;
}

static const char gc_help[] =
        "Ages count from the creation of an entry, or, with --policy lru "
        "or\ncost, from its last recorded use.\n";

const struct command command_gc = {.name = "gc",
        .arguments = "",
        .purpose = "Remove entries older than AGE",
        .details = gc_help,
        .options = "older-than! policy",
        .run = run_gc};

/* Asks on the terminal. */
static enum tool_exit confirm(struct tool *tool)
{
    char path[place_path_size];
    uint64_t count;
    enum tool_exit code = tool_open(tool, tool_access_change);
    if (code == exit_ok) code = catalog_count(tool, &count);
    if (code != exit_ok) return code;
    (void)place_path(path, tool->options);
    if (!process_has_terminal(stdin)) {
        tool_error(tool,
                "%s: not interactive: pass --yes to remove all "
                "%" PRIu64 " entries",
                path, count);
        return exit_usage;
    }
    fprintf(tool->err, "Remove all %" PRIu64 " entries of %s? [y/N] ", count,
            path);
    fflush(tool->err);
    const int answer = getchar();
    if (answer == 'y' || answer == 'Y') return exit_ok;
    tool_error(tool, "nothing was removed");
    return exit_usage;
}

static int run_clear(struct tool *tool)
{
    enum tool_exit code = exit_ok;
    if (!tool->options->yes) code = confirm(tool);
    if (code == exit_ok)
        code = trim(tool, "clear", 0, DNNL_CACHE_STORE_AGE_UNLIMITED);
    if (code == exit_ok) {
        const enum tool_exit forgotten = refresh_forget(tool);
        (void)failed_builds_remove(tool, 0);
        code = quarantine_clear_all(tool);
        if (code == exit_ok) code = forgotten;
    }
    return (int)code;
}

static const char clear_help[] = "Asks for confirmation; pass --yes if "
                                 "standard input is not a terminal.\n"
                                 "The quarantine list and failed builds are "
                                 "cleared too.\n";

const struct command command_clear = {.name = "clear",
        .arguments = "",
        .purpose = "Remove all entries",
        .details = clear_help,
        .options = "yes",
        .run = run_clear};
