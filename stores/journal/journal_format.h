/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal_format.h: the bytes of a journal.
 *
 * A file starts with 16 bytes: "dnnlcjnl", the version (32 bits) and the
 * generation (32 bits), a random number. It is another one in each file, and
 * after bytes were cut off that somebody may have read: who has read the
 * records of one generation knows that they are still there if the generation
 * is the same. Records follow, each of 40 bytes and a payload. Numbers are
 * little-endian. Another format would have another file name, so that a
 * journal that does not start like this is a damaged one.
 *
 *      0  "dnjr"
 *      4  kind (32 bits)
 *      8  bytes of the payload (64 bits)
 *     16  key (64 bits): equal for equal records
 *     24  time of writing, ns since the epoch (64 bits)
 *     32  XXH3-64 of the 32 bytes above and the payload
 *
 * The payload of a text are its bytes and a NUL. All others have fields: tag
 * (32 bits), size (32 bits), bytes. Strings end with NUL, which counts.
 * Sources, IL and headers are texts of their own, before the build that names
 * their keys. Long journals have indexes (journal_index.h).
 */
#ifndef DNNL_CACHE_STORES_JOURNAL_JOURNAL_FORMAT_H
#define DNNL_CACHE_STORES_JOURNAL_JOURNAL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    journal_head_size = 16,
    journal_generation_at = 12,
    journal_record_head_size = 40,
    journal_field_head_size = 8
};

enum journal_kind {
    journal_text = 1,
    journal_build = 2,   /* dnnl_cache_note_build */
    journal_launch = 3,  /* dnnl_cache_note_launch */
    journal_failure = 4, /* an attempt to drain a build; the key is its own */
    journal_kernel = 5,  /* dnnl_cache_note_kernel; of records alone */
    journal_use = 6,     /* a build was used at that time; of records alone */
    journal_index = 7,   /* of all keys before it (journal_index.h) */
    journal_tail = 8,    /* where the last index is */
    journal_made = 9,    /* dnnl_cache_note_made */
    journal_more = 10,   /* an index of the keys since the last one */
};

struct journal_record {
    uint32_t kind; /* enum journal_kind, or of a later release */
    uint64_t key;
    uint64_t time_ns;
    size_t size;            /* of the payload */
    const uint8_t *payload; /* points into what was read */
};

/* Bytes in the making; zeroed: none. The caller frees data. */
struct journal_bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
    bool failed; /* out of memory, or too much */
};

/* Room for more bytes at the end, which the caller fills in; NULL: failed. */
uint8_t *journal_bytes_room(struct journal_bytes *bytes, size_t size);
void journal_put_bytes(
        struct journal_bytes *bytes, size_t size, const void *data);

/* ---- Writing ------------------------------------------------------------- */

/* The head of a file, with a new generation. */
void journal_make_head(uint8_t head[journal_head_size]);
void journal_put_head(struct journal_bytes *bytes);

/* Begins a record, whose payload follows. Returns where it is. */
size_t journal_begin_record(struct journal_bytes *bytes);
void journal_end_record(struct journal_bytes *bytes, size_t at,
        enum journal_kind kind, uint64_t key, uint64_t time_ns);

/* Two pieces in one field; the second may be empty. */
void journal_put_field(struct journal_bytes *bytes, uint32_t tag, size_t size,
        const void *data, size_t more_size, const void *more);
void journal_put_u32(struct journal_bytes *bytes, uint32_t tag, uint32_t value);
void journal_put_u64(struct journal_bytes *bytes, uint32_t tag, uint64_t value);
void journal_put_string(
        struct journal_bytes *bytes, uint32_t tag, const char *text);

/* A key of what makes records of a kind equal; 0 stands for none. */
uint64_t journal_key_of(enum journal_kind kind, size_t size, const void *data);

/* The key of a text. */
uint64_t journal_text_key(size_t size, const void *text);

void journal_put_text(struct journal_bytes *bytes, uint64_t key, size_t size,
        const void *text);

void journal_put_failure(struct journal_bytes *bytes, uint64_t build_key);

/* Puts a record as it was read. */
void journal_put_record(
        struct journal_bytes *bytes, const struct journal_record *record);

/* ---- Reading ------------------------------------------------------------- */

/* Are these the first bytes of a journal of this version? */
bool journal_is_head(size_t size, const uint8_t *data);

/* Are they a part of that, or nothing? */
bool journal_is_head_begun(size_t size, const uint8_t *data);

uint32_t journal_generation_of(const uint8_t head[journal_head_size]);

/* Reads the record at the beginning of data. Returns its size, head included; 0
 * if there is no intact record. */
size_t journal_read_record(
        struct journal_record *record, size_t size, const uint8_t *data);

struct journal_field_view {
    uint32_t tag;
    size_t size;
    const uint8_t *data;
};

/* Steps to the next field; false at the end, or, with *at not at the end, at
 * damage. */
bool journal_next_field(struct journal_field_view *field,
        const struct journal_record *record, size_t *at);

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_FORMAT_H */
