/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "tools/dnnl_cache/archive/archive_bytes.h"

#include <errno.h>
#include <stdlib.h>

struct archive_writer {
    FILE *file;
    bool borrowed;     /* the file */
    char *path;        /* NULL: a stream */
    char *temporary;   /* NULL: path itself is written to */
    XXH3_state_t *all; /* checksums: of everything, of one entry */
    XXH3_state_t *one;
    uint64_t bytes;
    uint64_t count;
};

static int write_bytes(
        struct archive_writer *writer, const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, writer->file) != size)
        return errno != 0 ? errno : EIO;
    XXH3_128bits_update(writer->all, bytes, size);
    writer->bytes += size;
    return 0;
}

/* Opens a temporary file beside the path, or the path if something else than
 * a plain file is there: a device, a pipe. */
static int open_file(struct archive_writer *writer)
{
    struct file_facts facts;
    if (file_facts_at(&facts, file_here, writer->path) == 0
            && facts.kind != file_is_plain) {
        writer->file = fopen(writer->path, "wb");
        return writer->file != NULL ? 0 : errno;
    }
    const size_t size = strlen(writer->path) + 48;
    writer->temporary = malloc(size);
    if (writer->temporary == NULL) return ENOMEM;
    int error = EEXIST;
    /* Another name if one is left of a process that was killed. */
    for (unsigned i = 0; i < 1000 && error == EEXIST; i++) {
        snprintf(writer->temporary, size, "%s.%ld-%u.tmp", writer->path,
                process_number(), i);
        /* x: not through a link that somebody has laid there. */
        writer->file = fopen(writer->temporary, "wbx");
        if (writer->file != NULL) return 0;
        error = errno;
    }
    free(writer->temporary);
    writer->temporary = NULL;
    return error;
}

/* To the path or, if that is NULL, to the stream. */
static int open_either(
        struct archive_writer **writer, const char *path, FILE *stream)
{
    struct archive_writer *w = calloc(1, sizeof *w);
    if (w == NULL) return ENOMEM;
    int error = ENOMEM;
    w->file = stream;
    w->borrowed = stream != NULL;
    w->path = path != NULL ? strdup(path) : NULL;
    w->all = XXH3_createState();
    w->one = XXH3_createState();
    if ((w->path != NULL || stream != NULL) && w->all != NULL && w->one != NULL)
        error = stream != NULL ? 0 : open_file(w);
    if (error == 0) {
        static const uint8_t magic[8] = ARCHIVE_MAGIC;
        uint8_t header[archive_header_size] = {0};
        memcpy(header, magic, sizeof magic);
        store_le32(header + 8, archive_version);
        XXH3_128bits_reset(w->all);
        errno = 0;
        error = write_bytes(w, header, sizeof header);
    }
    if (error != 0)
        archive_writer_close(w);
    else
        *writer = w;
    return error;
}

int archive_writer_open(struct archive_writer **writer, const char *path)
{
    return open_either(writer, path, NULL);
}

int archive_writer_open_stream(struct archive_writer **writer, FILE *stream)
{
    return open_either(writer, NULL, stream);
}

int archive_writer_add(
        struct archive_writer *writer, const struct archive_entry *entry)
{
    uint8_t header[archive_entry_size] = {0};
    store_le32(header + archive_at_kind, (uint32_t)entry->kind);
    store_le64(header + archive_at_number, entry->compile_ns);
    store_le64(header + archive_at_id_size, entry->id_size);
    store_le64(header + archive_at_blob_size, entry->blob_size);
    XXH3_128bits_reset(writer->one);
    XXH3_128bits_update(writer->one, header, archive_at_checksum);
    XXH3_128bits_update(writer->one, entry->id, entry->id_size);
    XXH3_128bits_update(writer->one, entry->blob, entry->blob_size);
    archive_store_checksum(header + archive_at_checksum, writer->one);
    errno = 0;
    int error = write_bytes(writer, header, sizeof header);
    if (error == 0) error = write_bytes(writer, entry->id, entry->id_size);
    if (error == 0) error = write_bytes(writer, entry->blob, entry->blob_size);
    writer->count += error == 0;
    return error;
}

int archive_writer_finish(struct archive_writer *writer)
{
    uint8_t end[archive_entry_size] = {0};
    store_le64(end + archive_at_number, writer->count);
    store_le64(end + archive_at_id_size, writer->bytes + sizeof end);
    XXH3_128bits_update(writer->all, end, archive_at_checksum);
    archive_store_checksum(end + archive_at_checksum, writer->all);
    errno = 0;
    int error = write_bytes(writer, end, sizeof end);
    if (error == 0 && fflush(writer->file) != 0) error = errno;
    if (writer->borrowed) return error;
    /* EINVAL: a pipe or a device, which has nothing to be synced. */
    if (error == 0) error = file_sync(file_of_stream(writer->file));
    if (error == EINVAL || error == EROFS) error = 0;
    if (fclose(writer->file) != 0 && error == 0) error = errno;
    writer->file = NULL;
    if (error == 0 && writer->temporary != NULL)
        error = file_rename(
                file_here, writer->temporary, file_here, writer->path, true);
    if (error == 0) {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    return error;
}

void archive_writer_close(struct archive_writer *writer)
{
    if (writer == NULL) return;
    if (writer->file != NULL && !writer->borrowed) (void)fclose(writer->file);
    if (writer->temporary != NULL)
        (void)file_remove(file_here, writer->temporary);
    XXH3_freeState(writer->all);
    XXH3_freeState(writer->one);
    free(writer->temporary);
    free(writer->path);
    free(writer);
}

uint64_t archive_writer_bytes(const struct archive_writer *writer)
{
    return writer->bytes;
}
