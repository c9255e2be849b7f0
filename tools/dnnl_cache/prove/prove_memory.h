/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove_memory.h: what was proved of a store's entries, so that they are not
 * proved again soon.
 *
 * It is the file "proofs" in the folder that the layer has beside the store
 * (state_place.h), of a store on a server with a hash of its URL behind the
 * name: a line a proof, which is written at once, so that a process
 * that is killed loses the present one alone. What a line says is not trusted
 * with anything but which entries are proved next, and the totals.
 */
#ifndef DNNL_CACHE_TOOLS_PROVE_PROVE_MEMORY_H
#define DNNL_CACHE_TOOLS_PROVE_PROVE_MEMORY_H

#include "tools/dnnl_cache/base/state_place.h"
#include "tools/dnnl_cache/jobs/driver_builds.h"

/* How long a proof counts. */
enum { prove_memory_days = 30 };

struct prove_totals {
    uint64_t proved;
    uint64_t differed;
};

/* What came of an entry. */
enum prove_result {
    prove_result_none, /* nothing that counts */
    prove_result_open, /* it was tried in vain */
    prove_result_proved,
    prove_result_differed
};

struct prove_past; /* a result that still counts */

struct prove_memory {
    int folder; /* -1: there is none yet */
    char path[state_place_size];
    char name[32];           /* of the file */
    char *text;              /* owned; NULL: nothing is known */
    struct prove_past *past; /* owned, sorted */
    size_t past_count;
    struct prove_totals totals;
    bool is_stuck; /* it cannot be written: told once */
};

/* Reads what belongs to the tool's store, which is open. */
void prove_memory_open(struct prove_memory *memory, struct tool *tool);
void prove_memory_close(struct prove_memory *memory);

/* The totals alone. */
struct prove_totals prove_memory_read_totals(struct tool *tool);

/* What came, within the days and with that driver, of the entry of that name,
 * which was created then. */
enum prove_result prove_memory_find(const struct prove_memory *memory,
        const char *name, const struct driver_build *build,
        uint64_t created_ns);

/* Adds what came of an entry. A failure is told once. */
void prove_memory_add(struct prove_memory *memory, struct tool *tool,
        const char *name, const struct driver_build *build,
        enum prove_result result);

#endif /* DNNL_CACHE_TOOLS_PROVE_PROVE_MEMORY_H */
