/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_messages.h"

#include "stores/redis/redis_get.h"
#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_lease.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t ms_ns = 1000000u;

/* ---- What they say ------------------------------------------------------- */

static void hear_begin(struct remote_transport *t, const char *name,
        const char *holder, uint64_t length_ns)
{
    if (redis_lease_is_held(t, name)) return; /* ours */
    redis_heard_note(t, name, holder, length_ns);
    if (redis_heard_find(t, name) == NULL) return;
    redis_get_hear_begin(t, name);
    redis_waiters_follow(t, name);
}

/* Who has not asked for it yet knows then that it is worth it. */
static void hear_end(struct remote_transport *t, const char *name)
{
    redis_heard_note_end(t, name);
    redis_get_hear_end(t, name);
    redis_waiters_hurry(t, name);
}

static void hear_failure(struct remote_transport *t, const char *name)
{
    redis_heard_note_failure(t, name);
    redis_get_hear_end(t, name);
    redis_waiters_fail(t, name);
}

/* "NAME", "NAME failed", or "NAME TOKEN MS". */
static void hear(struct remote_transport *t, char *text)
{
    enum { most_digits = 12 };
    char *holder = strchr(text, ' ');
    if (strcspn(text, " ") > redis_name_most) return;
    if (holder == NULL) {
        hear_end(t, text);
        return;
    }
    *holder++ = '\0';
    if (strcmp(holder, REDIS_FAILED) == 0) {
        hear_failure(t, text);
        return;
    }
    char *number = strchr(holder, ' ');
    if (number == NULL || number == holder
            || number - holder >= redis_holder_size)
        return;
    *number++ = '\0';
    const size_t digits = strspn(number, "0123456789");
    if (digits == 0 || digits > most_digits || number[digits] != '\0') return;
    uint64_t length_ns = strtoull(number, NULL, 10) * ms_ns;
    if (length_ns > t->lease_ns) length_ns = t->lease_ns;
    hear_begin(t, text, holder, length_ns);
}

/* What is queued may rest until this is said. */
static void hear_and_look(struct remote_transport *t, char *text)
{
    hear(t, text);
    t->is_done = true;
}

void redis_messages_take(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    if (t->hears == NULL) return; /* not yet, or not any more */
    if (reply->type == redis_reply_array && reply->count == 3
            && reply->elements[2] != NULL
            && reply->elements[2]->type == redis_reply_bytes)
        hear_and_look(t, reply->elements[2]->text);
    else
        redis_connection_break(t->hears, remote_result_failed, "not a message");
}

/* ---- Subscribing --------------------------------------------------------- */

static bool is_apart(const struct remote_transport *t)
{
    return clock_ns() < t->apart_until_ns;
}

static void take_subscription(struct remote_transport *t,
        struct redis_connection *c, const struct redis_reply *reply)
{
    static const uint64_t refused_ns = 10 * (uint64_t)1000000000u;
    t->is_subscribing = false;
    t->is_subscribed = reply != NULL && reply->type == redis_reply_array;
    t->hears = t->is_subscribed ? c : NULL;
    /* One that is to hear may have something to read while nothing is asked;
     * another one that has is at its end, and is not used any more. */
    if (!t->is_subscribed) c->take_message = NULL;
    if (reply != NULL && !t->is_subscribed) {
        t->refused_until_ns = clock_ns() + refused_ns;
        if (c == &t->messages)
            redis_connection_break(c, remote_result_failed, "may not hear");
    }
    redis_waiters_subscribe(t);
}

static void take_shared(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    take_subscription(t, &t->commands, reply);
}

static void take_own(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    take_subscription(t, &t->messages, reply);
}

static void call_subscribe(
        struct remote_transport *t, struct redis_connection *c, redis_take take)
{
    char channel[redis_key_size];
    redis_lease_channel(channel, t);
    c->take_message = redis_messages_take;
    c->user = t;
    t->is_subscribing =
            redis_connection_call_subscribe(c, take, t, "SUBSCRIBE", channel);
    if (!t->is_subscribing) c->take_message = NULL;
}

static void take_hello(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    if (reply == NULL) {
        /* Who does not know the command may hang up, and would do so again:
         * what was sent with it is sent once more, without. */
        redis_messages_keep_apart(t);
        t->commands.was_shared = true;
        take_subscription(t, &t->commands, NULL);
        return;
    }
    if (reply->type == redis_reply_status) {
        t->commands.is_shared = true;
        call_subscribe(t, &t->commands, take_shared);
    } else {
        t->apart_until_ns = UINT64_MAX;
        call_subscribe(t, &t->messages, take_own);
    }
    if (!t->is_subscribing) take_subscription(t, &t->commands, NULL);
}

bool redis_messages_subscribe(struct remote_transport *t)
{
    if (t->is_subscribing) return true;
    if (t->hears != NULL || clock_ns() < t->refused_until_ns) return false;
    if (is_apart(t))
        call_subscribe(t, &t->messages, take_own);
    else if (t->commands.is_shared)
        call_subscribe(t, &t->commands, take_shared);
    else
        t->is_subscribing =
                redis_connection_call_hello(&t->commands, take_hello, t);
    return t->is_subscribing;
}

/* ---- Its end ------------------------------------------------------------- */

static void take_nothing(void *user, struct redis_reply *reply)
{
    (void)user;
    (void)reply;
}

bool redis_messages_are_heard(const struct remote_transport *t)
{
    return t->hears != NULL && t->hears->socket.fd >= 0
           && (t->hears == &t->messages || t->hears->is_shared);
}

static void forget_all(struct remote_transport *t)
{
    t->hears = NULL;
    t->is_subscribed = false;
    redis_heard_drop_all(t);
}

static void unsubscribe(struct remote_transport *t)
{
    char channel[redis_key_size];
    struct redis_connection *c = t->hears;
    forget_all(t);
    if (c == &t->messages) {
        redis_connection_fail(c, remote_result_failed, "not needed");
        return;
    }
    redis_lease_channel(channel, t);
    c->take_message = NULL;
    if (!redis_connection_call_subscribe(
                c, take_nothing, NULL, "UNSUBSCRIBE", channel))
        redis_connection_fail(c, remote_result_failed, "out of memory");
}

uint64_t redis_messages_check(struct remote_transport *t, uint64_t now)
{
    static const uint64_t idle_ns = 5000000000u;
    if (t->hears != NULL && !redis_messages_are_heard(t)) {
        forget_all(t);
        redis_waiters_hurry(t, NULL);
    }
    if (t->hears == NULL || t->messages_idle_ns == 0) return UINT64_MAX;
    if (now < t->messages_idle_ns + idle_ns)
        return t->messages_idle_ns + idle_ns;
    unsubscribe(t);
    return UINT64_MAX;
}

void redis_messages_keep_apart(struct remote_transport *t)
{
    static const uint64_t a_while_ns = 60 * (uint64_t)1000000000u;
    const uint64_t until = clock_ns() + a_while_ns;
    if (t->apart_until_ns < until) t->apart_until_ns = until;
}
