/* SPDX-License-Identifier: Apache-2.0 */
#include "pack_pool.h"

#include "store_signals.h"

#include <errno.h>
#include <time.h>

/* All pools of the process; taken before a pool's own lock. */
static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pack_pool *pools;

/* ---- fork() -------------------------------------------------------------- */

static void before_fork(void)
{
    pthread_mutex_lock(&pools_lock);
    for (struct pack_pool *p = pools; p != NULL; p = p->next) {
        pthread_mutex_lock(&p->lock);
        p->forking = true; /* nobody else begins a call now */
        while (p->in_use[0] || p->in_use[1])
            pthread_cond_wait(&p->changed, &p->lock);
    }
}

static void after_fork_in_parent(void)
{
    for (struct pack_pool *p = pools; p != NULL; p = p->next) {
        p->forking = false;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&pools_lock);
}

static int init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error != 0) return error;
    error = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (error == 0) error = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return error;
}

static void after_fork_in_child(void)
{
    for (struct pack_pool *p = pools; p != NULL; p = p->next) {
        p->forking = false;
        p->forked = true;
        /* Left alone, see the head of pack_pool.h. */
        p->idle[0] = p->idle[1] = NULL;
        /* Threads that waited here are not in the child. */
        (void)init_condition(&p->changed);
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_unlock(&pools_lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- Pools --------------------------------------------------------------- */

int pack_pool_init(struct pack_pool *pool)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *pool = (struct pack_pool){.next = NULL};
    int error = pthread_once(&once, watch_forks);
    if (error == 0) error = pthread_mutex_init(&pool->lock, NULL);
    if (error != 0) return error;
    error = init_condition(&pool->changed);
    if (error != 0) {
        pthread_mutex_destroy(&pool->lock);
        return error;
    }
    pthread_mutex_lock(&pools_lock);
    pool->next = pools;
    if (pools != NULL) pools->previous = pool;
    pools = pool;
    pthread_mutex_unlock(&pools_lock);
    return 0;
}

void pack_pool_fini(struct pack_pool *pool)
{
    pthread_mutex_lock(&pools_lock);
    if (pool->next != NULL) pool->next->previous = pool->previous;
    if (pool->previous != NULL)
        pool->previous->next = pool->next;
    else
        pools = pool->next;
    pthread_mutex_unlock(&pools_lock);
    struct store_signal_mask mask;
    store_signals_block(&mask);
    pack_connection_close(pool->idle[0]);
    pack_connection_close(pool->idle[1]);
    store_signals_restore(&mask);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
}

static bool may_enter_locked(const struct pack_pool *pool, bool write)
{
    return !pool->forking && !pool->in_use[write];
}

int pack_pool_enter(struct pack_pool *pool, bool write, uint64_t deadline_ns,
        struct pack_connection **connection)
{
    const struct timespec until = {(time_t)(deadline_ns / 1000000000u),
            (long)(deadline_ns % 1000000000u)};
    int error = 0;
    pthread_mutex_lock(&pool->lock);
    while (error == 0 && !may_enter_locked(pool, write))
        error = pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
    if (may_enter_locked(pool, write)) {
        error = 0;
        pool->in_use[write] = true;
        *connection = pool->idle[write];
        pool->idle[write] = NULL;
    }
    pthread_mutex_unlock(&pool->lock);
    return error;
}

void pack_pool_leave(
        struct pack_pool *pool, bool write, struct pack_connection *connection)
{
    pthread_mutex_lock(&pool->lock);
    pool->in_use[write] = false;
    pool->idle[write] = connection;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}
