/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/commands.h"

#include "tools/dnnl_cache/base/tool.h"

#include <string.h>

static int run_help(struct tool *tool)
{
    const struct options *options = tool->options;
    const struct command *command = NULL;
    if (options->argument_count > 0) {
        command = command_find(options->arguments[0]);
        if (command == NULL) {
            tool_error(tool, "unknown command: %s", options->arguments[0]);
            return exit_usage;
        }
    }
    options_print_help(tool->out, command);
    return exit_ok;
}

static const struct command command_help = {.name = "help",
        .arguments = "[COMMAND]",
        .purpose = "Show this help, or that of a command",
        .details = "",
        .max_arguments = 1,
        .run = run_help};

const struct command *const commands[] = {&command_stats, &command_list,
        &command_inspect, &command_verify, &command_prove, &command_why,
        &command_evict, &command_gc, &command_gone, &command_clear,
        &command_quarantine, &command_export, &command_import, &command_copy,
        &command_identity, &command_refresh, &command_replay, &command_record,
        &command_key, &command_help, NULL};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i];
    return NULL;
}
