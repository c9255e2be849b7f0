/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of dnnl-cache, and what its help says. */
#ifndef DNNL_CACHE_TOOLS_BASE_OPTIONS_H
#define DNNL_CACHE_TOOLS_BASE_OPTIONS_H

#include <dnnl_cache/store.h>

#include <stdio.h>

struct tool;

struct command {
    const char *name;
    const char *arguments; /* as the help shows them, "" for none */
    const char *purpose;   /* one line */
    const char *details;   /* the rest of its help */
    /* Those that only some commands take, with a blank between; a ! is behind
     * each that it needs. NULL: none. */
    const char *options;
    bool takes_url; /* --store may be the URL of a server */
    size_t min_arguments;
    size_t max_arguments;
    int (*run)(struct tool *tool); /* an enum tool_exit */
};

/* Is this one of its options? *is_needed (NULL: not asked): must it be given?
 */
bool command_takes(
        const struct command *command, const char *option, bool *is_needed);

/* Strings are those of argv, or NULL where an option was not given. */
struct options {
    const struct command *command;
    const char *store;
    const char *type;
    const char *key_file;
    bool shared;
    bool json;
    bool quiet;
    bool help;
    bool version;
    bool repair;
    bool unsigned_too;
    bool yes;
    bool details;
    bool dry_run;
    bool read_files;
    bool progress;
    unsigned jobs;            /* 0: not given */
    uint64_t timeout_seconds; /* 0: not given */
    uint64_t wait_seconds;    /* UINT64_MAX: not given */
    const char *layer;
    const char *device;
    const char *output;
    unsigned nice;
    uint64_t program_seconds; /* 0: not given */
    uint64_t memory_bytes;    /* 0: not given */
    bool retry;
    bool journal_only;
    bool compiled_only;
    bool reset;
    bool remove;
    bool seed;
    bool ids;
    bool prometheus;
    const char *sign_key;
    const char *id_list;
    const char *remote;
    const char *record;
    unsigned limit; /* 0: not given */
    bool again;
    bool most_used;
    bool keep;
    uint64_t to_bytes;
    uint64_t older_than_seconds; /* 0: not given */
    enum dnnl_cache_store_policy policy;
    char **arguments; /* of the command */
    size_t argument_count;
};

/* Reads the command line. False, after a message to err, if it makes no sense.
 * Options may follow arguments: argv is reordered as getopt_long() does. */
bool options_parse(struct options *options, int argc, char **argv, FILE *err);

/* The help of the program (command NULL) or of one command. */
void options_print_help(FILE *out, const struct command *command);

#endif /* DNNL_CACHE_TOOLS_BASE_OPTIONS_H */
