/* SPDX-License-Identifier: Apache-2.0 */
#include "src/worker/message.h"

#include "src/common/byte_order.h"

#include <errno.h>
#include <stdlib.h>

void message_fini(struct message *message)
{
    free(message->data);
    *message = (struct message){.data = NULL};
}

/* ---- Writing ------------------------------------------------------------- */

void message_begin(struct message *message, enum message_subject subject)
{
    message->subject = subject;
    message->size = 0;
    message->has_failed = false;
}

/* Room for more bytes at the end; NULL: there is none. */
static uint8_t *reserve(struct message *m, size_t more)
{
    if (m->has_failed || more > message_most - m->size) return NULL;
    const size_t wanted = m->size + more;
    if (wanted > m->room) {
        const size_t room = wanted > 2 * m->room ? wanted : 2 * m->room;
        uint8_t *data = realloc(m->data, room);
        if (data == NULL) return NULL;
        m->data = data;
        m->room = room;
    }
    return m->data + m->size;
}

void message_put(struct message *message, uint32_t kind, uint32_t number,
        size_t size, const void *data)
{
    uint8_t *at = size <= message_most
                          ? reserve(message, message_item_head_size + size)
                          : NULL;
    if (at == NULL) {
        message->has_failed = true;
        return;
    }
    store_le32(at, kind);
    store_le32(at + 4, number);
    store_le64(at + 8, size);
    if (size > 0) memcpy(at + message_item_head_size, data, size);
    message->size += message_item_head_size + size;
}

void message_put_text(struct message *message, uint32_t kind, const char *text)
{
    if (text != NULL) message_put(message, kind, 0, strlen(text) + 1, text);
}

void message_put_u64(struct message *message, uint32_t kind, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    message_put(message, kind, 0, sizeof bytes, bytes);
}

/* ---- Reading ------------------------------------------------------------- */

bool message_next(
        struct message_item *item, const struct message *message, size_t *at)
{
    const size_t left = message->size - *at;
    if (left < message_item_head_size) return false;
    const uint8_t *head = message->data + *at;
    const uint64_t size = load_le64(head + 8);
    if (size > left - message_item_head_size) return false;
    *item = (struct message_item){load_le32(head), load_le32(head + 4),
            (size_t)size, head + message_item_head_size};
    *at += message_item_head_size + (size_t)size;
    return true;
}

bool message_is_sound(const struct message *message)
{
    struct message_item item;
    size_t at = 0;
    while (message_next(&item, message, &at))
        continue;
    return at == message->size;
}

bool message_find(
        struct message_item *item, const struct message *message, uint32_t kind)
{
    size_t at = 0;
    while (message_next(item, message, &at))
        if (item->kind == kind) return true;
    return false;
}

const char *message_item_text(const struct message_item *item)
{
    return item->size > 0
                           && memchr(item->data, '\0', item->size)
                                      == item->data + item->size - 1
                   ? (const char *)item->data
                   : NULL;
}

const char *message_text(const struct message *message, uint32_t kind)
{
    struct message_item item;
    return message_find(&item, message, kind) ? message_item_text(&item) : NULL;
}

bool message_u64(uint64_t *value, const struct message *message, uint32_t kind)
{
    struct message_item item;
    if (!message_find(&item, message, kind) || item.size != sizeof *value)
        return false;
    *value = load_le64(item.data);
    return true;
}

/* ---- On its way ---------------------------------------------------------- */

int message_send(const struct message *message, const struct channel *channel,
        uint64_t until_ns)
{
    uint8_t head[message_head_size];
    if (message->has_failed) return EMSGSIZE;
    store_le32(head, message_magic);
    store_le16(head + 4, message_version);
    store_le16(head + 6, (uint16_t)message->subject);
    store_le64(head + 8, message->size);
    const int error = channel_send(channel, head, sizeof head, until_ns);
    return error != 0 ? error
                      : channel_send(
                              channel, message->data, message->size, until_ns);
}

int message_read_head(struct message *message, uint64_t *size,
        const uint8_t head[message_head_size])
{
    message_begin(message, 0);
    *size = 0;
    if (load_le32(head) != message_magic
            || load_le16(head + 4) != message_version)
        return EPROTO;
    if (load_le64(head + 8) > message_most) return EBADMSG;
    *size = load_le64(head + 8);
    message->subject = load_le16(head + 6);
    return 0;
}

/* Memory grows with what arrives. */
int message_receive(struct message *message, const struct channel *channel,
        uint64_t until_ns)
{
    enum { most_at_once = 256 * 1024 };
    uint8_t head[message_head_size];
    uint64_t size = 0;
    int error = channel_receive(channel, head, sizeof head, until_ns);
    if (error == 0) error = message_read_head(message, &size, head);
    while (error == 0 && message->size < size) {
        const uint64_t left = size - message->size;
        const size_t piece = left < most_at_once ? (size_t)left : most_at_once;
        uint8_t *at = reserve(message, piece);
        if (at == NULL) return ENOMEM;
        error = channel_receive(channel, at, piece, until_ns);
        if (error == 0) message->size += piece;
    }
    return error != 0 || message_is_sound(message) ? error : EBADMSG;
}
