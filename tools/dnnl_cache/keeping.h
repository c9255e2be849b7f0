/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.h: puts an entry into a store, and tells what became of it. */
#ifndef DNNL_CACHE_TOOL_KEEPING_H
#define DNNL_CACHE_TOOL_KEEPING_H

#include "archive.h"
#include "progress.h"
#include "tool.h"

enum kept {
    kept_new,       /* or in place of another blob of the same ID */
    kept_unchanged, /* the very blob was there */
    kept_not        /* *why in words (static) */
};

/* The same into the tool's store, of kept_not with an error message. */
enum kept keep_or_tell(struct tool *tool, struct progress *progress,
        const struct archive_entry *entry);

enum kept keep_entry(struct dnnl_cache_store_handle *store,
        const struct archive_entry *entry, const char **why);

#endif /* DNNL_CACHE_TOOL_KEEPING_H */
