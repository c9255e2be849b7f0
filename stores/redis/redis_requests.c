/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_get.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t redis_key(char key[redis_key_size], const struct remote_transport *t,
        const char *name, const char *suffix)
{
    return (size_t)snprintf(
            key, redis_key_size, "%s%s%s", t->prefix, name, suffix);
}

/* ---- What becomes of a request ------------------------------------------- */

/* Errors that are of this command alone; the server can do others. */
static bool is_refusal(const struct redis_reply *reply)
{
    static const char *const words[] = {"OOM", "READONLY", "NOPERM", "MISCONF",
            "NOREPLICAS", "ERR", "WRONGTYPE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (redis_reply_is_error(reply, words[i])) return true;
    return false;
}

/* The rest of the text may have anything in it. */
static void set_why(
        struct remote_request *request, const struct redis_reply *reply)
{
    size_t size = 0;
    while (size < reply->size && size < 32
            && ((reply->text[size] >= 'A' && reply->text[size] <= 'Z')
                    || reply->text[size] == '_'))
        size++;
    snprintf(request->why, sizeof request->why, "Redis answered \"%.*s\"",
            (int)size, reply->text);
}

void redis_operation_refused(
        struct redis_operation *operation, const struct redis_reply *reply)
{
    if (reply->type != redis_reply_error) {
        redis_connection_break(&operation->transport->commands,
                remote_result_failed, "Redis answered something else");
        snprintf(operation->request->why, sizeof operation->request->why,
                "Redis answered something else");
        redis_operation_done(operation, remote_result_failed);
        return;
    }
    set_why(operation->request, reply);
    redis_operation_done(operation,
            is_refusal(reply) ? remote_result_refused : remote_result_failed);
}

void redis_operation_failed(struct redis_operation *operation)
{
    const struct redis_connection *c = &operation->transport->commands;
    snprintf(operation->request->why, sizeof operation->request->why, "%s",
            c->why);
    redis_operation_done(operation, c->result);
}

static void begin_body(void *user, uint64_t size)
{
    struct redis_operation *o = user;
    o->body_result = o->transport->host->expect(o->request, size)
                             ? remote_result_done
                             : remote_result_too_large;
}

static void take_body(void *user, const void *bytes, size_t size)
{
    struct redis_operation *o = user;
    if (o->body_result == remote_result_done)
        (void)o->transport->host->receive(
                o->request, bytes, size, &o->body_result);
}

static void *room_of_body(void *user, size_t *size)
{
    struct redis_operation *o = user;
    return o->body_result == remote_result_done
                   ? o->transport->host->room(o->request, size)
                   : NULL;
}

static void fill_body(void *user, size_t size)
{
    struct redis_operation *o = user;
    o->transport->host->fill(o->request, size);
}

const struct redis_sink redis_operation_sink = {
        begin_body, take_body, room_of_body, fill_body};

void redis_operation_give(
        struct redis_operation *operation, const struct redis_reply *reply)
{
    const struct remote_host *host = operation->transport->host;
    enum remote_result result = remote_result_done;
    if (reply->is_passed_on)
        result = operation->body_result;
    else if (!host->expect(operation->request, reply->size))
        result = remote_result_too_large;
    else
        (void)host->receive(
                operation->request, reply->text, reply->size, &result);
    redis_operation_done(operation, result);
}

/* ---- Replies ------------------------------------------------------------- */

static void take_status(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply == NULL)
        redis_operation_failed(o);
    else if (reply->type == redis_reply_status
             || reply->type == redis_reply_integer)
        redis_operation_done(o, remote_result_done);
    else
        redis_operation_refused(o, reply);
}

static void take_existence(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply != NULL && reply->type == redis_reply_integer
            && reply->integer == 0)
        redis_operation_done(o, remote_result_absent);
    else
        take_status(user, reply);
}

/* Of a key that SCAN has found, the name; NULL: it is none of an object. */
static const char *name_in(
        const struct remote_transport *t, const struct redis_reply *key)
{
    const size_t size = strlen(t->prefix);
    if (key == NULL || key->type != redis_reply_bytes || key->size <= size
            || memcmp(key->text, t->prefix, size) != 0
            || memchr(key->text, '\0', key->size) != NULL
            || strchr(key->text + size, ':') != NULL)
        return NULL;
    return key->text + size;
}

static void give_names(struct redis_operation *o,
        const struct redis_reply *cursor, const struct redis_reply *keys)
{
    const struct remote_transport *t = o->transport;
    enum remote_result result = remote_result_done;
    for (size_t i = 0; i < keys->count && result == remote_result_done; i++) {
        const char *name = name_in(t, keys->elements[i]);
        if (name != NULL)
            (void)t->host->receive(o->request, name, strlen(name) + 1, &result);
    }
    snprintf(o->request->cursor, sizeof o->request->cursor, "%s",
            strcmp(cursor->text, "0") == 0 ? "" : cursor->text);
    redis_operation_done(o, result);
}

static void take_page(void *user, struct redis_reply *reply)
{
    struct redis_operation *o = user;
    if (reply == NULL)
        redis_operation_failed(o);
    else if (reply->type == redis_reply_array && reply->count == 2
             && reply->elements[0]->type == redis_reply_bytes
             && reply->elements[1]->type == redis_reply_array)
        give_names(o, reply->elements[0], reply->elements[1]);
    else
        redis_operation_refused(o, reply);
}

/* ---- Commands ------------------------------------------------------------ */

static bool call(struct redis_operation *o, redis_take take,
        const struct redis_word *words, size_t count)
{
    return redis_connection_call(
            &o->transport->commands, take, o, words, count);
}

static bool begin_put(struct redis_operation *o, const struct redis_word *key)
{
    const uint64_t ttl_s = o->transport->server.url->ttl_s;
    char seconds[24];
    snprintf(seconds, sizeof seconds, "%" PRIu64, ttl_s);
    const struct redis_word words[] = {redis_word("SET"), *key,
            {o->request->data, o->request->size}, redis_word("EX"),
            redis_word(seconds)};
    return call(o, take_status, words, ttl_s > 0 ? 5 : 3);
}

/* Names below the prefix; what is special in a pattern is escaped. */
static bool begin_list(struct redis_operation *o)
{
    const char *prefix = o->transport->prefix;
    const char *cursor = o->request->cursor;
    char pattern[2 * redis_prefix_most + 2];
    size_t size = 0;
    for (; *prefix != '\0'; prefix++) {
        if (strchr("*?[]^-\\", *prefix) != NULL) pattern[size++] = '\\';
        pattern[size++] = *prefix;
    }
    pattern[size++] = '*';
    const struct redis_word words[] = {redis_word("SCAN"),
            redis_word(cursor[0] != '\0' ? cursor : "0"), redis_word("MATCH"),
            {pattern, size}, redis_word("COUNT"), redis_word("1000")};
    return call(o, take_page, words, 6);
}

static bool begin_by_name(struct redis_operation *o, const char *verb,
        redis_take take, const struct redis_word *key)
{
    const struct redis_word words[] = {redis_word(verb), *key};
    return call(o, take, words, 2);
}

void redis_request_begin(struct redis_operation *o)
{
    const struct remote_request *request = o->request;
    char text[redis_key_size];
    bool is_begun = false;
    if (request->verb != remote_verb_list
            && strlen(request->name) > redis_name_most) {
        redis_operation_done(o, remote_result_unsupported);
        return;
    }
    const struct redis_word key = {
            text, request->verb == remote_verb_list
                          ? 0
                          : redis_key(text, o->transport, request->name, "")};
    switch (request->verb) {
    case remote_verb_get:
        redis_get_begin(o);
        return;
    case remote_verb_put:
        is_begun = begin_put(o, &key);
        break;
    case remote_verb_head:
        is_begun = begin_by_name(o, "EXISTS", take_existence, &key);
        break;
    case remote_verb_remove:
        is_begun = begin_by_name(o, "DEL", take_status, &key);
        break;
    case remote_verb_list:
        is_begun = begin_list(o);
        break;
    default:
        redis_operation_done(o, remote_result_unsupported);
        return;
    }
    if (!is_begun) redis_operation_done(o, remote_result_out_of_memory);
}
