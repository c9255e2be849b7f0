/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_pool.h: worker processes, each with a folder of its own.
 *
 * A worker takes one job after another, as long as their environment is the
 * same: the driver and its compiler start once. In a store that other users may
 * write to it takes one: what their programs do to the compiler must not reach
 * the next. While a pool is open, SIGINT,
 * SIGTERM and SIGHUP are blocked in this process, and refresh_pool_wait()
 * receives them. Workers are in process groups of their own, so that a terminal
 * interrupts this process alone, and die with it.
 */
#ifndef DNNL_CACHE_TOOLS_REFRESH_REFRESH_POOL_H
#define DNNL_CACHE_TOOLS_REFRESH_REFRESH_POOL_H

#include "tools/dnnl_cache/jobs/refresh_jobs.h"
#include "tools/dnnl_cache/jobs/refresh_output.h"

#include "src/platform/interrupts.h"
#include "src/platform/library.h"
#include "src/worker/worker.h"

struct refresh_slot {
    struct worker worker;
    struct refresh_output output; /* of the worker */
    char turn; /* '0' or '1': where its next job is written */
    bool is_busy;
    struct refresh_job *job;         /* the present or the last one */
    struct refresh_job *ahead;       /* written while it has that; NULL: none */
    const struct refresh_job *first; /* whose environment the worker has */
    bool makes_forms;                /* that environment */
    bool has_own_cache;              /* the driver's cache is on, and its own */
    uint64_t began_ns;
    bool is_too_late;           /* it was killed for that */
    bool is_too_large;          /* or for that */
    char folder[path_size];     /* as long as the worker lives */
    char job_folder[path_size]; /* in it; of the next job */
};

struct refresh_pool {
    char folder[path_size]; /* of all slots; "" if it was not made */
    int folder_fd; /* locked while the process lives; -1: it cannot be */
    char layer[path_size]; /* "": there is none */
    /* Owned; of the launches of all jobs; NULL: not known. */
    char *classes;
    char *chosen;
    struct refresh_slot *slots; /* owned */
    size_t count;
    const struct channel **channels; /* owned, as ready: to wait for slots */
    bool *ready;
    size_t running; /* slots that are busy */
    /* The sum over slots of the time without a job; counted up to when? */
    uint64_t idle_ns;
    uint64_t counted_ns;
    bool is_quiet;  /* what workers' drivers print is not shown */
    bool makes_all; /* kernels are compiled for all launches, too */
    bool is_shared; /* the store: a worker takes one job of what others noted */
    struct interrupts interrupts;
    int interrupted; /* the signal that asked this process to end; 0: none */
};

/* Makes room for so many workers, and a folder for them; removes folders of
 * this user's processes that were killed. layer: the OpenCL layer's file; NULL:
 * the one that belongs to this program. 0 or an errno value;
 * after 0 refresh_pool_close() follows. */
int refresh_pool_open(
        struct refresh_pool *pool, size_t count, const char *layer);

/* Tells the workers of what classes launches of jobs will be; the pool's from
 * then on. Not needed. */
void refresh_pool_set_classes(
        struct refresh_pool *pool, char *classes, char *chosen);
/* Kills the workers and removes the folder. */
void refresh_pool_close(struct refresh_pool *pool);

/* A slot without a job, with an empty job_folder; one whose worker may take the
 * job, if there is one. NULL: none. *error: why it could not be made empty, or
 * 0. */
struct refresh_slot *refresh_pool_take(
        struct refresh_pool *pool, const struct refresh_job *job, int *error);

/* Removes what is in the slot's job_folder. 0 or an errno value. */
int refresh_pool_empty(const struct refresh_slot *slot);

/* May the slot's worker take the job when it has done its present one? Then it
 * can be written into job_folder already. */
bool refresh_pool_may_take_next(const struct refresh_pool *pool,
        const struct refresh_slot *slot, const struct refresh_job *job);

/* Gives the slot's worker, started if there is none, the job that was written
 * into its job_folder, which is another one from then on. 0 or an errno value.
 */
int refresh_pool_start(struct refresh_pool *pool, struct refresh_slot *slot,
        struct refresh_job *job);

/* Waits until a job is done, and frees its slot, or until timeout_ms have
 * passed, or a signal came: NULL then. *code: what refresh_worker.h has, or how
 * the worker ended. The slot's job stays until it is taken. */
enum {
    refresh_worker_died = -1,
    refresh_worker_was_ended = -2, /* by what asks processes to end */
    refresh_worker_crashed = -3,   /* by its own mistake: the compiler's */
    refresh_worker_was_killed = -4 /* by somebody, or the system */
};
struct refresh_slot *refresh_pool_wait(
        struct refresh_pool *pool, unsigned timeout_ms, int *code);

/* Kills the worker, whose end refresh_pool_wait() tells; before that it may
 * still tell that the job was done. */
void refresh_pool_kill(struct refresh_slot *slot);

/* Was it, so that it can have no other job? */
static inline bool refresh_pool_is_killed(const struct refresh_slot *slot)
{
    return slot->is_too_late || slot->is_too_large;
}

#endif /* DNNL_CACHE_TOOLS_REFRESH_REFRESH_POOL_H */
