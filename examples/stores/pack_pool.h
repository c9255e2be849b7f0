/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_pool.h: the connections of one pack store, one for each thread that is
 * in a call, and one writer at a time.
 *
 * fork(): SQLite keeps books of its locks for the whole process, and the
 * kernel does not give a child its parent's locks. So fork() waits until no
 * connection is in use, when the books are empty; the child then leaves its
 * parent's connections alone, as SQLite asks, and opens its own.
 */
#ifndef DNNL_CACHE_EXAMPLES_PACK_POOL_H
#define DNNL_CACHE_EXAMPLES_PACK_POOL_H

#include "pack_connection.h"

#include <pthread.h>

enum { pack_pool_most = 4 };

struct pack_pool {
    struct pack_pool *next; /* among all pools; pack_pool.c's lock */
    struct pack_pool *previous;
    pthread_mutex_t lock; /* guards all below, and what pack_internal.h
                           * says; leaf */
    pthread_cond_t changed;
    struct pack_connection *idle;
    unsigned in_use;
    bool forking; /* a thread waits to fork */
    bool writing;
    bool forked; /* in a child that has not noticed yet */
};

int pack_pool_init(struct pack_pool *pool);

/* Closes the idle connections; none may be in use. */
void pack_pool_fini(struct pack_pool *pool);

/* Waits for the right to use a connection, and for the writer's turn if write,
 * until the deadline: 0 or ETIMEDOUT. *connection is an idle one, or NULL: then
 * open one. */
int pack_pool_enter(struct pack_pool *pool, bool write, uint64_t deadline_ns,
        struct pack_connection **connection);

/* Gives all that back; connection NULL: it was closed. */
void pack_pool_leave(
        struct pack_pool *pool, bool write, struct pack_connection *connection);

#endif /* DNNL_CACHE_EXAMPLES_PACK_POOL_H */
