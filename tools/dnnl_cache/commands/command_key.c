/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/commands.h"

#include <errno.h>
#include <string.h>

static const char *consequence(void)
{
    return errno == EEXIST ? ": left unchanged" : "";
}

static enum tool_exit make(struct tool *tool, const char *file)
{
    errno = 0;
    const bool encrypts =
            strcmp(tool->options->arguments[0], "make-encryption") == 0;
    const dnnl_status_t st =
            encrypts ? dnnl_cache_store_encryption_key_make(file)
                     : dnnl_cache_store_key_file_make(file);
    if (st == dnnl_success) return exit_ok;
    tool_error(tool, "%s: %s%s", file, strerror(errno), consequence());
    return exit_io;
}

static enum tool_exit make_pair(
        struct tool *tool, const char *secret, const char *public)
{
    errno = 0;
    if (dnnl_cache_store_key_pair_make(secret, public) == dnnl_success)
        return exit_ok;
    tool_error(tool, "cannot make %s and %s: %s%s", secret, public,
            strerror(errno), consequence());
    return exit_io;
}

static void report(struct tool *tool)
{
    const struct options *o = tool->options;
    const bool is_pair = o->argument_count == 3;
    if (o->json) {
        struct json json;
        tool_json_begin(&json, tool, "key");
        json_text(&json, is_pair ? "secret_key" : "key", o->arguments[1]);
        if (is_pair) json_text(&json, "public_key", o->arguments[2]);
        json_end_object(&json);
    } else if (tool_reports(tool)) {
        fprintf(tool->out, "made %s%s%s\n", o->arguments[1],
                is_pair ? " and " : "", is_pair ? o->arguments[2] : "");
    }
}

static int run_key(struct tool *tool)
{
    char **arguments = tool->options->arguments;
    const size_t count = tool->options->argument_count;
    const bool is_pair = strcmp(arguments[0], "make-pair") == 0;
    if (!is_pair && strcmp(arguments[0], "make") != 0
            && strcmp(arguments[0], "make-encryption") != 0) {
        tool_error(tool, "key %s: expected make, make-pair or make-encryption",
                arguments[0]);
        return exit_usage;
    }
    if (count != (is_pair ? 3 : 2)) {
        tool_error(tool, "key %s: expected %s", arguments[0],
                is_pair ? "SECRET PUBLIC" : "FILE");
        return exit_usage;
    }
    const enum tool_exit code =
            is_pair ? make_pair(tool, arguments[1], arguments[2])
                    : make(tool, arguments[1]);
    if (code == exit_ok) report(tool);
    return (int)code;
}

static const char key_help[] =
        "make writes a secret for --key, and for key_file= of a remote "
        "store:\nall that read or write entries have it. make-pair writes two "
        "files, for\na remote store or a seed: SECRET (mode 0600) for who "
        "puts entries there\n(sign_key_file=, export --seed --sign-key, "
        "import --key), PUBLIC for who\nonly reads them (public_key_file=, "
        "DNNL_CACHE_SEED_PUBLIC_KEY, verify\n--key). make-encryption writes a "
        "secret for encryption_key_file= of a\nremote store: the server "
        "cannot read names and entries. Files that exist\nare left unchanged, "
        "and the exit status is 4.\n";

const struct command command_key = {.name = "key",
        .arguments =
                "make FILE | make-pair SECRET PUBLIC | make-encryption FILE",
        .purpose = "Make keys for checksums, signatures or encryption",
        .details = key_help,
        .min_arguments = 2,
        .max_arguments = 3,
        .run = run_key};
