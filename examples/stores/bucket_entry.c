/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_entry.h"

#include "store_fs.h"
#include "store_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char key_file[] = "key.bin";
static const char blob_file[] = "kernel.bin";

void bucket_entry_path(char path[bucket_entry_path_size],
        struct bucket_slot slot, const char *file)
{
    snprintf(path, bucket_entry_path_size, "%" PRIu64 "/%" PRIu32 "%s%s",
            slot.bucket, slot.entry, file != NULL ? "/" : "",
            file != NULL ? file : "");
}

/* What stands where a file should be, and is none, is damage: links, FIFOs,
 * directories, files that we may not read. */
static int classify(int error)
{
    switch (error) {
    case ELOOP:
    case EISDIR:
    case ENXIO:
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
        return EBADMSG;
    case ENOTDIR:
        return ENOENT;
    default:
        return error;
    }
}

int bucket_entry_compare_key(
        int root_fd, struct bucket_slot slot, size_t id_size, const uint8_t *id)
{
    char path[bucket_entry_path_size];
    bucket_entry_path(path, slot, key_file);
    return classify(store_fs_compare_file(root_fd, path, id, id_size));
}

int bucket_entry_read_blob(uint8_t **blob, size_t *size, int root_fd,
        struct bucket_slot slot, size_t id_size, const uint8_t *id,
        uint64_t max_blob_bytes)
{
    char path[bucket_entry_path_size];
    uint8_t *bytes = NULL;
    size_t file_size;
    struct store_trailer trailer;
    bucket_entry_path(path, slot, blob_file);
    int error = classify(store_fs_read_file(&bytes, &file_size, root_fd, path,
            store_size_add(max_blob_bytes, store_trailer_size)));
    if (error != 0) goto out;
    if (file_size <= store_trailer_size) {
        error = EBADMSG;
        goto out;
    }
    const size_t blob_size = file_size - store_trailer_size;
    error = store_trailer_decode(&trailer, bytes + blob_size, file_size);
    if (error != 0) goto out;
    if (!store_trailer_matches(
                bytes + blob_size, id_size, id, blob_size, bytes)) {
        error = EBADMSG;
        goto out;
    }
    *blob = bytes;
    *size = blob_size;
    bytes = NULL; /* moved to caller */
out:
    free(bytes);
    return error;
}

/* file_size is 0 if the file cannot be opened. */
static int read_trailer(struct store_trailer *trailer, uint64_t *file_size,
        int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    uint8_t bytes[store_trailer_size];
    int fd;
    *file_size = 0;
    bucket_entry_path(path, slot, blob_file);
    int error = classify(store_fs_open_file(&fd, file_size, root_fd, path));
    if (error != 0) return error;
    if (*file_size <= store_trailer_size)
        error = EBADMSG;
    else
        error = store_fs_read_at(
                fd, bytes, sizeof bytes, *file_size - sizeof bytes);
    close(fd);
    if (error != 0) return error;
    return store_trailer_decode(trailer, bytes, *file_size);
}

int bucket_entry_read_key(uint8_t **id, size_t *id_size,
        struct store_trailer *trailer, int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    uint64_t file_size;
    uint8_t *bytes;
    size_t size;
    int error = read_trailer(trailer, &file_size, root_fd, slot);
    if (error != 0) return error;
    bucket_entry_path(path, slot, key_file);
    error = classify(store_fs_read_file(
            &bytes, &size, root_fd, path, BUCKET_ENTRY_MAX_KEY));
    if (error != 0) return error;
    if (size == 0 || size != trailer->key_size) {
        free(bytes);
        return EBADMSG;
    }
    *id = bytes;
    *id_size = size;
    return 0;
}

int bucket_entry_check(
        int root_fd, struct bucket_slot slot, uint64_t max_blob_bytes)
{
    struct store_trailer trailer;
    uint8_t *id = NULL;
    uint8_t *blob = NULL;
    size_t id_size;
    size_t size;
    int error = bucket_entry_read_key(&id, &id_size, &trailer, root_fd, slot);
    if (error == 0)
        error = bucket_entry_read_blob(
                &blob, &size, root_fd, slot, id_size, id, max_blob_bytes);
    free(id);
    free(blob);
    return error;
}

int bucket_entry_creation_time(
        uint64_t *created_ns, int root_fd, struct bucket_slot slot)
{
    struct store_trailer trailer;
    uint64_t file_size;
    const int error = read_trailer(&trailer, &file_size, root_fd, slot);
    if (error == 0) *created_ns = trailer.created_ns;
    return error;
}

int bucket_entry_measure(
        struct bucket_record *record, int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    struct store_trailer trailer;
    uint64_t blob_file_size;
    uint64_t key_file_size = 0;
    int fd;
    const int blob_error =
            read_trailer(&trailer, &blob_file_size, root_fd, slot);
    bucket_entry_path(path, slot, key_file);
    const int key_error =
            classify(store_fs_open_file(&fd, &key_file_size, root_fd, path));
    if (key_error == 0) close(fd);
    const int errors[] = {blob_error, key_error};
    for (int i = 0; i < 2; i++)
        if (errors[i] != 0 && errors[i] != ENOENT && errors[i] != EBADMSG)
            return errors[i];
    *record = (struct bucket_record){
            .slot = slot,
            .created_ns =
                    blob_error == 0 && key_error == 0 ? trailer.created_ns : 0,
            .bytes = store_size_add(blob_file_size, key_file_size),
            .live = true,
    };
    return 0;
}
