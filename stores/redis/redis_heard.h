/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_heard.h: leases of other hosts that messages have told of.
 *
 * A host that hears all messages knows, without asking the server, that an
 * entry is not there and who compiles it: from the message that a lease was got
 * to the one that it was ended, for as long as the lease is long. It answers a
 * get of that name by itself, and waits without having looked: it misses an
 * entry that was put in this moment, until it hears of that. What was heard is
 * dropped with the connection that it came by, since more may have been said
 * meanwhile.
 *
 * Most of what a host that follows another one asks for needs no thread: the
 * get is absent, the lease is another's, until a message comes, which wakes the
 * thread of the transport anyway. So callers look for themselves
 * (remote_transport_calls.rests_until), and wake that thread if none comes.
 */
#ifndef DNNL_CACHE_STORES_REDIS_HEARD_H
#define DNNL_CACHE_STORES_REDIS_HEARD_H

#include "stores/redis/redis_internal.h"

enum { redis_holder_size = 64 };

struct redis_heard {
    struct redis_heard *next;
    char name[redis_name_most + 1];
    char holder[redis_holder_size]; /* its token */
    uint64_t length_ns;
    uint64_t until_ns;  /* the lease ends, if its holder has died */
    bool has_ended;     /* nobody has it any more, and nobody here has asked */
    uint64_t failed_ns; /* when its holder has said that it failed; 0: not */
};

/* Somebody has the lease of a name from now on. One more than fits, or than
 * there is memory for, is not noted: it is asked for. */
void redis_heard_note(struct remote_transport *transport, const char *name,
        const char *holder, uint64_t length_ns);
/* Nobody has it any more, and the entry is probably there: known for a while.
 */
void redis_heard_note_end(struct remote_transport *transport, const char *name);
bool redis_heard_has_ended(
        struct remote_transport *transport, const char *name);
/* Nor can who had it compile it: of interest to those who waited then. */
void redis_heard_note_failure(
        struct remote_transport *transport, const char *name);
/* Was that said since then? */
bool redis_heard_has_failed(struct remote_transport *transport,
        const char *name, uint64_t since_ns);
/* It is not there after all. */
void redis_heard_drop_end(struct remote_transport *transport, const char *name);
/* Nothing is known of a name. */
void redis_heard_drop(struct remote_transport *transport, const char *name);
void redis_heard_drop_all(struct remote_transport *transport);

/* Who compiles the entry of that name, and has not put it; NULL: not known. */
const struct redis_heard *redis_heard_find(
        struct remote_transport *transport, const char *name);

/* What other threads know is what is known now. */
void redis_heard_share(struct remote_transport *transport);
/* For these: remote_transport_calls.rests_until. */
uint64_t redis_heard_rests_until(struct remote_transport *transport,
        const struct remote_request *request);

#endif /* DNNL_CACHE_STORES_REDIS_HEARD_H */
