/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_lease.h"

#include "src/platform/random.h"
#include "stores/redis/redis_get.h"
#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_messages.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_holder = 2, most_attempts = 8 };

static const uint64_t ms_ns = 1000000u;

/* A request that wants to know who compiles. */
struct redis_waiter {
    char token[redis_token_size]; /* ours */
    /* The other's that is waited for; "": nobody's. */
    char holder[redis_holder_size];
    unsigned holders;       /* waited for so far */
    unsigned attempts;      /* in a row that found nothing to wait for */
    uint64_t since_ns;      /* waiting for this holder */
    uint64_t wait_until_ns; /* for this holder */
    uint64_t pause_ns;      /* to the next look */
    uint64_t next_ns;       /* when that is */
    bool is_notified;       /* something was put: look at that first */
    bool is_untold; /* another host leads, and has not been heard of yet */
    bool awaits_subscription;
    bool has_failed;  /* the holder, while this host was asking */
    bool is_endless;  /* its lease, which no host of ours makes so */
    bool was_endless; /* the one that is waited for was at the last look */
    /* The look that is under way. */
    uint64_t asked_ns;   /* 0: none is */
    uint64_t until_ns;   /* by then there is a reply, or will be none */
    bool may_have_taken; /* the lease: there is no reply yet */
    bool has_taken;
    bool is_refused;
    long long left_ms;
    uint64_t recorded_ms; /* that compiling took; 0: not known */
    char seen[redis_holder_size];
};

static bool make_token(char token[redis_token_size])
{
    uint8_t bytes[(redis_token_size - 1) / 2];
    if (random_bytes(bytes, sizeof bytes) != 0) return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static void ask(struct redis_operation *o);
static void begin_look(struct redis_operation *o);
static bool ask_for_entry(struct redis_operation *o);
static void follow(struct redis_operation *o, const struct redis_heard *heard);
static void compile(struct redis_operation *o, bool holds_lease);

/* ---- Messages ------------------------------------------------------------ */

static bool waits_for(const struct redis_operation *o, const char *name)
{
    return o->lead != NULL
           && (name == NULL || strcmp(o->request->name, name) == 0);
}

static void hurry_one(struct redis_operation *o)
{
    o->lead->is_notified = true;
    o->lead->next_ns = 0;
}

void redis_waiters_hurry(struct remote_transport *t, const char *name)
{
    for (struct redis_operation *o = t->operations; o != NULL; o = o->next)
        if (waits_for(o, name)) hurry_one(o);
}

void redis_waiters_subscribe(struct remote_transport *t)
{
    for (struct redis_operation *o = t->operations; o != NULL; o = o->next) {
        if (o->lead == NULL) continue;
        if (o->lead->awaits_subscription)
            o->lead->next_ns = 0;
        else if (t->is_subscribed)
            hurry_one(o); /* what was published before */
    }
}

void redis_waiters_follow(struct remote_transport *t, const char *name)
{
    for (struct redis_operation *o = t->operations, *after; o != NULL;
            o = after) {
        after = o->next;
        if (!waits_for(o, name) || o->lead->asked_ns != 0) continue;
        /* The one before may have dropped what was heard. */
        const struct redis_heard *heard = redis_heard_find(t, name);
        if (heard == NULL) return;
        follow(o, heard);
    }
}

void redis_waiters_fail(struct remote_transport *t, const char *name)
{
    for (struct redis_operation *o = t->operations, *after; o != NULL;
            o = after) {
        after = o->next;
        if (!waits_for(o, name)) continue;
        if (o->lead->asked_ns != 0)
            o->lead->has_failed = true;
        else
            compile(o, false);
    }
}

/* ---- Waiting ------------------------------------------------------------- */

/* Compile it: as the holder, or since waiting does not pay. */
static void compile(struct redis_operation *o, bool holds_lease)
{
    /* What we put then is there, whatever others have said. */
    redis_heard_drop(o->transport, o->request->name);
    if (o->lead->was_endless)
        snprintf(o->request->why, sizeof o->request->why,
                "a lease there had no expiry");
    o->request->holds_lease = holds_lease;
    redis_operation_done(o, remote_result_absent);
}

static void lead_it(struct redis_operation *o)
{
    const struct redis_waiter *lead = o->lead;
    o->transport->has_led = true;
    o->transport->has_followed = false;
    o->transport->is_in_step = false;
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

/* The waiter's own share of a time, by which it differs from others. */
static uint64_t share_of(const struct redis_waiter *lead, uint64_t ns)
{
    char digits[4 + 1] = "";
    memcpy(digits, lead->token, sizeof digits - 1);
    return ns / 65536 * strtoull(digits, NULL, 16);
}

/* To the next look of who is told nothing. */
static uint64_t next_pause(struct redis_waiter *lead, uint64_t length)
{
    const uint64_t most = length / 20 > 250 * ms_ns ? length / 20 : 250 * ms_ns;
    lead->pause_ns += lead->pause_ns / 2;
    if (lead->pause_ns > most) lead->pause_ns = most;
    return lead->pause_ns + share_of(lead, lead->pause_ns / 8);
}

/* Somebody else leads, by a token that was seen, and whose lease is so long. */
static void wait_for_holder(struct redis_operation *o, uint64_t length)
{
    struct redis_waiter *lead = o->lead;
    /* It prolongs its lease no longer than that while it lives; and one without
     * an expiry gets one again before this host has waited for a length. */
    const uint64_t longest =
            (lead->is_endless ? 0 : remote_lease_longest_ns(length)) + length
            - share_of(lead, length / 8);
    const bool becomes_endless = lead->is_endless && !lead->was_endless;
    lead->was_endless = lead->is_endless;
    struct remote_transport *t = o->transport;
    const uint64_t now = clock_ns();
    lead->is_untold = false;
    lead->awaits_subscription = false;
    t->has_led = false;
    t->has_followed = true;
    t->is_in_step = true;
    if (strcmp(lead->holder, lead->seen) != 0) {
        if (lead->holders++ == most_holder) {
            compile(o, false);
            return;
        }
        memcpy(lead->holder, lead->seen, sizeof lead->holder);
        lead->since_ns = now;
        lead->wait_until_ns = now + longest;
        lead->pause_ns = 10 * ms_ns;
    } else {
        /* What it says of its lease counts, not what this host thought. */
        if (becomes_endless)
            lead->wait_until_ns = now + longest;
        else if (!lead->is_endless
                 && lead->since_ns + longest > lead->wait_until_ns)
            lead->wait_until_ns = lead->since_ns + longest;
        if (now >= lead->wait_until_ns) {
            compile(o, false);
            return;
        }
    }
    uint64_t pause = t->is_subscribed ? length : next_pause(lead, length);
    /* It ends then, if its holder has died. */
    if (lead->left_ms >= 0 && (uint64_t)lead->left_ms < pause / ms_ns)
        pause = ((uint64_t)lead->left_ms + 1) * ms_ns
                + share_of(lead, length / 8);
    uint64_t next = now + pause;
    if (next > lead->wait_until_ns) next = lead->wait_until_ns;
    lead->next_ns = lead->is_notified ? now : next;
    t->host->postpone(o->request, lead->next_ns);
    (void)redis_messages_subscribe(o->transport);
}

/* The same for one of which a message has told. */
static void follow(struct redis_operation *o, const struct redis_heard *heard)
{
    static const uint64_t least_ns = 100 * 1000000u;
    struct redis_waiter *lead = o->lead;
    const uint64_t now = clock_ns();
    const uint64_t left_ns = heard->until_ns > now ? heard->until_ns - now : 0;
    lead->left_ms = (long long)(left_ns / ms_ns);
    lead->is_endless = false;
    snprintf(lead->seen, sizeof lead->seen, "%s", heard->holder);
    wait_for_holder(
            o, heard->length_ns > least_ns ? heard->length_ns : least_ns);
}

/* There is no entry. */
static void decide(struct redis_operation *o)
{
    struct redis_waiter *lead = o->lead;
    const bool is_led = lead->seen[0] != '\0';
    if (lead->has_taken) lead_it(o);
    /* A server that takes no lease takes no entry from a holder, either. */
    else if (lead->is_refused || lead->has_failed
             || (!is_led && ++lead->attempts == most_attempts))
        compile(o, false);
    else if (is_led)
        wait_for_holder(o, redis_lease_length(o->transport, lead->recorded_ms));
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
        lead->may_have_taken = false;
        lead->has_taken = false;
        if (redis_get_may_repeat(o) && ask_for_entry(o))
            begin_look(o);
        else
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
    if (reply == NULL || reply->type != redis_reply_integer) return;
    o->lead->left_ms = reply->integer;
    o->lead->is_endless = reply->integer == -1;
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
    if (reply != NULL) {
        redis_note_round(o->transport, o->lead->asked_ns);
        redis_heard_drop_end(o->transport, o->request->name);
    }
    o->lead->asked_ns = 0;
    if (reply != NULL && reply->type == redis_reply_nil && !o->lead->has_failed)
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

static bool ask_for_entry(struct redis_operation *o)
{
    return call(o, take_news, "GET", "");
}

/* ARGV[3]: whose lease it was, or the beginning of that, if it is longer than
 * any of ours. */
static const char depose_script[] =
        "local l=redis.call('get',KEYS[1]) "
        "if l and string.sub(l,1,#ARGV[3])~=ARGV[3] then return false end "
        "return redis.call('set',KEYS[1],ARGV[1],'PX',ARGV[2])";

/* Takes the lease if it is free or, after having waited for its holder for as
 * long as it pays, from that one. */
static bool call_take(struct redis_operation *o, redis_take take, bool deposes)
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
    return redis_connection_call(
            &t->commands, take, o, deposes ? depose : set, deposes ? 7 : 6);
}

static void fail_without_memory(struct redis_operation *o)
{
    redis_connection_forget(&o->transport->commands, o);
    redis_waiter_let_go(o);
    redis_operation_done(o, remote_result_out_of_memory);
}

/* Of a host that is told: who leads says so, and what becomes of the entry. If
 * not, that was said before this host heard, and it asks for all. */
static void take_first(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    struct redis_waiter *lead = o->lead;
    if (reply == NULL) {
        take_entry(user, NULL);
        return;
    }
    take_lease(user, reply);
    if (lead->has_taken) {
        if (!call(o, take_recorded, "GET", REDIS_TIME_SUFFIX)
                || !call(o, take_entry, "GET", ""))
            fail_without_memory(o);
        return;
    }
    lead->asked_ns = 0;
    if (lead->is_refused || lead->has_failed) {
        compile(o, false);
        return;
    }
    /* That was said while this host asked. */
    const struct redis_heard *heard =
            redis_heard_find(o->transport, o->request->name);
    if (heard != NULL && !lead->is_notified) {
        follow(o, heard);
        return;
    }
    lead->is_untold = true;
    lead->next_ns = clock_ns();
    if (!lead->is_notified)
        lead->next_ns += o->transport->lease_ns / 8
                         - share_of(lead, o->transport->lease_ns / 16);
    o->transport->host->postpone(o->request, lead->next_ns);
}

/* All who wait for an entry ask for it at the same moment, and the server has
 * an answer for the last one late. Who has waited waits as long again for it,
 * which is less than to compile, at least a time-out, and a lease at most. */
static void begin_look(struct redis_operation *o)
{
    const struct remote_transport *t = o->transport;
    const uint64_t now = clock_ns();
    uint64_t patience = now > o->began_ns ? now - o->began_ns : 0;
    if (patience > t->lease_ns) patience = t->lease_ns;
    if (patience < t->timeout_ns) patience = t->timeout_ns;
    o->lead->asked_ns = now;
    o->lead->until_ns = now + patience;
    /* The core adds a time-out. */
    t->host->postpone(o->request, o->lead->until_ns - t->timeout_ns);
}

/* In this order: who puts an entry lets go of its lease afterwards, so that
 * whoever gets the lease and then finds no entry is the first. */
static void ask(struct redis_operation *o)
{
    struct redis_waiter *lead = o->lead;
    const uint64_t now = clock_ns();
    lead->awaits_subscription = false;
    const bool deposes = lead->holders > 0 && lead->holders < most_holder
                         && now >= lead->wait_until_ns;
    begin_look(o);
    lead->is_notified = false;
    lead->has_taken = false;
    lead->is_refused = false;
    lead->left_ms = -1;
    lead->is_endless = false;
    lead->recorded_ms = 0;
    lead->seen[0] = '\0';
    if (o->transport->is_subscribed && o->transport->has_followed
            && !lead->is_untold && !deposes) {
        lead->may_have_taken = call_take(o, take_first, false);
        if (!lead->may_have_taken) fail_without_memory(o);
        return;
    }
    lead->may_have_taken = call_take(o, take_lease, deposes);
    if (lead->may_have_taken && call(o, take_left, "PTTL", REDIS_LEASE_SUFFIX)
            && call(o, take_holder, "GET", REDIS_LEASE_SUFFIX)
            && call(o, take_recorded, "GET", REDIS_TIME_SUFFIX)
            && call(o, take_entry, "GET", ""))
        return;
    fail_without_memory(o);
}

/* Hosts that waited for the same one want the next entry at the same moment,
 * and the one that has led them is ahead: it may be asking already. It needs a
 * few rounds to say that it leads, which take longer the more hosts ask. */
static void hesitate(struct redis_operation *o)
{
    static const uint64_t most_ns = 150 * 1000000u;
    struct remote_transport *t = o->transport;
    o->lead->next_ns = clock_ns() + redis_hesitation_ns(t, most_ns);
    t->host->postpone(o->request, o->lead->next_ns);
}

/* Who hears asks for less. Not who led last: it mostly leads again. */
static bool await_subscription(struct redis_operation *o)
{
    static const uint64_t most_ns = 100 * 1000000u;
    struct remote_transport *t = o->transport;
    if (t->is_subscribed || t->has_led || !redis_messages_subscribe(t))
        return false;
    const uint64_t pause =
            t->timeout_ns / 4 < most_ns ? t->timeout_ns / 4 : most_ns;
    o->lead->awaits_subscription = true;
    o->lead->next_ns = clock_ns() + pause;
    t->host->postpone(o->request, o->lead->next_ns);
    return true;
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
    /* While this one rested. */
    if (redis_heard_has_failed(
                o->transport, o->request->name, o->request->asked_ns)) {
        compile(o, false);
        return;
    }
    const struct redis_heard *heard =
            redis_heard_find(o->transport, o->request->name);
    if (heard != NULL)
        follow(o, heard);
    else if (redis_heard_has_ended(o->transport, o->request->name))
        hurry_one(o);
    else if (o->transport->is_subscribed && o->transport->is_in_step)
        hesitate(o);
    else if (!await_subscription(o))
        ask(o);
}

void redis_waiter_check(struct redis_operation *o, uint64_t now_ns)
{
    struct redis_waiter *lead = o->lead;
    if (lead->asked_ns != 0) {
        if (now_ns < lead->until_ns) return;
        redis_connection_give_up(&o->transport->commands, o);
        redis_waiter_let_go(o);
        snprintf(o->request->why, sizeof o->request->why, "no answer in time");
        redis_operation_done(o, remote_result_timed_out);
    } else if (now_ns < lead->next_ns) {
        return;
    } else if (lead->is_notified && !lead->awaits_subscription) {
        lead->is_notified = false;
        begin_look(o);
        if (ask_for_entry(o)) return;
        redis_operation_done(o, remote_result_out_of_memory);
    } else {
        ask(o);
    }
}

uint64_t redis_waiter_next_ns(const struct redis_operation *o)
{
    const struct redis_waiter *lead = o->lead;
    return lead->asked_ns != 0 ? lead->until_ns : lead->next_ns;
}

bool redis_waiter_is_asking(const struct redis_operation *o)
{
    return o->lead->asked_ns != 0;
}

void redis_waiter_destroy(struct redis_waiter *lead)
{
    free(lead);
}
