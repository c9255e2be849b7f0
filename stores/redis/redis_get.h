/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_get.h: gets, many in one command.
 *
 * Gets that are submitted together are sent together: MGET, with at most
 * redis_most_names names each, so that a server builds no longer answer at
 * once. Each element of the reply is received as a reply of its own, with the
 * limits of one; an array of another length ends the connection. A server or a
 * proxy that refuses MGET is asked with GET, one by one, from then on.
 *
 * A server limits what it keeps for a connection that hears messages (Redis: 32
 * MB), and closes it when a longer answer is due. So a get whose connection
 * ended is asked once more, on a connection that hears none
 * (redis_messages.h).
 */
#ifndef DNNL_CACHE_STORES_REDIS_REDIS_GET_H
#define DNNL_CACHE_STORES_REDIS_REDIS_GET_H

#include "stores/redis/redis_internal.h"

enum { redis_most_names = 64 };

/* Begins a request of the verb get. */
void redis_get_begin(struct redis_operation *operation);
/* Sends those that are to be sent. */
void redis_get_ask(struct remote_transport *transport);
/* Of an operation that ends before it was sent. */
void redis_get_forget(struct redis_operation *operation);

/* True: the connection has failed since it hears messages, and the get is to be
 * asked for again, once. */
bool redis_get_may_repeat(struct redis_operation *operation);

#endif /* DNNL_CACHE_STORES_REDIS_REDIS_GET_H */
