/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_internal.h: what the parts of the module for Redis know of each other.
 *
 * redis_transport.c is what the core calls: requests, time-outs, waiting for
 * the sockets. redis_requests.c makes commands of requests, redis_get.c those
 * of gets, redis_lease.c and redis_wait.c see to it that one host compiles and
 * the others wait; redis_messages.c takes in what hosts say of that, and
 * redis_heard.c keeps it.
 * redis_connection.c is a connection, redis_out.c and redis_reply.c its two
 * directions, redis_server.c who we are. None uses hiredis' sockets: it writes
 * without MSG_NOSIGNAL, so that a server that goes away could end the process,
 * and waits for as long as a server likes.
 *
 * All of it belongs to one thread of the core, but for remote_transport.wake().
 */
#ifndef DNNL_CACHE_STORES_REDIS_INTERNAL_H
#define DNNL_CACHE_STORES_REDIS_INTERNAL_H

#include "stores/redis/redis_connection.h"
#include "stores/remote/thread/remote_transport.h"

#include <pthread.h>

enum {
    redis_prefix_most = 200,
    redis_name_most = 200,
    /* The prefix, a name and what is behind it. */
    redis_key_size = redis_prefix_most + redis_name_most + 32,
    redis_receive_size = 128 * 1024,
    redis_heard_buckets = 64
};

#define REDIS_DEFAULT_PREFIX "dnnl_cache:"

/* A request that is not done. */
struct redis_operation {
    struct redis_operation *next, **at; /* in transport.operations */
    struct remote_transport *transport;
    struct remote_request *request;
    struct redis_waiter *lead;      /* owned; of the verb lead alone */
    enum remote_result body_result; /* of a body that was passed on */
    uint64_t began_ns;
    /* These are redis_get.c's. */
    struct redis_operation *next_queued;
    uint64_t asks_at_ns; /* not before then; 0: it is not held back */
    uint64_t asked_ns;
    bool is_queued;      /* to be sent, with others */
    bool is_one_of_many; /* of an MGET */
    bool is_repeated;
};

/* What other threads know of this one's connection. */
struct redis_told {
    bool hears_all; /* what hosts say, with nothing lost since */
    bool is_in_step;
    uint64_t round_ns;
};

struct remote_transport {
    struct redis_server server;
    const struct remote_host *host;
    const char *prefix;
    uint64_t timeout_ns;
    uint64_t lease_ns;
    struct redis_connection commands;
    struct redis_connection messages; /* what holders publish */
    /* Of redis_messages.c. */
    struct redis_connection *hears; /* one of these two; NULL: none */
    bool is_subscribing;
    bool is_subscribed;
    uint64_t apart_until_ns;   /* commands do not hear before then */
    uint64_t refused_until_ns; /* nor is it tried */
    struct redis_operation *operations;
    struct redis_lease *leases; /* held by us */
    uint64_t messages_idle_ns;  /* when nobody waited any more; 0: somebody */
    struct redis_heard *heard[redis_heard_buckets]; /* owned */
    size_t heard_count;
    bool has_led;      /* the last lease that was asked for */
    bool has_followed; /* it was another host's */
    bool is_in_step;   /* and that one said so before this host asked */
    uint64_t round_ns; /* what the last answer to a get took */
    struct redis_told told;
    struct redis_operation *first_queued, **last_queued; /* gets */
    bool asks_singly; /* the server refused MGET */
    uint64_t random;  /* of redis_get.c */
    /* How often it is waited asleep before it is tried again without. */
    unsigned asleep_next;
    unsigned asleep_since;
    /* Guards wake, and what other threads read: told, heard and what is in it,
     * which this thread alone writes. Leaf. */
    pthread_mutex_t lock;
    struct kept_descriptor wake;
    uint64_t wake_seen_ns; /* when it was looked at; the thread's own */
    bool is_done;          /* something was, in this drive() */
    char *buffer;          /* for what comes in */
};

/* Prefix, name and suffix. */
size_t redis_key(char key[redis_key_size], const struct remote_transport *t,
        const char *name, const char *suffix);

/* The request goes back to the core; frees the operation. */
void redis_operation_done(
        struct redis_operation *operation, enum remote_result result);
/* The same with the reason of the connection's failure. */
void redis_operation_failed(struct redis_operation *operation);
/* With an error that the server answered. Refused, failed ... by its first
 * word, which is the reason. */
void redis_operation_refused(
        struct redis_operation *operation, const struct redis_reply *reply);
/* Takes a long body as it comes in; the user is the operation. */
extern const struct redis_sink redis_operation_sink;
/* A body. */
void redis_operation_give(
        struct redis_operation *operation, const struct redis_reply *reply);

/* Queues the commands of a request other than lead, built and stop. */
void redis_request_begin(struct redis_operation *operation);

#endif /* DNNL_CACHE_STORES_REDIS_INTERNAL_H */
