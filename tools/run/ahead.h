/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h: a command's programs, compiled ahead of it after its driver has
 * changed, by the refresh that runs beside it
 * (docs/how_to/record_and_replay.md, "Compiled ahead").
 */
#ifndef DNNL_CACHE_TOOLS_RUN_AHEAD_H
#define DNNL_CACHE_TOOLS_RUN_AHEAD_H

#include "tools/common/state/ahead_session.h"
#include "tools/common/state/ahead_state.h"

struct run_ahead {
    struct ahead_session *session; /* NULL: nothing is compiled ahead */
    int fd;                        /* of it */
    int folder;                    /* beside the store */
    struct ahead_state state;
    uint64_t drivers; /* driver_look() */
    uint64_t record_size;
};

/* Before a command: true if the record that is set has programs that may be
 * missing, as the drivers are others than when nothing was missing. Then a
 * variable is set for the command and what is started beside it.
 * run_ahead_end() follows either way. */
bool run_ahead_begin(
        struct run_ahead *ahead, const char *store, const char *command);

/* After both have ended: remembers what came of it, and tells once that it is
 * over with. log: descriptor, or file_none. */
void run_ahead_end(struct run_ahead *ahead, bool is_told, int log);

#endif /* DNNL_CACHE_TOOLS_RUN_AHEAD_H */
