/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_failed.h: programs that a driver could not compile, which are not
 * tried again.
 *
 * They are listed by their IDs, which another driver changes: so with that they
 * are tried again. The list is the file "replay_failed" in the folder that the
 * layer has beside the store (state_folder.h); of a store on a server, in
 * $XDG_STATE_HOME/dnnl_cache or $HOME/.local/state/dnnl_cache.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REPLAY_FAILED_H
#define DNNL_CACHE_TOOLS_REFRESH_REPLAY_FAILED_H

#include "tools/dnnl_cache/base/tool.h"

struct replay_failed {
    int folder; /* -1: there is none yet */
    char path[4096 + 64];
    char *text; /* owned; NULL: nothing is listed */
};

/* Reads the list that belongs to the tool's store; one that cannot be read is
 * empty. */
void replay_failed_open(struct replay_failed *failed, struct tool *tool);
void replay_failed_close(struct replay_failed *failed);

/* True if the program is listed. */
bool replay_failed_has(
        const struct replay_failed *failed, size_t id_size, const uint8_t *id);

/* Adds one, for a reason. False: the list cannot be written. */
bool replay_failed_add(struct replay_failed *failed, size_t id_size,
        const uint8_t *id, const char *why, const char *application);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REPLAY_FAILED_H */
