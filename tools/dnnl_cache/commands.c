/* SPDX-License-Identifier: Apache-2.0 */
#include "commands.h"

#include "tool.h"

#include <string.h>

static int command_help(struct tool *tool);

const struct command commands[] = {
        {"stats", "", "What the store holds, by kind and by device.",
                "Sizes are those of the blobs; \"on disk\" is what the store\n"
                "itself records, which its limit is compared with.\n",
                0, 0, 0, 0, command_stats},
        {"list", "", "One line for each entry, the oldest first.",
                "The name of an entry is the beginning of a hash of its ID;\n"
                "with --json it is whole. --long adds the implementation of a\n"
                "primitive or the build options of a program, and the "
                "kernels'\n"
                "names, which --json always has.\n",
                option_long, 0, 0, 0, command_list},
        {"inspect", "ENTRY|FILE", "What one entry, or the blob in a file, is.",
                "Its sizes and times, its sections, each program with the "
                "size\n"
                "and codec of its binary, each kernel by name, all "
                "ingredients\n"
                "of its ID, and the compiler's logs. FILE holds a blob, also "
                "with\n"
                "what a store has put behind it (kernel.bin), or an ID "
                "(key.bin);\n"
                "no store is needed for it.\n",
                0, 0, 1, 1, command_inspect},
        {"verify", "", "Reads every entry through and says what is damaged.",
                "An entry is damaged if its bytes are not those that were\n"
                "written, and foreign if they are, but are not the blob of "
                "its\n"
                "ID. Blobs of a newer format are left alone. With --key, what "
                "is\n"
                "intact but not signed with it is told apart, and left alone "
                "too.\n"
                "Exit status 1 if anything was found, removed or not.\n",
                option_repair | option_unsigned, 0, 0, 0, command_verify},
        {"why", "ENTRY|FILE [ENTRY|FILE]",
                "In which ingredients two IDs differ.",
                "With one argument it is compared with the most similar entry\n"
                "of its kind, if possible one of the same source or "
                "operation:\n"
                "why was this not found? FILE holds a blob or an\n"
                "ID. Of long values the table shows the first part that\n"
                "differs and the number of its byte, --json all. Exit status\n"
                "0 if they are equal, 1 if they differ.\n",
                0, 0, 1, 2, command_why},
        {"evict", "", "Removes entries until all files have at most SIZE.",
                "A SIZE without a unit is in bytes; K, M, G, T and KiB, MiB "
                "...\n"
                "are powers of 1024, KB, MB ... powers of 1000.\n",
                option_to | option_policy, option_to, 0, 0, command_evict},
        {"gc", "", "Removes entries older than AGE.",
                "Ages count from an entry's creation or, with --policy lru or\n"
                "cost, from its last use, as far as that was noted.\n",
                option_older_than | option_policy, option_older_than, 0, 0,
                command_gc},
        {"clear", "", "Removes all entries.",
                "Asks first; where nobody can answer, --yes is needed. What\n"
                "quarantine lists goes, too.\n",
                option_yes, 0, 0, 0, command_clear},
        {"quarantine", "list|clear [ENTRY ...]",
                "Entries during whose loads processes ended.",
                "The OpenCL layer notes them. States: \"watched\", one death,\n"
                "or none yet with what replaced the entry;\n"
                "\"replace\", two, the next start compiles and replaces the\n"
                "entry; \"quarantined\", two more with what replaced it: it "
                "is\n"
                "compiled at each start. A load that succeeds makes it\n"
                "forgotten, and so do seven days. clear does at once, for all\n"
                "or for the entries named; processes that run know of it when "
                "they start\n"
                "again.\n",
                0, 0, 1, SIZE_MAX, command_quarantine},
        {"export", "FILE [ENTRY ...]",
                "Writes all entries, or some, to an archive.",
                "FILE may be -, standard output. The same entries give the "
                "same\n"
                "bytes. What is damaged or of "
                "a\n"
                "newer format is left out: exit status 1.\n",
                0, 0, 1, SIZE_MAX, command_export},
        {"import", "FILE", "Puts the entries of an archive into the store.",
                "FILE may be -, standard input. A store is made where nothing "
                "is, or an empty folder. Every "
                "byte\n"
                "is checked first: of an archive that is damaged nothing is "
                "imported, "
                "and\n"
                "the exit status is 1. Entries of a newer format are left "
                "out,\n"
                "with exit status 1, too.\n",
                0, 0, 1, 1, command_import},
        {"help", "[COMMAND]", "This text, or that of a command.", "", 0, 0, 0,
                1, command_help},
        {NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL},
};

static int command_help(struct tool *tool)
{
    const struct options *options = tool->options;
    const struct command *command = NULL;
    if (options->argument_count > 0) {
        command = command_find(options->arguments[0]);
        if (command == NULL) {
            tool_error(tool, "no such command: %s", options->arguments[0]);
            return exit_usage;
        }
    }
    options_print_help(tool->out, command);
    return exit_ok;
}

const struct command *command_find(const char *name)
{
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(name, c->name) == 0) return c;
    return NULL;
}
