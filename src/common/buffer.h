/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growing array of bytes whose errors are asked for once, at the end.
 *
 * Appending never reports anything: when memory runs out or a size would
 * overflow, the buffer is marked as failed, what it held so far stays, and
 * every later append does nothing. Whoever is done appending asks
 * buffer_status() before using the bytes.
 *
 * A buffer belongs to one thread at a time.
 */
#ifndef DNNL_CACHE_COMMON_BUFFER_H
#define DNNL_CACHE_COMMON_BUFFER_H

#include "dnnl_cache/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data;   /* from malloc; NULL while capacity is 0 */
    size_t size;     /* bytes present */
    size_t capacity; /* bytes there is room for */
    bool failed;     /* sticky; see buffer_status() */
};

/* Makes an empty buffer; allocates nothing. A zeroed one is empty too. */
void buffer_init(struct buffer *b);

/* Frees the bytes and leaves an empty buffer. NULL and zeroed are fine. To
 * keep the bytes (they are malloc's), take data and buffer_init() it. */
void buffer_fini(struct buffer *b);

/* Makes room for `extra` bytes beyond size and returns where they start, or
 * NULL if the buffer is or becomes failed. The caller writes there and adds
 * what it wrote to size; any other call on the buffer may move the bytes. */
uint8_t *buffer_reserve(struct buffer *b, size_t extra);

/* Appends `size` bytes; `data` may be NULL if size is 0 and must not point
 * into the buffer. */
void buffer_append(struct buffer *b, const void *data, size_t size);

/* Append one number, little-endian. */
void buffer_append_u8(struct buffer *b, uint8_t value);
void buffer_append_u32(struct buffer *b, uint32_t value);
void buffer_append_u64(struct buffer *b, uint64_t value);

/* dnnl_success, or dnnl_out_of_memory if anything was not appended. */
dnnl_status_t buffer_status(const struct buffer *b);

#endif /* DNNL_CACHE_COMMON_BUFFER_H */
