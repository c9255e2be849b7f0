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

#include "dnnl_cache/journal.h"
#include "stores/core/journal_keys.h"

enum {
    journal_head_size = 16,
    journal_generation_at = 12,
    journal_record_head_size = 40
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
};

/* Who writes a note. */
struct journal_writer {
    const char *application;
    const char *tag; /* "": none */
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

/* ---- Writing ------------------------------------------------------------- */

/* The head of a file, with a new generation. */
void journal_make_head(uint8_t head[journal_head_size]);
void journal_put_head(struct journal_bytes *bytes);

/* The key of a text. */
uint64_t journal_text_key(size_t size, const void *text);

void journal_put_text(struct journal_bytes *bytes, uint64_t key, size_t size,
        const void *text);

/* Puts the build or the launch, not its texts. */
void journal_put_note(struct journal_bytes *bytes,
        const dnnl_cache_note_t *note, const struct journal_writer *writer);

void journal_put_failure(struct journal_bytes *bytes, uint64_t build_key);

/* Uses of one build in one period share a key. */
uint64_t journal_use_key(uint64_t build_key, uint64_t period);
void journal_put_use(struct journal_bytes *bytes, uint64_t key,
        uint64_t build_key, uint64_t time_ns);
/* The key of the build that was used; 0: it is not well-formed. */
uint64_t journal_used_build(const struct journal_record *use);

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

/* A note that was read; its lists are its own, all else points into the
 * bytes. */
struct journal_note {
    dnnl_cache_note_t note;
    const char *application;
    const char *tag;
    void *lists; /* owned */
};

/* Reads a build, a launch or a kernel. texts: where in data the payload of each
 * text is. 0; EBADMSG: not well-formed, or a text is missing; ENOMEM. After 0
 * journal_note_fini() follows. */
int journal_read_note(struct journal_note *out,
        const struct journal_record *record, const struct journal_keys *texts,
        const uint8_t *data);
void journal_note_fini(struct journal_note *note);

/* Calls visit with the key of each text that a build names. */
void journal_for_each_text(const struct journal_record *build,
        void (*visit)(void *user, uint64_t key), void *user);

/* Is it the record of a note? */
bool journal_is_note(const struct journal_record *record);

/* Does the note have what its kind needs, and nothing else? */
bool journal_note_is_valid(const dnnl_cache_note_t *note);

#endif /* DNNL_CACHE_STORES_JOURNAL_JOURNAL_FORMAT_H */
