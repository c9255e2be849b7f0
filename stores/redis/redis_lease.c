/* SPDX-License-Identifier: Apache-2.0 */
#include "redis_lease.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { token_size = 33, seen_size = 64, most_leaders = 2, most_attempts = 8 };

static const uint64_t ms_ns = 1000000u;
static const uint64_t s_ns = 1000000000u;

/* A request that wants to know who compiles. */
struct redis_lead {
    char token[token_size]; /* ours */
    char leader[seen_size]; /* the other's that is waited for; "": nobody's */
    unsigned leaders;       /* waited for so far */
    unsigned attempts;      /* in a row that found nothing to wait for */
    uint64_t wait_until_ns; /* for this leader */
    uint64_t pause_ns;      /* to the next look */
    uint64_t next_ns;       /* when that is */
    bool is_notified;       /* something was put: look at that first */
    /* The look that is under way. */
    uint64_t asked_ns; /* 0: none is */
    bool has_taken;
    bool is_refused;
    long long left_ms;
    uint64_t recorded_ms; /* that compiling took; 0: not known */
    char seen[seen_size];
};

/* One that we hold. */
struct redis_lease {
    struct redis_lease *next;
    struct remote_transport *transport;
    char name[redis_name_most + 1];
    char token[token_size];
    uint64_t began_ns;
    uint64_t length_ns;
    uint64_t renew_at_ns;
    bool is_lost;
};

/* ---- Keys and scripts ---------------------------------------------------- */

#define LEASE_SUFFIX ":lease"
#define TIME_SUFFIX ":ms"

static const char release_script[] =
        "if redis.call('get',KEYS[1])==ARGV[1] then "
        "return redis.call('del',KEYS[1]) end return 0";
static const char renew_script[] =
        "if redis.call('get',KEYS[1])==ARGV[1] then "
        "return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0";
/* ARGV[3]: whose lease it was. */
static const char depose_script[] =
        "local l=redis.call('get',KEYS[1]) "
        "if l and l~=ARGV[3] then return false end "
        "return redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2])";

static bool make_token(char token[token_size])
{
    uint8_t bytes[(token_size - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void take_nothing(void *user, struct redis_reply *reply)
{
    (void)user;
    (void)reply;
}

static void channel_of(
        char channel[redis_key_size], const struct remote_transport *t)
{
    (void)redis_key(channel, t, "", ":built");
}

/* Nobody waits for the answer: what is not released ends by itself. */
static void release(
        struct remote_transport *t, const char *name, const char *token)
{
    char key[redis_key_size];
    (void)redis_key(key, t, name, LEASE_SUFFIX);
    const struct redis_word words[] = {redis_word("EVAL"),
            redis_word(release_script), redis_word("1"), redis_word(key),
            redis_word(token)};
    (void)redis_connection_call(&t->commands, take_nothing, NULL, words, 5);
}

static void publish(struct remote_transport *t, const char *name)
{
    char channel[redis_key_size];
    channel_of(channel, t);
    const struct redis_word words[] = {
            redis_word("PUBLISH"), redis_word(channel), redis_word(name)};
    (void)redis_connection_call(&t->commands, take_nothing, NULL, words, 3);
}

static void record(
        struct remote_transport *t, const char *name, uint64_t took_ns)
{
    char key[redis_key_size];
    char number[24];
    (void)redis_key(key, t, name, TIME_SUFFIX);
    snprintf(number, sizeof number, "%" PRIu64, took_ns / ms_ns + 1);
    const struct redis_word words[] = {redis_word("SET"), redis_word(key),
            redis_word(number), redis_word("EX"), redis_word("2592000")};
    (void)redis_connection_call(&t->commands, take_nothing, NULL, words, 5);
}

/* ---- Leases that we hold ------------------------------------------------- */

/* How long a lease is, and how long a leader is waited for. */
static uint64_t length_of(
        const struct remote_transport *t, uint64_t recorded_ms)
{
    static const uint64_t least_ns = 100 * 1000000u;
    uint64_t length = t->lease_ns;
    if (recorded_ms > 0 && recorded_ms < length / ms_ns
            && 3 * recorded_ms * ms_ns / 2 < length)
        length = 3 * recorded_ms * ms_ns / 2;
    return length > least_ns ? length : least_ns;
}

static void take_renewal(void *user, struct redis_reply *reply)
{
    struct redis_lease *lease = user;
    /* It ended, or somebody took it over, before it was prolonged: so another
     * host compiles, too, and what we put does no harm. */
    if (reply != NULL && reply->type == redis_reply_integer
            && reply->integer == 0)
        lease->is_lost = true;
}

static void renew(struct redis_lease *lease)
{
    struct remote_transport *t = lease->transport;
    char key[redis_key_size];
    char length[24];
    (void)redis_key(key, t, lease->name, LEASE_SUFFIX);
    snprintf(length, sizeof length, "%" PRIu64, lease->length_ns / ms_ns);
    const struct redis_word words[] = {redis_word("EVAL"),
            redis_word(renew_script), redis_word("1"), redis_word(key),
            redis_word(lease->token), redis_word(length)};
    (void)redis_connection_call(&t->commands, take_renewal, lease, words, 6);
}

static void drop_lease(struct redis_lease **at)
{
    struct redis_lease *lease = *at;
    *at = lease->next;
    redis_connection_forget(&lease->transport->commands, lease);
    free(lease);
}

uint64_t redis_lease_renew(struct remote_transport *t, uint64_t now_ns)
{
    /* A compiler that does not end holds up nobody for ever. */
    static const uint64_t longest_ns = 600 * 1000000000u;
    uint64_t next = UINT64_MAX;
    for (struct redis_lease **at = &t->leases; *at != NULL;) {
        struct redis_lease *lease = *at;
        if (lease->is_lost || now_ns > lease->began_ns + longest_ns) {
            drop_lease(at);
            continue;
        }
        if (now_ns >= lease->renew_at_ns) {
            renew(lease);
            lease->renew_at_ns = now_ns + lease->length_ns / 3;
        }
        if (lease->renew_at_ns < next) next = lease->renew_at_ns;
        at = &lease->next;
    }
    return next;
}

static bool hold(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    const struct redis_lead *lead = o->lead;
    struct redis_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL) return false;
    const uint64_t now = remote_now_ns();
    lease->next = t->leases;
    lease->transport = t;
    snprintf(lease->name, sizeof lease->name, "%s", o->request->name);
    memcpy(lease->token, lead->token, sizeof lease->token);
    lease->began_ns = now;
    lease->length_ns = length_of(t, lead->recorded_ms);
    /* It was taken for the whole length that the URL says. */
    lease->renew_at_ns =
            lease->length_ns < t->lease_ns ? now : now + lease->length_ns / 3;
    t->leases = lease;
    return true;
}

void redis_lease_end(
        struct remote_transport *t, const char *name, bool is_built)
{
    struct redis_lease **at = &t->leases;
    while (*at != NULL && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    if (*at != NULL) {
        if (is_built) record(t, name, remote_now_ns() - (*at)->began_ns);
        release(t, name, (*at)->token);
        drop_lease(at);
    }
    publish(t, name);
}

void redis_lease_end_all(struct remote_transport *t)
{
    while (t->leases != NULL) {
        release(t, t->leases->name, t->leases->token);
        publish(t, t->leases->name);
        drop_lease(&t->leases);
    }
    redis_connection_send(&t->commands);
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
    if (!t->is_subscribed || t->messages.fd >= 0) return;
    t->is_subscribed = false;
    hurry(t, NULL);
}

static void subscribe(struct remote_transport *t)
{
    struct redis_connection *c = &t->messages;
    char channel[redis_key_size];
    if (c->fd >= 0 || c->first != NULL) return;
    channel_of(channel, t);
    const struct redis_word words[] = {
            redis_word("SUBSCRIBE"), redis_word(channel)};
    (void)redis_connection_call(c, take_subscription, t, words, 2);
}

/* ---- Waiting ------------------------------------------------------------- */

static void ask(struct redis_operation *o);

/* Compile it: as the leader, or since waiting does not pay. */
static void compile(struct redis_operation *o, bool leads)
{
    o->request->leads = leads;
    redis_operation_done(o, remote_result_absent);
}

static void lead_it(struct redis_operation *o)
{
    if (hold(o)) {
        compile(o, true);
        return;
    }
    release(o->transport, o->request->name, o->lead->token);
    compile(o, false);
}

/* Somebody else leads, by a token that was seen. */
static void wait_for_leader(struct redis_operation *o)
{
    struct redis_lead *lead = o->lead;
    const struct remote_transport *t = o->transport;
    const uint64_t now = remote_now_ns();
    const uint64_t length = length_of(t, lead->recorded_ms);
    if (strcmp(lead->leader, lead->seen) != 0) {
        if (lead->leaders++ == most_leaders) {
            compile(o, false);
            return;
        }
        memcpy(lead->leader, lead->seen, sizeof lead->leader);
        lead->wait_until_ns = now + length;
        lead->pause_ns = 10 * ms_ns;
    } else if (now >= lead->wait_until_ns) {
        compile(o, false);
        return;
    }
    lead->pause_ns += lead->pause_ns / 2;
    if (lead->pause_ns > s_ns / 4) lead->pause_ns = s_ns / 4;
    uint64_t next = now + (t->is_subscribed ? length / 2 : lead->pause_ns);
    /* It ends then, if its holder has died. */
    if (lead->left_ms >= 0
            && next > now + ((uint64_t)lead->left_ms + 1) * ms_ns)
        next = now + ((uint64_t)lead->left_ms + 1) * ms_ns;
    if (next > lead->wait_until_ns) next = lead->wait_until_ns;
    lead->next_ns = lead->is_notified ? now : next;
    subscribe(o->transport);
}

/* The last reply of a look: the entry. */
static void take_entry(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    struct redis_lead *lead = o->lead;
    lead->asked_ns = 0;
    if (reply == NULL) {
        redis_operation_failed(o);
        return;
    }
    if (reply->type != redis_reply_nil && lead->has_taken)
        release(o->transport, o->request->name, lead->token);
    if (reply->type == redis_reply_bytes)
        redis_operation_give(o, reply);
    else if (redis_reply_is_error(reply, "WRONGTYPE"))
        compile(o, false);
    else if (reply->type != redis_reply_nil)
        redis_operation_refused(o, reply);
    else if (lead->has_taken)
        lead_it(o);
    else if (lead->is_refused)
        compile(o, false);
    else if (lead->seen[0] != '\0')
        wait_for_leader(o);
    else if (++lead->attempts < most_attempts)
        lead->next_ns = 0; /* it ended between two of the commands */
    else
        compile(o, false);
}

static void take_lease(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply == NULL) return; /* the last one says so */
    o->lead->has_taken = reply->type == redis_reply_status;
    o->lead->is_refused = reply->type == redis_reply_error;
}

static void take_left(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply != NULL && reply->type == redis_reply_integer)
        o->lead->left_ms = reply->integer;
}

static void take_leader(void *user, struct redis_reply *reply)
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
        ask(o); /* the leader put nothing */
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

/* Takes the lease if it is free or, after having waited for its holder for as
 * long as it pays, from that one. */
static bool call_take(struct redis_operation *o, bool deposes)
{
    const struct redis_lead *lead = o->lead;
    struct remote_transport *t = o->transport;
    char key[redis_key_size];
    char length[24];
    (void)redis_key(key, t, o->request->name, LEASE_SUFFIX);
    snprintf(length, sizeof length, "%" PRIu64, t->lease_ns / ms_ns);
    const struct redis_word set[] = {redis_word("SET"), redis_word(key),
            redis_word(lead->token), redis_word("NX"), redis_word("PX"),
            redis_word(length)};
    const struct redis_word depose[] = {redis_word("EVAL"),
            redis_word(depose_script), redis_word("1"), redis_word(key),
            redis_word(lead->token), redis_word(length),
            redis_word(lead->leader)};
    return redis_connection_call(&t->commands, take_lease, o,
            deposes ? depose : set, deposes ? 7 : 6);
}

/* In this order: who puts an entry lets go of its lease afterwards, so that
 * whoever gets the lease and then finds no entry is the first. */
static void ask(struct redis_operation *o)
{
    struct redis_lead *lead = o->lead;
    const uint64_t now = remote_now_ns();
    const bool deposes = lead->leaders > 0 && lead->leaders < most_leaders
                         && now >= lead->wait_until_ns;
    lead->asked_ns = now;
    lead->is_notified = false;
    lead->has_taken = false;
    lead->is_refused = false;
    lead->left_ms = -1;
    lead->recorded_ms = 0;
    lead->seen[0] = '\0';
    if (call_take(o, deposes) && call(o, take_left, "PTTL", LEASE_SUFFIX)
            && call(o, take_leader, "GET", LEASE_SUFFIX)
            && call(o, take_recorded, "GET", TIME_SUFFIX)
            && call(o, take_entry, "GET", ""))
        return;
    redis_connection_forget(&o->transport->commands, o);
    redis_operation_done(o, remote_result_out_of_memory);
}

void redis_lead_begin(struct redis_operation *o)
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

void redis_lead_check(struct redis_operation *o, uint64_t now_ns)
{
    struct redis_lead *lead = o->lead;
    if (lead->asked_ns != 0) {
        if (now_ns < lead->asked_ns + o->transport->timeout_ns) return;
        redis_connection_forget(&o->transport->commands, o);
        snprintf(o->request->why, sizeof o->request->why, "no answer in time");
        redis_operation_done(o, remote_result_timed_out);
    } else if (now_ns < lead->next_ns) {
        return;
    } else if (lead->is_notified) {
        lead->is_notified = false;
        lead->asked_ns = now_ns;
        if (call(o, take_news, "GET", "")) return;
        redis_operation_done(o, remote_result_out_of_memory);
    } else {
        ask(o);
    }
}

uint64_t redis_lead_next_ns(const struct redis_operation *o)
{
    const struct redis_lead *lead = o->lead;
    return lead->asked_ns != 0 ? lead->asked_ns + o->transport->timeout_ns
                               : lead->next_ns;
}

void redis_lead_destroy(struct redis_lead *lead)
{
    free(lead);
}
