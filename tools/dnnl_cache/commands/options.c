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
    bool is_general;     /* of every command */
    char letter;         /* of a short form, or '\0' */
    const char *example; /* of a value, or NULL */
    struct option_value to;
};

static bool parse_type(void *options, const char *text)
{
    ((struct options *)options)->type = text;
    return dnnl_cache_store_find_type(text) != NULL;
}

/* In the order of enum dnnl_cache_store_policy, from FIFO on. */
static const char *const policies[] = {"fifo", "lru", "cost", NULL};

#define TO(name, what) .takes = (what), .member = offsetof(struct options, name)
/* A row: is it of every command, its name, what stands for its value, its help,
 * an example of a value, what it takes. */
#define ROW(general, word, of, text, such, ...)                 \
    {                                                           \
        .is_general = (general), .name = (word), .value = (of), \
        .help = (text), .example = (such), .to = {              \
            __VA_ARGS__                                         \
        }                                                       \
    }
#define FLAG(word, member, text) \
    ROW(false, word, NULL, text, NULL, TO(member, takes_nothing))
#define SIZES "500K, 10M or 1.5GiB"
#define AGES "90s, 30m, 12h, 30d or 2w"

static const struct choice all_options[] = {
        ROW(true, "store", "PLACE",
                "the store: a directory, the file of a pack, or a URL", NULL,
                TO(store, takes_text)),
        ROW(true, "type", "TYPE", "override the detected type of the store",
                DNNL_CACHE_STORE_TYPE_TEXT, .takes = takes_other,
                .parse = parse_type),
        ROW(true, "key", "FILE",
                "the key that entries are signed with, or its public one", NULL,
                TO(key_file, takes_text)),
        ROW(true, "shared", NULL,
                "accept a store that other users may write to", NULL,
                TO(shared, takes_nothing)),
        ROW(true, "json", NULL, "write one JSON document instead of text", NULL,
                TO(json, takes_nothing)),
        ROW(true, "quiet", NULL, "print errors only", NULL,
                TO(quiet, takes_nothing)),
        {.name = "help",
                .is_general = true,
                .letter = 'h',
                .help = "show this help (also -h)",
                .to = {TO(help, takes_nothing)}},
        {.name = "version",
                .is_general = true,
                .letter = 'V',
                .help = "show the versions of tool and library (also -V)",
                .to = {TO(version, takes_nothing)}},
        FLAG("long", details, "read each blob, and show what it was made from"),
        FLAG("ids", ids, "only print the IDs, for --id-list"),
        ROW(false, "id-list", "FILE",
                "the entries of these IDs, if the server cannot list what\n"
                "                     it has; - is standard input",
                NULL, TO(id_list, takes_text)),
        FLAG("seed", seed,
                "write a store in one read-only file, not an archive"),
        ROW(false, "sign-key", "FILE",
                "sign the entries of a seed with this secret key", NULL,
                TO(sign_key, takes_text)),
        FLAG("prometheus", prometheus, "write the text that Prometheus reads"),
        FLAG("reset", reset,
                "set the recorded hits, misses, puts and evictions to 0"),
        FLAG("remove", remove, "remove the entries that are gone"),
        FLAG("repair", repair, "remove damaged and foreign entries"),
        FLAG("unsigned", unsigned_too,
                "with --repair: also remove entries not signed with the key"),
        ROW(false, "to", "SIZE",
                "the size to shrink the store to, such as " SIZES, SIZES,
                TO(to_bytes, takes_size)),
        ROW(false, "older-than", "AGE", "the age, such as " AGES, AGES,
                TO(older_than_seconds, takes_age), .least = 1),
        ROW(false, "policy", "POLICY",
                "which entries to remove first: fifo (default), lru\n"
                "                     or cost; lru and cost count ages from "
                "the last use",
                "fifo, lru or cost", TO(policy, takes_choice),
                .least = dnnl_cache_store_policy_fifo, .names = policies),
        ROW(false, "jobs", "N",
                "how many worker processes (default: one a processor)", "4",
                TO(jobs, takes_number), .least = 1, .most = 1024),
        ROW(false, "timeout", "AGE", "stop after this time, such as " AGES,
                AGES, TO(timeout_seconds, takes_age), .least = 1),
        ROW(false, "wait", "AGE",
                "wait at most so long for another refresh of the store; 0:\n"
                "                     leave all to that one",
                "0, " AGES, TO(wait_seconds, takes_age)),
        ROW(false, "layer", "FILE",
                "the OpenCL layer (default: the one installed with this\n"
                "                     program)",
                NULL, TO(layer, takes_text)),
        FLAG("dry-run", dry_run, "only tell what would be compiled"),
        FLAG("read-files", read_files,
                "also compile programs that include files; use it only\n"
                "                     if you trust who can write to the store"),
        ROW(false, "remote", "URL",
                "also put what is compiled into this store on a server\n"
                "                     (default: DNNL_CACHE_REMOTE)",
                NULL, TO(remote, takes_text)),
        ROW(false, "device", "TEXT",
                "only devices with this text in their platform's or own\n"
                "                     name",
                NULL, TO(device, takes_text)),
        ROW(false, "nice", "N", "give way to other processes, up to 19", "10",
                TO(nice, takes_number), .most = 19),
        ROW(false, "program-timeout", "AGE",
                "give a program up after this time (default: 10m)", AGES,
                TO(program_seconds, takes_age), .least = 1),
        ROW(false, "memory", "SIZE",
                "give a program up whose compilation needs more memory", SIZES,
                TO(memory_bytes, takes_size), .least = 1),
        FLAG("retry", retry, "also try programs that failed before"),
        FLAG("journal-only", journal_only,
                "leave the record beside the store alone"),
        FLAG("compiled-only", compiled_only,
                "only what the driver's own cache has already"),
        ROW(false, "output", "FILE", "the record that is written", NULL,
                TO(output, takes_text)),
        ROW(false, "record", "FILE",
                "what the programs are compiled from (default: the record\n"
                "                     beside the store)",
                NULL, TO(record, takes_text)),
        ROW(false, "limit", "N", "prove at most so many entries", "100",
                TO(limit, takes_number), .least = 1, .most = UINT32_MAX),
        FLAG("most-used", most_used,
                "those that were used last first (default: at random)"),
        FLAG("again", again, "also entries that were proved before"),
        FLAG("keep", keep, "remove nothing"),
        FLAG("progress", progress,
                "show progress also if standard error is no terminal"),
        FLAG("yes", yes, "do not ask for confirmation"),
};

enum { option_count = sizeof all_options / sizeof *all_options };

/* ---- Help ---------------------------------------------------------------- */

/* Those of the command, or with NULL those of all. */
static void print_options(FILE *out, const struct command *command)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        char name[32];
        if (command == NULL ? !o->is_general
                            : !command_takes(command, o->name, NULL))
            continue;
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
    for (size_t i = 0; commands[i] != NULL; i++)
        fprintf(out, "  %-18s %s\n", commands[i]->name, commands[i]->purpose);
    fputs("\nOptions:\n", out);
    print_options(out, NULL);
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
          "5 no entry, or more than one, has that name; 6 nothing could be "
          "proved.\n",
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
        bool needed;
        if (!command_takes(command, o->name, &needed)) continue;
        fprintf(out, " %s--%s%s%s%s", needed ? "" : "[", o->name,
                o->value != NULL ? " " : "", o->value != NULL ? o->value : "",
                needed ? "" : "]");
    }
    fprintf(out, "%s%s\n\n%s\n%s", command->arguments[0] != '\0' ? " " : "",
            command->arguments, command->purpose, command->details);
    if (command->options != NULL) {
        fputs("\nOptions of this command:\n", out);
        print_options(out, command);
    }
    fputs("\nOptions:\n", out);
    print_options(out, NULL);
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

/* With what it takes. */
static bool complain_of_count(
        const struct command *command, FILE *err, const char *count)
{
    char what[128];
    (void)snprintf(what, sizeof what, "%s arguments for %s%s", count,
            command->name, command->arguments[0] != '\0' ? ": " : "");
    return complain_of(command, err, what, command->arguments);
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
static bool check(const struct options *options, const bool *given, FILE *err)
{
    const struct command *command = options->command;
    char name[32];
    for (size_t i = 0; i < option_count; i++) {
        const struct choice *o = &all_options[i];
        snprintf(name, sizeof name, "--%s", o->name);
        bool is_needed = false;
        const bool is_taken = command_takes(command, o->name, &is_needed);
        if (given[i] && !is_taken && !o->is_general)
            return complain_of(
                    command, err, "not an option of this command: ", name);
        if (is_needed && !given[i])
            return complain_of(command, err, "this command requires ", name);
    }
    if (options->argument_count < command->min_arguments)
        return complain_of_count(command, err, "too few");
    if (options->argument_count > command->max_arguments)
        return complain_of_count(command, err, "too many");
    return true;
}

bool options_parse(struct options *options, int argc, char **argv, FILE *err)
{
    enum { first_code = 256 }; /* of all_options[0]; letters are below */
    struct option known[option_count + 1] = {{NULL, 0, NULL, 0}};
    char letters[option_count + 1] = "";
    const struct command_line line = {
            "dnnl-cache", err, argc, argv, letters, known};
    bool given[option_count] = {false};
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
        given[i] = true;
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
