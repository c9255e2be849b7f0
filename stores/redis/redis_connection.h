/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_connection.h: commands to a server, and who gets the replies.
 *
 * A connection is made when the first command waits to be sent; all commands
 * that wait are sent together, and their replies come in their order. If the
 * connection fails all calls that have no reply get NULL, once, and the next
 * command makes a new one.
 */
#ifndef DNNL_CACHE_STORES_REDIS_CONNECTION_H
#define DNNL_CACHE_STORES_REDIS_CONNECTION_H

#include "src/platform/socket.h"
#include "stores/redis/redis_out.h"
#include "stores/redis/redis_reply.h"
#include "stores/remote/thread/remote_transport.h"

/* Where and as whom. Fixed. */
struct redis_server {
    const struct remote_url *url;
    char *user;     /* owned; NULL: none */
    char *password; /* owned; NULL: none */
};

/* Reads the secrets: of the URL's file, else of the environment
 * (DNNL_CACHE_REDIS_USER, DNNL_CACHE_REDIS_PASSWORD). 0, or an errno value with
 * why in words. */
int redis_server_init(struct redis_server *server, const struct remote_url *url,
        char why[remote_why_size]);
/* Overwrites the password. A zeroed one is fine. */
void redis_server_fini(struct redis_server *server);

/* A reply, valid during the call; NULL: the connection failed, and its result
 * and why say how. user: as given with the command. */
typedef void (*redis_take)(void *user, struct redis_reply *reply);

struct redis_call; /* redis_connection.c */

struct redis_connection {
    const struct redis_server *server;
    uint64_t max_bytes; /* of a reply; it only grows */
    /* Replies that no command waits for, after SUBSCRIBE; NULL: a mistake of
     * the server's. */
    redis_take take_message;
    void *user;
    /* It answers commands and hears messages, after HELLO (RESP3). */
    bool is_shared;
    bool was_shared; /* before the last failure */
    bool may_push;   /* HELLO was sent */

    struct kept_descriptor socket;
    bool is_connecting;
    struct socket_addresses *addresses; /* owned, while connecting */
    struct redis_out out;
    struct redis_reader *reader;
    struct redis_call *first, **last; /* without a reply */
    uint64_t moved_ns; /* when something was sent or received last */
    /* Of the last failure. */
    enum remote_result result;
    char why[128];
    bool is_lent;   /* to whom must not block: it does not connect */
    bool is_broken; /* to be failed as soon as nobody is in it */
    bool is_inside; /* a reply is being taken */
    bool is_behind; /* replies that nobody waits for any more are to come */
};

void redis_connection_init(
        struct redis_connection *connection, const struct redis_server *server);
/* Drops all calls without a word. */
void redis_connection_fini(struct redis_connection *connection);

/* Queues a command. Long words stay with the caller until the reply. False: no
 * memory; take is not called. */
bool redis_connection_call(struct redis_connection *connection, redis_take take,
        void *user, const struct redis_word *words, size_t count);
/* The same for a command whose reply may be long: the sink has the same user.
 */
bool redis_connection_fetch(struct redis_connection *connection,
        redis_take take, const struct redis_sink *sink, void *user,
        const struct redis_word *words, size_t count);

/* The same for MGET: element i of the reply is the one to user i, and each of
 * them gets an error that is answered instead. words: 1 + count. */
bool redis_connection_fetch_many(struct redis_connection *connection,
        redis_take take, const struct redis_sink *sink, void *const *users,
        size_t count, const struct redis_word *words);

/* Asks for RESP3, in which messages are told from replies. take gets a status,
 * or an error. */
bool redis_connection_call_hello(
        struct redis_connection *connection, redis_take take, void *user);
/* SUBSCRIBE or UNSUBSCRIBE: take gets an array, or an error. */
bool redis_connection_call_subscribe(struct redis_connection *connection,
        redis_take take, void *user, const char *verb, const char *channel);

/* Replies may be as long as this from now on. */
void redis_connection_allow(
        struct redis_connection *connection, uint64_t max_bytes);

/* Whoever waits as this user gets no reply any more. Long words must stay until
 * all is sent, or the connection be failed. */
void redis_connection_forget(
        struct redis_connection *connection, const void *user);

/* The same for a user whose reply did not come in time: the connection is
 * behind. */
void redis_connection_give_up(
        struct redis_connection *connection, const void *user);

/* Ends the connection; all calls get NULL. */
void redis_connection_fail(struct redis_connection *connection,
        enum remote_result result, const char *why);
/* For a take: the same, after it has returned. */
void redis_connection_break(struct redis_connection *connection,
        enum remote_result result, const char *why);

/* Connects if something waits to be sent, and sends what it can. One that is
 * lent waits with that: resolving a name has no deadline. */
void redis_connection_send(struct redis_connection *connection);
/* What to wait for; nothing, if there is no connection. After
 * redis_connection_send(), which has looked whether it is still ours; if it is
 * not, what is found there makes redis_connection_step() look again. */
struct socket_wait redis_connection_wait(
        const struct redis_connection *connection);
/* Does what was waited for, with a buffer for what comes in. */
void redis_connection_step(struct redis_connection *connection, unsigned found,
        void *buffer, size_t capacity);

#endif /* DNNL_CACHE_STORES_REDIS_CONNECTION_H */
