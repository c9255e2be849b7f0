/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_get.h: gets, many in one command, and some that are not sent at all.
 *
 * Gets that are submitted together are sent together: MGET, with at most
 * redis_most_names names each, so that a server builds no longer answer at
 * once. Each element of the reply is received as a reply of its own, with the
 * limits of one; an array of another length ends the connection. A server or a
 * proxy that refuses MGET is asked with GET, one by one, from then on.
 *
 * A host that follows another one wants the next program a moment before the
 * other one says that it compiles it. Its get waits for that message, for two
 * to six times as long as the server takes to answer, and is then told "absent"
 * without a command. If no message comes it asks, and asks at once from then
 * on, until it follows again. Of an entry that was put meanwhile it has heard
 * that, and asks at once.
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
/* Sends those that are to be sent. Returns when the next one is. */
uint64_t redis_get_ask(struct remote_transport *transport, uint64_t now_ns);
/* Of an operation that ends before it was sent. */
void redis_get_forget(struct redis_operation *operation);

/* A message: another host compiles an entry, or does so no more. */
void redis_get_hear_begin(struct remote_transport *transport, const char *name);
void redis_get_hear_end(struct remote_transport *transport, const char *name);

/* Two to six times as long as an answer takes, and at most so long. */
uint64_t redis_hesitation_ns(
        struct remote_transport *transport, uint64_t most_ns);
/* The same for a get that was not submitted, by any thread. */
uint64_t redis_get_rest_ns(const struct remote_transport *transport,
        uint64_t round_ns, uint64_t now_ns);
/* An answer took so long. */
void redis_note_round(struct remote_transport *transport, uint64_t since_ns);

/* True: the connection has failed since it hears messages, and the get is to be
 * asked for again, once. */
bool redis_get_may_repeat(struct redis_operation *operation);

#endif /* DNNL_CACHE_STORES_REDIS_REDIS_GET_H */
