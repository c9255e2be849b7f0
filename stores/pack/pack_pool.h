/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_pool.h: the two connections of one pack store, one to read and one to
 * write, each for one thread at a time.
 *
 * One to read, because a get is copying, mostly: four threads with a connection
 * each took as long as with one, or longer, for each has a page cache of its
 * own to fill (docs/how_it_works/stores.md). One more to write, so that
 * readers do not wait for a writer that waits for those of other processes.
 *
 * fork(): a child has copies of the descriptors, and with them a part in the
 * locks that they have. So fork() waits until no connection is in use, when
 * there is none (fork.h); the child closes its copies (pack_vfs.c),
 * leaves its parent's connections alone, as SQLite asks, and opens its own.
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_POOL_H
#define DNNL_CACHE_STORES_PACK_PACK_POOL_H

#include "stores/pack/pack_connection.h"

#include "src/platform/fork.h"

struct pack_pool {
    struct fork_mutex lock; /* guards all below, and what pack_internal.h
                             * says; leaf; pack_pool_lock() takes it */
    pthread_cond_t changed;
    struct pack_connection *idle[2]; /* to read, to write; NULL: not open */
    bool in_use[2];
    /* What the times of use (pack_use.c) are in a child that has none of its
     * own yet; else fork_same. */
    enum fork_state uses;
};

int pack_pool_init(struct pack_pool *pool);

/* Closes the idle connections; none may be in use. */
void pack_pool_fini(struct pack_pool *pool);

void pack_pool_lock(struct pack_pool *pool);
void pack_pool_unlock(struct pack_pool *pool);

/* Waits until the deadline for one's turn to read or to write: 0 or ETIMEDOUT.
 * *connection may be NULL: then open one. */
int pack_pool_enter(struct pack_pool *pool, bool write, uint64_t deadline_ns,
        struct pack_connection **connection);

/* Gives all that back; connection NULL: it was closed. */
void pack_pool_leave(
        struct pack_pool *pool, bool write, struct pack_connection *connection);

#endif /* DNNL_CACHE_STORES_PACK_PACK_POOL_H */
