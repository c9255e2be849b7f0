/* SPDX-License-Identifier: Apache-2.0 */
/* state_place.h: where the tool keeps what it remembers of a store
 * (state_folder.h). */
#ifndef DNNL_CACHE_TOOLS_BASE_STATE_PLACE_H
#define DNNL_CACHE_TOOLS_BASE_STATE_PLACE_H

#include "tools/dnnl_cache/base/tool.h"

enum { state_place_size = 4096 + 64 };

/* The folder beside the tool's store, which is open; of a store on a server the
 * user's own. False: there is no such place. */
bool state_place_find(char path[state_place_size], const struct tool *tool);

/* The user's own: $XDG_STATE_HOME/dnnl_cache or
 * $HOME/.local/state/dnnl_cache. */
bool state_place_find_own(char path[state_place_size]);

/* Opens the folder, and makes it and those above it if make is true. -1: it
 * cannot be used. */
int state_place_open(const char *path, bool make);

#endif /* DNNL_CACHE_TOOLS_BASE_STATE_PLACE_H */
