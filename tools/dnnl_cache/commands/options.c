/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/base/options.h"

#include "tools/common/text/command_line.h"
#include "tools/common/text/option_value.h"
#include "tools/common/text/text.h"
#include "tools/dnnl_cache/base/place.h"
#include "tools/dnnl_cache/commands/commands.h"

#include <dnnl_cache/store_types.h>

#include <stddef.h>
#include <string.h>

/* ---- What there is ------------------------------------------------------- */

/* An option, and where what is given for it goes. */
struct choice {
    const char *name;
    const char *value; /* what stands for its value; NULL: it has none */
    const char *help;
    unsigned bit;        /* 0: for every command */
    char letter;         /* of a short form, or '\0' */
    const char *example; /* of a value, or NULL */
    struct option_value to;
};

static bool parse_type(void *options, const char *text)
{
    ((struct options *)options)->type = text;
    return dnnl_cache_store_find_type(text) != NULL;
}

/* In the order of enum dnnl_cache_store_policy. */
static const char *const policies[] = {"fifo", "lru", "cost", NULL};

#define TO(name, what) .takes = (what), .member = offsetof(struct options, name)
#define SIZES "500K, 10M or 1.5GiB"
#define AGES "90s, 30m, 12h, 30d or 2w"

static const struct choice all_options[] = {
        {.name = "store",
                .value = "PLACE",
                .help = "the store: a directory, the file of a pack, or a URL",
                .to = {TO(store, takes_text)}},
        {.name = "type",
                .value = "TYPE",
                .help = "override the detected type of the store",
                .example = DNNL_CACHE_STORE_TYPE_TEXT,
                .to = {.takes = takes_other, .parse = parse_type}},
        {.name = "key",
                .value = "FILE",
                .help = "the key that entries are signed with, or its public "
                        "one",
                .to = {TO(key_file, takes_text)}},
        {.name = "shared",
                .help = "accept a store that other users may write to",
                .to = {TO(shared, takes_nothing)}},
        {.name = "json",
                .help = "write one JSON document instead of text",
                .to = {TO(json, takes_nothing)}},
        {.name = "quiet",
                .help = "print errors only",
                .to = {TO(quiet, takes_nothing)}},
        {.name = "help",
                .letter = 'h',
                .help = "show this help (also -h)",
                .to = {TO(help, takes_nothing)}},
        {.name = "version",
                .letter = 'V',
                .help = "show the versions of tool and library (also -V)",
                .to = {TO(version, takes_nothing)}},
        {.name = "long",
                .help = "read each blob, and show what it was made from",
                .bit = option_long,
                .to = {TO(details, takes_nothing)}},
        {.name = "ids",
                .help = "only print the IDs, for --id-list",
                .bit = option_ids,
                .to = {TO(ids, takes_nothing)}},
        {.name = "id-list",
                .value = "FILE",
                .help = "the entries of these IDs, if the server cannot list "
                        "what\n"
                        "                     it has; - is standard input",
                .bit = option_id_list,
                .to = {TO(id_list, takes_text)}},
        {.name = "seed",
                .help = "write a store in one read-only file, not an archive",
                .bit = option_seed,
                .to = {TO(seed, takes_nothing)}},
        {.name = "sign-key",
                .value = "FILE",
                .help = "sign the entries of a seed with this secret key",
                .bit = option_sign_key,
                .to = {TO(sign_key, takes_text)}},
        {.name = "prometheus",
                .help = "write the text that Prometheus reads",
                .bit = option_prometheus,
                .to = {TO(prometheus, takes_nothing)}},
        {.name = "reset",
                .help = "set the recorded hits, misses, puts and evictions to "
                        "0",
                .bit = option_reset,
                .to = {TO(reset, takes_nothing)}},
        {.name = "repair",
                .help = "remove damaged and foreign entries",
                .bit = option_repair,
                .to = {TO(repair, takes_nothing)}},
        {.name = "unsigned",
                .help = "with --repair: also remove entries not signed with "
                        "the key",
                .bit = option_unsigned,
                .to = {TO(unsigned_too, takes_nothing)}},
        {.name = "to",
                .value = "SIZE",
                .help = "the size to shrink the store to, such as " SIZES,
                .bit = option_to,
                .example = SIZES,
                .to = {TO(to_bytes, takes_size)}},
        {.name = "older-than",
                .value = "AGE",
                .help = "the age, such as " AGES,
                .bit = option_older_than,
                .example = AGES,
                .to = {TO(older_than_seconds, takes_age), .least = 1}},
        {.name = "policy",
                .value = "POLICY",
                .help = "which entries to remove first: fifo (default), lru\n"
                        "                     or cost; lru and cost count ages "
                        "from the last use",
                .bit = option_policy,
                .example = "fifo, lru or cost",
                .to = {TO(policy, takes_choice), .names = policies}},
        {.name = "jobs",
                .value = "N",
                .help = "how many worker processes (default: one a processor)",
                .bit = option_jobs,
                .example = "4",
                .to = {TO(jobs, takes_number), .least = 1, .most = 1024}},
        {.name = "timeout",
                .value = "AGE",
                .help = "stop after this time, such as " AGES,
                .bit = option_timeout,
                .example = AGES,
                .to = {TO(timeout_seconds, takes_age), .least = 1}},
        {.name = "wait",
                .value = "AGE",
                .help = "wait at most so long for another refresh of the "
                        "store; 0:\n"
                        "                     leave all to that one",
                .bit = option_wait,
                .example = "0, " AGES,
                .to = {TO(wait_seconds, takes_age)}},
        {.name = "layer",
                .value = "FILE",
                .help = "the OpenCL layer (default: the one installed with "
                        "this\n"
                        "                     program)",
                .bit = option_layer,
                .to = {TO(layer, takes_text)}},
        {.name = "dry-run",
                .help = "only tell what would be compiled",
                .bit = option_dry_run,
                .to = {TO(dry_run, takes_nothing)}},
        {.name = "read-files",
                .help = "also compile programs that include files; use it "
                        "only\n"
                        "                     if you trust who can write to "
                        "the "
                        "store",
                .bit = option_read_files,
                .to = {TO(read_files, takes_nothing)}},
        {.name = "remote",
                .value = "URL",
                .help = "also put what is compiled into this store on a "
                        "server\n"
                        "                     (default: DNNL_CACHE_REMOTE)",
                .bit = option_remote,
                .to = {TO(remote, takes_text)}},
        {.name = "device",
                .value = "TEXT",
                .help = "only devices with this text in their platform's or "
                        "own\n"
                        "                     name",
                .bit = option_device,
                .to = {TO(device, takes_text)}},
        {.name = "nice",
                .value = "N",
                .help = "give way to other processes, up to 19",
                .bit = option_nice,
                .example = "10",
                .to = {TO(nice, takes_number), .most = 19}},
        {.name = "program-timeout",
                .value = "AGE",
                .help = "give a program up after this time (default: 10m)",
                .bit = option_program_timeout,
                .example = AGES,
                .to = {TO(program_seconds, takes_age), .least = 1}},
        {.name = "memory",
                .value = "SIZE",
                .help = "give a program up whose compilation needs more memory",
                .bit = option_memory,
                .example = SIZES,
                .to = {TO(memory_bytes, takes_size), .least = 1}},
        {.name = "retry",
                .help = "also try programs that failed before",
                .bit = option_retry,
                .to = {TO(retry, takes_nothing)}},
        {.name = "journal-only",
                .help = "leave the record beside the store alone",
                .bit = option_journal_only,
                .to = {TO(journal_only, takes_nothing)}},
        {.name = "compiled-only",
                .help = "only what the driver's own cache has already",
                .bit = option_compiled_only,
                .to = {TO(compiled_only, takes_nothing)}},
        {.name = "output",
                .value = "FILE",
                .help = "the record that is written",
                .bit = option_output,
                .to = {TO(output, takes_text)}},
        {.name = "progress",
                .help = "show progress also if standard error is no terminal",
                .bit = option_progress,
                .to = {TO(progress, takes_nothing)}},
        {.name = "yes",
                .help = "do not ask for confirmation",
                .bit = option_yes,
                .to = {TO(yes, takes_nothing)}},
};

enum { option_count = sizeof all_options / sizeof *all_options };

/* ---- Help ---------------------------------------------------------------- */

static void print_options(FILE *out, unsigned bits)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        char name[32];
        if (bits == 0 ? o->bit != 0 : (o->bit & bits) == 0) continue;
        snprintf(name, sizeof name, "--%s%s%s", o->name,
                o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
        fprintf(out, "  %-18s %s\n", name, o->help);
    }
}

static void print_program_help(FILE *out)
{
    fputs("usage: dnnl-cache [OPTION ...] COMMAND [ARGUMENT ...]\n"
          "\n"
          "Inspect and maintain a store of cache blobs.\n"
          "\n"
          "Commands (see dnnl-cache COMMAND --help):\n",
            out);
    for (const struct command *c = commands; c->name != NULL; c++)
        fprintf(out, "  %-18s %s\n", c->name, c->purpose);
    fputs("\nOptions:\n", out);
    print_options(out, 0);
    fputs("\n"
          "The default store is $DNNL_CACHE_DIR, else "
          "$XDG_CACHE_HOME/dnnl_cache,\n"
          "else $HOME/.cache/dnnl_cache. The type of an existing store is "
          "detected.\n"
          "A store that import, copy and replay create has the type of "
          "--type, else\n"
          "that of DNNL_CACHE_STORE, else flat; a pack if an empty file is "
          "there.\n"
          "Types of stores: " DNNL_CACHE_STORE_TYPE_TEXT "\n"
          "\n"
          "ENTRY is a prefix of the name that list shows. Where a FILE is "
          "possible\n"
          "too, an argument with a dot or a slash is a file.\n"
          "\n"
          "Exit status: 0 success; 1 damage or differences found, or not all "
          "stored;\n"
          "2 usage error; 3 the store cannot be opened; 4 a read or write "
          "failed;\n"
          "5 no entry, or more than one, has that name.\n",
            out);
}

void options_print_help(FILE *out, const struct command *command)
{
    if (command == NULL) {
        print_program_help(out);
        return;
    }
    fprintf(out, "usage: dnnl-cache [OPTION ...] %s", command->name);
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        if ((o->bit & command->options) == 0) continue;
        const bool needed = (o->bit & command->required) != 0;
        fprintf(out, " %s--%s%s%s%s", needed ? "" : "[", o->name,
                o->value != NULL ? " " : "", o->value != NULL ? o->value : "",
                needed ? "" : "]");
    }
    fprintf(out, "%s%s\n\n%s\n%s", command->arguments[0] != '\0' ? " " : "",
            command->arguments, command->purpose, command->details);
    if ((command->options & ~(unsigned)option_url) != 0) {
        fputs("\nOptions of this command:\n", out);
        print_options(out, command->options);
    }
    fputs("\nOptions:\n", out);
    print_options(out, 0);
}

/* ---- Parsing ------------------------------------------------------------- */

/* Where the command's own help tells more. */
static bool complain_of(const struct command *command, FILE *err,
        const char *what, const char *argument)
{
    fprintf(err, "dnnl-cache: %s%s (see dnnl-cache %s --help)\n", what,
            argument, command->name);
    return false;
}

static bool take_option(struct options *options, const struct choice *choice,
        const char *value, FILE *err)
{
    if (option_value_take(&choice->to, options, value)) return true;
    fprintf(err, "dnnl-cache: --%s: ", choice->name);
    text_print(err, value, strlen(value));
    fprintf(err, ": not a valid %s%s%s (see dnnl-cache --help)\n",
            choice->value, choice->example != NULL ? ", such as " : "",
            choice->example != NULL ? choice->example : "");
    return false;
}

/* Do command, options and arguments go together? */
static bool check(const struct options *options, unsigned given, FILE *err)
{
    const struct command *command = options->command;
    char name[32];
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        snprintf(name, sizeof name, "--%s", o->name);
        if ((given & o->bit & ~command->options) != 0)
            return complain_of(
                    command, err, "not an option of this command: ", name);
        if ((o->bit & command->required & ~given) != 0)
            return complain_of(command, err, "this command requires ", name);
    }
    if (options->argument_count < command->min_arguments)
        return complain_of(
                command, err, "too few arguments for ", command->name);
    if (options->argument_count > command->max_arguments)
        return complain_of(
                command, err, "too many arguments for ", command->name);
    return true;
}

bool options_parse(struct options *options, int argc, char **argv, FILE *err)
{
    enum { first_code = 256 }; /* of all_options[0]; letters are below */
    struct option known[option_count + 1] = {{NULL, 0, NULL, 0}};
    char letters[option_count + 1] = "";
    const struct command_line line = {
            "dnnl-cache", err, argc, argv, letters, known};
    unsigned given = 0;
    int code;
    *options = (struct options){
            .policy = dnnl_cache_store_policy_fifo, .wait_seconds = UINT64_MAX};
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        known[i] = (struct option){o->name,
                o->value != NULL ? required_argument : no_argument, NULL,
                o->letter != '\0' ? o->letter : first_code + (int)i};
        strncat(letters, &o->letter, 1);
    }
    for (bool first = true; (code = command_line_next(&line, first)) != -1;
            first = false) {
        size_t i = 0;
        while (i < option_count && known[i].val != code)
            i++;
        if (i == option_count
                || !take_option(options, &all_options[i], optarg, err))
            return false;
        given |= all_options[i].bit;
    }
    if (optind < argc) {
        options->command = command_find(argv[optind]);
        options->arguments = argv + optind + 1;
        options->argument_count = (size_t)(argc - optind - 1);
        if (options->command == NULL)
            return command_line_complain(
                    &line, "unknown command: ", argv[optind]);
    }
    if (options->help || options->version) return true;
    return options->command != NULL
                   ? check(options, given, err)
                   : command_line_complain(&line, "no command given", "");
}
