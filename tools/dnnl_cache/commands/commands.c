/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/commands/commands.h"

#include "tools/dnnl_cache/base/tool.h"

#include <string.h>

static int command_help(struct tool *tool);

const struct command commands[] = {
        {"stats", "", "Show what the store holds, by kind and by device",
                "Sizes are those of the blobs. \"on disk\" is the size that "
                "the store\n"
                "records and compares with its limit. The capacity is the one "
                "that an\n"
                "application last used the store with. Hits, misses, puts, "
                "evictions\n"
                "and refused puts are those of all processes since --reset; "
                "--reset\n"
                "changes nothing else in the store. --prometheus is for "
                "exporters of\n"
                "text files.\n",
                option_reset | option_prometheus | option_id_list | option_url,
                0, 0, 0, command_stats},
        {"list", "", "List the entries, the oldest first",
                "The name of an entry is a prefix of the hash of its ID; "
                "--json shows\n"
                "the whole hash. --long and --json also show the "
                "implementation of a\n"
                "primitive or the build options of a program, and the names "
                "of its\n"
                "kernels.\n",
                option_long | option_ids | option_id_list | option_url, 0, 0, 0,
                command_list},
        {"inspect", "ENTRY|FILE", "Show one entry, or the blob in a file",
                "Shows sizes and times, sections, each program with the size "
                "and codec\n"
                "of its binary, each kernel, all ingredients of the ID, and "
                "build logs.\n"
                "FILE holds a blob, with or without a store's trailer "
                "(kernel.bin), or\n"
                "an ID (key.bin); it needs no store.\n",
                option_url, 0, 1, 1, command_inspect},
        {"verify", "", "Read every entry and report damage",
                "An entry is damaged if its bytes changed after it was "
                "written, and\n"
                "foreign if its blob has another ID. Blobs of a newer format "
                "are only\n"
                "counted. With --key, or a key in a URL, intact entries that "
                "are not\n"
                "of this key are reported as unsigned; --repair leaves them, "
                "and copy\n"
                "onto them replaces them.\n"
                "The exit status is 1 if anything was found, removed or not.\n",
                option_repair | option_unsigned | option_url, 0, 0, 0,
                command_verify},
        {"why", "ENTRY|FILE [ENTRY|FILE]",
                "Show in which ingredients two IDs differ",
                "One argument is compared with the most similar entry of its "
                "kind, if\n"
                "possible of the same source or operation: why was it not "
                "found? FILE\n"
                "holds a blob or an ID. Of long values the table shows the "
                "first part\n"
                "that differs with its byte offset; --json shows all of them.\n"
                "The exit status is 0 if the IDs are equal and 1 if they "
                "differ.\n",
                option_url, 0, 1, 2, command_why},
        {"evict", "", "Remove entries until the store has at most SIZE",
                "SIZE is in bytes or has a unit: K, M, G, T and KiB, MiB ... "
                "are powers\n"
                "of 1024, KB, MB ... are powers of 1000.\n",
                option_to | option_policy, option_to, 0, 0, command_evict},
        {"gc", "", "Remove entries older than AGE",
                "Ages count from the creation of an entry, or, with --policy "
                "lru or\n"
                "cost, from its last recorded use.\n",
                option_older_than | option_policy, option_older_than, 0, 0,
                command_gc},
        {"clear", "", "Remove all entries",
                "Asks for confirmation; pass --yes if standard input is not a "
                "terminal.\n"
                "The quarantine list is cleared too.\n",
                option_yes, 0, 0, 0, command_clear},
        {"quarantine", "list|clear [ENTRY ...]",
                "Show or clear entries that crashed processes",
                "The OpenCL layer records processes that ended while loading "
                "an entry:\n"
                "  watched      one process ended, or none yet with the "
                "replacement\n"
                "  replace      two did: the next start compiles and replaces "
                "the entry\n"
                "  quarantined  two more did with the replacement: every start "
                "compiles\n"
                "A successful load removes an entry from the list, as do "
                "seven days.\n"
                "clear removes all entries, or those named, at once. Running "
                "processes\n"
                "notice when they start again.\n",
                0, 0, 1, SIZE_MAX, command_quarantine},
        {"export", "FILE [ENTRY ...]",
                "Write all entries, or those named, to an archive",
                "FILE - is standard output. The same entries give the same "
                "bytes.\n"
                "Damaged entries and those of a newer format are skipped, and "
                "the exit\n"
                "status is 1. --seed writes a store in one file, to be shipped "
                "with an\n"
                "application or an image and named by DNNL_CACHE_SEED; with "
                "--sign-key\n"
                "each of its entries is signed, for who names the public key "
                "with\n"
                "DNNL_CACHE_SEED_PUBLIC_KEY. Lists of working sets are not "
                "exported.\n",
                option_seed | option_sign_key | option_id_list | option_url, 0,
                1, SIZE_MAX, command_export},
        {"import", "FILE", "Add the entries of an archive to the store",
                "FILE - is standard input. The store is created if its place "
                "does not\n"
                "exist or is an empty directory. The whole archive is checked "
                "first: if\n"
                "it is damaged, nothing is imported and the exit status is 1. "
                "Entries\n"
                "of a newer format are skipped, and the exit status is 1.\n",
                option_url, 0, 1, 1, command_import},
        {"copy", "FROM TO", "Copy what one store has and another lacks",
                "FROM and TO are places or URLs; TO is created as by import. "
                "Damaged\n"
                "entries and those of a newer format are skipped, and the exit "
                "status is 1. What TO has and does not accept, such as entries "
                "of\n"
                "another key, is replaced.\n"
                "Interrupt it at any time: the next copy goes on.\n",
                option_id_list | option_url, 0, 2, 2, command_copy},
        {"identity", "[diff FILE [FILE]]",
                "Show what entries depend on, and how two machines differ",
                "Shows each device with all fields of its IDs, and each object "
                "and file\n"
                "of its driver. Parts that take no part in compiling do not "
                "count. diff\n"
                "compares two files that identity --json wrote, or one with "
                "this machine;\n"
                "needs no store. The exit status of diff is 0 if the machines "
                "share all\n"
                "entries, 1 if not, and 4 if a file cannot be read.\n",
                0, 0, 0, 3, command_identity},
        {"refresh", "",
                "Compile and store what applications left in the journal",
                "Applications note what they build and launch in the store's "
                "journal.\n"
                "Worker processes compile it again, for each way that its "
                "kernels were\n"
                "launched, without launching anything. Interrupt it at any "
                "time: what\n"
                "is not stored yet stays in the journal. Then what the record "
                "beside the\n"
                "store has is replayed: after an update of the driver all of "
                "it.\n"
                "The exit status is 1 if something was not stored: it failed, "
                "or it was\n"
                "refused, or there was no time left.\n",
                option_jobs | option_timeout | option_wait | option_layer
                        | option_dry_run | option_read_files | option_progress
                        | option_remote | option_journal_only
                        | option_compiled_only | option_program_timeout,
                0, 0, 0, command_refresh},
        {"replay", "RECORD", "Compile what a record has and the store lacks",
                "dnnl-cache-run --record makes records. Compiles for the "
                "devices of this\n"
                "machine, in worker processes; no kernel is launched. The "
                "store is created\n"
                "as by import. Interrupt it at any time: the next replay goes "
                "on. A program\n"
                "that ends its worker, takes too long or too much memory is "
                "listed, and not\n"
                "tried again with the same driver, but with --retry. "
                "--dry-run tells how\n"
                "many programs are missing. The exit status is 0 only if "
                "nothing is.\n",
                option_jobs | option_timeout | option_dry_run | option_layer
                        | option_read_files | option_progress | option_remote
                        | option_url | option_device | option_nice
                        | option_program_timeout | option_memory | option_retry,
                0, 1, 1, command_replay},
        {"record", "list|inspect FILE | merge|diff FILE FILE ... | prune FILE",
                "Show and change records of what applications compile",
                "list shows the programs by application, inspect each with "
                "its kernels and\n"
                "launches. merge writes what several records have to --output; "
                "diff tells\n"
                "which programs and launches one of two has alone, and its "
                "exit "
                "status is 1\n"
                "if there are any. prune removes programs not used within "
                "--older-than.\n",
                option_output | option_older_than, 0, 2, SIZE_MAX,
                command_record},
        {"key", "make FILE | make-pair SECRET PUBLIC",
                "Make a key, or a pair of keys for signatures",
                "make writes a secret for --key, and for key_file= of a remote "
                "store:\n"
                "all that read or write entries have it. make-pair writes two "
                "files, for\n"
                "a remote store or a seed: SECRET (mode 0600) for who puts "
                "entries there\n"
                "(sign_key_file=, export --seed --sign-key, import --key), "
                "PUBLIC for who\n"
                "only reads them (public_key_file=, "
                "DNNL_CACHE_SEED_PUBLIC_KEY, verify\n"
                "--key). Files that exist are left unchanged, and the exit "
                "status is 4.\n",
                0, 0, 2, 3, command_key},
        {"help", "[COMMAND]", "Show this help, or that of a command", "", 0, 0,
                0, 1, command_help},
        {NULL, NULL, NULL, NULL, 0, 0, 0, 0, NULL},
};

static int command_help(struct tool *tool)
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

const struct command *command_find(const char *name)
{
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(name, c->name) == 0) return c;
    return NULL;
}
