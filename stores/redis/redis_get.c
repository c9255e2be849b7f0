/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_get.h"

#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_messages.h"

#include <stdlib.h>
#include <string.h>

/* ---- How long an answer takes -------------------------------------------- */

void redis_note_round(struct remote_transport *t, uint64_t since_ns)
{
    const uint64_t now = clock_ns();
    t->round_ns = now > since_ns ? now - since_ns : 0;
}

/* Hosts that are told of the same moment do not ask at the same one. */
static uint64_t random_below(struct remote_transport *t, uint64_t limit)
{
    t->random = t->random * 6364136223846793005u + 1442695040888963407u;
    return limit > 0 ? (t->random >> 16) % limit : 0;
}

static uint64_t least_hesitation(uint64_t round_ns, uint64_t most_ns)
{
    return round_ns < most_ns / 6 ? 2 * round_ns : most_ns / 3;
}

uint64_t redis_hesitation_ns(struct remote_transport *t, uint64_t most_ns)
{
    const uint64_t least = least_hesitation(t->round_ns, most_ns);
    return least + random_below(t, 2 * least);
}

/* ---- Sending ------------------------------------------------------------- */

/* To be sent with all that are. */
static void queue(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    o->asks_at_ns = 0;
    o->is_queued = true;
    o->next_queued = NULL;
    *t->last_queued = o;
    t->last_queued = &o->next_queued;
}

static struct redis_operation *unqueue(struct remote_transport *t)
{
    struct redis_operation *o = t->first_queued;
    if (o == NULL) return NULL;
    t->first_queued = o->next_queued;
    if (t->first_queued == NULL) t->last_queued = &t->first_queued;
    o->is_queued = false;
    return o;
}

void redis_get_forget(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    if (!o->is_queued) return;
    struct redis_operation **at = &t->first_queued;
    while (*at != o)
        at = &(*at)->next_queued;
    *at = o->next_queued;
    if (t->last_queued == &o->next_queued) t->last_queued = at;
    o->is_queued = false;
}

bool redis_get_may_repeat(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    if (o->is_repeated || !t->commands.was_shared
            || t->commands.result != remote_result_failed)
        return false;
    o->is_repeated = true;
    redis_messages_keep_apart(t);
    t->host->restart(o->request);
    return true;
}

/* MGET is not there, or not allowed. */
static bool is_to_be_asked_alone(
        struct redis_operation *o, const struct redis_reply *reply)
{
    if (!o->is_one_of_many
            || !(redis_reply_is_error(reply, "ERR")
                    || redis_reply_is_error(reply, "NOPERM")
                    || redis_reply_is_error(reply, "CROSSSLOT")))
        return false;
    o->transport->asks_singly = true;
    o->is_one_of_many = false;
    return true;
}

static void take_value(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply == NULL) {
        if (redis_get_may_repeat(o))
            queue(o);
        else
            redis_operation_failed(o);
        return;
    }
    redis_note_round(o->transport, o->asked_ns);
    if (reply->type == redis_reply_bytes) {
        redis_operation_give(o, reply);
    } else if (reply->type == redis_reply_nil) {
        redis_heard_drop_end(o->transport, o->request->name);
        redis_operation_done(o, remote_result_absent);
    } else if (redis_reply_is_error(reply, "WRONGTYPE")) {
        /* Not a text: an entry without a byte, which is damaged. */
        redis_operation_done(o, remote_result_done);
    } else if (is_to_be_asked_alone(o, reply)) {
        queue(o);
    } else {
        redis_operation_refused(o, reply);
    }
}

static bool send_one(struct redis_operation *o)
{
    char key[redis_key_size];
    (void)redis_key(key, o->transport, o->request->name, "");
    const struct redis_word words[] = {redis_word("GET"), redis_word(key)};
    return redis_connection_fetch(&o->transport->commands, take_value,
            &redis_operation_sink, o, words, 2);
}

static bool send_many(struct redis_operation *const *all, size_t count)
{
    struct remote_transport *t = all[0]->transport;
    struct redis_word words[1 + redis_most_names] = {redis_word("MGET")};
    void *users[redis_most_names];
    char(*keys)[redis_key_size] = malloc(count * sizeof *keys);
    if (keys == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        all[i]->is_one_of_many = true;
        users[i] = all[i];
        words[1 + i] = (struct redis_word){
                keys[i], redis_key(keys[i], t, all[i]->request->name, "")};
    }
    const bool is_sent = redis_connection_fetch_many(&t->commands, take_value,
            &redis_operation_sink, users, count, words);
    free(keys);
    return is_sent;
}

static void send_some(struct remote_transport *t)
{
    struct redis_operation *all[redis_most_names];
    const size_t most = t->asks_singly ? 1 : redis_most_names;
    const uint64_t now = clock_ns();
    size_t count = 0;
    while (count < most && t->first_queued != NULL) {
        all[count] = unqueue(t);
        all[count++]->asked_ns = now;
    }
    if (count == 1 ? send_one(all[0]) : send_many(all, count)) return;
    for (size_t i = 0; i < count; i++)
        redis_operation_done(all[i], remote_result_out_of_memory);
}

/* ---- Waiting to be told -------------------------------------------------- */

static bool is_held(const struct redis_operation *o, const char *name)
{
    return o->asks_at_ns != 0
           && (name == NULL || strcmp(o->request->name, name) == 0);
}

static void end_holding(struct redis_operation *o, uint64_t now)
{
    if (now > o->began_ns) o->request->held_ns = now - o->began_ns;
    queue(o);
}

/* Longer than that costs more than a command. */
static uint64_t most_hesitation_ns(const struct remote_transport *t)
{
    static const uint64_t most_ns = 500 * 1000000u;
    return t->timeout_ns / 16 < most_ns ? t->timeout_ns / 16 : most_ns;
}

uint64_t redis_get_rest_ns(
        const struct remote_transport *t, uint64_t round_ns, uint64_t now_ns)
{
    const uint64_t least = least_hesitation(round_ns, most_hesitation_ns(t));
    return least > 0 ? least + now_ns % (2 * least) : 0;
}

/* What it waited for was not the server. */
static void end_told(struct redis_operation *o)
{
    const uint64_t now = clock_ns();
    if (now > o->began_ns) o->request->held_ns = now - o->began_ns;
    redis_operation_done(o, remote_result_absent);
}

void redis_get_begin(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    const char *name = o->request->name;
    if (redis_heard_find(t, name) != NULL) {
        end_told(o);
        return;
    }
    redis_connection_allow(&t->commands, o->request->max_bytes);
    if (t->is_subscribed && t->is_in_step && !redis_heard_has_ended(t, name))
        o->asks_at_ns =
                o->began_ns + redis_hesitation_ns(t, most_hesitation_ns(t));
    else
        queue(o);
}

void redis_get_hear_begin(struct remote_transport *t, const char *name)
{
    for (struct redis_operation *o = t->operations, *after; o != NULL;
            o = after) {
        after = o->next;
        if (is_held(o, name)) end_told(o);
    }
}

void redis_get_hear_end(struct remote_transport *t, const char *name)
{
    const uint64_t now = clock_ns();
    for (struct redis_operation *o = t->operations; o != NULL; o = o->next)
        if (is_held(o, name)) end_holding(o, now);
}

uint64_t redis_get_ask(struct remote_transport *t, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (struct redis_operation *o = t->operations; o != NULL; o = o->next) {
        if (!is_held(o, NULL)) continue;
        if (o->asks_at_ns <= now) {
            /* Whom it followed is not ahead any more. */
            t->is_in_step = false;
            end_holding(o, now);
        } else if (o->asks_at_ns < next) {
            next = o->asks_at_ns;
        }
    }
    while (t->first_queued != NULL)
        send_some(t);
    return next;
}
