/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"
#include "tools/dnnl_cache/archive/archive_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

struct bytes {
    uint8_t *data;
    size_t size;
    size_t capacity;
};

struct archive_reader {
    FILE *file;
    uint64_t size;
    uint64_t at;
    uint64_t count;    /* entries read */
    XXH3_state_t *all; /* checksums: of everything, of one entry */
    XXH3_state_t *one;
    struct bytes id;
    struct bytes previous_id;
    struct bytes blob;
    char reason[archive_reason_size];
};

static enum archive_status damaged(struct archive_reader *reader,
        const char *format, ...) __attribute__((format(printf, 2, 3)));

static enum archive_status damaged(
        struct archive_reader *reader, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->reason, sizeof reader->reason, format, arguments);
    va_end(arguments);
    return archive_damaged;
}

/* ---- Opening ------------------------------------------------------------- */

bool archive_begins(const uint8_t *bytes, size_t size)
{
    static const uint8_t magic[8] = ARCHIVE_MAGIC;
    return size >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0;
}

static int open_plain(FILE **file, uint64_t *size, const char *path)
{
    struct file_facts facts;
    int fd;
    int error = file_open_named(&fd, &facts, path);
    if (error != 0) return error;
    *size = facts.size;
    *file = file_stream(fd, "rb");
    if (*file != NULL) return 0;
    error = errno;
    (void)file_close(fd);
    return error;
}

/* The archive is read twice, and a stream only once. */
static int copy_stream(FILE **file, uint64_t *size, FILE *stream)
{
    char bytes[8192];
    size_t n;
    *file = tmpfile();
    if (*file == NULL) return errno;
    errno = 0;
    while ((n = fread(bytes, 1, sizeof bytes, stream)) > 0) {
        if (fwrite(bytes, 1, n, *file) != n) break;
        *size += n;
    }
    if (!ferror(stream) && !ferror(*file) && fflush(*file) == 0) {
        rewind(*file);
        return 0;
    }
    return errno != 0 ? errno : EIO;
}

/* Of the path or, if that is NULL, of the stream. */
static int open_either(
        struct archive_reader **reader, const char *path, FILE *stream)
{
    struct archive_reader *r = calloc(1, sizeof *r);
    if (r == NULL) return ENOMEM;
    int error = 0;
    r->all = XXH3_createState();
    r->one = XXH3_createState();
    if (r->all == NULL || r->one == NULL) error = ENOMEM;
    if (error == 0)
        error = path != NULL ? open_plain(&r->file, &r->size, path)
                             : copy_stream(&r->file, &r->size, stream);
    if (error == 0)
        *reader = r;
    else
        archive_reader_close(r);
    return error;
}

int archive_reader_open(struct archive_reader **reader, const char *path)
{
    return open_either(reader, path, NULL);
}

int archive_reader_open_stream(struct archive_reader **reader, FILE *stream)
{
    return open_either(reader, NULL, stream);
}

void archive_reader_close(struct archive_reader *reader)
{
    if (reader == NULL) return;
    if (reader->file != NULL) (void)fclose(reader->file);
    XXH3_freeState(reader->all);
    XXH3_freeState(reader->one);
    free(reader->id.data);
    free(reader->previous_id.data);
    free(reader->blob.data);
    free(reader);
}

uint64_t archive_reader_size(const struct archive_reader *reader)
{
    return reader->size;
}

uint64_t archive_reader_at(const struct archive_reader *reader)
{
    return reader->at;
}

const char *archive_reader_reason(const struct archive_reader *reader)
{
    return reader->reason;
}

int archive_reader_rewind(struct archive_reader *reader)
{
    if (fseek(reader->file, 0, SEEK_SET) != 0) return errno;
    reader->at = 0;
    reader->count = 0;
    return 0;
}

/* ---- Reading ------------------------------------------------------------- */

static enum archive_status read_bytes(
        struct archive_reader *reader, void *bytes, size_t size)
{
    if (size > reader->size - reader->at)
        return damaged(reader, "truncated at byte %" PRIu64, reader->size);
    errno = 0;
    if (fread(bytes, 1, size, reader->file) != size) {
        if (ferror(reader->file)) return archive_failed;
        return damaged(reader, "truncated while it was read");
    }
    reader->at += size;
    return archive_ok;
}

static enum archive_status read_header(struct archive_reader *reader)
{
    uint8_t header[archive_header_size];
    const enum archive_status st = read_bytes(reader, header, sizeof header);
    if (st != archive_ok) return st;
    if (!archive_begins(header, sizeof header))
        return damaged(reader, "not a dnnl-cache archive");
    const uint32_t version = load_le32(header + 8);
    if (version > archive_version) {
        (void)damaged(reader,
                "format version %" PRIu32
                " is newer than this program supports",
                version);
        return archive_newer;
    }
    if (version == 0 || load_le32(header + 12) != 0)
        return damaged(reader, "the header is damaged");
    XXH3_128bits_reset(reader->all);
    XXH3_128bits_update(reader->all, header, sizeof header);
    return archive_ok;
}

/* Reads so many bytes, fewer than the file has left, into memory for them. */
static enum archive_status read_into(
        struct archive_reader *reader, struct bytes *bytes, size_t size)
{
    if (size > bytes->capacity) {
        uint8_t *data = realloc(bytes->data, size);
        if (data == NULL) {
            errno = ENOMEM;
            return archive_failed;
        }
        bytes->data = data;
        bytes->capacity = size;
    }
    bytes->size = size;
    return read_bytes(reader, bytes->data, size);
}

static bool matches(XXH3_state_t *state, const uint8_t *checksum)
{
    uint8_t right[archive_checksum_size];
    archive_store_checksum(right, state);
    return memcmp(right, checksum, sizeof right) == 0;
}

static bool is_above(const struct bytes *a, const struct bytes *b)
{
    const size_t both = a->size < b->size ? a->size : b->size;
    const int order = memcmp(a->data, b->data, both);
    return order > 0 || (order == 0 && a->size > b->size);
}

static enum archive_status read_end(
        struct archive_reader *reader, const uint8_t *end)
{
    XXH3_128bits_update(reader->all, end, archive_at_checksum);
    if (!matches(reader->all, end + archive_at_checksum))
        return damaged(reader, "the checksum of the archive does not match");
    if (load_le32(end + 4) != 0 || load_le64(end + archive_at_blob_size) != 0
            || load_le64(end + archive_at_number) != reader->count
            || load_le64(end + archive_at_id_size) != reader->at)
        return damaged(reader, "the end record does not match the entries");
    if (reader->at != reader->size)
        return damaged(reader,
                "unexpected data after the end, at byte %" PRIu64, reader->at);
    return archive_end;
}

static enum archive_status read_body(struct archive_reader *reader,
        struct archive_entry *entry, const uint8_t *header)
{
    const uint64_t start = reader->at - archive_entry_size;
    const uint64_t left = reader->size - reader->at;
    const uint64_t id_size = load_le64(header + archive_at_id_size);
    const uint64_t blob_size = load_le64(header + archive_at_blob_size);
    if (id_size == 0 || blob_size == 0 || load_le32(header + 4) != 0
            || id_size > left || blob_size > left - id_size)
        return damaged(reader,
                "the entry at byte %" PRIu64 " has invalid sizes", start);
    struct bytes previous = reader->previous_id;
    reader->previous_id = reader->id;
    reader->id = previous;
    enum archive_status st = read_into(reader, &reader->id, (size_t)id_size);
    if (st == archive_ok)
        st = read_into(reader, &reader->blob, (size_t)blob_size);
    if (st != archive_ok) return st;
    XXH3_128bits_reset(reader->one);
    XXH3_128bits_update(reader->one, header, archive_at_checksum);
    XXH3_128bits_update(reader->one, reader->id.data, reader->id.size);
    XXH3_128bits_update(reader->one, reader->blob.data, reader->blob.size);
    if (!matches(reader->one, header + archive_at_checksum))
        return damaged(reader,
                "the entry at byte %" PRIu64 " does not match its checksum",
                start);
    if (reader->count > 0 && !is_above(&reader->id, &reader->previous_id))
        return damaged(
                reader, "the entry at byte %" PRIu64 " is out of order", start);
    XXH3_128bits_update(reader->all, header, archive_entry_size);
    XXH3_128bits_update(reader->all, reader->id.data, reader->id.size);
    XXH3_128bits_update(reader->all, reader->blob.data, reader->blob.size);
    reader->count++;
    *entry = (struct archive_entry){
            .kind = (dnnl_cache_blob_kind_t)load_le32(header + archive_at_kind),
            .compile_ns = load_le64(header + archive_at_number),
            .id_size = reader->id.size,
            .id = reader->id.data,
            .blob_size = reader->blob.size,
            .blob = reader->blob.data};
    return archive_ok;
}

enum archive_status archive_reader_next(
        struct archive_reader *reader, struct archive_entry *entry)
{
    uint8_t header[archive_entry_size];
    enum archive_status st = archive_ok;
    if (reader->at == 0) st = read_header(reader);
    if (st == archive_ok) st = read_bytes(reader, header, sizeof header);
    if (st != archive_ok) return st;
    if (load_le32(header + archive_at_kind) == 0)
        return read_end(reader, header);
    return read_body(reader, entry, header);
}
