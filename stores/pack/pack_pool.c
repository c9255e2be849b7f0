/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_pool.h"

#include "src/platform/signal_mask.h"
#include "src/platform/thread.h"

#include <errno.h>

int pack_pool_init(struct pack_pool *pool)
{
    *pool = (struct pack_pool){.uses = fork_same};
    int error = fork_mutex_init(&pool->lock);
    if (error != 0) return error;
    error = thread_condition_init(&pool->changed);
    if (error != 0) fork_mutex_fini(&pool->lock);
    return error;
}

void pack_pool_lock(struct pack_pool *pool)
{
    const enum fork_state state = fork_lock(&pool->lock);
    if (state == fork_same) return;
    /* Left alone, see the head of pack_pool.h. Threads that waited, or were
     * about to begin a call, are not in the child. */
    for (int i = 0; i < 2; i++) {
        pool->idle[i] = NULL;
        pool->in_use[i] = false;
    }
    (void)thread_condition_init(&pool->changed);
    if (pool->uses != fork_torn) pool->uses = state;
}

void pack_pool_unlock(struct pack_pool *pool)
{
    fork_unlock(&pool->lock);
}

void pack_pool_fini(struct pack_pool *pool)
{
    struct signal_mask mask;
    (void)fork_enter(UINT64_MAX);
    pack_pool_lock(pool); /* a child forgets its parent's connections here */
    pack_pool_unlock(pool);
    signal_mask_begin(&mask);
    pack_connection_close(pool->idle[0]);
    pack_connection_close(pool->idle[1]);
    signal_mask_end(&mask);
    fork_leave();
    pthread_cond_destroy(&pool->changed);
    fork_mutex_fini(&pool->lock);
}

/* Takes one's turn among the threads of this pool. */
static int take_turn(struct pack_pool *pool, bool write, uint64_t deadline_ns)
{
    pack_pool_lock(pool);
    while (pool->in_use[write]
            && thread_condition_wait(
                    &pool->changed, &pool->lock.mutex, deadline_ns))
        continue;
    const bool is_mine = !pool->in_use[write];
    pool->in_use[write] = true;
    pack_pool_unlock(pool);
    return is_mine ? 0 : ETIMEDOUT;
}

static void end_turn(
        struct pack_pool *pool, bool write, struct pack_connection *connection)
{
    pack_pool_lock(pool);
    pool->in_use[write] = false;
    if (connection != NULL) pool->idle[write] = connection;
    pthread_cond_broadcast(&pool->changed);
    pack_pool_unlock(pool);
}

int pack_pool_enter(struct pack_pool *pool, bool write, uint64_t deadline_ns,
        struct pack_connection **connection)
{
    int error = take_turn(pool, write, deadline_ns);
    if (error != 0) return error;
    error = fork_enter(deadline_ns);
    if (error != 0) {
        end_turn(pool, write, NULL);
        return error;
    }
    /* Nobody else looks at it. */
    *connection = pool->idle[write];
    pool->idle[write] = NULL;
    return 0;
}

void pack_pool_leave(
        struct pack_pool *pool, bool write, struct pack_connection *connection)
{
    end_turn(pool, write, connection);
    fork_leave();
}
