/* SPDX-License-Identifier: Apache-2.0 */
/* refresh_prune.h: notes that nobody needs any more. */
#ifndef DNNL_CACHE_TOOL_REFRESH_PRUNE_H
#define DNNL_CACHE_TOOL_REFRESH_PRUNE_H

#include "tool.h"

/* Drops the launches of programs that neither wait nor have an entry in the
 * store, which was removed. Others stay: see dnnl_cache_store_journal_drop().
 */
enum tool_exit refresh_prune(struct tool *tool);

/* Drops all notes: for clear, or the next refresh would bring back what it
 * removed. */
enum tool_exit refresh_forget(struct tool *tool);

#endif /* DNNL_CACHE_TOOL_REFRESH_PRUNE_H */
