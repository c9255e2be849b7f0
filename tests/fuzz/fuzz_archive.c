/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as an archive, once as they are and once with checksums, counts and
 * sizes made right. Entries ascend by their IDs; an archive that is whole is
 * the same when it is written again, and none when it is cut; one that is not
 * says why.
 */
#include "pieces.h"
#include "repaired.h"
#include "scratch.h"
#include "tools/dnnl_cache/archive/archive_bytes.h"

#include <unistd.h>

static void write_again(
        struct archive_reader *reader, size_t size, const uint8_t *bytes)
{
    struct archive_writer *writer = NULL;
    struct archive_entry entry;
    char *text = NULL;
    size_t written = 0;
    FILE *stream = open_memstream(&text, &written);
    REQUIRE(stream != NULL);
    REQUIRE(archive_reader_rewind(reader) == 0);
    REQUIRE(archive_writer_open_stream(&writer, stream) == 0);
    while (archive_reader_next(reader, &entry) == archive_ok)
        REQUIRE(archive_writer_add(writer, &entry) == 0);
    REQUIRE(archive_writer_finish(writer) == 0);
    REQUIRE(archive_writer_bytes(writer) == size);
    archive_writer_close(writer);
    REQUIRE(fclose(stream) == 0);
    REQUIRE(written == size && memcmp(text, bytes, size) == 0);
    free(text);
}

static enum archive_status read_all(struct archive_reader *reader)
{
    struct archive_entry entry;
    struct piece last = {NULL, 0};
    enum archive_status st;
    while ((st = archive_reader_next(reader, &entry)) == archive_ok) {
        REQUIRE(entry.id_size > 0 && entry.blob_size > 0);
        touch(entry.blob, entry.blob_size);
        const size_t both =
                entry.id_size < last.size ? entry.id_size : last.size;
        const int order = both > 0 ? memcmp(entry.id, last.data, both) : 0;
        REQUIRE(order > 0 || (order == 0 && entry.id_size > last.size));
        free(last.data);
        struct pieces id = {entry.id, entry.id_size};
        last = pieces_rest(&id);
    }
    free(last.data);
    REQUIRE(archive_reader_at(reader) <= archive_reader_size(reader));
    return st;
}

static enum archive_status read_archive(
        size_t size, const uint8_t *bytes, bool is_whole)
{
    struct archive_reader *reader = NULL;
    char path[scratch_path_size];
    const int fd = scratch_file(path, bytes, size);
    REQUIRE(archive_reader_open(&reader, path) == 0);
    (void)close(fd);
    const enum archive_status st = read_all(reader);
    REQUIRE(st == archive_end || st == archive_damaged || st == archive_newer);
    if (st != archive_end)
        REQUIRE(archive_reader_reason(reader)[0] != '\0');
    else if (is_whole)
        write_again(reader, size, bytes);
    archive_reader_close(reader);
    return st;
}

/* One that fits stays. */
static size_t fit(uint64_t told, size_t most)
{
    return told > 0 && told <= most ? (size_t)told : 1 + (size_t)(told % most);
}

/* Sizes so that entries fit, and one record of the end behind them. */
size_t fuzz_repair(size_t size, uint8_t *bytes)
{
    static const uint8_t magic[8] = ARCHIVE_MAGIC;
    XXH3_state_t *one = XXH3_createState();
    size_t at = archive_header_size;
    size_t whole = 0;
    uint64_t count = 0;
    if (size < archive_header_size + archive_entry_size) goto out;
    REQUIRE(one != NULL);
    memcpy(bytes, magic, sizeof magic);
    store_le32(bytes + 8, archive_version);
    store_le32(bytes + 12, 0);
    for (; size - at > 2 * archive_entry_size + 2; count++) {
        uint8_t *head = bytes + at;
        const size_t room = size - at - 2 * archive_entry_size;
        const size_t id = fit(load_le64(head + archive_at_id_size), room - 1);
        const size_t blob =
                fit(load_le64(head + archive_at_blob_size), room - id);
        if (load_le32(head) == 0) break;
        store_le32(head + 4, 0);
        store_le64(head + archive_at_id_size, id);
        store_le64(head + archive_at_blob_size, blob);
        XXH3_128bits_reset(one);
        XXH3_128bits_update(one, head, archive_at_checksum);
        XXH3_128bits_update(one, head + archive_entry_size, id + blob);
        archive_store_checksum(head + archive_at_checksum, one);
        at += archive_entry_size + id + blob;
    }
    if (size - at < archive_entry_size) goto out;
    memset(bytes + at, 0, archive_at_checksum);
    store_le64(bytes + at + archive_at_number, count);
    store_le64(bytes + at + archive_at_id_size, at + archive_entry_size);
    XXH3_128bits_reset(one);
    XXH3_128bits_update(one, bytes, at + archive_at_checksum);
    archive_store_checksum(bytes + at + archive_at_checksum, one);
    whole = at + archive_entry_size;
out:
    XXH3_freeState(one);
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pieces pieces = {data, size};
    struct piece copy = pieces_rest(&pieces);
    if (read_archive(size, copy.data, true) == archive_end)
        REQUIRE(read_archive(size - 1, copy.data, false) == archive_damaged);
    const size_t whole = fuzz_repair(size, copy.data);
    if (whole > 0) (void)read_archive(whole, copy.data, true);
    (void)read_archive(size, copy.data, true);
    free(copy.data);
    return 0;
}
