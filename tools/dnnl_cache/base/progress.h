/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: a bar on standard error, if that is a terminal. */
#ifndef DNNL_CACHE_TOOLS_BASE_PROGRESS_H
#define DNNL_CACHE_TOOLS_BASE_PROGRESS_H

#include "tools/dnnl_cache/base/tool.h"

struct progress {
    FILE *out; /* NULL: nothing is shown */
    const char *what;
    uint64_t total;
    uint64_t done;
    uint64_t shown_ns; /* when it was drawn last */
};

/* Is anything shown at all, so that finding out the total is worth it? */
bool progress_is_shown(const struct tool *tool);

void progress_init(struct progress *progress, const struct tool *tool,
        const char *what, uint64_t total);
/* So many are done. */
void progress_set(struct progress *progress, uint64_t done);
/* Takes it off the screen, before a message or at the end. */
void progress_clear(struct progress *progress);

#endif /* DNNL_CACHE_TOOLS_BASE_PROGRESS_H */
