/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/journal/journal_index.h"

#include "src/common/array.h"
#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "src/platform/file.h"

#include <stdlib.h>
#include <string.h>

enum {
    index_head_size = 16,
    more_head_size = index_head_size + 8,
    tail_size = 24,
    tail_record_size = journal_record_head_size + tail_size,
    key_size = 8,
    most_indexes = 64 /* from one with all keys on; else more is read */
};

static const uint64_t fresh_ns = UINT64_C(86400) * 1000000000u;

/* ---- Reading ------------------------------------------------------------- */

static bool is_tail(const struct journal_record *record, uint32_t generation)
{
    return record->kind == journal_tail && record->size == tail_size
           && load_le32(record->payload + 8) == generation;
}

static bool is_index(
        const struct journal_record *record, uint32_t generation, uint64_t at)
{
    return record->kind == journal_index && record->size >= index_head_size
           && (record->size - index_head_size) % key_size == 0
           && load_le64(record->payload) == at
           && load_le32(record->payload + 8) == generation;
}

static bool is_more(
        const struct journal_record *record, uint32_t generation, uint64_t at)
{
    return record->kind == journal_more && record->size >= more_head_size
           && (record->size - more_head_size) % key_size == 0
           && load_le64(record->payload) == at
           && load_le32(record->payload + 8) == generation;
}

void journal_index_note(struct store_journal *journal,
        const struct journal_record *record, uint64_t at, uint64_t end)
{
    const bool is_full = is_index(record, journal->generation, at);
    if (is_full
            || (is_more(record, journal->generation, at)
                    && journal->index_at != 0
                    && load_le64(record->payload + index_head_size)
                               == journal->index_at)) {
        journal->index_at = at;
        journal->index_end = end;
        if (is_full) journal->full_end = end;
        journal->index_count = is_full ? 1 : journal->index_count + 1;
    }
    journal->has_tail = is_tail(record, journal->generation)
                        && journal->index_at != 0
                        && load_le64(record->payload) == journal->index_at;
}

/* The tail, the last bytes of the file. */
static bool read_tail(uint64_t *index_at, struct store_journal *journal, int fd,
        uint64_t size)
{
    uint8_t data[tail_record_size];
    struct journal_record record;
    if (size < journal->end + sizeof data
            || file_read_at(fd, data, sizeof data, size - sizeof data) != 0
            || journal_read_record(&record, sizeof data, data) != sizeof data
            || !is_tail(&record, journal->generation))
        return false;
    *index_at = load_le64(record.payload);
    journal->checked = load_le32(record.payload + 12);
    journal->read_ns = load_le64(record.payload + 16);
    return *index_at >= journal->end && *index_at < size - sizeof data;
}

/* A clock that went back makes none fresh. */
static bool is_fresh(uint64_t read_ns)
{
    const uint64_t now = clock_epoch_ns();
    return read_ns <= now && now - read_ns < fresh_ns;
}

/* The record at an offset, of at most `most` bytes; the caller frees it. */
static uint8_t *read_record(
        struct journal_record *record, int fd, uint64_t at, uint64_t most)
{
    uint8_t head[journal_record_head_size];
    if (most < sizeof head || file_read_at(fd, head, sizeof head, at) != 0)
        return NULL;
    const uint64_t payload = load_le64(head + 8);
    if (payload > most - sizeof head) return NULL;
    const size_t size = sizeof head + (size_t)payload;
    uint8_t *data = malloc(size);
    if (data != NULL && file_read_at(fd, data, size, at) == 0
            && journal_read_record(record, size, data) == size)
        return data;
    free(data);
    return NULL;
}

/* How many bytes of whole records there are from an offset on, about a step at
 * most, and nothing else; 0: something is damaged. */
static uint64_t check_piece(int fd, uint64_t at, uint64_t most)
{
    struct journal_record record;
    const size_t size =
            most < journal_index_step ? (size_t)most : journal_index_step;
    size_t done = 0;
    size_t n = 0;
    uint8_t *data = malloc(size);
    if (data != NULL && file_read_at(fd, data, size, at) == 0)
        while ((n = journal_read_record(&record, size - done, data + done)) > 0)
            done += n;
    free(data);
    if (done > 0) return done;
    /* One that is larger. */
    data = read_record(&record, fd, at, most);
    if (data != NULL) done = journal_record_head_size + record.size;
    free(data);
    return done;
}

/* Reads on where the last process that did so has stopped. False: something is
 * damaged. */
static bool check_some(struct store_journal *journal, int fd, uint64_t index_at)
{
    const uint64_t at =
            journal->checked > journal_head_size && journal->checked < index_at
                    ? journal->checked
                    : (uint64_t)journal_head_size;
    const uint64_t done = check_piece(fd, at, index_at - at);
    if (done == 0) return false;
    journal->tail_is_old = true;
    journal->checked = at + done < index_at ? at + done : 0;
    if (journal->checked == 0) journal->read_ns = clock_epoch_ns();
    return true;
}

/* The indexes of a file, the last one first. */
struct chain {
    struct journal_part *parts; /* owned */
    size_t count;
    size_t keys;
    uint64_t end;      /* of the last one */
    uint64_t full_end; /* of the one with all keys */
};

static void chain_fini(struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++)
        free(chain->parts[i].record);
    free(chain->parts);
}

/* Reads one. *before: where the one before it is; 0: it has all keys. */
static bool read_index(struct chain *chain, uint64_t *before,
        uint32_t generation, int fd, uint64_t at, uint64_t most)
{
    struct journal_record record;
    uint8_t *data =
            array_grow(&chain->parts, chain->count, sizeof *chain->parts)
                    ? read_record(&record, fd, at, most)
                    : NULL;
    if (data == NULL) return false;
    const bool is_full = is_index(&record, generation, at);
    const uint64_t named =
            is_full || !is_more(&record, generation, at)
                    ? 0
                    : load_le64(record.payload + index_head_size);
    if (!is_full && named == 0) {
        free(data);
        return false;
    }
    const size_t head = is_full ? index_head_size : more_head_size;
    const struct journal_part part = {.record = data,
            .keys = record.payload + head,
            .count = (record.size - head) / key_size};
    *before = named;
    chain->full_end = at + journal_record_head_size + record.size;
    if (chain->count == 0) chain->end = chain->full_end;
    chain->parts[chain->count++] = part;
    chain->keys += part.count;
    return true;
}

/* All of them, from the last one back. */
static bool read_chain(struct chain *chain, const struct store_journal *journal,
        int fd, uint64_t at, uint64_t size)
{
    uint64_t before;
    while (chain->count < most_indexes
            && read_index(
                    chain, &before, journal->generation, fd, at, size - at)) {
        if (before == 0) return true;
        if (before < journal_head_size || before >= at) return false;
        size = at;
        at = before;
    }
    return false;
}

bool journal_index_load(struct store_journal *journal, int fd, uint64_t size)
{
    struct chain chain = {.parts = NULL};
    uint64_t at;
    if (!read_tail(&at, journal, fd, size)) return false;
    if (!read_chain(&chain, journal, fd, at, size)
            || (!is_fresh(journal->read_ns) && !check_some(journal, fd, at))) {
        chain_fini(&chain);
        return false;
    }
    store_journal_free_parts(journal);
    journal->parts = chain.parts;
    journal->part_count = chain.count;
    journal->indexed_count = chain.keys;
    journal->end = chain.end;
    journal->index_at = at;
    journal->index_end = chain.end;
    journal->full_end = chain.full_end;
    journal->index_count = (unsigned)chain.count;
    journal->has_tail = false;
    return true;
}

/* ---- Looking up ---------------------------------------------------------- */

static bool is_in_part(const struct journal_part *part, uint64_t key)
{
    size_t from = 0;
    size_t to = part->count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const uint64_t there = load_le64(part->keys + key_size * middle);
        if (there == key) return true;
        if (there < key)
            from = middle + 1;
        else
            to = middle;
    }
    return false;
}

bool journal_index_has(const struct store_journal *journal, uint64_t key)
{
    if (journal_keys_find(&journal->keys, key) != NULL) return true;
    for (size_t i = 0; i < journal->part_count; i++)
        if (is_in_part(&journal->parts[i], key)) return true;
    return false;
}

/* ---- Writing ------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static size_t count_of(const struct store_journal *journal)
{
    return journal->keys.count + journal->indexed_count;
}

/* Is it of a record behind the last index? */
static bool is_new(
        const struct store_journal *journal, const struct journal_key_entry *e)
{
    return e->key != 0
           && (journal->index_at == 0 || e->value >= journal->index_end);
}

static size_t count_new(const struct store_journal *journal)
{
    size_t count = 0;
    for (size_t i = 0; i < journal->keys.capacity; i++)
        count += is_new(journal, &journal->keys.entries[i]);
    return count;
}

/* All keys, or the new ones, in order; the caller frees them. */
static uint64_t *collect(
        size_t *count, const struct store_journal *journal, bool is_full)
{
    uint64_t *keys = malloc((count_of(journal) + 1) * sizeof *keys);
    size_t n = 0;
    if (keys == NULL) return NULL;
    for (size_t i = 0; is_full && i < journal->part_count; i++)
        for (size_t j = 0; j < journal->parts[i].count; j++)
            keys[n++] = load_le64(journal->parts[i].keys + key_size * j);
    for (size_t i = 0; i < journal->keys.capacity; i++) {
        const struct journal_key_entry *entry = &journal->keys.entries[i];
        if (is_full ? entry->key != 0 : is_new(journal, entry))
            keys[n++] = entry->key;
    }
    qsort(keys, n, sizeof *keys, compare);
    *count = n;
    return keys;
}

static void put_index(struct journal_bytes *bytes,
        const struct store_journal *journal, bool is_full)
{
    size_t count = 0;
    uint64_t *keys = collect(&count, journal, is_full);
    const size_t head = is_full ? index_head_size : more_head_size;
    const size_t size = head + key_size * count;
    uint8_t *payload = keys != NULL ? malloc(size) : NULL;
    if (payload == NULL) {
        bytes->failed = true;
    } else {
        memset(payload, 0, head);
        store_le64(payload, journal->end);
        store_le32(payload + 8, journal->generation);
        if (!is_full) store_le64(payload + index_head_size, journal->index_at);
        for (size_t i = 0; i < count; i++)
            store_le64(payload + head + key_size * i, keys[i]);
        const struct journal_record record = {
                .kind = is_full ? journal_index : journal_more,
                .time_ns = clock_epoch_ns(),
                .size = size,
                .payload = payload};
        journal_put_record(bytes, &record);
    }
    free(payload);
    free(keys);
}

static void put_tail(struct journal_bytes *bytes,
        const struct store_journal *journal, uint64_t index_at)
{
    uint8_t payload[tail_size] = {0};
    store_le64(payload, index_at);
    store_le32(payload + 8, journal->generation);
    store_le32(payload + 12, (uint32_t)journal->checked);
    store_le64(payload + 16, journal->read_ns);
    const struct journal_record record = {.kind = journal_tail,
            .time_ns = clock_epoch_ns(),
            .size = sizeof payload,
            .payload = payload};
    journal_put_record(bytes, &record);
}

/* Is an index of so many keys worth its bytes, at most a quarter of what it
 * spares? */
static bool is_worth(uint64_t spared, size_t count)
{
    return spared >= journal_index_step
           && spared / 4 >= (uint64_t)key_size * count;
}

static bool needs_full(const struct store_journal *journal)
{
    const uint64_t from = journal->index_at != 0 ? journal->full_end
                                                 : (uint64_t)journal_head_size;
    return is_worth(journal->end - from, count_of(journal));
}

static bool needs_more(const struct store_journal *journal)
{
    if (journal->index_at == 0 || journal->index_count >= most_indexes)
        return false;
    const uint64_t without = journal->end - journal->index_end;
    return without >= journal_index_step
           && is_worth(without, count_new(journal));
}

void journal_index_put(struct journal_bytes *bytes,
        struct store_journal *journal, bool is_full)
{
    if (is_full) {
        journal->read_ns = clock_epoch_ns();
        journal->checked = 0;
    }
    const bool needs_all = needs_full(journal);
    if (needs_all || needs_more(journal)) {
        put_index(bytes, journal, needs_all);
        put_tail(bytes, journal, journal->end);
    } else if (journal->index_at != 0
               && (is_full || !journal->has_tail || journal->tail_is_old)) {
        put_tail(bytes, journal, journal->index_at);
    }
    journal->tail_is_old = false;
}
