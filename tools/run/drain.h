/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h: what a command left to be kept, kept after its end.
 *
 * Under the layer a process writes what it built to the store's journal.
 * "dnnl-cache refresh --store STORE --read-files" compiles that once more and
 * stores it.
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
};

/* Does nothing for a store without a journal. The tool beside this program,
 * else the one that PATH names, is run. If another refresh of the store is at
 * work, it waits for ten seconds where the command has changed the journal,
 * else not at all. Signals that ask to end are the tool's: what it has not done
 * stays in the journal. */
void drain(const struct child_signals *signals, const struct drain *drain,
        const struct drain_before *before);

#endif /* DNNL_CACHE_TOOLS_RUN_DRAIN_H */
