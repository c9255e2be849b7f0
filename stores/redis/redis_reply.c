/* SPDX-License-Identifier: Apache-2.0 */
#include "redis_reply.h"

#include <errno.h>
#include <hiredis/read.h>
#include <stdlib.h>
#include <string.h>

/* SCAN answers with about as many names as it is asked for; nothing else has
 * more elements. */
enum { most_elements = 100000 };

struct redis_reader {
    redisReader *parser;
    uint64_t max_bytes;
    uint64_t bytes; /* of the reply that is being read */
    bool is_too_large;
};

void redis_reply_destroy(struct redis_reply *reply)
{
    if (reply == NULL) return;
    /* Replies are at most seven levels deep: the parser sees to it. */
    for (size_t i = 0; i < reply->count; i++)
        redis_reply_destroy(reply->elements[i]);
    free(reply->elements);
    free(reply->text);
    free(reply);
}

bool redis_reply_is_error(const struct redis_reply *reply, const char *word)
{
    const size_t size = strlen(word);
    return reply->type == redis_reply_error && reply->size >= size
           && memcmp(reply->text, word, size) == 0
           && (reply->size == size || reply->text[size] == ' ');
}

/* ---- What the parser calls ----------------------------------------------- */

/* Hands a new reply to the array that it is an element of. NULL: no memory. */
static struct redis_reply *add(
        const redisReadTask *task, enum redis_reply_type type)
{
    struct redis_reply *reply = calloc(1, sizeof *reply);
    if (reply == NULL) return NULL;
    reply->type = type;
    if (task->parent != NULL) {
        struct redis_reply *array = task->parent->obj;
        array->elements[task->idx] = reply;
    }
    return reply;
}

/* The first reply of all is not yet owned by anything if this fails; others
 * belong to the array. */
static void *give_up(const redisReadTask *task, struct redis_reply *reply)
{
    if (task->parent == NULL) redis_reply_destroy(reply);
    return NULL;
}

static void *add_text(const redisReadTask *task, char *text, size_t size)
{
    struct redis_reader *reader = task->privdata;
    const enum redis_reply_type type =
            task->type == REDIS_REPLY_ERROR    ? redis_reply_error
            : task->type == REDIS_REPLY_STATUS ? redis_reply_status
                                               : redis_reply_bytes;
    if (size > reader->max_bytes - reader->bytes) {
        reader->is_too_large = true;
        return NULL;
    }
    struct redis_reply *reply = add(task, type);
    if (reply == NULL) return NULL;
    reply->text = malloc(size + 1);
    if (reply->text == NULL) return give_up(task, reply);
    memcpy(reply->text, text, size);
    reply->text[size] = '\0';
    reply->size = size;
    reader->bytes += size;
    return reply;
}

static void *add_array(const redisReadTask *task, int count)
{
    struct redis_reader *reader = task->privdata;
    if (count > most_elements) {
        reader->is_too_large = true;
        return NULL;
    }
    struct redis_reply *reply = add(task, redis_reply_array);
    if (reply == NULL || count <= 0) return reply;
    reply->elements = calloc((size_t)count, sizeof *reply->elements);
    if (reply->elements == NULL) return give_up(task, reply);
    reply->count = (size_t)count;
    return reply;
}

static void *add_integer(const redisReadTask *task, long long value)
{
    struct redis_reply *reply = add(task, redis_reply_integer);
    if (reply != NULL) reply->integer = value;
    return reply;
}

static void *add_nil(const redisReadTask *task)
{
    return add(task, redis_reply_nil);
}

static void destroy(void *reply)
{
    redis_reply_destroy(reply);
}

/* ---- The reader ---------------------------------------------------------- */

struct redis_reader *redis_reader_create(uint64_t max_bytes)
{
    static redisReplyObjectFunctions functions = {
            add_text, add_array, add_integer, add_nil, destroy};
    struct redis_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->max_bytes = max_bytes;
    reader->parser = redisReaderCreateWithFunctions(&functions);
    if (reader->parser == NULL) {
        free(reader);
        return NULL;
    }
    reader->parser->privdata = reader;
    return reader;
}

void redis_reader_destroy(struct redis_reader *reader)
{
    if (reader == NULL) return;
    redisReaderFree(reader->parser);
    free(reader);
}

void redis_reader_allow(struct redis_reader *reader, uint64_t max_bytes)
{
    if (max_bytes > reader->max_bytes) reader->max_bytes = max_bytes;
}

static int error_of(const struct redis_reader *reader)
{
    if (reader->is_too_large) return EMSGSIZE;
    return reader->parser->err == REDIS_ERR_OOM ? ENOMEM : EPROTO;
}

int redis_reader_feed(
        struct redis_reader *reader, const void *bytes, size_t size)
{
    return redisReaderFeed(reader->parser, bytes, size) == REDIS_OK
                   ? 0
                   : error_of(reader);
}

/* The parser keeps what has come of a text until all of it is there. What it is
 * waiting for stands at its place: "<length>\r\n". */
static bool waits_for_too_much(const struct redis_reader *reader)
{
    const redisReader *p = reader->parser;
    const uint64_t room = reader->max_bytes - reader->bytes;
    uint64_t length = 0;
    if (p->ridx < 0 || p->rstack[p->ridx].type != REDIS_REPLY_STRING)
        /* A line: nothing that a server says is as long. */
        return p->len - p->pos > (1 << 16);
    for (size_t i = p->pos; i < p->len; i++) {
        if (p->buf[i] < '0' || p->buf[i] > '9') break;
        length = 10 * length + (uint64_t)(p->buf[i] - '0');
        if (length > room) return true;
    }
    return false;
}

int redis_reader_next(struct redis_reader *reader, struct redis_reply **reply)
{
    void *next = NULL;
    *reply = NULL;
    if (redisReaderGetReply(reader->parser, &next) != REDIS_OK)
        return error_of(reader);
    if (next != NULL) {
        reader->bytes = 0;
        *reply = next;
        return 0;
    }
    if (!waits_for_too_much(reader)) return 0;
    reader->is_too_large = true;
    return EMSGSIZE;
}
