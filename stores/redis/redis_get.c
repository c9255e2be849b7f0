/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_get.h"

#include "stores/redis/redis_heard.h"
#include "stores/redis/redis_messages.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sending ------------------------------------------------------------- */

/* To be sent with all that are. */
static void queue(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
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
    if (!o->is_one_of_many || reply->type != redis_reply_error) return false;
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
    if (reply->type == redis_reply_bytes) {
        redis_operation_give(o, reply);
    } else if (reply->type == redis_reply_nil) {
        o->transport->round_ns = clock_ns() - o->began_ns;
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
    size_t count = 0;
    while (count < most && t->first_queued != NULL)
        all[count++] = unqueue(t);
    if (count == 1 ? send_one(all[0]) : send_many(all, count)) return;
    for (size_t i = 0; i < count; i++)
        redis_operation_done(all[i], remote_result_out_of_memory);
}

void redis_get_begin(struct redis_operation *o)
{
    struct remote_transport *t = o->transport;
    if (redis_heard_find(t, o->request->name) != NULL) {
        redis_operation_done(o, remote_result_absent);
        return;
    }
    redis_connection_allow(&t->commands, o->request->max_bytes);
    queue(o);
}

void redis_get_ask(struct remote_transport *t)
{
    while (t->first_queued != NULL)
        send_some(t);
}
