/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_lease.h: one host compiles an entry, and the others wait.
 *
 * Keys beside the entry NAME (behind the prefix):
 *
 *   NAME:lease  who compiles it: a random token. Ends by itself after the
 *               lease's length, which its holder prolongs at each third
 *   NAME:ms     how long that took last time, until the entry was there
 *   :built      a channel, to which names are published
 *
 * The length of a lease is lease_ms of the URL, or 1.5 times NAME:ms if that is
 * known and less, and never below 100 ms.
 *
 * What a host does whose get() missed (in this order, in one round trip: who
 * puts an entry lets go of its lease afterwards, so that whoever gets a free
 * lease and then finds no entry is the first):
 *
 *        SET NAME:lease TOKEN NX PX length,  GET NAME
 *           |               |             |
 *      entry found      lease got     lease is another's
 *           |               |             |
 *          hit            leads         waits: for a message, the end of that
 *                           |           lease, and looks now and then
 *                           |             |
 *                        compile       the length has passed, and the lease
 *                           |          is the same one's: takes it from there
 *                           |          (once for each waiting host), and leads;
 *                        put entry     or, if another took it, waits for that
 *                           |          one; then compiles without a lease
 *                  delete NAME:lease
 *                  if it has TOKEN,
 *                  publish NAME
 *
 *   who dies, and when              what follows
 *   the leader, while it compiles   the lease ends within its length. The first
 *                                   waiting host to look leads: one compilation
 *                                   more
 *   ... while it puts               the same, unless the entry is there
 *   ... after its put               waiting hosts find the entry at their next
 *                                   look, when the lease ends at the latest
 *   the leader cannot compile it    it lets go and publishes; the next one
 * leads the leader is slow, or stopped  it is deposed as above. What it puts
 * later does no harm: an entry is the same by whoever, and is verified a
 * waiting host                  nothing the connection, or the server   waiting
 * hosts compile at once. If the server comes back empty more than one host
 *                                   compiles: "once" holds while it is healthy
 *   the messages alone              hosts look by themselves, each 10 ms at
 *                                   first, each 250 ms in the end
 *
 * Nobody waits longer than the length for one leader, nor for more than two.
 */
#ifndef DNNL_CACHE_STORES_REDIS_LEASE_H
#define DNNL_CACHE_STORES_REDIS_LEASE_H

#include "redis_internal.h"

/* Begins a request of the verb lead. */
void redis_lead_begin(struct redis_operation *operation);
/* Asks again if it is time to, or gives up waiting. May end the operation. */
void redis_lead_check(struct redis_operation *operation, uint64_t now_ns);
/* When to look again; UINT64_MAX: a reply is awaited. */
uint64_t redis_lead_next_ns(const struct redis_operation *operation);
void redis_lead_destroy(struct redis_lead *lead);

/* Ends the lease of a name, if it is held: after a put, or without one. */
void redis_lease_end(
        struct remote_transport *transport, const char *name, bool is_built);
/* Prolongs what is due. Returns when to look again; UINT64_MAX: never. */
uint64_t redis_lease_renew(struct remote_transport *transport, uint64_t now_ns);
/* Lets go of all, without waiting for answers. */
void redis_lease_end_all(struct remote_transport *transport);

/* If messages come no more, who waits looks for itself. */
void redis_lease_check_messages(struct remote_transport *transport);
/* A message that came in: a name. */
void redis_lease_take_message(void *user, struct redis_reply *reply);

#endif /* DNNL_CACHE_STORES_REDIS_LEASE_H */
