/* SPDX-License-Identifier: Apache-2.0 */
#include "fork_lock.h"

/* Guards the list; taken before the locks in it. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fork_lock *all;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&all_lock);
    for (struct fork_lock *lock = all; lock != NULL; lock = lock->next)
        fork_lock_take(lock);
}

static void after_fork(void)
{
    for (struct fork_lock *lock = all; lock != NULL; lock = lock->next)
        fork_lock_leave(lock);
    (void)pthread_mutex_unlock(&all_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, after_fork, after_fork);
}

void fork_lock_init(struct fork_lock *lock)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, watch_forks);
    (void)pthread_mutex_init(&lock->mutex, NULL); /* cannot fail on Linux */
    (void)pthread_mutex_lock(&all_lock);
    lock->next = all;
    all = lock;
    (void)pthread_mutex_unlock(&all_lock);
}

void fork_lock_fini(struct fork_lock *lock)
{
    (void)pthread_mutex_lock(&all_lock);
    struct fork_lock **at = &all;
    while (*at != lock)
        at = &(*at)->next;
    *at = lock->next;
    (void)pthread_mutex_unlock(&all_lock);
    (void)pthread_mutex_destroy(&lock->mutex);
}
