/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include "commands.h"
#include "place.h"
#include "text.h"
#include "units.h"

#include <dnnl_cache/store_types.h>

#include <stdlib.h>
#include <string.h>

/* ---- What there is ------------------------------------------------------- */

struct option {
    const char *name;
    const char *value; /* what stands for its value; NULL: it has none */
    const char *help;
    unsigned bit;        /* 0: for every command */
    char letter;         /* of a short form, or '\0' */
    const char *example; /* of a value, or NULL */
    /* False if the value makes no sense. */
    bool (*apply)(struct options *options, const char *value);
};

static bool apply_store(struct options *options, const char *value)
{
    options->store = value;
    return value[0] != '\0';
}

static bool apply_type(struct options *options, const char *value)
{
    options->type = value;
    return dnnl_cache_store_find_type(value) != NULL;
}

static bool apply_key(struct options *options, const char *value)
{
    options->key_file = value;
    return value[0] != '\0';
}

static bool apply_shared(struct options *options, const char *value)
{
    (void)value;
    return options->shared = true;
}

static bool apply_json(struct options *options, const char *value)
{
    (void)value;
    return options->json = true;
}

static bool apply_quiet(struct options *options, const char *value)
{
    (void)value;
    return options->quiet = true;
}

static bool apply_help(struct options *options, const char *value)
{
    (void)value;
    return options->help = true;
}

static bool apply_version(struct options *options, const char *value)
{
    (void)value;
    return options->version = true;
}

static bool apply_repair(struct options *options, const char *value)
{
    (void)value;
    return options->repair = true;
}

static bool apply_unsigned(struct options *options, const char *value)
{
    (void)value;
    return options->unsigned_too = true;
}

static bool apply_long(struct options *options, const char *value)
{
    (void)value;
    return options->details = true;
}

static bool apply_yes(struct options *options, const char *value)
{
    (void)value;
    return options->yes = true;
}

static bool apply_to(struct options *options, const char *value)
{
    return units_parse_size(&options->to_bytes, value);
}

static bool apply_older_than(struct options *options, const char *value)
{
    return units_parse_age(&options->older_than_seconds, value);
}

static bool apply_policy(struct options *options, const char *value)
{
    static const char *const names[] = {"fifo", "lru", "cost"};
    for (int i = 0; i < 3; i++)
        if (strcmp(value, names[i]) == 0) {
            options->policy = (enum dnnl_cache_store_policy)i;
            return true;
        }
    return false;
}

#define SIZES "500K, 10M or 1.5GiB"
#define AGES "90s, 30m, 12h, 30d or 2w"

static const struct option all_options[] = {
        {.name = "--store",
                .value = "PLACE",
                .help = "the store: a directory, or the file of a pack",
                .apply = apply_store},
        {.name = "--type",
                .value = "TYPE",
                .help = "override the detected type of the store",
                .example = DNNL_CACHE_STORE_TYPE_TEXT,
                .apply = apply_type},
        {.name = "--key",
                .value = "FILE",
                .help = "the key that entries are signed with",
                .apply = apply_key},
        {.name = "--shared",
                .help = "accept a store that other users may write to",
                .apply = apply_shared},
        {.name = "--json",
                .help = "write one JSON document instead of text",
                .apply = apply_json},
        {.name = "--quiet", .help = "print errors only", .apply = apply_quiet},
        {.name = "--help",
                .letter = 'h',
                .help = "show this help (also -h)",
                .apply = apply_help},
        {.name = "--version",
                .letter = 'V',
                .help = "show the versions of tool and library (also -V)",
                .apply = apply_version},
        {.name = "--long",
                .help = "read each blob, and show what it was made from",
                .bit = option_long,
                .apply = apply_long},
        {.name = "--repair",
                .help = "remove damaged and foreign entries",
                .bit = option_repair,
                .apply = apply_repair},
        {.name = "--unsigned",
                .help = "with --repair: also remove entries not signed with "
                        "the key",
                .bit = option_unsigned,
                .apply = apply_unsigned},
        {.name = "--to",
                .value = "SIZE",
                .help = "the size to shrink the store to, such as " SIZES,
                .bit = option_to,
                .example = SIZES,
                .apply = apply_to},
        {.name = "--older-than",
                .value = "AGE",
                .help = "the age, such as " AGES,
                .bit = option_older_than,
                .example = AGES,
                .apply = apply_older_than},
        {.name = "--policy",
                .value = "POLICY",
                .help = "which entries to remove first: fifo (default), lru\n"
                        "                     or cost; lru and cost count ages "
                        "from the last use",
                .bit = option_policy,
                .example = "fifo, lru or cost",
                .apply = apply_policy},
        {.name = "--yes",
                .help = "do not ask for confirmation",
                .bit = option_yes,
                .apply = apply_yes},
};

enum { option_count = sizeof all_options / sizeof *all_options };

/* ---- Help ---------------------------------------------------------------- */

static void print_options(FILE *out, unsigned bits)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option *o = &all_options[i];
        char name[32];
        if (bits == 0 ? o->bit != 0 : (o->bit & bits) == 0) continue;
        snprintf(name, sizeof name, "%s%s%s", o->name,
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
          "A store that import creates has the type of --type, else that of\n"
          "DNNL_CACHE_STORE, else bucket if --store is given and flat (the "
          "type of\n"
          "the OpenCL layer) if not.\n"
          "Types of stores: " DNNL_CACHE_STORE_TYPE_TEXT "\n"
          "\n"
          "ENTRY is a prefix of the name that list shows. Where a FILE is "
          "possible\n"
          "too, an argument with a dot or a slash is a file.\n"
          "\n"
          "Exit status: 0 success; 1 damage or differences found; 2 usage "
          "error;\n"
          "3 the store cannot be opened; 4 a read or write failed; 5 no "
          "entry, or\n"
          "more than one, has that name.\n",
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
        const struct option *o = &all_options[i];
        if ((o->bit & command->options) == 0) continue;
        const bool needed = (o->bit & command->required) != 0;
        fprintf(out, " %s%s%s%s%s", needed ? "" : "[", o->name,
                o->value != NULL ? " " : "", o->value != NULL ? o->value : "",
                needed ? "" : "]");
    }
    fprintf(out, "%s%s\n\n%s\n%s", command->arguments[0] != '\0' ? " " : "",
            command->arguments, command->purpose, command->details);
    if (command->options != 0) {
        fputs("\nOptions of this command:\n", out);
        print_options(out, command->options);
    }
    fputs("\nOptions:\n", out);
    print_options(out, 0);
}

/* ---- Parsing ------------------------------------------------------------- */

static bool complain(FILE *err, const char *what, const char *argument)
{
    fprintf(err, "dnnl-cache: %s", what);
    text_print(err, argument, strlen(argument));
    fputs(" (see dnnl-cache --help)\n", err);
    return false;
}

/* The same where the command's own help tells more. */
static bool complain_of(const struct command *command, FILE *err,
        const char *what, const char *argument)
{
    fprintf(err, "dnnl-cache: %s", what);
    text_print(err, argument, strlen(argument));
    fprintf(err, " (see dnnl-cache %s --help)\n", command->name);
    return false;
}

/* The option of an argument "--name" or "--name=value". */
static const struct option *find_option(
        const char *argument, const char **value)
{
    const size_t length = strcspn(argument, "=");
    *value = argument[length] == '=' ? argument + length + 1 : NULL;
    for (size_t i = 0; i < option_count; i++)
        if (argument[1] != '\0' && argument[1] == all_options[i].letter
                && argument[2] == '\0')
            return &all_options[i];
    for (size_t i = 0; i < option_count; i++)
        if (strlen(all_options[i].name) == length
                && strncmp(argument, all_options[i].name, length) == 0)
            return &all_options[i];
    return NULL;
}

/* Takes argv[*i], an option, and its value. */
static bool take_option(struct options *options, unsigned *given, int *i,
        int argc, char **argv, FILE *err)
{
    const char *value;
    const char *argument = argv[*i];
    const struct option *option = find_option(argument, &value);
    if (option == NULL) return complain(err, "unknown option: ", argument);
    if (option->value == NULL && value != NULL)
        return complain(err, "this option takes no argument: ", argument);
    if (option->value != NULL && value == NULL) {
        if (++*i == argc)
            return complain(err, "missing argument of ", argument);
        value = argv[*i];
    }
    *given |= option->bit;
    if (option->apply(options, value)) return true;
    fprintf(err, "dnnl-cache: %s: ", option->name);
    text_print(err, value, strlen(value));
    fprintf(err, ": not a valid %s%s%s (see dnnl-cache --help)\n",
            option->value, option->example != NULL ? ", such as " : "",
            option->example != NULL ? option->example : "");
    return false;
}

static bool take_argument(struct options *options, char *argument, FILE *err)
{
    if (options->command != NULL) {
        options->arguments[options->argument_count++] = argument;
        return true;
    }
    options->command = command_find(argument);
    return options->command != NULL
           || complain(err, "unknown command: ", argument);
}

/* Do command, options and arguments go together? */
static bool check(const struct options *options, unsigned given, FILE *err)
{
    const struct command *command = options->command;
    if (command == NULL) return complain(err, "no command given", "");
    for (size_t i = 0; i < option_count; i++) {
        const struct option *o = &all_options[i];
        if ((given & o->bit & ~command->options) != 0)
            return complain_of(
                    command, err, "not an option of this command: ", o->name);
        if ((o->bit & command->required & ~given) != 0)
            return complain_of(command, err, "this command requires ", o->name);
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
    unsigned given = 0;
    bool only_arguments = false;
    *options = (struct options){.policy = dnnl_cache_store_policy_fifo};
    options->arguments = calloc((size_t)argc + 1, sizeof *options->arguments);
    if (options->arguments == NULL) return complain(err, "out of memory", "");
    for (int i = 1; i < argc; i++) {
        bool good = true;
        if (!only_arguments && strcmp(argv[i], "--") == 0)
            only_arguments = true;
        else if (!only_arguments && argv[i][0] == '-' && argv[i][1] != '\0')
            good = take_option(options, &given, &i, argc, argv, err);
        else
            good = take_argument(options, argv[i], err);
        if (!good) return false;
    }
    return options->help || options->version || check(options, given, err);
}

void options_fini(struct options *options)
{
    free(options->arguments);
    options->arguments = NULL;
}
