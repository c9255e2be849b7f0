/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_reply.h"

#include <errno.h>
#include <hiredis/hiredis.h> /* for its version */
#include <hiredis/read.h>
#include <stdlib.h>
#include <string.h>

/* SCAN answers with about as many names as it is asked for; nothing else has
 * more elements. */
enum { most_elements = 100000, most_levels = 9, most_digits = 20 };

/* Of the texts of a reply that no sink takes: a page of names. */
enum { most_kept = 1 << 22 };

/* What is not the same in hiredis 0.14 and in those after it. */
#if HIREDIS_MAJOR > 0
typedef size_t element_count;
#define TASK_OF(parser) ((parser)->task[(parser)->ridx])
#else
typedef int element_count;
#define TASK_OF(parser) (&(parser)->rstack[(parser)->ridx])
#endif

struct redis_reader {
    redisReader *parser;
    uint64_t max_bytes;
    uint64_t bytes;  /* of the reply that is being read: of its texts */
    size_t elements; /* and of all its arrays */
    bool is_too_large;
    bool is_unknown; /* of a type or depth that no command here answers with */
    const struct redis_sink *sink; /* NULL: none */
    void *user;
    /* Of a text that is passed on: what is to come of it, and of the line's end
     * behind it. */
    uint64_t left;
    unsigned end_left;
    bool has_passed_on; /* all of one, of which nobody was told */
    bool may_push;      /* RESP3 */
    bool is_push;       /* what is being parsed */
};

void redis_reply_destroy(struct redis_reply *reply)
{
    if (reply == NULL) return;
    /* Replies are at most most_levels deep. */
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

/* Later versions of hiredis know the types of RESP3, which nobody asks for. */
static bool is_known(const redisReadTask *task)
{
    unsigned level = 0;
    for (const redisReadTask *t = task; t != NULL; t = t->parent)
        level++;
    return level <= most_levels && task->type >= REDIS_REPLY_STRING
           && task->type <= REDIS_REPLY_ERROR;
}

/* Hands a new reply to the array that it is an element of. NULL: no memory, or
 * not known. */
static struct redis_reply *add(
        const redisReadTask *task, enum redis_reply_type type)
{
    struct redis_reader *reader = task->privdata;
    reader->is_unknown = !is_known(task);
    if (reader->is_unknown) return NULL;
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

/* A text by itself may be as long as an entry, if somebody waits for one. */
static uint64_t room_in(const struct redis_reader *reader, bool is_by_itself)
{
    const uint64_t most = (is_by_itself && reader->sink != NULL)
                                          || reader->max_bytes < most_kept
                                  ? reader->max_bytes
                                  : most_kept;
    return most > reader->bytes ? most - reader->bytes : 0;
}

static void *add_text(const redisReadTask *task, char *text, size_t size)
{
    struct redis_reader *reader = task->privdata;
    const enum redis_reply_type type =
            task->type == REDIS_REPLY_ERROR    ? redis_reply_error
            : task->type == REDIS_REPLY_STATUS ? redis_reply_status
                                               : redis_reply_bytes;
    if (size > room_in(reader, task->parent == NULL)) {
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

static void *add_array(const redisReadTask *task, element_count count)
{
    struct redis_reader *reader = task->privdata;
    const size_t elements = count > 0 ? (size_t)count : 0;
    if (elements > most_elements - reader->elements) {
        reader->is_too_large = true;
        return NULL;
    }
    struct redis_reply *reply = add(task, redis_reply_array);
    if (reply == NULL || elements == 0) return reply;
    reply->elements = calloc(elements, sizeof *reply->elements);
    if (reply->elements == NULL) return give_up(task, reply);
    reply->count = elements;
    reader->elements += elements;
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

#if HIREDIS_MAJOR > 0
static void *refuse(const redisReadTask *task)
{
    struct redis_reader *reader = task->privdata;
    reader->is_unknown = true;
    return NULL;
}

static void *refuse_double(
        const redisReadTask *task, double value, char *text, size_t size)
{
    (void)value;
    (void)text;
    (void)size;
    return refuse(task);
}

static void *refuse_bool(const redisReadTask *task, int value)
{
    (void)value;
    return refuse(task);
}
#endif

static void destroy(void *reply)
{
    redis_reply_destroy(reply);
}

/* ---- The reader ---------------------------------------------------------- */

static redisReader *make_parser(struct redis_reader *reader)
{
    static redisReplyObjectFunctions functions = {
        .createString = add_text,
        .createArray = add_array,
        .createInteger = add_integer,
        .createNil = add_nil,
#if HIREDIS_MAJOR > 0
        .createDouble = refuse_double,
        .createBool = refuse_bool,
#endif
        .freeObject = destroy,
    };
    redisReader *parser = redisReaderCreateWithFunctions(&functions);
    if (parser != NULL) parser->privdata = reader;
    return parser;
}

struct redis_reader *redis_reader_create(uint64_t max_bytes)
{
    struct redis_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return NULL;
    reader->max_bytes = max_bytes;
    reader->parser = make_parser(reader);
    if (reader->parser != NULL) return reader;
    free(reader);
    return NULL;
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

void redis_reader_set_sink(
        struct redis_reader *reader, const struct redis_sink *sink, void *user)
{
    reader->sink = sink;
    reader->user = user;
}

static int error_of(const struct redis_reader *reader)
{
    if (reader->is_too_large) return EMSGSIZE;
    if (reader->is_unknown) return EPROTO;
    return reader->parser->err == REDIS_ERR_OOM ? ENOMEM : EPROTO;
}

static int parse(struct redis_reader *reader, const void *bytes, size_t size)
{
    return redisReaderFeed(reader->parser, bytes, size) == REDIS_OK
                   ? 0
                   : error_of(reader);
}

/* ---- Texts that are passed on -------------------------------------------- */

/* The first bytes of what came in, as far as they are of the text. */
static int pass_on(
        struct redis_reader *reader, const char **bytes, size_t *size)
{
    const size_t most = *size < reader->left ? *size : (size_t)reader->left;
    if (most > 0 && reader->sink != NULL)
        reader->sink->take(reader->user, *bytes, most);
    *bytes += most;
    *size -= most;
    reader->left -= most;
    while (reader->left == 0 && reader->end_left > 0 && *size > 0) {
        if (**bytes != (reader->end_left == 2 ? '\r' : '\n')) return EPROTO;
        reader->end_left--;
        (*bytes)++;
        (*size)--;
    }
    reader->has_passed_on = reader->end_left == 0;
    return 0;
}

static int begin_passing(struct redis_reader *reader, uint64_t length,
        const char **bytes, size_t *size)
{
    reader->left = length;
    reader->end_left = 2;
    reader->sink->begin(reader->user, length);
    return pass_on(reader, bytes, size);
}

/* The parser waits for the rest of a text that is a reply by itself. From here
 * on this file does, and the parser for the reply behind it. */
static int take_from_parser(
        struct redis_reader *reader, uint64_t length, size_t at)
{
    redisReader *p = reader->parser;
    const char *bytes = p->buf + at;
    size_t size = p->len - at;
    p->pos = p->len;
    TASK_OF(p)->type = -1;
    /* Nothing is behind it: else it would have been complete. */
    return begin_passing(reader, length, &bytes, &size);
}

void *redis_reader_room(struct redis_reader *reader, size_t *size)
{
    if (reader->left == 0 || reader->sink == NULL) return NULL;
    if (*size > reader->left) *size = (size_t)reader->left;
    return reader->sink->room(reader->user, size);
}

void redis_reader_fill(struct redis_reader *reader, size_t size)
{
    reader->sink->fill(reader->user, size);
    reader->left -= size;
}

/* ---- Replies ------------------------------------------------------------- */

/* Of "<length>\r\n" in front of a text, as far as it has come: where the text
 * begins, or 0: not all of it is there. The parser would wait for ever for the
 * end of a line that has something else in it, and keep all that comes. */
static int read_length(
        const struct redis_reader *reader, uint64_t *length, size_t *text)
{
    const redisReader *p = reader->parser;
    const uint64_t room = room_in(reader, p->ridx == 0);
    size_t at = p->pos;
    if (at < p->len && p->buf[at] == '-') at++; /* of none there is no text */
    for (; at < p->len && p->buf[at] >= '0' && p->buf[at] <= '9'; at++) {
        *length = 10 * *length + (uint64_t)(p->buf[at] - '0');
        if (*length > room) return EMSGSIZE;
        if (at - p->pos >= most_digits) return EPROTO;
    }
    if (at < p->len && p->buf[at] != '\r') return EPROTO;
    if (at + 1 < p->len && p->buf[at + 1] != '\n') return EPROTO;
    *text = at + 1 < p->len ? at + 2 : 0;
    return 0;
}

enum { least_passed_on = 4096 };

/* What the parser waits for stands at its place. Of a text it keeps what has
 * come until all is there. */
static int check_rest(struct redis_reader *reader)
{
    enum { longest_line = 1 << 16 };
    const redisReader *p = reader->parser;
    uint64_t length = 0;
    size_t text = 0;
    if (p->ridx < 0 || TASK_OF(p)->type != REDIS_REPLY_STRING) {
        reader->is_too_large = p->len - p->pos > longest_line;
        return reader->is_too_large ? EMSGSIZE : 0;
    }
    const int error = read_length(reader, &length, &text);
    reader->is_too_large = error == EMSGSIZE;
    if (error == 0 && p->ridx == 0 && reader->sink != NULL
            && length >= least_passed_on && text > 0)
        return take_from_parser(reader, length, text);
    return error;
}

static int tell_passed_on(
        struct redis_reader *reader, struct redis_reply **reply)
{
    struct redis_reply *passed = calloc(1, sizeof *passed);
    if (passed == NULL) return ENOMEM;
    passed->type = redis_reply_bytes;
    passed->is_passed_on = true;
    reader->has_passed_on = false;
    *reply = passed;
    return 0;
}

/* ---- What the parser does not know --------------------------------------- */

enum { longest_unknown = 1 << 16 };

/* Between two replies? */
static bool is_idle(const struct redis_reader *reader)
{
    const redisReader *p = reader->parser;
    return reader->end_left == 0 && !reader->has_passed_on
           && (p->ridx < 0 || (p->ridx == 0 && TASK_OF(p)->type < 0));
}

/* The number behind the first byte of a line that ends with "\r\n". Returns the
 * bytes of the line; 0: not all of it is there; SIZE_MAX: it is none. */
static size_t read_line(const char *bytes, size_t size, long long *number)
{
    enum { most = 1000000 };
    const char *end = memchr(bytes, '\n', size);
    if (end == NULL) return size > longest_unknown ? SIZE_MAX : 0;
    if (end - bytes < 2 || end[-1] != '\r') return SIZE_MAX;
    *number = 0;
    for (const char *at = bytes + 1; at < end - 1; at++) {
        if (*at < '0' || *at > '9' || *number > most) {
            *number = -1;
            break;
        }
        *number = 10 * *number + (*at - '0');
    }
    return (size_t)(end + 1 - bytes);
}

/* The bytes of a value with all that is in it; 0: not all is there; SIZE_MAX:
 * it is none. */
static size_t measure_value(const char *bytes, size_t size)
{
    uint64_t left = 1;
    size_t at = 0;
    for (; left > 0; left--) {
        long long number = 0;
        const size_t line =
                at < size ? read_line(bytes + at, size - at, &number) : 0;
        const char type = at < size ? bytes[at] : '\0';
        if (line == 0 || line == SIZE_MAX) return line;
        at += line;
        if (number < 0) continue; /* a text, or nothing is in it */
        if (type == '$' || type == '=' || type == '!') {
            if (size - at < (uint64_t)number + 2) return 0;
            at += (size_t)number + 2;
        } else if (type == '%') {
            left += 2 * (uint64_t)number;
        } else if (type == '*' || type == '~') {
            left += (uint64_t)number;
        }
        if (left > longest_unknown) return SIZE_MAX;
    }
    return at;
}

static int tell(struct redis_reader *reader, enum redis_reply_type type,
        size_t size, struct redis_reply **reply)
{
    struct redis_reply *told = calloc(1, sizeof *told);
    if (told != NULL && type == redis_reply_status) told->text = calloc(1, 1);
    if (told == NULL || (type == redis_reply_status && told->text == NULL)) {
        free(told);
        return ENOMEM;
    }
    told->type = type;
    reader->parser->pos += size;
    *reply = told;
    return 0;
}

/* A push is an array for the parser. *is_done: there is nothing to parse now.
 */
static int adapt(
        struct redis_reader *reader, struct redis_reply **reply, bool *is_done)
{
    redisReader *p = reader->parser;
    const size_t size = p->len - p->pos;
    if (size == 0) return 0;
    const char first = p->buf[p->pos];
    if (first == '>') {
        p->buf[p->pos] = '*';
        reader->is_push = true;
    }
    if (first != '_' && first != '%') return 0;
    *is_done = true;
    const size_t whole = measure_value(p->buf + p->pos, size);
    if (whole == SIZE_MAX || (whole > 0 ? whole : size) > longest_unknown)
        return EPROTO;
    if (whole == 0) return 0;
    return tell(reader, first == '_' ? redis_reply_nil : redis_reply_status,
            whole, reply);
}

void redis_reader_allow_pushes(struct redis_reader *reader)
{
    reader->may_push = true;
}

bool redis_reader_is_between(const struct redis_reader *reader)
{
    return is_idle(reader) && reader->parser->pos == reader->parser->len;
}

/* A long text that begins here need not be copied by the parser. 0: it is no
 * such text, or not well begun: the parser has to see it. */
static uint64_t length_of_text(
        const struct redis_reader *reader, const char **bytes, size_t *size)
{
    const char *at = *bytes;
    const char *end = at + *size;
    uint64_t length = 0;
    if (reader->sink == NULL || !redis_reader_is_between(reader) || *at != '$')
        return 0;
    for (at++; at < end && *at >= '0' && *at <= '9'; at++) {
        length = 10 * length + (uint64_t)(*at - '0');
        if (length > room_in(reader, true)) return 0;
    }
    if (length < least_passed_on || end - at < 2 || at[0] != '\r'
            || at[1] != '\n')
        return 0;
    *bytes = at + 2;
    *size = (size_t)(end - *bytes);
    return length;
}

int redis_reader_feed(
        struct redis_reader *reader, const void *bytes, size_t size)
{
    const char *rest = bytes;
    int error = 0;
    if (reader->end_left > 0) error = pass_on(reader, &rest, &size);
    if (error == 0 && size > 0 && reader->end_left == 0
            && !reader->has_passed_on) {
        const uint64_t length = length_of_text(reader, &rest, &size);
        if (length > 0) error = begin_passing(reader, length, &rest, &size);
    }
    return error == 0 && size > 0 ? parse(reader, rest, size) : error;
}

enum redis_array redis_reader_enter_array(
        struct redis_reader *reader, size_t count)
{
    redisReader *p = reader->parser;
    long long number = 0;
    if (!is_idle(reader)) return redis_array_none;
    if (p->pos == p->len) return redis_array_waits;
    if (p->buf[p->pos] != '*') return redis_array_none;
    const size_t line = read_line(p->buf + p->pos, p->len - p->pos, &number);
    if (line == 0) return redis_array_waits;
    if (line == SIZE_MAX || number < 0 || (size_t)number != count)
        return redis_array_another;
    p->pos += line;
    return redis_array_entered;
}

/* ---- The next reply ------------------------------------------------------ */

int redis_reader_next(struct redis_reader *reader, struct redis_reply **reply)
{
    void *next = NULL;
    bool is_done = false;
    *reply = NULL;
    if (reader->end_left > 0) return 0;
    if (reader->has_passed_on) return tell_passed_on(reader, reply);
    if (reader->may_push && is_idle(reader)) {
        const int error = adapt(reader, reply, &is_done);
        if (error != 0 || is_done) return error;
    }
    if (redisReaderGetReply(reader->parser, &next) != REDIS_OK)
        return error_of(reader);
    if (next == NULL) return check_rest(reader);
    reader->bytes = 0;
    reader->elements = 0;
    *reply = next;
    (*reply)->is_push = reader->is_push;
    reader->is_push = false;
    return 0;
}
