/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h: one run of dnnl-cache: its command line, where it writes, the store
 * it works on. Not for several threads.
 */
#ifndef DNNL_CACHE_TOOLS_BASE_TOOL_H
#define DNNL_CACHE_TOOLS_BASE_TOOL_H

#include "tools/common/text/json.h"
#include "tools/dnnl_cache/base/options.h"

#include <stdio.h>

/* What the process returns; documented in the help and the man page. */
enum tool_exit {
    exit_ok = 0,
    exit_found = 1,    /* damage or differences were found */
    exit_usage = 2,    /* the command line makes no sense */
    exit_store = 3,    /* the store could not be opened */
    exit_io = 4,       /* reading or writing failed, or memory ran out */
    exit_no_entry = 5, /* no entry, or more than one, has that name */
    exit_nothing = 6   /* nothing could be proved */
};

/* What a command does to the store. */
enum tool_access {
    tool_access_read,
    tool_access_check,  /* as read, also what is damaged as a whole */
    tool_access_repair, /* as change, and what is damaged so is emptied */
    tool_access_change,
    tool_access_make /* as change, and where nothing is a store is made */
};

enum { tool_reason_size = 256 };

struct tool {
    const struct options *options;
    FILE *out;
    FILE *err;
    bool colour;    /* out is a terminal that shows it */
    size_t columns; /* of the terminal that out is; 0: nothing is cut */
    dnnl_cache_store_handle_t *store; /* NULL until tool_open(); owned */
    /* Behind it, for refresh; NULL: none; owned by its command. */
    dnnl_cache_store_handle_t *remote;
    const char *type; /* of the store */
    /* What the library said last, for messages: why a blob was refused. */
    char reason[tool_reason_size];
    /* What the store said last, if it was not shown. */
    char complaint[tool_reason_size];
    bool is_store_told;  /* that DNNL_CACHE_STORE makes no sense */
    bool is_hushed;      /* what the store says is not shown, but noted there */
    bool damage_is_told; /* of entries that refresh makes anew */
    uint64_t damaged;    /* entries that the last listing of the store met */
    bool has_made_way;   /* in the store: gone.h */
    uint64_t began_ns;   /* the run */
};

/* Opens the store of the options, once for the whole run; else a message, and
 * exit_store. */
enum tool_exit tool_open(struct tool *tool, enum tool_access access);

/* Opens it again, for something else, and with or without the key. */
enum tool_exit tool_reopen(
        struct tool *tool, enum tool_access access, bool with_key);

/* Says how many damaged entries the last listing met, if any: exit_found then,
 * else the code. */
enum tool_exit tool_report_damage(struct tool *tool, enum tool_exit code);

/* One line to standard error, bytes of no meaning to a terminal escaped. */
void tool_error(struct tool *tool, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* The same, but not with --quiet. */
void tool_warn(struct tool *tool, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
/* Says that memory ran out; returns exit_io. */
enum tool_exit tool_no_memory(struct tool *tool);
/* exit_ok for dnnl_success, else says that it failed and returns exit_io. */
enum tool_exit tool_check(
        struct tool *tool, const char *what, dnnl_status_t status);

/* True if the time of --timeout has passed, which counts from the beginning of
 * the run, whatever its steps. */
bool tool_is_late(const struct tool *tool);

/* Begins the JSON document of a command; end it with json_end_object(). */
void tool_json_begin(struct json *json, struct tool *tool, const char *command);

/* True if a report of what was done is to be written as text. */
bool tool_reports(const struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_BASE_TOOL_H */
