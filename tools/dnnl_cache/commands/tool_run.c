/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/tool_run.h"

#include "src/platform/clock.h"
#include "src/platform/environment.h"
#include "src/platform/terminal.h"
#include "tools/common/text/option_value.h"
#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/commands/commands.h"

#include <dnnl_cache/file_digests.h>

#include <dnnl_cache.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The library tells here why it refuses a blob. */
static void note_reason(
        dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct tool *tool = user;
    (void)level;
    snprintf(tool->reason, sizeof tool->reason, "%s", text);
}

static bool shows_colour(FILE *out)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    return process_has_terminal(out)
           && (no_color == NULL || no_color[0] == '\0') && term != NULL
           && strcmp(term, "dumb") != 0;
}

/* A file and a pipe have no width. */
static size_t columns_of(FILE *out)
{
    uint64_t columns;
    const char *set = getenv("COLUMNS");
    if (!process_has_terminal(out)) return 0;
    return set != NULL && option_value_number(&columns, set, UINT16_MAX)
                           && columns > 0
                   ? (size_t)columns
                   : (size_t)terminal_size_of(fileno(out)).columns;
}

static enum tool_exit run(struct tool *tool)
{
    const struct options *options = tool->options;
    if (options->help) {
        options_print_help(tool->out, options->command);
        return exit_ok;
    }
    if (options->version) {
        fprintf(tool->out, "dnnl-cache %d.%d.%d (library %s)\n",
                DNNL_CACHE_VERSION_MAJOR, DNNL_CACHE_VERSION_MINOR,
                DNNL_CACHE_VERSION_PATCH, dnnl_cache_version());
        return exit_ok;
    }
    return (enum tool_exit)options->command->run(tool);
}

int tool_run(int argc, char **argv, FILE *out, FILE *err)
{
    struct options options;
    struct tool tool = {.options = &options,
            .out = out,
            .err = err,
            .began_ns = clock_ns()};
    enum tool_exit code = exit_usage;
    tool.colour = shows_colour(out);
    tool.columns = columns_of(out);
    dnnl_cache_set_log_callback(note_reason, &tool);
    (void)dnnl_cache_store_file_digests_attach();
    if (options_parse(&options, argc, argv, err)) code = run(&tool);
    dnnl_cache_store_close(tool.store);
    dnnl_cache_set_log_callback(NULL, NULL);
    errno = 0;
    /* Who reads no more has what it wanted ("| head"). */
    if ((fflush(out) != 0 || ferror(out)) && process_has_reader(out)) {
        tool_error(&tool, "standard output: %s",
                errno != 0 ? strerror(errno) : "incomplete write");
        if (code == exit_ok || code == exit_found) code = exit_io;
    }
    return (int)code;
}
