/* SPDX-License-Identifier: Apache-2.0 */
/*
 * refresh_pool.h: worker processes, each with a folder of its own.
 *
 * While a pool is open, SIGCHLD, SIGINT, SIGTERM and SIGHUP are blocked in this
 * process, and refresh_pool_wait() receives them. Workers are in process groups
 * of their own, so that a terminal interrupts this process alone, and die with
 * it.
 */
#ifndef DNNL_CACHE_TOOL_REFRESH_POOL_H
#define DNNL_CACHE_TOOL_REFRESH_POOL_H

#include "refresh_jobs.h"

#include <limits.h>
#include <signal.h>
#include <sys/types.h>

struct refresh_slot {
    pid_t pid; /* 0: free */
    struct refresh_job *job;
    uint64_t began_ns;
    bool is_too_late; /* it was killed for that */
    char folder[PATH_MAX];
};

struct refresh_pool {
    char folder[PATH_MAX]; /* of all slots; "" if it was not made */
    int folder_fd;        /* locked while the process lives; -1: it cannot be */
    char layer[PATH_MAX]; /* "": there is none */
    struct refresh_slot *slots; /* owned */
    size_t count;
    size_t running;
    sigset_t before;
    int interrupted; /* the signal that asked this process to end; 0: none */
};

/* Makes room for so many workers, and a folder for them; removes folders of
 * this user's processes that were killed. 0 or an errno value;
 * after 0 refresh_pool_close() follows. */
int refresh_pool_open(struct refresh_pool *pool, size_t count);
/* Kills the workers and removes the folder. */
void refresh_pool_close(struct refresh_pool *pool);

/* A slot that is free, with an empty folder; NULL: none. *error: why it could
 * not be made empty, or 0. */
struct refresh_slot *refresh_pool_take(struct refresh_pool *pool, int *error);

/* Removes what is in the slot's folder. 0 or an errno value. */
int refresh_pool_empty(const struct refresh_slot *slot);

/* Starts a worker. 0 or an errno value. */
int refresh_pool_start(struct refresh_pool *pool, struct refresh_slot *slot,
        struct refresh_job *job);

/* Waits until a worker has ended, and frees its slot, or until timeout_ms have
 * passed, or a signal came: NULL then. *status: as waitpid() has it. The slot's
 * folder stays until it is taken. */
struct refresh_slot *refresh_pool_wait(
        struct refresh_pool *pool, unsigned timeout_ms, int *status);

/* Kills the worker, whose end refresh_pool_wait() tells. */
void refresh_pool_kill(struct refresh_slot *slot);

#endif /* DNNL_CACHE_TOOL_REFRESH_POOL_H */
