/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_lock.h: a lock that the child of a fork() may use, whatever the other
 * threads of its parent were doing.
 *
 * fork() takes all of them, so they must be leaves, held for a few
 * instructions at a time: who has one takes no other lock and calls nobody.
 */
#ifndef DNNL_CACHE_STORES_FORK_LOCK_H
#define DNNL_CACHE_STORES_FORK_LOCK_H

#include <pthread.h>

struct fork_lock {
    pthread_mutex_t mutex;  /* by fork_lock_take() and fork_lock_leave() */
    struct fork_lock *next; /* of all; the list's lock in fork_lock.c */
};

/* The lock must not move until fork_lock_fini(). */
void fork_lock_init(struct fork_lock *lock);
void fork_lock_fini(struct fork_lock *lock);

static inline void fork_lock_take(struct fork_lock *lock)
{
    (void)pthread_mutex_lock(&lock->mutex);
}

static inline void fork_lock_leave(struct fork_lock *lock)
{
    (void)pthread_mutex_unlock(&lock->mutex);
}

#endif /* DNNL_CACHE_STORES_FORK_LOCK_H */
