/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/buffer.h"

#include "src/common/byte_order.h"

#include <stdlib.h>
#include <string.h>

void buffer_init(struct buffer *b)
{
    *b = (struct buffer){0};
}

void buffer_fini(struct buffer *b)
{
    if (b == NULL) return;
    free(b->data);
    buffer_init(b);
}

uint8_t *buffer_reserve(struct buffer *b, size_t extra)
{
    if (b->failed) return NULL;
    if (b->data != NULL && extra <= b->capacity - b->size)
        return b->data + b->size;
    if (extra > SIZE_MAX - b->size) {
        b->failed = true;
        return NULL;
    }
    /* Doubling keeps appending linear, and can't overflow: no allocation is
     * larger than SIZE_MAX / 2. 64 bytes spare the first few steps. */
    size_t capacity = b->size + extra;
    if (capacity < 64) capacity = 64;
    if (capacity < b->capacity * 2) capacity = b->capacity * 2;
    uint8_t *data = realloc(b->data, capacity);
    if (data == NULL) {
        b->failed = true;
        return NULL;
    }
    b->data = data;
    b->capacity = capacity;
    return b->data + b->size;
}

void buffer_append(struct buffer *b, const void *data, size_t size)
{
    uint8_t *to = buffer_reserve(b, size);
    if (to == NULL || size == 0) return;
    memcpy(to, data, size);
    b->size += size;
}

void buffer_append_u8(struct buffer *b, uint8_t value)
{
    buffer_append(b, &value, sizeof value);
}

void buffer_append_u32(struct buffer *b, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    buffer_append(b, bytes, sizeof bytes);
}

void buffer_append_u64(struct buffer *b, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    buffer_append(b, bytes, sizeof bytes);
}

dnnl_status_t buffer_status(const struct buffer *b)
{
    return b->failed ? dnnl_out_of_memory : dnnl_success;
}
