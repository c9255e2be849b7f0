/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead_state.h: what became of programs that were compiled ahead of
 * applications, in the file "ahead" beside the store (state_folder.h).
 */
#ifndef DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_STATE_H
#define DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many applications, those that were started last. */
enum { ahead_most_applications = 64, ahead_name_size = 64 };

struct ahead_state {
    char application[ahead_name_size];
    uint64_t drivers;     /* with these nothing is left to be made; 0: none */
    uint64_t tried;       /* with these it was tried last */
    uint64_t tries;       /* and how often nothing came of it */
    uint64_t record;      /* what its record has: a hash; 0: not known */
    uint64_t record_size; /* of the file that has it, which others share */
    uint64_t made;        /* programs, since the record is like that */
    uint64_t unused;      /* of those it did not ask for */
    bool is_stopped;      /* until the record changes */
};

/* More than a third, of some: so many say nothing yet. */
enum { ahead_least_made = 4 };
static inline bool ahead_is_mostly_unused(const struct ahead_state *state)
{
    return state->made >= ahead_least_made && state->unused * 3 > state->made;
}

/* The application's in the folder (state_folder_open_path()); else a new one.
 * False: the name is too long, or none. */
bool ahead_state_read(
        struct ahead_state *state, int folder, const char *application);
/* False: it cannot be written. */
bool ahead_state_write(int folder, const struct ahead_state *state);

/* Of all applications, since their records are as they are. */
struct ahead_totals {
    uint64_t made;
    uint64_t unused;
    uint64_t stopped; /* applications */
};
struct ahead_totals ahead_state_sum(int folder);

#endif /* DNNL_CACHE_TOOLS_COMMON_STATE_AHEAD_STATE_H */
