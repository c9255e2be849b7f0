/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/redis/redis_out.h"

#include "src/platform/socket.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longer words are sent from where they are. */
enum { copied_most = 4096 };

struct redis_out_piece {
    const void *bytes; /* NULL: in the text, which moves as it grows, at: */
    size_t at;
    size_t size;
};

static bool add_text(struct redis_out *out, const void *text, size_t size)
{
    if (size > out->capacity - out->size) {
        const size_t capacity = 2 * (out->size + size) + 1024;
        char *grown = realloc(out->text, capacity);
        if (grown == NULL) return false;
        out->text = grown;
        out->capacity = capacity;
    }
    memcpy(out->text + out->size, text, size);
    out->size += size;
    return true;
}

static bool add_piece(
        struct redis_out *out, const void *bytes, size_t at, size_t size)
{
    if (out->count == out->piece_capacity) {
        const size_t capacity = 2 * out->count + 16;
        struct redis_out_piece *grown =
                realloc(out->pieces, capacity * sizeof *grown);
        if (grown == NULL) return false;
        out->pieces = grown;
        out->piece_capacity = capacity;
    }
    out->pieces[out->count++] = (struct redis_out_piece){bytes, at, size};
    return true;
}

/* Text since `at` becomes a piece. */
static bool end_text(struct redis_out *out, size_t *at)
{
    const size_t size = out->size - *at;
    if (size > 0 && !add_piece(out, NULL, *at, size)) return false;
    *at = out->size;
    return true;
}

static bool add_word(
        struct redis_out *out, const struct redis_word *word, size_t *at)
{
    char head[32];
    const int size = snprintf(head, sizeof head, "$%zu\r\n", word->size);
    if (!add_text(out, head, (size_t)size)) return false;
    if (word->size <= copied_most) {
        if (!add_text(out, word->bytes, word->size)) return false;
    } else if (!end_text(out, at)
               || !add_piece(out, word->bytes, 0, word->size)) {
        return false;
    }
    return add_text(out, "\r\n", 2);
}

bool redis_out_add(
        struct redis_out *out, const struct redis_word *words, size_t count)
{
    const size_t old_size = out->size;
    const size_t old_count = out->count;
    size_t at = out->size;
    char head[32];
    const int size = snprintf(head, sizeof head, "*%zu\r\n", count);
    bool is_added = add_text(out, head, (size_t)size);
    for (size_t i = 0; i < count && is_added; i++)
        is_added = add_word(out, &words[i], &at);
    if (is_added && end_text(out, &at)) {
        for (size_t i = old_count; i < out->count; i++)
            out->all_added += out->pieces[i].size;
        return true;
    }
    out->size = old_size;
    out->count = old_count;
    return false;
}

bool redis_out_is_empty(const struct redis_out *out)
{
    return out->sent == out->count;
}

static void note_sent(struct redis_out *out, size_t sent)
{
    out->all_sent += sent;
    sent += out->sent_bytes;
    while (out->sent < out->count && sent >= out->pieces[out->sent].size)
        sent -= out->pieces[out->sent++].size;
    out->sent_bytes = sent;
}

/* All is sent, or none of it shall be. */
static void forget_pieces(struct redis_out *out)
{
    enum { kept_most = 1 << 20 };
    if (out->capacity > kept_most) {
        free(out->text);
        out->text = NULL;
        out->capacity = 0;
    }
    out->size = 0;
    out->count = 0;
    out->sent = 0;
    out->sent_bytes = 0;
}

int redis_out_send(struct redis_out *out, const struct kept_descriptor *kept)
{
    while (!redis_out_is_empty(out)) {
        struct file_part parts[socket_most_parts];
        size_t count = 0;
        size_t sent = 0;
        size_t skip = out->sent_bytes;
        for (size_t i = out->sent; i < out->count && count < socket_most_parts;
                i++) {
            const struct redis_out_piece *p = &out->pieces[i];
            const char *bytes = p->bytes != NULL ? p->bytes : out->text + p->at;
            parts[count++] = (struct file_part){bytes + skip, p->size - skip};
            skip = 0;
        }
        const int error = socket_send(&sent, kept, parts, count);
        if (error != 0) return error;
        note_sent(out, sent);
    }
    forget_pieces(out);
    return 0;
}

void redis_out_clear(struct redis_out *out)
{
    forget_pieces(out);
    out->all_added = 0;
    out->all_sent = 0;
}

void redis_out_fini(struct redis_out *out)
{
    free(out->text);
    free(out->pieces);
    *out = (struct redis_out){.text = NULL};
}
