/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_get.h"
#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_lease.h"
#include "stores/redis/redis_messages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Operations ---------------------------------------------------------- */

static void unlink_operation(struct redis_operation *o)
{
    redis_get_forget(o);
    *o->at = o->next;
    if (o->next != NULL) o->next->at = o->at;
}

void redis_operation_done(struct redis_operation *o, enum remote_result result)
{
    struct remote_transport *t = o->transport;
    struct remote_request *request = o->request;
    unlink_operation(o);
    redis_waiter_destroy(o->lead);
    free(o);
    t->is_done = true;
    /* Who is told asks for the next one. */
    redis_heard_share(t);
    t->host->done(request, result);
}

static void submit(struct remote_transport *t, struct remote_request *request)
{
    if (request->verb == remote_verb_built || request->verb == remote_verb_stop
            || request->verb == remote_verb_fail) {
        redis_lease_end(t, request->name, request->verb);
        t->is_done = true;
        t->host->done(request, remote_result_done);
        return;
    }
    struct redis_operation *o = calloc(1, sizeof *o);
    if (o == NULL) {
        t->is_done = true;
        t->host->done(request, remote_result_out_of_memory);
        return;
    }
    *o = (struct redis_operation){.next = t->operations,
            .at = &t->operations,
            .transport = t,
            .request = request,
            .began_ns =
                    request->asked_ns != 0 ? request->asked_ns : clock_ns()};
    if (o->next != NULL) o->next->at = &o->next;
    t->operations = o;
    if (request->verb == remote_verb_lease)
        redis_waiter_begin(o);
    else
        redis_request_begin(o);
}

static void end_late(struct redis_operation *o)
{
    struct redis_connection *c = &o->transport->commands;
    redis_connection_give_up(c, o);
    if (o->lead != NULL) redis_waiter_let_go(o);
    /* What was lent is the core's again. */
    if (o->request->verb == remote_verb_put && !redis_out_is_empty(&c->out))
        redis_connection_fail(
                c, remote_result_failed, "Redis takes nothing in");
    snprintf(o->request->why, sizeof o->request->why, "no answer in time");
    redis_operation_done(o, remote_result_timed_out);
}

/* Ends one that is late. Returns when to look again. */
static uint64_t check_operations(struct remote_transport *t, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (struct redis_operation *o = t->operations, *after; o != NULL;
            o = after) {
        const uint64_t deadline = t->host->deadline(o->request);
        after = o->next;
        if (deadline <= now) {
            end_late(o);
            return now; /* the list may be another one */
        }
        if (deadline < next) next = deadline;
    }
    return next;
}

/* Those that wait for another host. */
static uint64_t check_leads(struct remote_transport *t, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    bool is_any = false;
    for (struct redis_operation *o = t->operations, *after; o != NULL;
            o = after) {
        after = o->next;
        if (o->lead == NULL) continue;
        is_any = true;
        redis_waiter_check(o, now);
    }
    for (const struct redis_operation *o = t->operations; o != NULL;
            o = o->next) {
        const uint64_t at =
                o->lead != NULL ? redis_waiter_next_ns(o) : UINT64_MAX;
        if (at < next) next = at;
    }
    if (is_any)
        t->messages_idle_ns = 0;
    else if (t->messages_idle_ns == 0)
        t->messages_idle_ns = now;
    return next;
}

static bool is_awaited(const struct remote_transport *t)
{
    for (const struct redis_operation *o = t->operations; o != NULL;
            o = o->next)
        if (o->lead == NULL || redis_waiter_is_asking(o)) return true;
    return false;
}

/* A connection whose server, or whose way there, is stuck may stay so for ever,
 * while a new one gets an answer. */
static void replace_if_behind(struct remote_transport *t)
{
    if (t->commands.is_behind && !is_awaited(t))
        redis_connection_fail(
                &t->commands, remote_result_failed, "no answer in time");
}

/* ---- The table ----------------------------------------------------------- */

static int check(const struct remote_url *url, char why[remote_why_size])
{
    struct redis_server server;
    if (url->prefix != NULL && strlen(url->prefix) > redis_prefix_most) {
        snprintf(why, remote_why_size, "the prefix is longer than %d bytes",
                (int)redis_prefix_most);
        return EINVAL;
    }
    const int error = redis_server_init(&server, url, why);
    if (error == 0) redis_server_fini(&server);
    return error;
}

/* A server that is told something over a connection which is closed while
 * messages wait there, unread, may see the end alone, and hosts would wait for
 * a lease that nobody holds. So its replies are waited for, for a moment. */
static void await_replies(struct remote_transport *t)
{
    static const uint64_t moment_ns = 50 * 1000000u;
    const uint64_t end_ns = clock_ns() + moment_ns;
    if (t->hears != &t->commands) return;
    while (t->commands.first != NULL && t->commands.socket.fd >= 0
            && clock_ns() < end_ns) {
        struct socket_wait wait = redis_connection_wait(&t->commands);
        if (socket_await(&wait, 1, end_ns))
            redis_connection_step(
                    &t->commands, wait.found, t->buffer, redis_receive_size);
    }
}

static void destroy(struct remote_transport *t)
{
    if (t == NULL) return;
    redis_lease_end_all(t);
    await_replies(t);
    redis_lease_drop_all(t);
    redis_connection_fini(&t->commands);
    redis_connection_fini(&t->messages);
    redis_heard_drop_all(t);
    while (t->operations != NULL)
        redis_operation_done(t->operations, remote_result_failed);
    redis_server_fini(&t->server);
    kept_descriptor_close(&t->wake);
    pthread_mutex_destroy(&t->lock);
    free(t->buffer);
    free(t);
}

static int create(struct remote_transport **transport,
        const struct remote_url *url, const struct remote_host *host)
{
    char why[remote_why_size];
    struct remote_transport *t = calloc(1, sizeof *t);
    if (t == NULL) return ENOMEM;
    t->host = host;
    t->prefix = url->prefix != NULL ? url->prefix : REDIS_DEFAULT_PREFIX;
    t->timeout_ns = url->timeout_ms * 1000000u;
    t->lease_ns = url->lease_ms * 1000000u;
    int error = redis_server_init(&t->server, url, why);
    redis_connection_init(&t->commands, &t->server);
    redis_connection_init(&t->messages, &t->server);
    t->last_queued = &t->first_queued;
    t->random = (uint64_t)(uintptr_t)t ^ clock_ns();
    pthread_mutex_init(&t->lock, NULL);
    const int made = socket_make_waker(&t->wake);
    if (error == 0) error = made;
    t->buffer = malloc(redis_receive_size);
    if (error == 0 && t->buffer == NULL) error = ENOMEM;
    if (error != 0)
        destroy(t);
    else
        *transport = t;
    return error;
}

static void wake(struct remote_transport *t)
{
    pthread_mutex_lock(&t->lock);
    socket_wake(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

/* ---- Working ------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Does all that is due. Returns when the next is. */
static uint64_t work(struct remote_transport *t)
{
    const uint64_t now = clock_ns();
    uint64_t next = redis_messages_check(t, now);
    next = least(next, check_operations(t, now));
    next = least(next, check_leads(t, now));
    next = least(next, redis_get_ask(t, now));
    replace_if_behind(t);
    next = least(next, redis_lease_renew(t, now));
    redis_connection_send(&t->commands);
    redis_connection_send(&t->messages);
    redis_heard_share(t);
    return next;
}

enum { wait_count = 3 };

/* A server that is near mostly answers in a moment, and sends the next part in
 * a shorter one: sooner than this thread falls asleep and is woken, which costs
 * a server on this machine time as well. One that is farther away, or that has
 * no processor while this thread has one, is waited for asleep the next times;
 * and so is one that tells many hosts at once that they may ask. False: nothing
 * came. */
static bool is_ready_in_a_moment(
        struct remote_transport *t, struct socket_wait waits[wait_count])
{
    enum { most_asleep = 255 };
    static const uint64_t moment_ns = 100000;
    const uint64_t end_ns = t->commands.moved_ns + moment_ns;
    bool is_ready;
    if (t->commands.first == NULL || t->hears != NULL || clock_ns() >= end_ns)
        return false;
    if (t->asleep_next > 0) {
        t->asleep_next--;
        return false;
    }
    do
        is_ready = socket_await(waits, wait_count, 0);
    while (!is_ready && clock_ns() < end_ns);
    /* Later than that the other side had this processor meanwhile. */
    if (is_ready && clock_ns() < end_ns) {
        t->asleep_since /= 4;
    } else {
        t->asleep_since = t->asleep_since < most_asleep / 4
                                  ? 4 * t->asleep_since + 3
                                  : most_asleep;
        t->asleep_next = t->asleep_since;
    }
    return is_ready;
}

/* What wake() writes to; anew if the application has closed it, which is looked
 * at after a moment again. -1: there is none. */
static int wake_fd(struct remote_transport *t)
{
    static const uint64_t moment_ns = 50 * 1000000u;
    const uint64_t now = clock_ns();
    if (t->wake.fd >= 0 && now - t->wake_seen_ns < moment_ns) return t->wake.fd;
    t->wake_seen_ns = now;
    pthread_mutex_lock(&t->lock);
    if (!kept_descriptor_is_ours(&t->wake)) (void)socket_make_waker(&t->wake);
    const int fd = t->wake.fd;
    pthread_mutex_unlock(&t->lock);
    return fd;
}

/* Else it may be another's by now. */
static bool was_woken(struct remote_transport *t)
{
    pthread_mutex_lock(&t->lock);
    const bool was = socket_was_woken(&t->wake);
    pthread_mutex_unlock(&t->lock);
    if (!was) t->wake_seen_ns = 0;
    return was;
}

/* How long it may take to see that the application has closed what wakes this
 * thread. While another host compiles, for as long as many gets may take, it is
 * not looked at so often: no answer is awaited then. */
static uint64_t longest_wait_ns(const struct remote_transport *t)
{
    static const uint64_t longest_ns = 100000000;
    return t->operations != NULL && !is_awaited(t) ? 10 * longest_ns
                                                   : longest_ns;
}

/* Waits for the sockets. True: wake() was called. */
static bool await(struct remote_transport *t, uint64_t until_ns)
{
    struct socket_wait waits[wait_count] = {
            {.fd = wake_fd(t), .asked = socket_can_read},
            redis_connection_wait(&t->commands),
            redis_connection_wait(&t->messages)};
    if (!is_ready_in_a_moment(t, waits)
            && !socket_await(waits, wait_count,
                    least(until_ns, clock_ns() + longest_wait_ns(t))))
        return false;
    redis_connection_step(
            &t->commands, waits[1].found, t->buffer, redis_receive_size);
    redis_connection_step(
            &t->messages, waits[2].found, t->buffer, redis_receive_size);
    return waits[0].found != 0 && was_woken(t);
}

/* Also with what no request waits for: a lease that is let go of. */
static bool is_busy(const struct remote_transport *t)
{
    return t->leases != NULL || t->hears != NULL || t->commands.first != NULL;
}

/* Of what there is to do of its own, hearing others can wait: what they say is
 * kept by the system, and counts when it is read. A lease cannot, nor can a
 * reply that nobody waits for. */
static bool can_be_lent(const struct remote_transport *t)
{
    const struct redis_connection *c = &t->commands;
    return c->socket.fd >= 0 && !c->is_connecting && !c->is_behind
           && t->leases == NULL && (c->first == NULL || t->operations != NULL)
           && t->hears != &t->messages && t->messages.socket.fd < 0
           && t->messages.first == NULL;
}

/* What others said before a request is heard before it: what has arrived, of
 * which a step of the connection takes one read (redis_receive_size) if no
 * reply is awaited, else at most about a MiB. The socket does not block, so a
 * server that never ends holds up a request by no more than that. */
static void hear_rest(struct remote_transport *t)
{
    struct socket_wait wait = redis_connection_wait(&t->commands);
    if (t->hears == NULL || !socket_await(&wait, 1, 0)) return;
    redis_connection_step(
            &t->commands, wait.found, t->buffer, redis_receive_size);
    t->is_done = false;
}

static void lend(struct remote_transport *t, bool is_lent)
{
    t->commands.is_lent = is_lent;
    t->messages.is_lent = is_lent;
    if (is_lent) hear_rest(t);
}

/* It has to connect, which whoever has borrowed it must not wait for. */
static bool must_be_given_back(const struct remote_transport *t)
{
    return t->commands.is_lent && !can_be_lent(t);
}

static void drive(struct remote_transport *t, uint64_t until_ns)
{
    /* What is done was done before, by submit(). */
    bool is_woken = t->is_done;
    t->is_done = false;
    do {
        const uint64_t next = work(t);
        if (t->is_done || is_woken || must_be_given_back(t)) break;
        is_woken = await(t, next < until_ns ? next : until_ns);
    } while (!is_woken && !t->is_done && clock_ns() < until_ns
             && (t->operations != NULL || is_busy(t)));
    t->is_done = false;
}

static const struct remote_transport_calls redis_transport = {
        .name = "redis",
        .check = check,
        .create = create,
        .destroy = destroy,
        .submit = submit,
        .drive = drive,
        .wake = wake,
        .rests_until = redis_heard_rests_until,
        .is_busy = is_busy,
        .can_be_lent = can_be_lent,
        .lend = lend,
        .has_leases = true,
};

__attribute__((visibility("default")))
const struct remote_module dnnl_cache_remote_module = {
        .version = remote_interface_version,
        .request_size = sizeof(struct remote_request),
        .url_size = sizeof(struct remote_url),
        .transport = &redis_transport,
};
