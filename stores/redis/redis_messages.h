/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_messages.h: hearing what other hosts say of leases.
 *
 * A host subscribes when it first waits for another one, and until 5 s after it
 * last did. It does so on the connection of its commands, which needs RESP3
 * (HELLO 3, Redis 6): a host has one connection, and a server room for twice as
 * many hosts. Where the server refuses that, another connection hears.
 *
 * A server limits what it keeps for a connection that hears (Redis: 32 MB of
 * answers that are not sent yet), and ends it when there is more. A get that
 * lost its connection so is asked for again, and for a minute messages have a
 * connection of their own.
 *
 * The messages are described in redis_lease.h; redis_heard.h keeps them.
 */
#ifndef DNNL_CACHE_STORES_REDIS_REDIS_MESSAGES_H
#define DNNL_CACHE_STORES_REDIS_REDIS_MESSAGES_H

#include "stores/redis/redis_internal.h"

/* Begins to subscribe, if need be. False: there is no answer to come. */
bool redis_messages_subscribe(struct remote_transport *transport);

/* Are they heard, with nothing lost since? */
bool redis_messages_are_heard(const struct remote_transport *transport);

/* Sees that the connection was lost, and ends it when nobody has waited for a
 * while. Returns when to look again. */
uint64_t redis_messages_check(struct remote_transport *transport, uint64_t now);

/* Another connection hears them for a while. */
void redis_messages_keep_apart(struct remote_transport *transport);

/* Of the connection that hears nothing but messages. */
void redis_messages_take(void *user, struct redis_reply *reply);

#endif /* DNNL_CACHE_STORES_REDIS_REDIS_MESSAGES_H */
