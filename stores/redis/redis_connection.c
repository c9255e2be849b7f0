/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_connection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct redis_call {
    struct redis_call *next;
    redis_take take;               /* NULL: nobody waits any more */
    const struct redis_sink *sink; /* NULL: none */
    void *user;
    size_t elements;  /* of the array that is to come, the first; 0: none */
    bool is_pushed;   /* its reply is a push */
    uint64_t ends_at; /* of out.all_added: the end of its command */
};

void redis_connection_init(
        struct redis_connection *connection, const struct redis_server *server)
{
    *connection = (struct redis_connection){
            .server = server,
            .max_bytes = 1 << 22, /* a page of names */
            .socket = KEPT_DESCRIPTOR_NONE,
    };
    connection->last = &connection->first;
}

/* ---- Its end ------------------------------------------------------------- */

static void hang_up(struct redis_connection *c)
{
    kept_descriptor_close(&c->socket);
    if (c->is_shared) c->take_message = NULL;
    c->is_shared = false;
    c->may_push = false;
    c->is_connecting = false;
    c->is_broken = false;
    c->is_behind = false;
    socket_addresses_free(c->addresses);
    c->addresses = NULL;
    redis_out_clear(&c->out);
    redis_reader_destroy(c->reader);
    c->reader = NULL;
}

/* The calls, which are the caller's from now on. */
static struct redis_call *take_calls(struct redis_connection *c)
{
    struct redis_call *calls = c->first;
    c->first = NULL;
    c->last = &c->first;
    return calls;
}

static void free_calls(struct redis_connection *c)
{
    for (struct redis_call *call = take_calls(c); call != NULL;) {
        struct redis_call *next = call->next;
        free(call);
        call = next;
    }
}

void redis_connection_fini(struct redis_connection *c)
{
    if (c->last == NULL) return; /* zeroed */
    hang_up(c);
    redis_out_fini(&c->out);
    free_calls(c);
}

void redis_connection_break(
        struct redis_connection *c, enum remote_result result, const char *why)
{
    c->is_broken = true;
    c->result = result;
    snprintf(c->why, sizeof c->why, "%s", why);
}

void redis_connection_fail(
        struct redis_connection *c, enum remote_result result, const char *why)
{
    redis_connection_break(c, result, why);
    c->was_shared = c->is_shared;
    hang_up(c);
    /* What was too large is the first one's reply. Who is told may call again:
     * that is of the next connection. */
    for (struct redis_call *call = take_calls(c); call != NULL;) {
        struct redis_call *next = call->next;
        if (call->take != NULL) call->take(call->user, NULL);
        if (result == remote_result_too_large) c->result = remote_result_failed;
        free(call);
        call = next;
    }
}

static void fail_by_errno(struct redis_connection *c, int error)
{
    redis_connection_fail(c,
            error == ENOMEM     ? remote_result_out_of_memory
            : error == EMSGSIZE ? remote_result_too_large
                                : remote_result_failed,
            error == ENOENT && c->server->url->host != NULL
                    ? "the name does not resolve"
            : error == EPROTO     ? "not an answer of Redis"
            : error == ECONNRESET ? "the server closed the connection"
            : error == EBADF      ? "the application closed the connection"
                                  : strerror(error));
}

/* ---- Calls --------------------------------------------------------------- */

/* Replies to AUTH and SELECT. */
static void take_greeting(void *user, struct redis_reply *reply)
{
    struct redis_connection *c = user;
    if (reply == NULL || reply->type == redis_reply_status) return;
    redis_connection_break(c, remote_result_failed,
            redis_reply_is_error(reply, "LOADING")
                    ? "Redis is loading its data"
                    : "Redis refused the password, the user or the database");
}

static bool add_call(struct redis_connection *c, redis_take take,
        const struct redis_sink *sink, void *user,
        const struct redis_word *words, size_t count)
{
    struct redis_call *call = calloc(1, sizeof *call);
    if (call == NULL || !redis_out_add(&c->out, words, count)) {
        free(call);
        return false;
    }
    call->take = take;
    call->sink = sink;
    call->user = user;
    call->ends_at = c->out.all_added;
    *c->last = call;
    c->last = &call->next;
    return true;
}

/* Who we are comes before the first command. */
static bool greet(struct redis_connection *c)
{
    const struct redis_server *s = c->server;
    if (s->password != NULL) {
        const struct redis_word words[] = {redis_word("AUTH"),
                redis_word(s->user != NULL ? s->user : "default"),
                redis_word(s->password)};
        const struct redis_word old[] = {words[0], words[2]};
        if (!add_call(c, take_greeting, NULL, c, s->user != NULL ? words : old,
                    s->user != NULL ? 3 : 2))
            return false;
    }
    if (s->url->database != 0) {
        char number[16];
        snprintf(number, sizeof number, "%u", s->url->database);
        const struct redis_word words[] = {
                redis_word("SELECT"), redis_word(number)};
        if (!add_call(c, take_greeting, NULL, c, words, 2)) return false;
    }
    return true;
}

/* False: no memory. */
static bool make_ready(struct redis_connection *c)
{
    /* An idle connection that has ended meanwhile fails nobody. */
    if (c->socket.fd >= 0 && !c->is_connecting && !c->is_inside
            && c->first == NULL && c->take_message == NULL
            && socket_is_stale(&c->socket))
        hang_up(c);
    if (c->socket.fd >= 0 || c->first != NULL || greet(c)) return true;
    hang_up(c);
    free_calls(c);
    return false;
}

bool redis_connection_fetch(struct redis_connection *c, redis_take take,
        const struct redis_sink *sink, void *user,
        const struct redis_word *words, size_t count)
{
    return make_ready(c) && add_call(c, take, sink, user, words, count);
}

bool redis_connection_fetch_many(struct redis_connection *c, redis_take take,
        const struct redis_sink *sink, void *const *users, size_t count,
        const struct redis_word *words)
{
    struct redis_call *calls = NULL;
    struct redis_call **last = &calls;
    bool is_good = make_ready(c);
    for (size_t i = 0; i < count && is_good; i++) {
        struct redis_call *call = calloc(1, sizeof *call);
        is_good = call != NULL;
        if (call == NULL) break;
        *call = (struct redis_call){.take = take,
                .sink = sink,
                .user = users[i],
                .elements = i == 0 ? count : 0};
        *last = call;
        last = &call->next;
    }
    if (is_good && redis_out_add(&c->out, words, 1 + count)) {
        for (struct redis_call *call = calls; call != NULL; call = call->next)
            call->ends_at = c->out.all_added;
        *c->last = calls;
        c->last = last;
        return true;
    }
    for (struct redis_call *next; calls != NULL; calls = next) {
        next = calls->next;
        free(calls);
    }
    return false;
}

bool redis_connection_call(struct redis_connection *c, redis_take take,
        void *user, const struct redis_word *words, size_t count)
{
    return redis_connection_fetch(c, take, NULL, user, words, count);
}

bool redis_connection_call_hello(
        struct redis_connection *c, redis_take take, void *user)
{
    const struct redis_word words[] = {redis_word("HELLO"), redis_word("3")};
    if (!redis_connection_call(c, take, user, words, 2)) return false;
    c->may_push = true;
    if (c->reader != NULL) redis_reader_allow_pushes(c->reader);
    return true;
}

bool redis_connection_call_subscribe(struct redis_connection *c,
        redis_take take, void *user, const char *verb, const char *channel)
{
    const struct redis_word words[] = {redis_word(verb), redis_word(channel)};
    struct redis_call **at = NULL;
    if (!make_ready(c)) return false;
    at = c->last;
    if (!add_call(c, take, NULL, user, words, 2)) return false;
    (*at)->is_pushed = c->is_shared;
    return true;
}

void redis_connection_allow(struct redis_connection *c, uint64_t max_bytes)
{
    if (max_bytes <= c->max_bytes) return;
    c->max_bytes = max_bytes;
    if (c->reader != NULL) redis_reader_allow(c->reader, max_bytes);
}

void redis_connection_forget(struct redis_connection *c, const void *user)
{
    for (struct redis_call *call = c->first; call != NULL; call = call->next)
        if (call->user == user) call->take = NULL;
}

void redis_connection_give_up(struct redis_connection *c, const void *user)
{
    redis_connection_forget(c, user);
    c->is_behind = c->first != NULL;
}

/* ---- Connecting ---------------------------------------------------------- */

static int begin(struct redis_connection *c)
{
    const struct remote_url *url = c->server->url;
    if (url->scheme == remote_scheme_unix)
        return socket_connect_file(&c->socket, url->path);
    const int error = socket_resolve(&c->addresses, url->host, url->port);
    return error != 0 ? error : socket_connect(&c->socket, c->addresses);
}

static void start(struct redis_connection *c)
{
    c->reader = redis_reader_create(c->max_bytes);
    if (c->reader != NULL && c->may_push) redis_reader_allow_pushes(c->reader);
    int error = c->reader != NULL ? begin(c) : ENOMEM;
    c->is_connecting = error == EINPROGRESS;
    /* A Unix socket whose backlog is full: as a server that is not there. */
    if (error != 0 && error != EINPROGRESS) fail_by_errno(c, error);
}

/* It can be written to now, or failed. */
static void finish_connecting(struct redis_connection *c)
{
    int error = socket_connected(&c->socket);
    if (error == 0) {
        c->is_connecting = false;
        return;
    }
    kept_descriptor_close(&c->socket);
    const int other = socket_connect(&c->socket, c->addresses);
    if (other != ENOENT) error = other; /* there was one more */
    c->is_connecting = error == EINPROGRESS;
    if (error != 0 && error != EINPROGRESS) fail_by_errno(c, error);
}

void redis_connection_send(struct redis_connection *c)
{
    /* What sends looks itself, and so did what has just received. */
    static const uint64_t moment_ns = 20 * 1000000u;
    if (c->socket.fd >= 0 && (redis_out_is_empty(&c->out) || c->is_connecting)
            && clock_ns() - c->moved_ns >= moment_ns
            && !kept_descriptor_is_ours(&c->socket))
        fail_by_errno(c, EBADF);
    if (redis_out_is_empty(&c->out)) return;
    if (c->socket.fd < 0 && !c->is_lent) start(c);
    if (c->socket.fd < 0 || c->is_connecting) return;
    const int error = redis_out_send(&c->out, &c->socket);
    c->moved_ns = clock_ns();
    if (error != 0 && error != EAGAIN) fail_by_errno(c, error);
}

/* ---- Replies ------------------------------------------------------------- */

struct socket_wait redis_connection_wait(const struct redis_connection *c)
{
    struct socket_wait wait = {.fd = c->socket.fd};
    if (!c->is_connecting) wait.asked |= socket_can_read;
    if (c->is_connecting || !redis_out_is_empty(&c->out))
        wait.asked |= socket_can_write;
    return wait;
}

/* A reply to a command that is not sent as a whole: who takes it could free the
 * bytes that are still to be sent. */
static bool is_early(
        const struct redis_connection *c, const struct redis_call *call)
{
    return c->out.all_sent < call->ends_at;
}

static struct redis_call *next_call(struct redis_connection *c)
{
    struct redis_call *call = c->first;
    c->first = call->next;
    if (c->first == NULL) {
        c->last = &c->first;
        c->is_behind = false;
    }
    return call;
}

static void answer_call(struct redis_connection *c, struct redis_reply *reply)
{
    struct redis_call *call = next_call(c);
    if (call->take != NULL) call->take(call->user, reply);
    free(call);
}

/* An error in place of an array: for all that it would have had. */
static void refuse_many(struct redis_connection *c, struct redis_reply *reply)
{
    if (reply->type != redis_reply_error) {
        redis_connection_break(
                c, remote_result_failed, "Redis answered something else");
        return;
    }
    for (size_t left = c->first->elements; left > 0; left--)
        answer_call(c, reply);
}

static void take_push(struct redis_connection *c, struct redis_reply *push)
{
    const struct redis_reply *kind =
            push->type == redis_reply_array && push->count > 0
                    ? push->elements[0]
                    : NULL;
    const bool is_message = kind != NULL && kind->type == redis_reply_bytes
                            && strcmp(kind->text, "message") == 0;
    if (!is_message && c->first != NULL && c->first->is_pushed)
        answer_call(c, push);
    else if (is_message && c->take_message != NULL)
        c->take_message(c->user, push);
}

static void take_reply(struct redis_connection *c, struct redis_reply *reply)
{
    const struct redis_call *call = c->first;
    if (reply->is_push) {
        take_push(c, reply);
    } else if (call != NULL && is_early(c, call)) {
        redis_connection_break(c, remote_result_failed,
                reply->type == redis_reply_error
                        ? "Redis refused a command before it had all of it"
                        : "Redis answered what was not asked yet");
    } else if (call != NULL && call->elements > 0) {
        refuse_many(c, reply);
    } else if (call != NULL) {
        answer_call(c, reply);
    } else if (c->take_message != NULL && !c->is_shared) {
        c->take_message(c->user, reply);
    } else {
        redis_connection_break(
                c, remote_result_failed, "Redis says what was not asked");
    }
}

static void ignore_begin(void *user, uint64_t size)
{
    (void)user;
    (void)size;
}

static void ignore_bytes(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
}

static void *no_room(void *user, size_t *size)
{
    (void)user;
    (void)size;
    return NULL;
}

static void ignore_fill(void *user, size_t size)
{
    (void)user;
    (void)size;
}

/* Nobody waits any more for the text that comes, and none of it is kept. */
static const struct redis_sink drain = {
        ignore_begin, ignore_bytes, no_room, ignore_fill};

/* The next reply is that of the first call. */
static void set_sink(struct redis_connection *c)
{
    const struct redis_call *call = c->first;
    if (call == NULL || call->sink == NULL)
        redis_reader_set_sink(c->reader, NULL, NULL);
    else if (call->take == NULL)
        redis_reader_set_sink(c->reader, &drain, NULL);
    else
        redis_reader_set_sink(c->reader, call->sink, call->user);
}

/* The reply to MGET, whose elements are replies. *is_to_come: not all of its
 * head is there. */
static int enter_array(struct redis_connection *c, bool *is_to_come)
{
    struct redis_call *call = c->first;
    enum redis_array array = redis_array_none;
    if (call != NULL && call->elements > 0)
        array = redis_reader_enter_array(c->reader, call->elements);
    if (array == redis_array_entered) call->elements = 0;
    *is_to_come = array == redis_array_waits;
    return array == redis_array_another ? EPROTO : 0;
}

static int take_bytes(
        struct redis_connection *c, const void *bytes, size_t size)
{
    struct redis_reply *reply;
    set_sink(c);
    int error = redis_reader_feed(c->reader, bytes, size);
    while (error == 0 && !c->is_broken) {
        bool is_to_come = false;
        error = enter_array(c, &is_to_come);
        if (error != 0 || is_to_come) break;
        set_sink(c);
        error = redis_reader_next(c->reader, &reply);
        if (error != 0 || reply == NULL) break;
        take_reply(c, reply);
        redis_reply_destroy(reply);
    }
    return error;
}

/* Of what is fed little is taken where a long text may be in it, since it is
 * copied: of what is behind one that comes in, which is mostly the beginning of
 * the next one, and of one that begins. */
static size_t most_fed(
        const struct redis_connection *c, bool is_behind_text, size_t capacity)
{
    enum { most_behind_text = 4096, most_of_first = 16384 };
    const size_t most = is_behind_text ? most_behind_text
                        : c->first != NULL && c->first->sink != NULL
                                        && redis_reader_is_between(c->reader)
                                ? most_of_first
                                : capacity;
    return most < capacity ? most : capacity;
}

/* The rest of a long text goes to where it belongs. */
static int receive_some(
        struct redis_connection *c, void *buffer, size_t capacity, size_t *size)
{
    size_t direct = SIZE_MAX;
    struct socket_room rooms[2];
    size_t count = 0;
    set_sink(c);
    void *room = redis_reader_room(c->reader, &direct);
    if (room == NULL)
        direct = 0;
    else
        rooms[count++] = (struct socket_room){room, direct};
    rooms[count++] =
            (struct socket_room){buffer, most_fed(c, room != NULL, capacity)};
    const int error = socket_receive(size, &c->socket, rooms, count);
    if (error != 0) return error;
    if (direct > *size) direct = *size;
    if (direct > 0) redis_reader_fill(c->reader, direct);
    return take_bytes(c, buffer, *size - direct);
}

/* As much as is there and somebody waits for, at most so much that others need
 * not wait long. */
static int receive_all(
        struct redis_connection *c, void *buffer, size_t capacity)
{
    enum { most_at_once = 1 << 20 };
    size_t size = 0;
    int error = 0;
    for (size_t all = 0; error == 0 && !c->is_broken && all < most_at_once
                         && (all == 0 || c->first != NULL);
            all += size)
        error = receive_some(c, buffer, capacity, &size);
    c->moved_ns = clock_ns();
    return error;
}

static void receive(struct redis_connection *c, void *buffer, size_t capacity)
{
    c->is_inside = true;
    const int error = receive_all(c, buffer, capacity);
    c->is_inside = false;
    if (error == EAGAIN && !c->is_broken) return;
    if (error == ECONNRESET && !c->is_broken && c->first == NULL
            && c->take_message == NULL) {
        hang_up(c); /* nobody is waiting */
        return;
    }
    if (c->is_broken) {
        char why[sizeof c->why];
        memcpy(why, c->why, sizeof why);
        redis_connection_fail(c, c->result, why);
    } else if (error != 0) {
        fail_by_errno(c, error);
    }
}

void redis_connection_step(struct redis_connection *c, unsigned found,
        void *buffer, size_t capacity)
{
    if (found == 0 || c->socket.fd < 0) return;
    if (c->is_connecting) {
        finish_connecting(c);
    } else if ((found & (socket_can_read | socket_has_ended)) != 0) {
        receive(c, buffer, capacity);
    }
    if (!redis_out_is_empty(&c->out)) redis_connection_send(c);
}
