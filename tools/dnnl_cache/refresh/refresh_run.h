/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_run.h: worker processes make entries (refresh_worker.h), and this one
 * checks what they made and puts it into the tool's store. Where the jobs come
 * from, and what is to be remembered of them, is up to a command.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_RUN_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_RUN_H

#include "tools/dnnl_cache/refresh/refresh_result.h"
#include "tools/dnnl_cache/refresh/replay_failed.h"

struct refresh_hooks {
    /* The job is done: its entry is in the store, or never will be. */
    void (*drop)(void *user, const struct refresh_job *job);
    /* Its entry is in the store; what else the worker made of a primitive is in
     * the slot's folder. NULL: nothing else is wanted. */
    void (*taken)(void *user, const struct refresh_slot *slot,
            const struct refresh_job *job);
    /* It failed for the reason that it has. */
    void (*fail)(void *user, const struct refresh_job *job);
    /* No device of this machine has its ID. */
    void (*pass_over)(void *user, const struct refresh_job *job);
    /* Has the store all of it? */
    bool (*is_there)(void *user, const struct refresh_job *job);

    /* Each may be NULL. Which of the jobs that wait is next; NULL: none. Then
     * none is written for a worker that has one. */
    struct refresh_job *(*choose)(void *user);
    /* Around the making of a job, with what becomes of it. */
    void (*begin)(void *user, const struct refresh_job *job);
    void (*end)(void *user, const struct refresh_job *job);
};

struct refresh_run {
    struct tool *tool; /* with a store open for puts (keep_open()) */
    const struct refresh_hooks *hooks;
    void *user;
    uint64_t most_seconds; /* of a job */
    bool is_nice;          /* to all that nobody waits for it */
    bool completes; /* entries of PoCL's that lack functions for all launches */
    bool expects_failures; /* nobody is told of one */
    bool is_distrusted;    /* a worker takes one job: see refresh_pool.h */
    uint64_t most_bytes;   /* of memory of a worker; 0: no limit */
    uint64_t began_ns;
    struct refresh_jobs jobs;

    /* What came of it. */
    struct refresh_pool pool;    /* closed */
    struct replay_failed failed; /* open while jobs are made */
    size_t forms;                /* entries that lack their forms yet */
    bool makes_forms;  /* of these now: what has no entry was made before */
    size_t completed;  /* entries that were there, and have their forms now */
    size_t next;       /* all jobs before it are begun, or need not be made */
    uint64_t shown_ns; /* when the progress was */
    uint64_t done_ns;  /* compile times of the jobs that are done */
    bool is_shown;
    bool is_late;   /* --timeout has passed */
    size_t no_room; /* jobs for which the folder of temporary files is full */
    bool is_full;   /* the store */
    bool is_other_driver_told;
    size_t not_kept; /* results that the store did not take, one after another
                      */
};

/* Makes what waits of the jobs. Else a message and exit_io. */
enum tool_exit refresh_run_make(struct refresh_run *run);

/* Takes the progress off the screen, before a message. */
void refresh_run_clear(struct refresh_run *run);

/* Jobs that could be made here, and were not. */
size_t refresh_run_count_left(const struct refresh_run *run);

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_RUN_H */
