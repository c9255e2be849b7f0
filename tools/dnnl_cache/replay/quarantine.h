/* SPDX-License-Identifier: Apache-2.0 */
/* quarantine.h: what the OpenCL layer has noted of entries during whose loads
 * processes ended, beside the store. */
#ifndef DNNL_CACHE_TOOLS_REPLAY_QUARANTINE_H
#define DNNL_CACHE_TOOLS_REPLAY_QUARANTINE_H

#include "tools/dnnl_cache/base/tool.h"

/* Forgets all of it. The store is open. */
enum tool_exit quarantine_clear_all(struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_REPLAY_QUARANTINE_H */
