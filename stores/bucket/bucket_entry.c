/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/bucket/bucket_entry.h"

#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_file.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char bucket_key_file[] = "key.bin";
const char bucket_blob_file[] = "kernel.bin";

void bucket_entry_path(char path[directory_path_size],
        const struct directory_slot *slot, const char *file)
{
    char *at = store_name_put_decimal(path, slot->group[0]);
    *at++ = '/';
    at = store_name_put_decimal(at, slot->number);
    if (file != NULL) {
        const size_t size = strlen(file);
        *at++ = '/';
        memcpy(at, file, size);
        at += size;
    }
    *at = '\0';
}

/* What stands where a file should be, and is none, is damage, and so is a file
 * whose disk has a bad place. */
static int classify(int error)
{
    return error == EIO ? EBADMSG : store_classify(error);
}

int bucket_entry_compare_key(int root_fd, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id)
{
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_key_file);
    const int error = store_compare_file(root_fd, path, id, id_size);
    return error == EIO ? EIO : classify(error);
}

int bucket_entry_read_blob(uint8_t **blob, size_t *size,
        const struct directory_store *store, const struct directory_slot *slot,
        size_t id_size, const uint8_t *id, enum store_depth depth)
{
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_blob_file);
    return classify(store_tail_read_blob(
            blob, size, store->base, store->root_fd, path, id_size, id, depth));
}

/* The item but for the ID, whose size it has. */
static int read_item(struct dnnl_cache_store_entry *item, int root_fd,
        const struct directory_slot *slot)
{
    struct file_facts facts;
    struct store_trailer trailer;
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_blob_file);
    const int error =
            classify(store_trailer_read(&trailer, &facts, root_fd, path));
    if (error != 0) return error;
    /* The time of the last change, which bucket_entry_note_use() sets. */
    uint64_t used_ns = facts.modified_ns;
    /* Creation goes on from a time that is ahead (directory_calls.c), and is no
     * time of use then. */
    if (used_ns < trailer.created_ns && !store_is_dated_back(used_ns)
            && !store_is_ahead(trailer.created_ns, clock_epoch_ns()))
        used_ns = trailer.created_ns;
    *item = (struct dnnl_cache_store_entry){
            .struct_size = sizeof(struct dnnl_cache_store_entry),
            .id_size = (size_t)trailer.key_size,
            .blob_size = trailer.blob_size,
            .created_ns = trailer.created_ns,
            .used_ns = used_ns,
            .compile_ns = trailer.compile_ns,
            .kind = trailer.kind,
    };
    return 0;
}

int bucket_entry_read_times(struct dnnl_cache_store_entry *item,
        const struct directory_store *store, const struct directory_slot *slot)
{
    return read_item(item, store->root_fd, slot);
}

void bucket_entry_note_use(
        const struct directory_store *store, const struct directory_slot *slot)
{
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_blob_file);
    /* Another user's, a read-only file system: then it is not noted. */
    (void)file_touch(store->root_fd, path);
}

int bucket_entry_set_use(const struct directory_store *store,
        const struct directory_slot *slot, uint64_t used_ns)
{
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_blob_file);
    return file_set_time(store->root_fd, path, used_ns);
}

static int read_key(uint8_t **id, size_t *id_size, int root_fd,
        const struct directory_slot *slot)
{
    char path[directory_path_size];
    bucket_entry_path(path, slot, bucket_key_file);
    return classify(store_tail_read_id(id, id_size, root_fd, path));
}

static int read_whole_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        int root_fd, const struct directory_slot *slot)
{
    size_t id_size;
    int error = read_item(item, root_fd, slot);
    if (error == 0) error = read_key(id, &id_size, root_fd, slot);
    if (error != 0) return error;
    item->id = *id;
    if (item->id_size == id_size) return 0;
    free(*id);
    return EBADMSG;
}

int bucket_entry_read_key(uint8_t **id, size_t *id_size,
        const struct directory_store *store, const struct directory_slot *slot)
{
    uint8_t *bytes;
    size_t size;
    const int error = read_key(&bytes, &size, store->root_fd, slot);
    if (error != 0) return error;
    if (store->base->options.hash(bytes, size) != slot->group[0]) {
        free(bytes);
        return EBADMSG;
    }
    *id = bytes;
    *id_size = size;
    return 0;
}

/* Of an entry, or a file of it, that was not found: ENOENT if nothing is there
 * any more, as after somebody else removed it. */
static int missing(int error, int root_fd, const struct directory_slot *slot)
{
    struct file_facts facts;
    char path[directory_path_size];
    if (error != ENOENT) return error;
    bucket_entry_path(path, slot, NULL);
    const int look = file_facts_of_link(&facts, root_fd, path);
    return look == ENOENT || look == ENOTDIR ? ENOENT : EBADMSG;
}

int bucket_entry_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const struct directory_store *store, const struct directory_slot *slot)
{
    return missing(read_whole_item(item, id, store->root_fd, slot),
            store->root_fd, slot);
}

int bucket_entry_check_files(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot)
{
    struct dnnl_cache_store_entry item;
    uint8_t *id;
    uint8_t *blob;
    int error = read_whole_item(&item, &id, store->root_fd, slot);
    if (error != 0) return error;
    error = bucket_entry_read_blob(
            &blob, size, store, slot, item.id_size, id, store_depth_whole);
    free(id);
    if (error == 0) free(blob);
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
    sight->ours = sight->ours || strcmp(name, bucket_key_file) == 0
                  || strcmp(name, bucket_blob_file) == 0;
    return 0;
}

/* Has the slot a directory of somebody else's, with files in it and none of
 * ours? Then it is none of our business: there are people who name directories
 * by year and month. */
static bool is_foreign(int root_fd, const struct directory_slot *slot)
{
    int fd;
    char path[directory_path_size];
    struct sight sight = {false, false};
    bucket_entry_path(path, slot, NULL);
    if (folder_open_beneath(&fd, root_fd, path) != 0) return false;
    const int error = folder_each(fd, see_name, &sight);
    (void)file_close(fd);
    return error == 0 && sight.any && !sight.ours;
}

int bucket_entry_check(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot)
{
    const int error = missing(
            bucket_entry_check_files(size, store, slot), store->root_fd, slot);
    return error != 0 && is_foreign(store->root_fd, slot) ? ENODEV : error;
}

/* A file's bytes, whether it can be read or not; 0 if it is none. */
static int size_of_file(uint64_t *size, int root_fd,
        const struct directory_slot *slot, const char *file)
{
    struct file_facts facts;
    char path[directory_path_size];
    int fd;
    *size = 0;
    bucket_entry_path(path, slot, file);
    int error = file_open(&fd, root_fd, path, file_beneath | file_kept, 0);
    if (error == ENOENT || error == ENOTDIR || error == ELOOP
            || error == EACCES)
        return 0;
    if (error != 0) return error;
    error = file_facts(&facts, fd);
    if (facts.kind == file_is_plain) *size = facts.size;
    (void)file_close(fd);
    return error;
}

int bucket_entry_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot)
{
    uint64_t blob_bytes;
    uint64_t key_bytes;
    if (is_foreign(store->root_fd, slot)) return ENOENT;
    int error =
            size_of_file(&blob_bytes, store->root_fd, slot, bucket_blob_file);
    if (error == 0)
        error = size_of_file(&key_bytes, store->root_fd, slot, bucket_key_file);
    if (error != 0) return error;
    *entry = (struct directory_entry){
            .slot = *slot,
            .bytes = store_size_add(blob_bytes, key_bytes),
            .complete = true,
    };
    error = bucket_entry_read_times(&entry->item, store, slot);
    if (error != 0 && error != ENOENT && error != EBADMSG) return error;
    if (error != 0 || key_bytes == 0) entry->item.created_ns = 0;
    return 0;
}
