/* SPDX-License-Identifier: Apache-2.0 */
/* replay.h: a record replayed into the tool's store. */
#ifndef DNNL_CACHE_TOOLS_REPLAY_REPLAY_H
#define DNNL_CACHE_TOOLS_REPLAY_REPLAY_H

#include "tools/dnnl_cache/base/tool.h"

/* Sums of all devices. */
struct replay_counts {
    size_t devices;
    size_t programs; /* of each device */
    size_t there;    /* the store had them */
    size_t missing;  /* of a dry run: to be compiled */
    size_t kept;
    size_t failed;
    size_t known; /* on the list of those that failed */
    size_t refused;
    size_t left;
    size_t unfit;          /* launches that are too large for a device */
    uint64_t naming_ns;    /* finding IDs, before there are workers */
    uint64_t idle_ns;      /* of workers without a job, summed */
    uint64_t predicted_ns; /* of what is missing, one after the other */
    bool is_interrupted;
};

/* Compiles what the record of that path has and the tool's store, which is
 * open, lacks. Else a message, and exit_store or exit_io. Programs that fail
 * are no failure of the call. */
enum tool_exit replay_record(
        struct replay_counts *counts, struct tool *tool, const char *path);

/* The same for an application that dnnl-cache-run has started beside this
 * process, ahead of it, if there is one (ahead.h). What fails is told, and no
 * failure of the caller's. False: this process was asked to end. */
bool replay_ahead(struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_REPLAY_REPLAY_H */
