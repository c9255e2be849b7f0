/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_lease.h: one host compiles an entry, and the others wait.
 *
 * Keys beside the entry NAME (behind the prefix):
 *
 *   NAME:lease  who compiles it: a random token. Ends by itself after the
 *               lease's length; its holder prolongs it at each third of that,
 *               for ten lengths and at most 600 s
 *   NAME:ms     how long compiling took last time, until the entry was there
 *   :built      a channel. "NAME TOKEN MS": that token's holder compiles the
 *               entry from now on, and its lease is so long; said again while
 *               it prolongs that. "NAME": nobody compiles it any more. "NAME
 *               failed", before that: its holder could not compile it, or the
 *               server takes none
 *
 * The length of a lease is lease_ms of the URL, or 1.5 times NAME:ms if that
 * is known and less, and never below 1 s nor below 8 times what the server's
 * last answer took, so that a holder that lives keeps it though machine and
 * server are busy; but lease_ms at most.
 *
 * A host that hears the messages is told of both, and asks for nothing while
 * another one compiles: redis_heard.h. What any other host does whose get()
 * missed, in one round trip and in this order: who puts an entry lets go of its
 * lease afterwards, so that whoever gets a free lease and then finds no entry
 * is the first. A host subscribes before that, unless it led the last entry.
 *
 * One that followed another host last waits first, in its get()
 * (redis_get.h): the one that led may be ahead again, and says so. One that
 * followed another host last sends the first of these commands alone:
 * if it does not get the lease, it is told what becomes of that; if not within
 * an eighth of the length, it sends all.
 *
 *       SET NAME:lease TOKEN NX PX length,  ...,  GET NAME
 *             |                |                 |
 *        entry found       lease got      lease is another's
 *             |                |                 |
 *            hit             leads          waits: until a message comes or
 *                              |            that lease ends, then looks again
 *                       publishes both           |
 *                           compiles             |
 *                              |            after eleven lengths, if the lease
 *                          puts entry       is still the same host's: takes it
 *                              |            from there and leads; if another
 *                       deletes NAME:lease  host was first, waits for that
 *                       if it has TOKEN,    one, as long; then compiles
 *                       publishes NAME      without a lease
 *
 * Who dies, and what follows:
 *
 *   the holder, while it compiles: the lease ends within its length. The first
 *       waiting host that looks then leads: one more compilation
 *   the holder, while it puts: the same, unless the entry is there
 *   the holder, after its put: waiting hosts find the entry at their next look,
 *       when the lease ends at the latest
 *   the holder cannot compile it, or the server does not take it: it says
 *       that it failed, and each host that waits compiles, without a lease.
 *       Programs that do not compile do so nowhere, and each host has to try
 *       before it can say so: one after the other they would take as many times
 *       as long. If it was the holder's own failure, such as too little memory,
 *       that is as many compilations as hosts wait, as without a server. Hosts
 *       that come later begin anew: one of them leads
 *   the holder gives up without having tried, such as when its store is closed,
 *       or has no answer to its put: it lets go and publishes; the next host
 *       finds the entry, or leads
 *   the holder is slow, and lives: it prolongs its lease, and is waited for
 *   the holder is stopped, or its compiler does not end: its lease ends, and
 *       another host takes it, as above. What the holder puts later does no
 *       harm: every entry is verified
 *   a waiting host: nothing
 *   the connection, or the server: waiting hosts compile at once. A lease that
 *       they may have got they let go of when they reach the server again. If
 *       a server comes back empty, more than one host compiles: "once" holds
 *       for a healthy server
 *   the messages alone, or a server that does not let hosts subscribe: hosts
 *       look by themselves, after 15 ms at first, and in the end each 250 ms or
 *       each twentieth of the length, whichever is longer
 *
 * Pauses, and when a holder has been waited for long enough, differ by up to an
 * eighth from host to host: the first one that looks then leads, and its
 * message keeps the others from looking at the same moment.
 *
 * Nobody waits longer for one holder than it prolongs its lease and one length
 * more, nor for more than two.
 *
 * redis_lease.c has the leases that this process holds, redis_wait.c is how it
 * gets one or waits.
 */
#ifndef DNNL_CACHE_STORES_REDIS_LEASE_H
#define DNNL_CACHE_STORES_REDIS_LEASE_H

#include "stores/redis/redis_internal.h"

#define REDIS_LEASE_SUFFIX ":lease"
#define REDIS_TIME_SUFFIX ":ms"
/* What follows the name in a message of a failure. */
#define REDIS_FAILED "failed"

enum { redis_token_size = 33 };

/* ---- redis_lease.c ------------------------------------------------------- */

/* How long a lease is. recorded_ms: what compiling took; 0: not known. */
uint64_t redis_lease_length(
        const struct remote_transport *transport, uint64_t recorded_ms);

/* The channel of messages. */
void redis_lease_channel(
        char channel[redis_key_size], const struct remote_transport *transport);

/* Holds a lease that was got. False: no memory. */
bool redis_lease_hold(struct remote_transport *transport, const char *name,
        const char token[redis_token_size], uint64_t recorded_ms);
/* Lets go of one that is not held, and says so: somebody may have seen it.
 * Nobody waits for the answer: what is not released ends by itself. */
void redis_lease_release(struct remote_transport *transport, const char *name,
        const char *token);
/* The same for one that may have been got, by a command without a reply: until
 * there is one to letting go, or the lease has ended. */
void redis_lease_let_go(struct remote_transport *transport, const char *name,
        const char token[redis_token_size]);

/* Ends the lease of a name, if it is held: built, stop or fail. */
void redis_lease_end(struct remote_transport *transport, const char *name,
        enum remote_verb how);
/* Is it held, or being let go of? */
bool redis_lease_is_held(
        const struct remote_transport *transport, const char *name);
/* Prolongs what is due. Returns when to look again; UINT64_MAX: never. */
uint64_t redis_lease_renew(struct remote_transport *transport, uint64_t now_ns);
/* Lets go of all, without waiting for answers. */
void redis_lease_end_all(struct remote_transport *transport);
/* Frees what there is, and says nothing: a connection that fails meanwhile adds
 * leases that may have been got. */
void redis_lease_drop_all(struct remote_transport *transport);

/* ---- redis_wait.c -------------------------------------------------------- */

/* Begins a request of the verb lead. */
void redis_waiter_begin(struct redis_operation *operation);
/* Asks again if it is time to, or gives up waiting. May end the operation. */
void redis_waiter_check(struct redis_operation *operation, uint64_t now_ns);
/* When to do that. */
uint64_t redis_waiter_next_ns(const struct redis_operation *operation);
/* Is a reply awaited? */
bool redis_waiter_is_asking(const struct redis_operation *operation);
/* Of one that ends without knowing whether it has got the lease. */
void redis_waiter_let_go(struct redis_operation *operation);
void redis_waiter_destroy(struct redis_waiter *lead);

/* Looks again at once: those that wait for a name, or all (NULL). */
void redis_waiters_hurry(struct remote_transport *transport, const char *name);
/* A holder was heard of: who waits for the one before waits for this one,
 * without a look. */
void redis_waiters_follow(struct remote_transport *transport, const char *name);
/* The holder failed: who waits compiles. */
void redis_waiters_fail(struct remote_transport *transport, const char *name);
/* They hear messages now, or will not. */
void redis_waiters_subscribe(struct remote_transport *transport);

#endif /* DNNL_CACHE_STORES_REDIS_LEASE_H */
