/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_lease.h"

#include "src/platform/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { seen_size = 64, most_holder = 2, most_attempts = 8 };

static const uint64_t ms_ns = 1000000u;
static const uint64_t s_ns = 1000000000u;

/* A request that wants to know who compiles. */
struct redis_waiter {
    char token[redis_token_size]; /* ours */
    char holder[seen_size]; /* the other's that is waited for; "": nobody's */
    unsigned holders;       /* waited for so far */
    unsigned attempts;      /* in a row that found nothing to wait for */
    uint64_t wait_until_ns; /* for this holder */
    uint64_t pause_ns;      /* to the next look */
    uint64_t next_ns;       /* when that is */
    bool is_notified;       /* something was put: look at that first */
    /* The look that is under way. */
    uint64_t asked_ns;   /* 0: none is */
    bool may_have_taken; /* the lease: there is no reply yet */
    bool has_taken;
    bool is_refused;
    long long left_ms;
    uint64_t recorded_ms; /* that compiling took; 0: not known */
    char seen[seen_size];
};

static bool make_token(char token[redis_token_size])
{
    uint8_t bytes[(redis_token_size - 1) / 2];
    if (random_bytes(bytes, sizeof bytes) != 0) return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* ---- Messages ------------------------------------------------------------ */

/* Looks again at once: all that wait, or those that wait for a name. */
static void hurry(struct remote_transport *t, const char *name)
{
    for (struct redis_operation *o = t->operations; o != NULL; o = o->next) {
        if (o->lead == NULL
                || (name != NULL && strcmp(o->request->name, name) != 0))
            continue;
        o->lead->is_notified = true;
        o->lead->next_ns = 0;
    }
}

static void take_subscription(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    t->is_subscribed = reply != NULL && reply->type == redis_reply_array;
    /* What was published before. */
    if (t->is_subscribed) hurry(t, NULL);
}

void redis_lease_take_message(void *user, struct redis_reply *reply)
{
    struct remote_transport *t = user;
    if (reply->type != redis_reply_array || reply->count != 3
            || reply->elements[2]->type != redis_reply_bytes) {
        redis_connection_break(
                &t->messages, remote_result_failed, "not a message");
        return;
    }
    hurry(t, reply->elements[2]->text);
}

void redis_lease_check_messages(struct remote_transport *t)
{
    if (!t->is_subscribed || t->messages.socket.fd >= 0) return;
    t->is_subscribed = false;
    hurry(t, NULL);
}

static void subscribe(struct remote_transport *t)
{
    struct redis_connection *c = &t->messages;
    char channel[redis_key_size];
    if (c->socket.fd >= 0 || c->first != NULL) return;
    redis_lease_channel(channel, t);
    const struct redis_word words[] = {
            redis_word("SUBSCRIBE"), redis_word(channel)};
    (void)redis_connection_call(c, take_subscription, t, words, 2);
}

/* ---- Waiting ------------------------------------------------------------- */

static void ask(struct redis_operation *o);

/* Compile it: as the holder, or since waiting does not pay. */
static void compile(struct redis_operation *o, bool holds_lease)
{
    o->request->holds_lease = holds_lease;
    redis_operation_done(o, remote_result_absent);
}

static void lead_it(struct redis_operation *o)
{
    const struct redis_waiter *lead = o->lead;
    if (redis_lease_hold(o->transport, o->request->name, lead->token,
                lead->recorded_ms)) {
        compile(o, true);
        return;
    }
    redis_lease_release(o->transport, o->request->name, o->lead->token);
    compile(o, false);
}

void redis_waiter_let_go(struct redis_operation *o)
{
    const struct redis_waiter *lead = o->lead;
    if (lead->may_have_taken || lead->has_taken)
        redis_lease_let_go(o->transport, o->request->name, lead->token);
}

/* Somebody else leads, by a token that was seen. */
static void wait_for_holder(struct redis_operation *o)
{
    struct redis_waiter *lead = o->lead;
    const struct remote_transport *t = o->transport;
    const uint64_t now = clock_ns();
    const uint64_t length = redis_lease_length(t, lead->recorded_ms);
    if (strcmp(lead->holder, lead->seen) != 0) {
        if (lead->holders++ == most_holder) {
            compile(o, false);
            return;
        }
        memcpy(lead->holder, lead->seen, sizeof lead->holder);
        lead->wait_until_ns = now + length;
        lead->pause_ns = 10 * ms_ns;
    } else if (now >= lead->wait_until_ns) {
        compile(o, false);
        return;
    }
    lead->pause_ns += lead->pause_ns / 2;
    if (lead->pause_ns > s_ns / 4) lead->pause_ns = s_ns / 4;
    uint64_t pause = t->is_subscribed ? length / 2 : lead->pause_ns;
    /* It ends then, if its holder has died. */
    if (lead->left_ms >= 0 && (uint64_t)lead->left_ms < pause / ms_ns)
        pause = ((uint64_t)lead->left_ms + 1) * ms_ns;
    uint64_t next = now + pause;
    if (next > lead->wait_until_ns) next = lead->wait_until_ns;
    lead->next_ns = lead->is_notified ? now : next;
    t->host->postpone(o->request, lead->next_ns);
    subscribe(o->transport);
}

/* There is no entry. */
static void decide(struct redis_operation *o)
{
    struct redis_waiter *lead = o->lead;
    const bool is_led = lead->seen[0] != '\0';
    if (lead->has_taken) lead_it(o);
    /* A server that takes no lease takes no entry from a holder, either. */
    else if (lead->is_refused || (!is_led && ++lead->attempts == most_attempts))
        compile(o, false);
    else if (is_led)
        wait_for_holder(o);
    else
        lead->next_ns = 0; /* it ended between two of the commands */
}

/* The last reply of a look: the entry. */
static void take_entry(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    struct redis_waiter *lead = o->lead;
    lead->asked_ns = 0;
    if (reply == NULL) {
        redis_waiter_let_go(o);
        redis_operation_failed(o);
        return;
    }
    if (reply->type != redis_reply_nil && lead->has_taken)
        redis_lease_release(o->transport, o->request->name, lead->token);
    if (reply->type == redis_reply_bytes)
        redis_operation_give(o, reply);
    else if (redis_reply_is_error(reply, "WRONGTYPE"))
        compile(o, false);
    else if (reply->type != redis_reply_nil)
        redis_operation_refused(o, reply);
    else
        decide(o);
}

static void take_lease(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply == NULL) return; /* the last one says so */
    o->lead->may_have_taken = false;
    o->lead->has_taken = reply->type == redis_reply_status;
    o->lead->is_refused = reply->type == redis_reply_error;
}

static void take_left(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply != NULL && reply->type == redis_reply_integer)
        o->lead->left_ms = reply->integer;
}

static void take_holder(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply != NULL && reply->type == redis_reply_bytes)
        snprintf(o->lead->seen, sizeof o->lead->seen, "%s", reply->text);
}

static void take_recorded(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply != NULL && reply->type == redis_reply_bytes)
        o->lead->recorded_ms = strtoull(reply->text, NULL, 10);
}

/* The entry alone, after a message. */
static void take_news(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    o->lead->asked_ns = 0;
    if (reply != NULL && reply->type == redis_reply_nil)
        ask(o); /* the holder put nothing */
    else
        take_entry(user, reply);
}

static bool call(struct redis_operation *o, redis_take take, const char *verb,
        const char *suffix)
{
    char key[redis_key_size];
    (void)redis_key(key, o->transport, o->request->name, suffix);
    const struct redis_word words[] = {redis_word(verb), redis_word(key)};
    return redis_connection_fetch(&o->transport->commands, take,
            suffix[0] == '\0' ? &redis_operation_sink : NULL, o, words, 2);
}

/* ARGV[3]: whose lease it was. */
static const char depose_script[] =
        "local l=redis.call('get',KEYS[1]) "
        "if l and l~=ARGV[3] then return false end "
        "return redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2])";

/* Takes the lease if it is free or, after having waited for its holder for as
 * long as it pays, from that one. */
static bool call_take(struct redis_operation *o, bool deposes)
{
    const struct redis_waiter *lead = o->lead;
    struct remote_transport *t = o->transport;
    char key[redis_key_size];
    char length[24];
    (void)redis_key(key, t, o->request->name, REDIS_LEASE_SUFFIX);
    snprintf(length, sizeof length, "%" PRIu64, t->lease_ns / ms_ns);
    const struct redis_word set[] = {redis_word("SET"), redis_word(key),
            redis_word(lead->token), redis_word("NX"), redis_word("PX"),
            redis_word(length)};
    const struct redis_word depose[] = {redis_word("EVAL"),
            redis_word(depose_script), redis_word("1"), redis_word(key),
            redis_word(lead->token), redis_word(length),
            redis_word(lead->holder)};
    return redis_connection_call(&t->commands, take_lease, o,
            deposes ? depose : set, deposes ? 7 : 6);
}

/* In this order: who puts an entry lets go of its lease afterwards, so that
 * whoever gets the lease and then finds no entry is the first. */
static void ask(struct redis_operation *o)
{
    struct redis_waiter *lead = o->lead;
    const uint64_t now = clock_ns();
    const bool deposes = lead->holders > 0 && lead->holders < most_holder
                         && now >= lead->wait_until_ns;
    lead->asked_ns = now;
    o->transport->host->postpone(o->request, now);
    lead->is_notified = false;
    lead->has_taken = false;
    lead->is_refused = false;
    lead->left_ms = -1;
    lead->recorded_ms = 0;
    lead->seen[0] = '\0';
    lead->may_have_taken = call_take(o, deposes);
    if (lead->may_have_taken && call(o, take_left, "PTTL", REDIS_LEASE_SUFFIX)
            && call(o, take_holder, "GET", REDIS_LEASE_SUFFIX)
            && call(o, take_recorded, "GET", REDIS_TIME_SUFFIX)
            && call(o, take_entry, "GET", ""))
        return;
    redis_connection_forget(&o->transport->commands, o);
    redis_waiter_let_go(o);
    redis_operation_done(o, remote_result_out_of_memory);
}

void redis_waiter_begin(struct redis_operation *o)
{
    o->lead = calloc(1, sizeof *o->lead);
    if (o->lead == NULL) {
        redis_operation_done(o, remote_result_out_of_memory);
        return;
    }
    if (!make_token(o->lead->token)
            || strlen(o->request->name) > redis_name_most) {
        compile(o, false);
        return;
    }
    redis_connection_allow(&o->transport->commands, o->request->max_bytes);
    ask(o);
}

void redis_waiter_check(struct redis_operation *o, uint64_t now_ns)
{
    struct redis_waiter *lead = o->lead;
    if (lead->asked_ns != 0) {
        if (now_ns < lead->asked_ns + o->transport->timeout_ns) return;
        redis_connection_give_up(&o->transport->commands, o);
        redis_waiter_let_go(o);
        snprintf(o->request->why, sizeof o->request->why, "no answer in time");
        redis_operation_done(o, remote_result_timed_out);
    } else if (now_ns < lead->next_ns) {
        return;
    } else if (lead->is_notified) {
        lead->is_notified = false;
        lead->asked_ns = now_ns;
        o->transport->host->postpone(o->request, now_ns);
        if (call(o, take_news, "GET", "")) return;
        redis_operation_done(o, remote_result_out_of_memory);
    } else {
        ask(o);
    }
}

uint64_t redis_waiter_next_ns(const struct redis_operation *o)
{
    const struct redis_waiter *lead = o->lead;
    return lead->asked_ns != 0 ? lead->asked_ns + o->transport->timeout_ns
                               : lead->next_ns;
}

bool redis_waiter_is_asking(const struct redis_operation *o)
{
    return o->lead->asked_ns != 0;
}

void redis_waiter_destroy(struct redis_waiter *lead)
{
    free(lead);
}
