/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message.h: what a process and its workers say to each other.
 *
 * An order to a worker, an answer back. A message is a head and items; numbers
 * are little-endian, texts have their NUL. Nothing of what is received is
 * trusted: a message that is received has items that lie inside it, and nothing
 * else; what they mean is for whoever asks for them to judge. Both sides are of
 * the same version of dnnl_cache, or do not speak.
 *
 *     head  u32 magic, u16 version, u16 subject, u64 bytes of all items
 *     item  u32 kind, u32 number, u64 size, size bytes
 *
 * One thread at a time.
 */
#ifndef DNNL_CACHE_WORKER_MESSAGE_H
#define DNNL_CACHE_WORKER_MESSAGE_H

#include "src/platform/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    message_magic = 0x77626e64, /* "dnbw" */
    message_version = 2,
    message_head_size = 16,
    message_item_head_size = 16,
    message_most = 1 << 30 /* bytes of items */
};

/* What it is about; the kinds of its items are those of the subject. */
enum message_subject {
    message_of_build = 1,  /* build_message.h */
    message_of_model,      /* model/compile/worker_message.h: which one */
    message_of_model_step, /* and what is compiled of it */
    message_of_refresh     /* tools/dnnl_cache/jobs/refresh_message.h */
};

/* A zeroed one has no items and no subject. */
struct message {
    unsigned subject;
    uint8_t *data; /* owned: the items */
    size_t size;
    size_t room;
    bool has_failed; /* memory ran out, or there is too much of it */
};

/* Borrowed from the message. */
struct message_item {
    uint32_t kind, number;
    size_t size;
    const uint8_t *data;
};

void message_fini(struct message *message);

/* ---- Writing: errors are told by message_send() -------------------------- */

/* Without items, about another subject. */
void message_begin(struct message *message, enum message_subject subject);

void message_put(struct message *message, uint32_t kind, uint32_t number,
        size_t size, const void *data);
void message_put_text(/* NULL: nothing is put */
        struct message *message, uint32_t kind, const char *text);
void message_put_u64(struct message *message, uint32_t kind, uint64_t value);

/* ---- Reading ------------------------------------------------------------- */

/* The items one after the other, from *at, 0 for the first. False: no more. */
bool message_next(
        struct message_item *item, const struct message *message, size_t *at);

/* The first of the kind. False: there is none. */
bool message_find(struct message_item *item, const struct message *message,
        uint32_t kind);

/* NULL: the item is no text. */
const char *message_item_text(const struct message_item *item);

/* Of the first of the kind. NULL, or false: there is none. */
const char *message_text(const struct message *message, uint32_t kind);
bool message_u64(uint64_t *value, const struct message *message, uint32_t kind);

/* ---- On its way: 0 or an errno value, as channel.h ----------------------- */

/* EMSGSIZE if it could not be written. */
int message_send(const struct message *message, const struct channel *channel,
        uint64_t until_ns);

/* Replaces what the message had. EPROTO: of another version, or no message;
 * EBADMSG: its items are none. */
int message_receive(struct message *message, const struct channel *channel,
        uint64_t until_ns);

/* The two halves of it, of bytes that have arrived. */
int message_read_head(struct message *message, uint64_t *size,
        const uint8_t head[message_head_size]);
bool message_is_sound(const struct message *message);

#endif /* DNNL_CACHE_WORKER_MESSAGE_H */
