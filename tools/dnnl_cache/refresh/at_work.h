/* SPDX-License-Identifier: Apache-2.0 */
/* at_work.h: a refresh of the store by another process, which goes on behind an
 * application that has ended. */
#ifndef DNNL_CACHE_TOOLS_REFRESH_AT_WORK_H
#define DNNL_CACHE_TOOLS_REFRESH_AT_WORK_H

#include "tools/dnnl_cache/base/tool.h"

/* Waits until none is at work on the tool's store, which is open, and none is
 * about to begin: at most so many seconds or as long as --timeout says. Tells
 * that it does, and if it was in vain. A store on a server has none. True: it
 * waited, and the store is to be opened anew. */
bool at_work_await(struct tool *tool, unsigned most_seconds);

#endif /* DNNL_CACHE_TOOLS_REFRESH_AT_WORK_H */
