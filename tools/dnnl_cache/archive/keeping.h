/* SPDX-License-Identifier: Apache-2.0 */
/* keeping.h: puts an entry into a store, and tells what became of it. */
#ifndef DNNL_CACHE_TOOLS_ARCHIVE_KEEPING_H
#define DNNL_CACHE_TOOLS_ARCHIVE_KEEPING_H

#include "tools/dnnl_cache/archive/archive.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/base/tool.h"

enum kept {
    kept_new,       /* or in place of another blob of the same ID */
    kept_unchanged, /* the very blob was there */
    kept_not,       /* *why in words (static) */
    /* The same, because the store has its applications' capacity, and there is
     * no room but that of what this command needs itself. */
    kept_not_full,
    kept_not_too_large /* the same: larger than that capacity */
};

/* Opens the tool's store for puts: they keep to the limits of the store's
 * applications, and make room as these do. */
enum tool_exit keep_open(struct tool *tool, enum tool_access access);

/* Puts into the tool's store; if it was not kept with an error message. */
enum kept keep_or_tell(struct tool *tool, struct progress *progress,
        const struct archive_entry *entry);

enum kept keep_entry(dnnl_cache_store_handle_t *store,
        const struct archive_entry *entry, const char **why);

#endif /* DNNL_CACHE_TOOLS_ARCHIVE_KEEPING_H */
