/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h: what a command left to be kept, kept after its end.
 *
 * Under the layer a process writes what it built to the store's journal.
 * "dnnl-cache refresh --store STORE --read-files" compiles that once more and
 * stores it.
 */
#ifndef DNNL_CACHE_RUN_DRAIN_H
#define DNNL_CACHE_RUN_DRAIN_H

#include "child.h"

/* Does nothing for a store without a journal. The tool beside this program,
 * else the one that PATH names, is run for the store at this path. is_told:
 * standard error is told of a failure, and of a tool that is not there. Signals
 * that ask to end are the tool's: what it has not done stays in the journal. */
void drain(
        const struct child_signals *signals, const char *store, bool is_told);

#endif /* DNNL_CACHE_RUN_DRAIN_H */
