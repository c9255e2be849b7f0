/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gone.h: which entries of a store belong to drivers that are gone.
 *
 * An entry is judged gone if the build of its driver is not on this machine and
 * it was not used for a while. Nothing is judged where others may use the
 * store, whose drivers cannot be seen from here, or where uses are not noted.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_GONE_H
#define DNNL_CACHE_TOOLS_REFRESH_GONE_H

#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/jobs/driver_builds.h"

/* Not used for that long. */
#define GONE_USUAL_SECONDS (UINT64_C(30) * 86400)

/* A build that this machine does not have. */
struct gone_driver {
    struct driver_build build;
    char *platform, *version, *object; /* as IDs have them; owned */
    uint64_t entries, bytes;
    uint64_t used_ns;                  /* the last use of any of them */
    uint64_t gone_entries, gone_bytes; /* of them */
};

struct gone_entry {
    size_t id_size;
    uint8_t *id; /* owned */
    uint64_t bytes;
    uint64_t used_ns;
};

struct gone {
    char why_not[256]; /* nothing is judged, in words; "": it is */
    struct gone_driver *drivers;
    size_t driver_count;
    struct gone_entry *entries; /* those that are gone */
    size_t entry_count;
};

/* Judges the entries of the open store. Pair with gone_fini(). Not exit_ok:
 * after a message. */
enum tool_exit gone_judge(
        struct gone *gone, struct tool *tool, uint64_t unused_seconds);
void gone_fini(struct gone *gone);

/* For a command that is about to put so many bytes: if they do not fit into the
 * store beside what there is, entries that are gone go first from now on. Looks
 * once a run, and says nothing. */
void gone_make_way(struct tool *tool, uint64_t bytes);

/* The same as soon as less than a quarter of the store is free, for what
 * applications will put. */
void gone_make_way_early(struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_REFRESH_GONE_H */
