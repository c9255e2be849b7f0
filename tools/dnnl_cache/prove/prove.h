/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prove.h: entries of a store are compiled again, and compared.
 *
 * What is compiled is what a record or the store's journal has of a program, in
 * a worker process of its own, in the environment that the entry's ID names,
 * for the launches that the entry has code for (refresh_worker.h). An entry
 * that differs is compiled once more: a driver that does not compile the same
 * twice proves nothing. If it still differs, it is told, and removed from a
 * store of this user's own.
 */
#ifndef DNNL_CACHE_TOOLS_PROVE_PROVE_H
#define DNNL_CACHE_TOOLS_PROVE_PROVE_H

#include "tools/common/proof/proof.h"
#include "tools/dnnl_cache/base/progress.h"
#include "tools/dnnl_cache/prove/prove_memory.h"
#include "tools/dnnl_cache/refresh/refresh_pool.h"
#include "tools/dnnl_cache/replay/replay_names.h"
#include "tools/dnnl_cache/view/catalog.h"

/* What became of an entry. */
enum prove_state {
    prove_no_record, /* nothing says what it was compiled from */
    prove_elsewhere, /* of a driver that this machine does not have */
    prove_left,      /* there was no time for it, or it was not chosen */
    prove_young,     /* too young for a refresh */
    prove_recent,    /* judged before, and not again */
    prove_refused,   /* it must not be compiled here */
    prove_failed,    /* it could not be compiled */
    prove_open,      /* compiled, but that cannot be compared */
    prove_proved,
    prove_differed,
    prove_states
};

struct prove_entry {
    const struct entry *entry; /* of the catalog */
    struct driver_build build;
    enum prove_state state;
    const char *why; /* static, or NULL */
    char where[sizeof(((struct proof *)NULL)->where)];
    enum proof_suspect suspect;
    char application[64];
    /* prove_failed, for what this machine lacks and not for what the program
     * is: memory, room for files, a worker that lives. */
    bool is_for_machine;
    bool is_removed;
};

struct prove {
    struct tool *tool; /* with an open store */
    /* What is wanted. */
    const char *record;      /* NULL: the one beside the store */
    uint64_t most_entries;   /* 0: all */
    uint64_t most_ns;        /* of time; 0: no limit */
    uint64_t most_cpu_ns;    /* of the workers; 0: no limit */
    uint64_t least_seconds;  /* since an entry was put */
    bool again;              /* also those that were proved */
    bool by_use;             /* those used last come first; else by chance */
    bool may_remove;         /* what differs */
    bool is_for_refresh;     /* nobody waits for it, and its time is counted */
    bool is_open_for_change; /* the store */

    /* What came of it. */
    struct catalog catalog;
    struct prove_entry *entries; /* owned; of programs, by name */
    size_t count;
    uint64_t tried;    /* entries that were compiled again */
    uint64_t spent_ns; /* of processor time */
    bool is_interrupted;
    /* Why it ended early: the store could not be opened again, and tool->store
     * is NULL; exit_ok: it did not. */
    enum tool_exit broken;
    bool lacks_means; /* in refresh: to compile anything now */

    /* While it runs. */
    uint64_t began_ns;
    uint64_t cpu_before_ns; /* of children */
    uint64_t cpu_noted_ns;  /* of that time, in the budget */
    struct progress progress;
    struct refresh_pool pool; /* one worker */
    struct prove_memory memory;
};

/* Statuses: exit_ok, whatever differs; else after a message. Pair with
 * prove_fini(). */
enum tool_exit prove_store(struct prove *prove);
void prove_fini(struct prove *prove);

size_t prove_count(const struct prove *prove, enum prove_state state);

/* For refresh, whose store is open for changes: within the day's budget. */
void prove_within_budget(struct tool *tool);

/* ---- Parts of it --------------------------------------------------------- */

/* Compiles the job's entry again and judges it; both belong together. */
void prove_entry_again(struct prove *prove, const struct refresh_jobs *jobs,
        struct refresh_job *job, struct prove_entry *entry);

/* Has the time passed that is for all, or was the process asked to end? */
bool prove_must_end(struct prove *prove);

/* By its age and by what is remembered: prove_left, if it may be proved. */
enum prove_state prove_look_at(
        const struct prove *prove, const struct prove_entry *entry);

/* Proves what it can of the entries that the list has notes of. */
enum tool_exit prove_list(struct prove *prove,
        const struct dnnl_cache_store_journal_list *list,
        const struct refresh_policy *policy);

/* The entry of that ID; NULL: the store has none. */
struct prove_entry *prove_find(
        struct prove *prove, size_t id_size, const uint8_t *id);

/* A second message about an entry that differed: what its ID names, and what it
 * does not. */
void prove_tell_missing(struct tool *tool, size_t id_size, const uint8_t *id);

/* The name of a state in reports. */
const char *prove_state_name(enum prove_state state);

#endif /* DNNL_CACHE_TOOLS_PROVE_PROVE_H */
