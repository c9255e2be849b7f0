/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as the index of a bucket store, once as they are and once with
 * header and records sealed. What is read is within the file; the oldest record
 * is the first of the list; after changes it can be read again; one that is
 * damaged is empty.
 */
#include "pieces.h"
#include "repaired.h"
#include "scratch.h"
#include "src/common/byte_order.h"
#include "stores/directory/directory_index.h"

#include <errno.h>
#include <unistd.h>
#include <xxhash.h>

enum { header_size = 64, record_size = 40 };

static bool is_same(
        const struct directory_record *a, const struct directory_record *b)
{
    return a->slot.group[0] == b->slot.group[0]
           && a->slot.number == b->slot.number && a->bytes == b->bytes
           && a->created_ns == b->created_ns && a->live == b->live;
}

/* The number of live records; -1: some are damaged. */
static int64_t list(struct directory_index *index)
{
    struct directory_record *records = NULL;
    struct directory_record oldest;
    size_t count = 0;
    if (directory_index_list(index, &records, &count) != 0) return -1;
    REQUIRE(count <= index->count - index->first);
    const int error = directory_index_peek_oldest(index, &oldest);
    REQUIRE(error == (count > 0 ? 0 : ENOENT));
    if (count > 0) REQUIRE(is_same(&oldest, &records[0]));
    free(records);
    return (int64_t)count;
}

/* Takes one away, forgets another, adds one. */
static void change(struct directory_index *index, const uint8_t *bytes)
{
    struct directory_record record;
    int64_t live = list(index);
    REQUIRE(directory_index_begin(index) == 0);
    if (live < 0) return;
    if (live > 0) {
        REQUIRE(directory_index_take_oldest(index, &record) == 0);
        REQUIRE(record.live && list(index) == --live);
    }
    if (index->count > index->first) {
        const uint64_t number =
                index->first + bytes[0] % (index->count - index->first);
        REQUIRE(directory_index_get(index, &record, number) == 0);
        REQUIRE(directory_index_forget(index, &record.slot,
                        bytes[1] % 2 == 0 ? record.created_ns : 0)
                == 0);
        const int64_t left = list(index);
        REQUIRE(left == live || left == live - 1);
        live = left;
    }
    record = (struct directory_record){
            .slot = {.group = {7}}, .created_ns = 1, .bytes = 1, .live = true};
    REQUIRE(directory_index_append(index, &record) == 0);
    REQUIRE(list(index) == live + 1);
    REQUIRE(directory_index_commit(index) == 0 && list(index) == live + 1);
}

static void use(size_t size, const uint8_t *bytes)
{
    struct directory_index index;
    struct directory_index again;
    char path[scratch_path_size];
    const int fd = scratch_file(path, bytes, size);
    if (directory_index_read(&index, fd) == 0) {
        REQUIRE(!index.dirty && index.first <= index.count);
        REQUIRE(index.count <= size / record_size);
        change(&index, bytes);
        if (!index.dirty) {
            REQUIRE(directory_index_read(&again, fd) == 0);
            REQUIRE(again.count == index.count && list(&again) > 0);
        }
    } else {
        REQUIRE(index.count == 0 && index.first == 0);
    }
    (void)close(fd);
}

static void seal(uint8_t *bytes, size_t size)
{
    store_le64(bytes + size - 8, XXH3_64bits(bytes, size - 8));
}

size_t fuzz_repair(size_t size, uint8_t *bytes)
{
    if (size < header_size) return 0;
    const uint64_t count = (size - header_size) / record_size;
    memcpy(bytes, "dnnlcidx\1\0\0\0\0\0\0\0", 16);
    store_le64(bytes + 16, load_le64(bytes + 16) % (count + 1));
    store_le64(bytes + 24, count);
    seal(bytes, header_size);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t *record = bytes + header_size + i * record_size;
        store_le32(record + 28, record[28] % 2);
        if (record[32] != 0xff) seal(record, record_size);
    }
    return header_size + (size_t)count * record_size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    use(size, copy.data);
    size = fuzz_repair(size, copy.data);
    if (size > 0) use(size, copy.data);
    free(copy.data);
    return 0;
}
