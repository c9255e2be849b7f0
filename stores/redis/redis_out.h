/* SPDX-License-Identifier: Apache-2.0 */
/* redis_out.h: commands that wait to be sent, in Redis' protocol. */
#ifndef DNNL_CACHE_STORES_REDIS_OUT_H
#define DNNL_CACHE_STORES_REDIS_OUT_H

#include "src/platform/kept_descriptor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A word of a command. */
struct redis_word {
    const void *bytes;
    size_t size;
};

static inline struct redis_word redis_word(const char *text)
{
    const struct redis_word word = {text, strlen(text)};
    return word;
}

struct redis_out_piece; /* redis_out.c */

struct redis_out {
    char *text; /* owned: all but long words */
    size_t size, capacity;
    struct redis_out_piece *pieces; /* owned */
    size_t count, piece_capacity;
    size_t sent;       /* whole pieces */
    size_t sent_bytes; /* of the next one */
    /* Bytes since it was last dropped: a command is sent when as many are as
     * were added with it. */
    uint64_t all_added, all_sent;
};

/* Adds a command. Long words are not copied: they must stay until they are
 * sent, or the rest is dropped. False: no memory; nothing was added. */
bool redis_out_add(
        struct redis_out *out, const struct redis_word *words, size_t count);

/* True if all is sent. */
bool redis_out_is_empty(const struct redis_out *out);

/* Sends what the socket takes. 0, or an errno value (EAGAIN: more is left). */
int redis_out_send(struct redis_out *out, const struct kept_descriptor *kept);

/* Drops what is not sent, and begins to count anew. */
void redis_out_clear(struct redis_out *out);
/* A zeroed one is fine. */
void redis_out_fini(struct redis_out *out);

#endif /* DNNL_CACHE_STORES_REDIS_OUT_H */
