/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_names.h: the IDs that the programs of a record have on this machine.
 *
 * A process of its own finds them, which compiles nothing: the tool itself
 * loads no driver, and what a record does to one is not the tool's end.
 */
#ifndef DNNL_CACHE_TOOLS_REPLAY_REPLAY_NAMES_H
#define DNNL_CACHE_TOOLS_REPLAY_REPLAY_NAMES_H

#include "tools/dnnl_cache/base/tool.h"
#include "tools/dnnl_cache/jobs/refresh_objection.h"

struct replay_name {
    size_t size; /* 0: it has no ID here */
    const uint8_t *id;
};

/* Of one device. */
struct replay_names {
    size_t devices; /* how many there are to replay for */
    char device[384];
    bool is_pocl;
    uint64_t group;            /* most items of a work group */
    uint64_t items[3];         /* in each dimension */
    struct replay_name engine; /* the device's own */
    size_t count;
    struct replay_name *names; /* owned; of the builds, in the list's order */
    uint8_t *bytes;            /* owned */
};

enum replay_naming {
    replay_named,
    replay_no_device,   /* there are not so many */
    replay_interrupted, /* by a signal, or late */
    replay_not_named    /* the driver, memory, the disk: told */
};

/* How long to wait for a driver. */
struct replay_patience {
    const struct tool *tool;
    int signal_fd; /* of a pool that is open */
};

/* Names the builds of a list for the device of that index, of those with the
 * text in their platform's or own name (NULL: all). folder: an empty one of
 * this process's. After replay_named replay_names_fini() follows. */
enum replay_naming replay_names_make(struct replay_names *names,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy, const char *device, size_t index,
        const char *folder, const struct replay_patience *how);
void replay_names_fini(struct replay_names *names);

#endif /* DNNL_CACHE_TOOLS_REPLAY_REPLAY_NAMES_H */
