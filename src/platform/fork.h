/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork.h: locks that a child of fork() can use.
 *
 * fork() copies a mutex that another thread holds, but not that thread, so in
 * the child nobody ever releases it. There are two ways out, for two kinds of
 * work:
 *
 * - struct fork_mutex: fork() does not wait for it. Whoever takes it first in a
 *   child makes it anew, and is told whether what it guards may be
 * half-written. For short work on memory, and for work that waits for other
 * processes.
 * - fork_enter(): fork() waits for it. For work on what cannot be begun anew in
 * a child: SQLite's account of its locks. It must not fork, nor wait for a
 * thread that does.
 *
 * Locks of files are another matter (stores/files/store_lock.h): a child has to
 * close its copies of the locked descriptors at once, also if it never takes a
 * lock.
 */
#ifndef DNNL_CACHE_PLATFORM_FORK_H
#define DNNL_CACHE_PLATFORM_FORK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

/* How many forks lie between the first process that used a store and this one:
 * another number, another process. Never fails, takes no lock. */
unsigned fork_count(void);

enum fork_state {
    fork_same,  /* as this process left it */
    fork_whole, /* as the parent left it */
    fork_torn   /* as the parent had it while it changed it */
};

struct fork_mutex {
    pthread_mutex_t mutex; /* taken by fork_lock() alone */
    atomic_uint forks;     /* fork_count() of who took it last */
};

#define FORK_MUTEX_INIT              \
    {                                \
        PTHREAD_MUTEX_INITIALIZER, 0 \
    }

/* 0 or an errno value. */
int fork_mutex_init(struct fork_mutex *mutex);
void fork_mutex_fini(struct fork_mutex *mutex);

/* Takes it. Not fork_same: the first time in this process, and nobody
 * else is told; what needs it has to be begun anew now. Torn: not even memory
 * that the guarded data owns can be freed. */
enum fork_state fork_lock(struct fork_mutex *mutex);
void fork_unlock(struct fork_mutex *mutex);

/* What was written before is in memory before what is written after it, in a
 * copy of this process, too. */
static inline void fork_order_writes(void)
{
#ifdef __SANITIZE_THREAD__ /* gcc's does not know fences, and refuses them */
    atomic_signal_fence(memory_order_seq_cst);
#else
    atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* Begins work that fork() waits for; waits for a fork() that has begun. 0 or
 * ETIMEDOUT; a deadline of UINT64_MAX never passes. */
int fork_enter(uint64_t deadline_ns);
void fork_leave(void);

#endif /* DNNL_CACHE_PLATFORM_FORK_H */
