/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/tool.h"

#include "src/platform/clock.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/place.h"

#include <dnnl_cache.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- Messages ------------------------------------------------------------ */

static void write_message(
        struct tool *tool, const char *format, va_list arguments)
{
    char text[8192];
    vsnprintf(text, sizeof text, format, arguments);
    /* In one piece: what workers print goes there, too. */
    char *line = text_line("dnnl-cache", text, strlen(text));
    fputs(line != NULL ? line : "dnnl-cache: out of memory\n", tool->err);
    free(line);
}

void tool_error(struct tool *tool, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_message(tool, format, arguments);
    va_end(arguments);
}

void tool_warn(struct tool *tool, const char *format, ...)
{
    if (tool->options->quiet) return;
    va_list arguments;
    va_start(arguments, format);
    write_message(tool, format, arguments);
    va_end(arguments);
}

enum tool_exit tool_no_memory(struct tool *tool)
{
    tool_error(tool, "out of memory");
    return exit_io;
}

bool tool_is_late(const struct tool *tool)
{
    const uint64_t seconds = tool->options->timeout_seconds;
    return seconds > 0
           && (clock_ns() - tool->began_ns) / 1000000000u >= seconds;
}

void tool_json_begin(struct json *json, struct tool *tool, const char *command)
{
    json_init(json, tool->out);
    json_begin_object(json, NULL);
    json_text(json, "command", command);
}

enum tool_exit tool_check(
        struct tool *tool, const char *what, dnnl_status_t status)
{
    if (status == dnnl_success) return exit_ok;
    if (status == dnnl_out_of_memory) return tool_no_memory(tool);
    if (status == dnnl_unimplemented) {
        const char *command = tool->options->command->name;
        if (command_takes(tool->options->command, "id-list", NULL))
            tool_error(tool,
                    "%s: name the entries with --id-list FILE (see "
                    "dnnl-cache list --ids)",
                    command);
        else
            tool_error(tool, "%s: not possible with this server", command);
        return exit_io;
    }
    tool_error(tool, "%s: the store failed%s%s", what,
            tool->complaint[0] != '\0' ? ": " : "", tool->complaint);
    return exit_io;
}

enum tool_exit tool_report_damage(struct tool *tool, enum tool_exit code)
{
    if (tool->damaged == 0) return code;
    tool_error(
            tool, "%" PRIu64 " damaged: see dnnl-cache verify", tool->damaged);
    return code == exit_ok ? exit_found : code;
}

bool tool_reports(const struct tool *tool)
{
    return !tool->options->json && !tool->options->quiet;
}

/* ---- The store ----------------------------------------------------------- */

enum tool_exit tool_open(struct tool *tool, enum tool_access access)
{
    return tool->store != NULL ? exit_ok : place_open(tool, access, true);
}

enum tool_exit tool_reopen(
        struct tool *tool, enum tool_access access, bool with_key)
{
    dnnl_cache_store_close(tool->store);
    tool->store = NULL;
    return place_open(tool, access, with_key);
}

bool command_takes(
        const struct command *command, const char *option, bool *is_needed)
{
    const char *list = command->options != NULL ? command->options : "";
    const size_t size = strlen(option);
    for (const char *at = list; (at = strstr(at, option)) != NULL; at += size) {
        if ((at > list && at[-1] != ' ') || strchr(" !", at[size]) == NULL)
            continue;
        if (is_needed != NULL) *is_needed = at[size] == '!';
        return true;
    }
    return false;
}
