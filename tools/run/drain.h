/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h: what commands left to be kept, kept beside the next one or after
 * one.
 *
 * Under the layer a process writes what it built to the store's journal.
 * "dnnl-cache refresh --store STORE --read-files" compiles that once more and
 * stores it. The tool beside this program, else the one that PATH names, is
 * run.
 */
#ifndef DNNL_CACHE_TOOLS_RUN_DRAIN_H
#define DNNL_CACHE_TOOLS_RUN_DRAIN_H

#include "src/platform/child.h"
#include "src/platform/file.h"
#include "src/platform/library.h"

#include <stddef.h>
#include <stdint.h>

/* What the journal of a store was like. */
struct drain_before {
    struct file_facts journal; /* zeroed: there was none */
};
struct drain_before drain_look(const char *store);

/* How a store is drained. */
struct drain {
    const char *store; /* path */
    const char *layer; /* NULL: the tool's own */
    bool is_told;      /* standard error is told of a failure */
    bool is_ahead;     /* the tool has something to do ahead of the command */
    /* What the tool and its workers print goes there; file_none: to standard
     * error, if the command has ended. */
    int log;
};

/* Does nothing for a store without a journal. If another refresh of the store
 * is at work, it waits for ten seconds where the command has changed the
 * journal, else not at all. Signals that ask to end are the tool's: what it has
 * not done stays in the journal. */
void drain(const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before);

/* Has the journal anything? */
bool drain_has_notes(const struct drain_before *before);

/* May anything be kept beside a command here? Not if it may use one processor
 * only. */
bool drain_beside_is_possible(void);

/* Starts to keep what earlier commands left, with one worker, of the lowest
 * priority. Nothing is started if there is nothing to do, in the journal or
 * ahead of the command, or if it is not possible; if another refresh of the
 * store is at work, the tool ends at once. False: nothing was started. */
bool drain_beside(struct child_beside *beside,
        const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before);
/* Ends it with the command, and says if not all was kept; not if it was ended,
 * by this call or by a signal to all. */
void drain_beside_end(struct child_beside *beside, const struct drain *drain,
        const struct child_end *end);

/* ---- Behind the command (drain_compiled.c) ---- */

/* Has the journal notes of what the driver's own cache has of programs
 * (stores/journal/journal_format.h), or of programs that were stored without
 * their finalised forms (NVIDIA), that it did not have before? before: NULL for
 * any. */
bool drain_has_compiled(const char *store, const struct drain_before *before);

/* Before a command: waits a moment if a refresh is storing such programs, 80 ms
 * for one and 40 for each further one, 400 at most. */
void drain_compiled_await(const char *store);

/* After one, which took so long: has programs stored that it noted so, which
 * takes about 50 ms for the first and 30 for each further one. Waits for a
 * small part of the command's time; what is not done then is done without
 * anybody waiting. */
void drain_compiled(const struct child_signals *signals,
        const struct drain *drain, const struct drain_before *before,
        uint64_t command_ns);

/* What "dnnl-cache refresh" is called with, and in which environment. */
enum { drain_most_arguments = 16 };
struct drain_call {
    char beside[path_size];
    char name[16];
    const char *arguments[drain_most_arguments];
    size_t count;
};
void drain_call_init(struct drain_call *call, const struct drain *drain,
        const char *wait, bool is_quiet);
void drain_call_add(struct drain_call *call, const char *argument);
char *const *drain_call_arguments(const struct drain_call *call);
/* The caller frees the list alone; NULL: no memory. */
char **drain_environment(void);

#endif /* DNNL_CACHE_TOOLS_RUN_DRAIN_H */
