/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/directory/directory_index.h"

#include "src/common/byte_order.h"
#include "src/platform/file.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const uint8_t magic[8] = {'d', 'n', 'n', 'l', 'c', 'i', 'd', 'x'};

enum {
    version = 1,
    header_size = 64,
    record_size = 40,
    chunk_records = 256,
    /* Dead records that are not worth a clean-up. */
    spare_records = 64
};

/* ---- Bytes --------------------------------------------------------------- */

static void seal(uint8_t *bytes, size_t size)
{
    store_le64(bytes + size - 8, XXH3_64bits(bytes, size - 8));
}

static bool is_sealed(const uint8_t *bytes, size_t size)
{
    return load_le64(bytes + size - 8) == XXH3_64bits(bytes, size - 8);
}

static void encode_record(uint8_t *bytes, const struct directory_record *record)
{
    store_le64(bytes, record->slot.group[0]);
    store_le64(bytes + 8, record->created_ns);
    store_le64(bytes + 16, record->bytes);
    store_le32(bytes + 24, record->slot.number);
    store_le32(bytes + 28, record->live ? 1 : 0);
    seal(bytes, record_size);
}

static int decode_record(struct directory_record *record, const uint8_t *bytes)
{
    if (!is_sealed(bytes, record_size)) return EBADMSG;
    record->slot = (struct directory_slot){
            .group = {load_le64(bytes)},
            .number = load_le32(bytes + 24),
    };
    record->created_ns = load_le64(bytes + 8);
    record->bytes = load_le64(bytes + 16);
    record->live = load_le32(bytes + 28) == 1;
    return 0;
}

static uint64_t offset_of(uint64_t record)
{
    return header_size + record * record_size;
}

static int write_header(const struct directory_index *index)
{
    uint8_t bytes[header_size];
    memcpy(bytes, magic, sizeof magic);
    store_le32(bytes + 8, version);
    store_le32(bytes + 12, index->dirty ? 1 : 0);
    store_le64(bytes + 16, index->first);
    store_le64(bytes + 24, index->count);
    store_le64(bytes + 32, index->live_count);
    store_le64(bytes + 40, index->live_bytes);
    store_le64(bytes + 48, index->last_created_ns);
    seal(bytes, header_size);
    return file_write_at(index->fd, bytes, sizeof bytes, 0);
}

/* 0 if the header is good and the file has the records it promises, no less and
 * no more. */
static int read_header(struct directory_index *index)
{
    uint8_t bytes[header_size];
    struct file_facts facts;
    int error = file_read_at(index->fd, bytes, sizeof bytes, 0);
    if (error != 0) return error;
    if (memcmp(bytes, magic, sizeof magic) != 0
            || load_le32(bytes + 8) != version
            || !is_sealed(bytes, header_size))
        return EBADMSG;
    index->dirty = load_le32(bytes + 12) != 0;
    index->first = load_le64(bytes + 16);
    index->count = load_le64(bytes + 24);
    index->live_count = load_le64(bytes + 32);
    index->live_bytes = load_le64(bytes + 40);
    index->last_created_ns = load_le64(bytes + 48);
    error = file_facts(&facts, index->fd);
    if (error != 0) return error;
    const uint64_t size = facts.size;
    if (index->dirty || index->first > index->count
            || index->count > (size - header_size) / record_size
            || offset_of(index->count) != size)
        return EBADMSG;
    return 0;
}

static int read_record(const struct directory_index *index,
        struct directory_record *record, uint64_t number)
{
    uint8_t bytes[record_size];
    const int error =
            file_read_at(index->fd, bytes, sizeof bytes, offset_of(number));
    return error != 0 ? error : decode_record(record, bytes);
}

static int write_record(const struct directory_index *index,
        const struct directory_record *record, uint64_t number)
{
    uint8_t bytes[record_size];
    encode_record(bytes, record);
    return file_write_at(index->fd, bytes, sizeof bytes, offset_of(number));
}

int directory_index_read(struct directory_index *index, int fd)
{
    struct directory_index read = {.fd = fd};
    const int error = read_header(&read);
    *index = error == 0 ? read : (struct directory_index){.fd = fd};
    return error;
}

/* ---- Changes ------------------------------------------------------------- */

int directory_index_begin(struct directory_index *index)
{
    if (index->dirty) return 0;
    index->dirty = true;
    return write_header(index);
}

/* Reads as many records as a chunk holds, from number `at` on; *n of them. */
static int read_chunk(const struct directory_index *index, uint8_t *chunk,
        size_t *n, uint64_t at)
{
    const uint64_t left = index->count - at;
    *n = left < chunk_records ? (size_t)left : chunk_records;
    return file_read_at(index->fd, chunk, *n * record_size, offset_of(at));
}

/* Moves the live records of a chunk to its front; *n becomes their number. */
static int keep_live(uint8_t *chunk, size_t *n)
{
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        struct directory_record record;
        const uint8_t *bytes = chunk + i * record_size;
        const int error = decode_record(&record, bytes);
        if (error != 0) return error;
        if (record.live)
            memmove(chunk + kept++ * record_size, bytes, record_size);
    }
    *n = kept;
    return 0;
}

/* Moves live records down over dead ones. The mark is set meanwhile: if we die
 * half-way, the next writer counts again. */
static int compact(struct directory_index *index)
{
    uint8_t *chunk = malloc(chunk_records * record_size);
    if (chunk == NULL) return ENOMEM;
    int error = 0;
    uint64_t kept = 0;
    for (uint64_t at = index->first; at < index->count && error == 0;) {
        size_t n;
        error = read_chunk(index, chunk, &n, at);
        at += n;
        if (error == 0) error = keep_live(chunk, &n);
        if (error == 0)
            error = file_write_at(
                    index->fd, chunk, n * record_size, offset_of(kept));
        kept += n;
    }
    free(chunk);
    if (error != 0) return error;
    index->first = 0;
    index->count = kept;
    return file_set_size(index->fd, offset_of(kept));
}

int directory_index_commit(struct directory_index *index)
{
    if (!index->dirty) return 0;
    if (index->count > 2 * index->live_count + spare_records) {
        const int error = compact(index);
        if (error != 0) return error;
    }
    index->dirty = false;
    const int error = write_header(index);
    if (error != 0) index->dirty = true;
    return error;
}

int directory_index_rebuild(struct directory_index *index,
        const struct directory_record *records, size_t count)
{
    const int fd = index->fd;
    *index = (struct directory_index){.fd = fd, .dirty = true};
    int error = file_set_size(fd, 0);
    if (error == 0) error = write_header(index);
    for (size_t i = 0; i < count && error == 0; i++)
        error = directory_index_append(index, &records[i]);
    return error;
}

int directory_index_append(
        struct directory_index *index, const struct directory_record *record)
{
    const int error = write_record(index, record, index->count);
    if (error != 0) return error;
    index->count++;
    index->live_count++;
    index->live_bytes = store_size_add(index->live_bytes, record->bytes);
    if (record->created_ns > index->last_created_ns)
        index->last_created_ns = record->created_ns;
    return 0;
}

static void subtract(
        struct directory_index *index, const struct directory_record *record)
{
    index->live_count = store_size_subtract(index->live_count, 1);
    index->live_bytes = store_size_subtract(index->live_bytes, record->bytes);
}

int directory_index_peek_oldest(
        struct directory_index *index, struct directory_record *record)
{
    for (; index->first < index->count; index->first++) {
        struct directory_record oldest;
        const int error = read_record(index, &oldest, index->first);
        if (error != 0) return error;
        if (!oldest.live) continue;
        *record = oldest;
        return 0;
    }
    return ENOENT;
}

int directory_index_take_oldest(
        struct directory_index *index, struct directory_record *record)
{
    const int error = directory_index_peek_oldest(index, record);
    if (error != 0) return error;
    index->first++;
    subtract(index, record);
    return 0;
}

int directory_index_list(const struct directory_index *index,
        struct directory_record **records, size_t *count)
{
    const uint64_t most = index->count - index->first;
    if (most > SIZE_MAX / sizeof **records) return ENOMEM;
    uint8_t *chunk = malloc(chunk_records * record_size);
    struct directory_record *list =
            malloc(most > 0 ? (size_t)most * sizeof *list : 1);
    size_t live = 0;
    int error = chunk != NULL && list != NULL ? 0 : ENOMEM;
    for (uint64_t at = index->first; at < index->count && error == 0;) {
        size_t n;
        error = read_chunk(index, chunk, &n, at);
        for (size_t i = 0; i < n && error == 0; i++) {
            error = decode_record(&list[live], chunk + i * record_size);
            if (error == 0 && list[live].live) live++;
        }
        at += n;
    }
    free(chunk);
    if (error != 0) {
        free(list);
        return error;
    }
    *records = list;
    *count = live;
    return 0;
}

int directory_index_get(const struct directory_index *index,
        struct directory_record *record, uint64_t number)
{
    return read_record(index, record, number);
}

int directory_index_kill(struct directory_index *index,
        struct directory_record *record, uint64_t number)
{
    record->live = false;
    subtract(index, record);
    return write_record(index, record, number);
}

static bool is_live_in(const struct directory_record *record,
        const struct directory_slot *slot)
{
    return record->live && record->slot.group[0] == slot->group[0]
           && record->slot.number == slot->number;
}

/* Looks where the order of creation says that the slot's record is. ENOENT if
 * it is not there. */
static int find_by_creation(const struct directory_index *index,
        struct directory_record *record, uint64_t *number,
        const struct directory_slot *slot, uint64_t created_ns)
{
    uint64_t low = index->first;
    uint64_t high = index->count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        const int error = read_record(index, record, middle);
        if (error != 0) return error;
        if (record->created_ns < created_ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == index->count) return ENOENT;
    const int error = read_record(index, record, low);
    if (error != 0) return error;
    *number = low;
    return is_live_in(record, slot) ? 0 : ENOENT;
}

/* Reads the index through. */
static int find_by_slot(const struct directory_index *index,
        struct directory_record *record, uint64_t *number,
        const struct directory_slot *slot)
{
    uint8_t *chunk = malloc(chunk_records * record_size);
    if (chunk == NULL) return ENOMEM;
    int error = 0;
    bool found = false;
    for (uint64_t at = index->first;
            at < index->count && error == 0 && !found;) {
        size_t n;
        error = read_chunk(index, chunk, &n, at);
        for (size_t i = 0; i < n && error == 0 && !found; i++) {
            error = decode_record(record, chunk + i * record_size);
            found = error == 0 && is_live_in(record, slot);
            *number = at + i;
        }
        at += n;
    }
    free(chunk);
    return error == 0 && !found ? ENOENT : error;
}

int directory_index_forget(struct directory_index *index,
        const struct directory_slot *slot, uint64_t created_ns)
{
    struct directory_record record;
    uint64_t number = 0;
    int error = ENOENT;
    if (created_ns != 0)
        error = find_by_creation(index, &record, &number, slot, created_ns);
    if (error == ENOENT) error = find_by_slot(index, &record, &number, slot);
    if (error != 0) return error == ENOENT ? 0 : error;
    return directory_index_kill(index, &record, number);
}

uint64_t directory_index_most_bytes(uint64_t live)
{
    return offset_of(2 * live + spare_records + 2);
}

uint64_t directory_index_file_bytes(
        const struct directory_index *index, uint64_t more)
{
    return offset_of(store_size_add(index->count, more));
}
