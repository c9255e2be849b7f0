/* SPDX-License-Identifier: Apache-2.0 */
/* options.h: the command line of dnnl-cache, and what its help says. */
#ifndef DNNL_CACHE_TOOLS_BASE_OPTIONS_H
#define DNNL_CACHE_TOOLS_BASE_OPTIONS_H

#include <dnnl_cache/store.h>

#include <stdio.h>

struct tool;

/* Options that only some commands take. */
enum {
    option_repair = 1u << 0,
    option_to = 1u << 1,
    option_older_than = 1u << 2,
    option_policy = 1u << 3,
    option_yes = 1u << 4,
    option_unsigned = 1u << 5,
    option_long = 1u << 6,
    option_jobs = 1u << 7,
    option_timeout = 1u << 8,
    option_dry_run = 1u << 9,
    option_read_files = 1u << 10,
    option_progress = 1u << 11,
    option_reset = 1u << 12,
    option_wait = 1u << 13,
    option_layer = 1u << 14,
    option_seed = 1u << 15,
    option_id_list = 1u << 16,
    option_ids = 1u << 17,
    option_remote = 1u << 18,
    option_prometheus = 1u << 19,
    option_url = 1u << 20, /* no option: --store may be the URL of a server */
    option_device = 1u << 21,
    option_nice = 1u << 22,
    option_program_timeout = 1u << 23,
    option_memory = 1u << 24,
    option_retry = 1u << 25,
    option_output = 1u << 26,
    option_journal_only = 1u << 27,
    option_sign_key = 1u << 28,
    option_compiled_only = 1u << 29
};

struct command {
    const char *name;
    const char *arguments; /* as the help shows them, "" for none */
    const char *purpose;   /* one line */
    const char *details;   /* the rest of its help */
    unsigned options;      /* those above that it takes */
    unsigned required;     /* those that it needs */
    size_t min_arguments;
    size_t max_arguments;
    int (*run)(struct tool *tool); /* an enum tool_exit */
};

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
    bool seed;
    bool ids;
    bool prometheus;
    const char *sign_key;
    const char *id_list;
    const char *remote;
    uint64_t to_bytes;
    uint64_t older_than_seconds;
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
