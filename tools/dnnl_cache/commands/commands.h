/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: the commands. Each is a function of one run. */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H
#define DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H

#include "tools/dnnl_cache/base/tool.h"

/* All of them; a NULL name is behind the last. */
extern const struct command commands[];

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/* Each in the file of its subject: command_<subject>.c. They return an enum
 * tool_exit. */
int command_stats(struct tool *tool);
int command_list(struct tool *tool);
int command_inspect(struct tool *tool);
int command_verify(struct tool *tool);
int command_why(struct tool *tool);
int command_evict(struct tool *tool);
int command_gc(struct tool *tool);
int command_clear(struct tool *tool);
int command_quarantine(struct tool *tool);
int command_export(struct tool *tool);
int command_import(struct tool *tool);
int command_identity(struct tool *tool);
int command_refresh(struct tool *tool);
int command_replay(struct tool *tool);
int command_record(struct tool *tool);
int command_copy(struct tool *tool);
int command_key(struct tool *tool);

#endif /* DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H */
