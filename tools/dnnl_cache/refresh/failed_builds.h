/* SPDX-License-Identifier: Apache-2.0 */
/*
 * failed_builds.h: the builds that fail each time which the layer keeps beside
 * the tool's store (tools/common/state/failed_place.h). Where there are none,
 * or they are not this user's, these calls do nothing.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_FAILED_BUILDS_H
#define DNNL_CACHE_TOOLS_REFRESH_FAILED_BUILDS_H

#include "tools/dnnl_cache/base/tool.h"

struct failed_builds_counts {
    size_t kept;    /* answered without the driver */
    size_t seen;    /* once: not answered yet */
    size_t expired; /* of both, that count no more */
    size_t damaged; /* of which nobody can read what they are */
    uint64_t bytes; /* of all records */
};

/* What there is. */
void failed_builds_count(
        struct failed_builds_counts *counts, struct tool *tool);

struct failed_builds_retried {
    size_t failing;   /* still */
    size_t forgotten; /* they compile now */
};

/* Compiles them again in workers, while the tool's store is open for puts: what
 * compiles is put there, and its failure is forgotten. Removes what is too old.
 * Else a message, and exit_io. */
enum tool_exit failed_builds_retry(
        struct failed_builds_retried *retried, struct tool *tool);

/* Removes those that came to their state longer ago; 0: all, and their notes.
 * Returns how many. */
uint64_t failed_builds_remove(struct tool *tool, uint64_t older_than_seconds);

/* Reads all; repair: removes those that are damaged. Returns how many are. */
size_t failed_builds_verify(struct tool *tool, bool repair);

#endif /* DNNL_CACHE_TOOLS_REFRESH_FAILED_BUILDS_H */
