/* SPDX-License-Identifier: Apache-2.0 */
/*
 * redis_reply.h: what a server answers, read by hiredis' parser within limits.
 *
 * A reply is refused before memory is taken for it: a text longer than the
 * limit when its length is read, and any reply once all its texts together are
 * longer, or all its arrays together have more elements than a limit. A long
 * text that is a reply by itself can be passed on as it comes in.
 */
#ifndef DNNL_CACHE_STORES_REDIS_REPLY_H
#define DNNL_CACHE_STORES_REDIS_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum redis_reply_type {
    redis_reply_nil,
    redis_reply_error,  /* text */
    redis_reply_status, /* text */
    redis_reply_bytes,  /* text */
    redis_reply_integer,
    redis_reply_array
};

struct redis_reply {
    enum redis_reply_type type;
    long long integer;
    bool is_passed_on; /* bytes: the sink has them */
    bool is_push;      /* array: no reply to a command (RESP3) */
    size_t size;       /* of text, without the NUL that follows it */
    char *text;        /* owned */
    size_t count;
    struct redis_reply **elements; /* owned; each may be NULL */
};

/* NULL is fine. */
void redis_reply_destroy(struct redis_reply *reply);

/* True if the reply is an error that begins with the word. */
bool redis_reply_is_error(const struct redis_reply *reply, const char *word);

/* Who takes a long text as it comes in. */
struct redis_sink {
    void (*begin)(void *user, uint64_t size);
    void (*take)(void *user, const void *bytes, size_t size);
    /* Where its next bytes belong, so that they can be received there: at most
     * *size of them, which it makes smaller. NULL: take() copies them. */
    void *(*room)(void *user, size_t *size);
    void (*fill)(void *user, size_t size); /* so many are there now */
};

/* Between the bytes of one connection and its replies. */
struct redis_reader;

/* max_bytes: of all texts of a reply. Where no sink takes a text they are never
 * more than 4 MiB. NULL: no memory. */
struct redis_reader *redis_reader_create(uint64_t max_bytes);
/* A longer limit, for replies from now on. */
void redis_reader_allow(struct redis_reader *reader, uint64_t max_bytes);
void redis_reader_destroy(struct redis_reader *reader);

/* From now on the server may speak RESP3: pushes, its own kind of nil, and the
 * map that HELLO answers with, of which only is told, as a status, that it
 * came.
 */
void redis_reader_allow_pushes(struct redis_reader *reader);

/* The next reply is to be an array of `count` elements, each of which is read
 * as a reply by itself from then on. Not to be asked again once it was entered.
 */
enum redis_array {
    redis_array_entered,
    redis_array_none,   /* another reply: it is read as such */
    redis_array_waits,  /* for more to come in */
    redis_array_another /* of another length */
};
enum redis_array redis_reader_enter_array(
        struct redis_reader *reader, size_t count);

/* Whose the text is that comes next, or is coming in; NULL: nobody's. What
 * comes in of one is dropped if nobody takes it any more. */
void redis_reader_set_sink(
        struct redis_reader *reader, const struct redis_sink *sink, void *user);

/* Has nothing of the next reply come in yet? */
bool redis_reader_is_between(const struct redis_reader *reader);

/* Where the next bytes that come in belong, at most *size of them; NULL: they
 * are to be fed. */
void *redis_reader_room(struct redis_reader *reader, size_t *size);
/* So many came in there. */
void redis_reader_fill(struct redis_reader *reader, size_t size);

/* Takes bytes that came in. 0, ENOMEM, or EPROTO: the reader is of no use any
 * more. */
int redis_reader_feed(
        struct redis_reader *reader, const void *bytes, size_t size);

/* The next reply; NULL: it is not all there. The caller destroys it. Statuses
 * as above, and EMSGSIZE for what is longer than allowed. */
int redis_reader_next(struct redis_reader *reader, struct redis_reply **reply);

#endif /* DNNL_CACHE_STORES_REDIS_REPLY_H */
