/* SPDX-License-Identifier: Apache-2.0 */
/* commands.h: the commands. Each is a function of one run. */
#ifndef DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H
#define DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H

#include "tools/dnnl_cache/base/tool.h"

/* All of them; NULL is behind the last. */
extern const struct command *const commands[];

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/* Each in the file of its subject: command_<subject>.c. */
extern const struct command command_stats, command_list, command_inspect,
        command_verify, command_why, command_evict, command_gc, command_clear,
        command_quarantine, command_export, command_import, command_copy,
        command_identity, command_refresh, command_replay, command_record,
        command_key, command_gone, command_prove;

#endif /* DNNL_CACHE_TOOLS_COMMANDS_COMMANDS_H */
