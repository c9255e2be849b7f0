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
                .help = "where the store is: a folder, of a pack a file",
                .apply = apply_store},
        {.name = "--type",
                .value = "TYPE",
                .help = "what kind of store it is, if not as it looks",
                .example = DNNL_CACHE_STORE_TYPE_TEXT,
                .apply = apply_type},
        {.name = "--key",
                .value = "FILE",
                .help = "the key of a store with signed entries",
                .apply = apply_key},
        {.name = "--shared",
                .help = "a store that others may write to is fine",
                .apply = apply_shared},
        {.name = "--json",
                .help = "write one JSON document instead of text",
                .apply = apply_json},
        {.name = "--quiet",
                .help = "no progress, no warnings, no report of what was done",
                .apply = apply_quiet},
        {.name = "--help",
                .letter = 'h',
                .help = "this text; also -h",
                .apply = apply_help},
        {.name = "--version",
                .letter = 'V',
                .help = "the version of the tool and of the library; also -V",
                .apply = apply_version},
        {.name = "--long",
                .help = "also what each entry is of; its blob is read for that",
                .bit = option_long,
                .apply = apply_long},
        {.name = "--repair",
                .help = "remove what is damaged",
                .bit = option_repair,
                .apply = apply_repair},
        {.name = "--unsigned",
                .help = "with --repair: also what is not signed with the key",
                .bit = option_unsigned,
                .apply = apply_unsigned},
        {.name = "--to",
                .value = "SIZE",
                .help = "all files together, such as " SIZES,
                .bit = option_to,
                .example = SIZES,
                .apply = apply_to},
        {.name = "--older-than",
                .value = "AGE",
                .help = "such as " AGES,
                .bit = option_older_than,
                .example = AGES,
                .apply = apply_older_than},
        {.name = "--policy",
                .value = "POLICY",
                .help = "who goes first: fifo (default), lru or cost; with "
                        "the\n"
                        "                     others ages count from the last "
                        "use",
                .bit = option_policy,
                .example = "fifo, lru or cost",
                .apply = apply_policy},
        {.name = "--yes",
                .help = "do not ask",
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
          "Looks into a store of cache blobs, and looks after it.\n"
          "\n"
          "Commands (dnnl-cache COMMAND --help tells more):\n",
            out);
    for (const struct command *c = commands; c->name != NULL; c++)
        fprintf(out, "  %-18s %s\n", c->name, c->purpose);
    fputs("\nOptions:\n", out);
    print_options(out, 0);
    fputs("\n"
          "Without --store it is the place in DNNL_CACHE_DIR, else\n"
          "$XDG_CACHE_HOME/dnnl_cache, else $HOME/.cache/dnnl_cache. Its type "
          "is\n"
          "found out from what is there; import makes a new one of --type, "
          "else\n"
          "of that in DNNL_CACHE_STORE, else with --store a bucket, without "
          "it\n"
          "flat, as the OpenCL layer's.\n"
          "Types of stores: " DNNL_CACHE_STORE_TYPE_TEXT "\n"
          "\n"
          "An ENTRY is named by the beginning of the name that list shows. "
          "Where\n"
          "a FILE is possible too, what has a dot or a slash in it is one.\n"
          "\n"
          "Exit status: 0 well; 1 damage or differences were found; 2 wrong\n"
          "usage; 3 the store could not be opened; 4 reading or writing "
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
    fputs(" (dnnl-cache --help tells more)\n", err);
    return false;
}

/* The same where the command's own help tells more. */
static bool complain_of(const struct command *command, FILE *err,
        const char *what, const char *argument)
{
    fprintf(err, "dnnl-cache: %s", what);
    text_print(err, argument, strlen(argument));
    fprintf(err, " (dnnl-cache %s --help tells more)\n", command->name);
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
    if (option == NULL) return complain(err, "no such option: ", argument);
    if (option->value == NULL && value != NULL)
        return complain(err, "no value is possible: ", argument);
    if (option->value != NULL && value == NULL) {
        if (++*i == argc) return complain(err, "no value for ", argument);
        value = argv[*i];
    }
    *given |= option->bit;
    if (option->apply(options, value)) return true;
    fprintf(err, "dnnl-cache: %s: ", option->name);
    text_print(err, value, strlen(value));
    fprintf(err, ": no %s%s%s (dnnl-cache --help tells more)\n", option->value,
            option->example != NULL ? ", such as " : "",
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
           || complain(err, "no such command: ", argument);
}

/* Do command, options and arguments go together? */
static bool check(const struct options *options, unsigned given, FILE *err)
{
    const struct command *command = options->command;
    if (command == NULL) return complain(err, "no command", "");
    for (size_t i = 0; i < option_count; i++) {
        const struct option *o = &all_options[i];
        if ((given & o->bit & ~command->options) != 0)
            return complain_of(
                    command, err, "not an option of this command: ", o->name);
        if ((o->bit & command->required & ~given) != 0)
            return complain_of(command, err, "this command needs ", o->name);
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
