/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_lease.h"

#include "stores/redis/redis_heard.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t ms_ns = 1000000u;

/* One that we hold. */
struct redis_lease {
    struct redis_lease *next;
    struct remote_transport *transport;
    char name[redis_name_most + 1];
    char token[redis_token_size];
    uint64_t began_ns;
    uint64_t length_ns;
    uint64_t renew_at_ns;
    uint64_t told_ns; /* when its beginning was said last */
    bool is_lost;
    bool is_let_go; /* to be released, until there is a reply */
};

/* ---- What is sent -------------------------------------------------------- */

static const char release_script[] =
        "if redis.call('get',KEYS[1])==ARGV[1] then "
        "return redis.call('del',KEYS[1]) end return 0";
static const char renew_script[] =
        "if redis.call('get',KEYS[1])==ARGV[1] then "
        "return redis.call('pexpire',KEYS[1],ARGV[2]) end return 0";

static void take_nothing(void *user, struct redis_reply *reply)
{
    (void)user;
    (void)reply;
}

void redis_lease_channel(
        char channel[redis_key_size], const struct remote_transport *t)
{
    (void)redis_key(channel, t, "", ":built");
}

static void release(struct remote_transport *t, const char *name,
        const char *token, redis_take take, void *user)
{
    char key[redis_key_size];
    (void)redis_key(key, t, name, REDIS_LEASE_SUFFIX);
    const struct redis_word words[] = {redis_word("EVAL"),
            redis_word(release_script), redis_word("1"), redis_word(key),
            redis_word(token)};
    (void)redis_connection_call(&t->commands, take, user, words, 5);
}

static void publish(struct remote_transport *t, const char *message)
{
    char channel[redis_key_size];
    redis_lease_channel(channel, t);
    const struct redis_word words[] = {
            redis_word("PUBLISH"), redis_word(channel), redis_word(message)};
    (void)redis_connection_call(&t->commands, take_nothing, NULL, words, 3);
}

void redis_lease_release(
        struct remote_transport *t, const char *name, const char *token)
{
    release(t, name, token, take_nothing, NULL);
    publish(t, name);
}

static void publish_begin(struct redis_lease *lease, uint64_t now_ns)
{
    char message[sizeof lease->name + sizeof lease->token + 32];
    lease->told_ns = now_ns;
    snprintf(message, sizeof message, "%s %s %" PRIu64, lease->name,
            lease->token, lease->length_ns / ms_ns);
    publish(lease->transport, message);
}

/* Before what says that the lease has ended: hosts of before this message read
 * that one. */
static void publish_failure(struct remote_transport *t, const char *name)
{
    char message[redis_name_most + sizeof REDIS_FAILED + 1];
    snprintf(message, sizeof message, "%s " REDIS_FAILED, name);
    publish(t, message);
}

static void record(
        struct remote_transport *t, const char *name, uint64_t took_ns)
{
    char key[redis_key_size];
    char number[24];
    (void)redis_key(key, t, name, REDIS_TIME_SUFFIX);
    snprintf(number, sizeof number, "%" PRIu64, took_ns / ms_ns + 1);
    const struct redis_word words[] = {redis_word("SET"), redis_word(key),
            redis_word(number), redis_word("EX"), redis_word("2592000")};
    (void)redis_connection_call(&t->commands, take_nothing, NULL, words, 5);
}

/* ---- Leases that we hold ------------------------------------------------- */

/* Not so short that it ends before a holder that lives, on a busy machine or of
 * a busy server, has prolonged it. */
static uint64_t least_length(const struct remote_transport *t)
{
    enum { rounds = 8 };
    static const uint64_t least_ns = 1000 * 1000000u;
    const uint64_t most = t->lease_ns;
    uint64_t least = t->round_ns < most / rounds ? rounds * t->round_ns : most;
    if (least < least_ns) least = least_ns;
    return least < most ? least : most;
}

uint64_t redis_lease_length(
        const struct remote_transport *t, uint64_t recorded_ms)
{
    const uint64_t least = least_length(t);
    uint64_t length = t->lease_ns;
    if (recorded_ms > 0 && recorded_ms < length / ms_ns
            && 3 * recorded_ms * ms_ns / 2 < length)
        length = 3 * recorded_ms * ms_ns / 2;
    return length > least ? length : least;
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

static void renew(struct redis_lease *lease, uint64_t now_ns)
{
    struct remote_transport *t = lease->transport;
    char key[redis_key_size];
    char length[24];
    lease->renew_at_ns = now_ns + lease->length_ns / 3;
    (void)redis_key(key, t, lease->name, REDIS_LEASE_SUFFIX);
    snprintf(length, sizeof length, "%" PRIu64, lease->length_ns / ms_ns);
    const struct redis_word words[] = {redis_word("EVAL"),
            redis_word(renew_script), redis_word("1"), redis_word(key),
            redis_word(lease->token), redis_word(length)};
    (void)redis_connection_call(&t->commands, take_renewal, lease, words, 6);
    /* Who waits would look when the lease ends: it is told before. */
    if (now_ns - lease->told_ns > lease->length_ns / 2)
        publish_begin(lease, now_ns);
}

static void take_release(void *user, struct redis_reply *reply)
{
    struct redis_lease *lease = user;
    if (reply != NULL) lease->is_lost = true;
}

/* Until there is a reply, or it has ended by itself: others wait for it. */
static void let_go(struct redis_lease *lease, uint64_t now_ns)
{
    lease->is_let_go = true;
    lease->renew_at_ns = now_ns + lease->length_ns / 3;
    release(lease->transport, lease->name, lease->token, take_release, lease);
    publish(lease->transport, lease->name);
}

static void drop_lease(struct redis_lease **at)
{
    struct redis_lease *lease = *at;
    *at = lease->next;
    redis_connection_forget(&lease->transport->commands, lease);
    free(lease);
}

/* How long it is prolonged, or tried to be let go of. */
static uint64_t longest_of(const struct redis_lease *lease)
{
    return lease->is_let_go ? lease->length_ns
                            : remote_lease_longest_ns(lease->length_ns);
}

uint64_t redis_lease_renew(struct remote_transport *t, uint64_t now_ns)
{
    uint64_t next = UINT64_MAX;
    for (struct redis_lease **at = &t->leases; *at != NULL;) {
        struct redis_lease *lease = *at;
        if (lease->is_lost || now_ns > lease->began_ns + longest_of(lease)) {
            drop_lease(at);
            continue;
        }
        if (now_ns >= lease->renew_at_ns) {
            if (lease->is_let_go)
                let_go(lease, now_ns);
            else
                renew(lease, now_ns);
        }
        if (lease->renew_at_ns < next) next = lease->renew_at_ns;
        at = &lease->next;
    }
    return next;
}

/* From now on, for the whole length that the URL says. NULL: no memory. */
static struct redis_lease *add_lease(struct remote_transport *t,
        const char *name, const char token[redis_token_size])
{
    struct redis_lease *lease = calloc(1, sizeof *lease);
    if (lease == NULL) return NULL;
    lease->next = t->leases;
    lease->transport = t;
    snprintf(lease->name, sizeof lease->name, "%s", name);
    memcpy(lease->token, token, sizeof lease->token);
    lease->began_ns = clock_ns();
    lease->length_ns = t->lease_ns;
    lease->renew_at_ns = lease->began_ns;
    t->leases = lease;
    return lease;
}

bool redis_lease_hold(struct remote_transport *t, const char *name,
        const char token[redis_token_size], uint64_t recorded_ms)
{
    struct redis_lease *lease = add_lease(t, name, token);
    if (lease == NULL) return false;
    lease->length_ns = redis_lease_length(t, recorded_ms);
    if (lease->length_ns >= t->lease_ns)
        lease->renew_at_ns += lease->length_ns / 3;
    publish_begin(lease, lease->began_ns);
    return true;
}

bool redis_lease_is_held(const struct remote_transport *t, const char *name)
{
    const struct redis_lease *lease = t->leases;
    while (lease != NULL && strcmp(lease->name, name) != 0)
        lease = lease->next;
    return lease != NULL;
}

void redis_lease_let_go(struct remote_transport *t, const char *name,
        const char token[redis_token_size])
{
    struct redis_lease *lease = add_lease(t, name, token);
    if (lease != NULL) lease->is_let_go = true;
}

void redis_lease_end(
        struct remote_transport *t, const char *name, enum remote_verb how)
{
    const uint64_t now = clock_ns();
    struct redis_lease *lease = t->leases;
    while (lease != NULL
            && (lease->is_let_go || strcmp(lease->name, name) != 0))
        lease = lease->next;
    if (lease == NULL) {
        publish(t, name);
        return;
    }
    if (how == remote_verb_built) record(t, name, now - lease->began_ns);
    if (how == remote_verb_fail) publish_failure(t, name);
    lease->began_ns = now;
    let_go(lease, now);
}

void redis_lease_drop_all(struct remote_transport *t)
{
    while (t->leases != NULL)
        drop_lease(&t->leases);
}

void redis_lease_end_all(struct remote_transport *t)
{
    while (t->leases != NULL) {
        redis_lease_release(t, t->leases->name, t->leases->token);
        drop_lease(&t->leases);
    }
    redis_connection_send(&t->commands);
}
