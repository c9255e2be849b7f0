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

#include "tools/run/child.h"

#include <sys/stat.h>

/* What the journal of a store was like. */
struct drain_before {
    struct stat journal; /* zeroed: there was none */
};
struct drain_before drain_look(const char *store);

/* How a store is drained. */
struct drain {
    const char *store; /* path */
    const char *layer; /* NULL: the tool's own */
    bool is_told;      /* standard error is told of a failure */
    /* What the tool and its workers print goes there; -1: to standard error, if
     * the command has ended. */
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
 * priority. Nothing is started if the journal has nothing, or if it is not
 * possible; if another refresh of the store is at work, the
 * tool ends at once. False: nothing was started. */
bool drain_beside(struct child_beside *beside,
        const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before);
/* Ends it with the command, and says if not all was kept; not if it was ended,
 * by this call or by a signal to all. */
void drain_beside_end(struct child_beside *beside, const struct drain *drain,
        const struct child_end *end);

#endif /* DNNL_CACHE_TOOLS_RUN_DRAIN_H */
