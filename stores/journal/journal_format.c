/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_format.h"

#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "stores/core/journal_state.h"
#include "stores/core/store_internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { journal_magic_size = sizeof JOURNAL_MAGIC - 1 };
static const char record_magic[4] = {'d', 'n', 'j', 'r'};

enum { version = 1 };

/* ---- Bytes --------------------------------------------------------------- */

uint8_t *journal_bytes_room(struct journal_bytes *bytes, size_t size)
{
    const size_t most = UINT32_MAX;
    if (bytes->failed || size > most || bytes->size > most - size) {
        bytes->failed = true;
        return NULL;
    }
    if (bytes->size + size > bytes->capacity) {
        const size_t capacity = 2 * bytes->capacity > bytes->size + size
                                        ? 2 * bytes->capacity
                                        : bytes->size + size;
        uint8_t *data = realloc(bytes->data, capacity);
        if (data == NULL) {
            bytes->failed = true;
            return NULL;
        }
        bytes->data = data;
        bytes->capacity = capacity;
    }
    uint8_t *at = bytes->data + bytes->size;
    bytes->size += size;
    return at;
}

void journal_put_bytes(
        struct journal_bytes *bytes, size_t size, const void *data)
{
    uint8_t *at = journal_bytes_room(bytes, size);
    if (at != NULL && size > 0) memcpy(at, data, size);
}

/* ---- Fields -------------------------------------------------------------- */

void journal_put_field(struct journal_bytes *bytes, uint32_t tag, size_t size,
        const void *data, size_t more_size, const void *more)
{
    uint8_t head[journal_field_head_size];
    if (size > UINT32_MAX / 2 || more_size > UINT32_MAX / 2) {
        bytes->failed = true;
        return;
    }
    store_le32(head, tag);
    store_le32(head + 4, (uint32_t)(size + more_size));
    journal_put_bytes(bytes, sizeof head, head);
    journal_put_bytes(bytes, size, data);
    journal_put_bytes(bytes, more_size, more);
}

void journal_put_u32(struct journal_bytes *bytes, uint32_t tag, uint32_t value)
{
    uint8_t data[4];
    store_le32(data, value);
    journal_put_field(bytes, tag, sizeof data, data, 0, NULL);
}

void journal_put_u64(struct journal_bytes *bytes, uint32_t tag, uint64_t value)
{
    uint8_t data[8];
    store_le64(data, value);
    journal_put_field(bytes, tag, sizeof data, data, 0, NULL);
}

void journal_put_string(
        struct journal_bytes *bytes, uint32_t tag, const char *text)
{
    journal_put_field(bytes, tag, strlen(text) + 1, text, 0, NULL);
}

bool journal_next_field(struct journal_field_view *field,
        const struct journal_record *record, size_t *at)
{
    const size_t left = record->size - *at;
    const uint8_t *data = record->payload + *at;
    if (left < journal_field_head_size) return false;
    field->tag = load_le32(data);
    field->size = load_le32(data + 4);
    field->data = data + journal_field_head_size;
    if (field->size > left - journal_field_head_size) return false;
    *at += journal_field_head_size + field->size;
    return true;
}

/* ---- Records ------------------------------------------------------------- */

static uint32_t make_generation(void)
{
    char name[file_unique_size]; /* of a random number */
    file_unique_name(name, "");
    return (uint32_t)XXH3_64bits(name, strlen(name));
}

static void put_fixed_head(uint8_t head[journal_generation_at])
{
    memcpy(head, JOURNAL_MAGIC, journal_magic_size);
    store_le32(head + journal_magic_size, version);
}

void journal_make_head(uint8_t head[journal_head_size])
{
    put_fixed_head(head);
    store_le32(head + journal_generation_at, make_generation());
}

void journal_put_head(struct journal_bytes *bytes)
{
    uint8_t *at = journal_bytes_room(bytes, journal_head_size);
    if (at != NULL) journal_make_head(at);
}

static bool begins_like_a_head(size_t size, const uint8_t *data)
{
    uint8_t good[journal_generation_at];
    put_fixed_head(good);
    return memcmp(data, good, size < sizeof good ? size : sizeof good) == 0;
}

bool journal_is_head(size_t size, const uint8_t *data)
{
    return size >= journal_head_size && begins_like_a_head(size, data);
}

bool journal_is_head_begun(size_t size, const uint8_t *data)
{
    return size < journal_head_size && begins_like_a_head(size, data);
}

uint32_t journal_generation_of(const uint8_t head[journal_head_size])
{
    return load_le32(head + journal_generation_at);
}

static uint64_t checksum(const uint8_t *head, size_t size, const uint8_t *data)
{
    /* Chained, so that no state has to be allocated. */
    return XXH3_64bits_withSeed(data, size, XXH3_64bits(head, 32));
}

size_t journal_begin_record(struct journal_bytes *bytes)
{
    const size_t at = bytes->size;
    (void)journal_bytes_room(bytes, journal_record_head_size);
    return at;
}

void journal_end_record(struct journal_bytes *bytes, size_t at,
        enum journal_kind kind, uint64_t key, uint64_t time_ns)
{
    if (bytes->failed) return;
    uint8_t *head = bytes->data + at;
    const size_t size = bytes->size - at - journal_record_head_size;
    memcpy(head, record_magic, sizeof record_magic);
    store_le32(head + 4, (uint32_t)kind);
    store_le64(head + 8, size);
    store_le64(head + 16, key);
    store_le64(head + 24, time_ns);
    store_le64(
            head + 32, checksum(head, size, head + journal_record_head_size));
}

size_t journal_read_record(
        struct journal_record *record, size_t size, const uint8_t *data)
{
    if (size < journal_record_head_size
            || memcmp(data, record_magic, sizeof record_magic) != 0)
        return 0;
    const uint64_t payload = load_le64(data + 8);
    if (payload > size - journal_record_head_size) return 0;
    *record = (struct journal_record){.kind = load_le32(data + 4),
            .key = load_le64(data + 16),
            .time_ns = load_le64(data + 24),
            .size = (size_t)payload,
            .payload = data + journal_record_head_size};
    return checksum(data, record->size, record->payload) == load_le64(data + 32)
                   ? journal_record_head_size + record->size
                   : 0;
}

void journal_put_record(
        struct journal_bytes *bytes, const struct journal_record *record)
{
    const size_t at = journal_begin_record(bytes);
    journal_put_bytes(bytes, record->size, record->payload);
    journal_end_record(bytes, at, (enum journal_kind)record->kind, record->key,
            record->time_ns);
}

uint64_t journal_key_of(enum journal_kind kind, size_t size, const void *data)
{
    const uint64_t key = XXH3_64bits_withSeed(data, size, (uint64_t)kind);
    return key != 0 ? key : 1;
}

uint64_t journal_text_key(size_t size, const void *text)
{
    return journal_key_of(journal_text, size, text);
}

void journal_put_text(struct journal_bytes *bytes, uint64_t key, size_t size,
        const void *text)
{
    const size_t at = journal_begin_record(bytes);
    journal_put_bytes(bytes, size, text);
    journal_put_bytes(bytes, 1, "");
    journal_end_record(bytes, at, journal_text, key, clock_epoch_ns());
}

void journal_put_failure(struct journal_bytes *bytes, uint64_t build_key)
{
    const size_t at = journal_begin_record(bytes);
    journal_end_record(bytes, at, journal_failure, build_key, clock_epoch_ns());
}
