/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_prune.h: notes that nobody needs any more. */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_PRUNE_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_PRUNE_H

#include "tools/dnnl_cache/base/tool.h"

/* Drops the launches of programs that neither wait nor have an entry in the
 * store, which was removed. Others stay: see dnnl_cache_store_journal_drop().
 */
enum tool_exit refresh_prune(struct tool *tool);

/* The record beside the tool's store; false: it has no such place. */
enum { refresh_record_path_size = 4096 + 64 };
bool refresh_record_path(
        char path[refresh_record_path_size], const struct tool *tool);

/* Drops all notes and the record: for clear, or the next refresh would bring
 * back what it removed. */
enum tool_exit refresh_forget(struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_PRUNE_H */
