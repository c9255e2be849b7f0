/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_entry.h"

#include "store_fs.h"
#include "store_internal.h"
#include "store_put.h"
#include "store_size.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* What stands where a file should be, and is none, is damage, and so is a file
 * whose disk has a bad place. */
static int classify(int error)
{
    return error == EIO ? EBADMSG : store_fs_classify(error);
}

int bucket_entry_compare_key(
        int root_fd, struct bucket_slot slot, size_t id_size, const uint8_t *id)
{
    char path[bucket_entry_path_size];
    bucket_entry_path(path, slot, key_file);
    const int error = store_fs_compare_file(root_fd, path, id, id_size);
    return error == EIO ? EIO : classify(error);
}

int bucket_entry_read_blob(uint8_t **blob, size_t *size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot, size_t id_size, const uint8_t *id)
{
    char path[bucket_entry_path_size];
    uint8_t *bytes = NULL;
    size_t file_size;
    bucket_entry_path(path, slot, blob_file);
    int error = classify(store_tail_read_file(&bytes, &file_size, root_fd, path,
            store_size_add(store->options.max_blob_bytes, store_tail_max)));
    if (error == 0)
        error = store_tail_check(
                size, bytes, file_size, id_size, id, store->mac);
    if (error != 0) {
        free(bytes);
        return error;
    }
    *blob = bytes;
    return 0;
}

/* file_size is 0 if the file cannot be opened. used_ns: its last change, which
 * bucket_entry_touch() makes. */
static int read_trailer(struct store_trailer *trailer, uint64_t *used_ns,
        uint64_t *file_size, int root_fd, struct bucket_slot slot)
{
    struct stat st;
    char path[bucket_entry_path_size];
    uint8_t bytes[store_trailer_size];
    int fd;
    *file_size = 0;
    bucket_entry_path(path, slot, blob_file);
    int error = classify(store_fs_open_file(&fd, file_size, root_fd, path));
    if (error != 0) return error;
    if (*file_size <= store_trailer_size)
        error = EBADMSG;
    else if (fstat(fd, &st) != 0)
        error = classify(errno);
    else
        error = classify(store_fs_read_at(
                fd, bytes, sizeof bytes, *file_size - sizeof bytes));
    close(fd);
    if (error != 0) return error;
    *used_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u
               + (uint64_t)st.st_mtim.tv_nsec;
    return store_trailer_decode(trailer, bytes, *file_size);
}

static int read_item(struct dnnl_cache_store_item *item,
        struct store_trailer *trailer, int root_fd, struct bucket_slot slot)
{
    uint64_t file_size;
    uint64_t used_ns;
    const int error =
            read_trailer(trailer, &used_ns, &file_size, root_fd, slot);
    if (error != 0) return error;
    /* Creation goes on from a time that is ahead (bucket_writer.c), and is no
     * time of use then. */
    if (used_ns < trailer->created_ns
            && !store_is_ahead(trailer->created_ns, store_now_ns()))
        used_ns = trailer->created_ns;
    *item = (struct dnnl_cache_store_item){
            .blob_size = trailer->blob_size,
            .created_ns = trailer->created_ns,
            .used_ns = used_ns,
            .compile_ns = trailer->compile_ns,
            .kind = trailer->kind,
    };
    return 0;
}

int bucket_entry_read_times(struct dnnl_cache_store_item *item, int root_fd,
        struct bucket_slot slot)
{
    struct store_trailer trailer;
    return read_item(item, &trailer, root_fd, slot);
}

void bucket_entry_touch(int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    bucket_entry_path(path, slot, blob_file);
    /* Another user's, a read-only file system: then it is not noted. */
    (void)utimensat(root_fd, path, NULL, AT_SYMLINK_NOFOLLOW);
}

int bucket_entry_read_item(struct dnnl_cache_store_item *item, uint8_t **id,
        int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    struct store_trailer trailer;
    struct dnnl_cache_store_item read;
    uint8_t *bytes;
    size_t size;
    int error = read_item(&read, &trailer, root_fd, slot);
    if (error != 0) return error;
    bucket_entry_path(path, slot, key_file);
    error = classify(store_fs_read_file(
            &bytes, &size, root_fd, path, STORE_MAX_ID_BYTES));
    if (error != 0) return error;
    if (size == 0 || size != trailer.key_size) {
        free(bytes);
        return EBADMSG;
    }
    *item = read;
    item->id_size = size;
    item->id = bytes;
    *id = bytes;
    return 0;
}

int bucket_entry_read_key(uint8_t **id, size_t *id_size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    uint8_t *bytes;
    size_t size;
    bucket_entry_path(path, slot, key_file);
    const int error = classify(store_fs_read_file(
            &bytes, &size, root_fd, path, STORE_MAX_ID_BYTES));
    if (error != 0) return error;
    if (size == 0 || store->options.hash(bytes, size) != slot.bucket) {
        free(bytes);
        return EBADMSG;
    }
    *id = bytes;
    *id_size = size;
    return 0;
}

bool bucket_entry_is_gone(int root_fd, struct bucket_slot slot)
{
    struct stat st;
    char path[bucket_entry_path_size];
    bucket_entry_path(path, slot, NULL);
    return fstatat(root_fd, path, &st, AT_SYMLINK_NOFOLLOW) != 0
           && (errno == ENOENT || errno == ENOTDIR);
}

int bucket_entry_check(size_t *size,
        const struct dnnl_cache_store_handle *store, int root_fd,
        struct bucket_slot slot)
{
    struct dnnl_cache_store_item item;
    uint8_t *id = NULL;
    uint8_t *blob = NULL;
    size_t blob_size = 0;
    int error = bucket_entry_read_item(&item, &id, root_fd, slot);
    if (error == 0)
        error = bucket_entry_read_blob(
                &blob, &blob_size, store, root_fd, slot, item.id_size, id);
    free(id);
    free(blob);
    if (error == 0 && size != NULL) *size = blob_size;
    return error;
}

struct sight {
    bool any;
    bool ours;
};

static int see_name(void *user, const char *name)
{
    struct sight *sight = user;
    sight->any = true;
    sight->ours = sight->ours || strcmp(name, key_file) == 0
                  || strcmp(name, blob_file) == 0;
    return 0;
}

bool bucket_entry_is_foreign(int root_fd, struct bucket_slot slot)
{
    int fd;
    char path[bucket_entry_path_size];
    struct sight sight = {false, false};
    bucket_entry_path(path, slot, NULL);
    if (store_fs_open_beneath(&fd, root_fd, path, O_RDONLY | O_DIRECTORY) != 0)
        return false;
    const int error = store_fs_for_each_name(fd, see_name, &sight);
    close(fd);
    return error == 0 && sight.any && !sight.ours;
}

/* A file's bytes, whether it can be read or not; 0 if it is none. */
static int size_of_file(uint64_t *size, int root_fd, const char *path)
{
    struct stat st;
    int fd;
    *size = 0;
    int error = store_fs_open_beneath(&fd, root_fd, path, O_PATH);
    if (error == ENOENT || error == ENOTDIR || error == ELOOP
            || error == EACCES)
        return 0;
    if (error != 0) return error;
    if (fstat(fd, &st) != 0)
        error = errno;
    else if (S_ISREG(st.st_mode))
        *size = (uint64_t)st.st_size;
    close(fd);
    return error;
}

int bucket_entry_measure(
        struct bucket_record *record, int root_fd, struct bucket_slot slot)
{
    char path[bucket_entry_path_size];
    struct dnnl_cache_store_item item;
    uint64_t blob_bytes;
    uint64_t key_bytes;
    bucket_entry_path(path, slot, blob_file);
    int error = size_of_file(&blob_bytes, root_fd, path);
    if (error != 0) return error;
    bucket_entry_path(path, slot, key_file);
    error = size_of_file(&key_bytes, root_fd, path);
    if (error != 0) return error;
    error = bucket_entry_read_times(&item, root_fd, slot);
    if (error != 0 && error != ENOENT && error != EBADMSG) return error;
    *record = (struct bucket_record){
            .slot = slot,
            .created_ns = error == 0 && key_bytes > 0 ? item.created_ns : 0,
            .bytes = store_size_add(blob_bytes, key_bytes),
            .live = true,
    };
    return 0;
}
