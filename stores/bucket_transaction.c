/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_transaction.h"

#include "bucket_entry.h"
#include "store_fs.h"
#include "store_lock.h"
#include "store_size.h"
#include "store_tmp.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char size_file[] = "size.txt";

/* Depth of anything a writer may have left, with a margin for strangers'. */
enum { tree_depth = 8 };

static bool is_shared(const struct dnnl_cache_store_handle *store)
{
    return store->options.sharing != dnnl_cache_store_sharing_private;
}

/* ---- Changing ------------------------------------------------------------ */

static void close_tmp(struct bucket_transaction *t)
{
    store_tmp_close(t->tmp_fd, t->root_fd);
    t->tmp_fd = -1;
}

int bucket_transaction_start(struct bucket_transaction *t)
{
    if (t->tmp_fd >= 0) return 0;
    int error = store_tmp_open(&t->tmp_fd, t->root_fd, &t->store->options);
    if (error != 0) return error;
    error = bucket_index_begin(&t->index);
    if (error != 0) close_tmp(t);
    return error;
}

/* *left says why what was taken out could not be removed and stays in .tmp. */
static int discard(
        struct bucket_transaction *t, int dirfd, const char *name, int *left)
{
    const int error = bucket_transaction_start(t);
    return error != 0 ? error : store_tmp_discard(t->tmp_fd, dirfd, name, left);
}

static int open_bucket(int *fd, int root_fd, uint64_t bucket)
{
    char name[bucket_entry_path_size];
    snprintf(name, sizeof name, "%" PRIu64, bucket);
    return store_fs_open_beneath(fd, root_fd, name, O_RDONLY | O_DIRECTORY);
}

/* It stays if there is anything in it, which is no error. */
static int remove_empty_bucket(int root_fd, uint64_t bucket)
{
    char name[bucket_entry_path_size];
    snprintf(name, sizeof name, "%" PRIu64, bucket);
    if (unlinkat(root_fd, name, AT_REMOVEDIR) == 0 || errno == ENOTEMPTY
            || errno == EEXIST || errno == ENOENT)
        return 0;
    return errno;
}

int bucket_transaction_discard(
        struct bucket_transaction *t, struct bucket_slot slot)
{
    char name[bucket_entry_path_size];
    int fd;
    int left = 0;
    int error = open_bucket(&fd, t->root_fd, slot.bucket);
    if (error == ENOTDIR || error == ELOOP) return ENOENT;
    if (error != 0) return error;
    snprintf(name, sizeof name, "%" PRIu32, slot.entry);
    error = discard(t, fd, name, &left);
    close(fd);
    if (error == 0 && left != 0) {
        /* No entry any more, but no room either: who needs it must stop. */
        t->broken = true;
        error = left;
    }
    if (remove_empty_bucket(t->root_fd, slot.bucket) != 0)
        t->broken = true; /* the next count takes it away */
    return error;
}

/* ---- Counting ------------------------------------------------------------ */

struct count {
    int root_fd;
    uint64_t bucket;
    struct bucket_record *records;
    size_t size;
    size_t capacity;
};

static int count_entry(void *user, uint64_t number)
{
    struct count *count = user;
    if (count->size == count->capacity) {
        const size_t capacity = count->capacity > 0 ? 2 * count->capacity : 64;
        struct bucket_record *records =
                realloc(count->records, capacity * sizeof *records);
        if (records == NULL) return ENOMEM;
        count->records = records;
        count->capacity = capacity;
    }
    const struct bucket_slot slot = {count->bucket, (uint32_t)number};
    if (bucket_entry_is_foreign(count->root_fd, slot)) return 0;
    const int error = bucket_entry_measure(
            &count->records[count->size], count->root_fd, slot);
    if (error == 0) count->size++;
    return error;
}

static int count_bucket(void *user, uint64_t number)
{
    struct count *count = user;
    const size_t before = count->size;
    int fd;
    count->bucket = number;
    int error = open_bucket(&fd, count->root_fd, number);
    /* A plain file or a link: the next put into this bucket removes it. */
    if (error == ENOENT || error == ENOTDIR || error == ELOOP) return 0;
    if (error != 0) return error;
    error = store_fs_for_each_number(fd, UINT32_MAX, count_entry, count);
    close(fd);
    /* A writer that died may have made a bucket and put nothing into it. */
    if (error == 0 && count->size == before)
        (void)remove_empty_bucket(count->root_fd, number);
    return error;
}

static int compare_records(const void *left, const void *right)
{
    const struct bucket_record *a = left;
    const struct bucket_record *b = right;
    if (a->created_ns != b->created_ns)
        return a->created_ns < b->created_ns ? -1 : 1;
    if (a->slot.bucket != b->slot.bucket)
        return a->slot.bucket < b->slot.bucket ? -1 : 1;
    return (a->slot.entry > b->slot.entry) - (a->slot.entry < b->slot.entry);
}

int bucket_transaction_recount(struct bucket_transaction *t)
{
    struct count count = {.root_fd = t->root_fd};
    int error = bucket_transaction_start(t);
    if (error == 0)
        error = store_fs_for_each_number(
                t->root_fd, UINT64_MAX, count_bucket, &count);
    if (error == 0 && count.size > 0)
        qsort(count.records, count.size, sizeof *count.records,
                compare_records);
    if (error == 0)
        error = bucket_index_rebuild(&t->index, count.records, count.size);
    if (error != 0) t->broken = true;
    t->counted = true;
    if (count.size > 0) store_count(&t->store->counters.recounts);
    free(count.records);
    return error;
}

/* ---- Entries --------------------------------------------------------------
 */

/* 0 if nobody knows. */
static uint64_t creation_of(
        const struct bucket_transaction *t, struct bucket_slot slot)
{
    struct dnnl_cache_store_item item;
    return bucket_entry_read_times(&item, t->root_fd, slot) == 0
                   ? item.created_ns
                   : 0;
}

/* Takes the slot out of the index; counts again if that is damaged. */
static int forget(struct bucket_transaction *t, struct bucket_slot slot,
        uint64_t created_ns)
{
    int error = bucket_index_forget(&t->index, slot, created_ns);
    if (error == EBADMSG) {
        error = bucket_transaction_recount(t);
        if (error == 0)
            error = bucket_index_forget(&t->index, slot, created_ns);
    }
    return error;
}

int bucket_transaction_remove(
        struct bucket_transaction *t, struct bucket_slot slot)
{
    const uint64_t created_ns = creation_of(t, slot);
    int error = bucket_transaction_discard(t, slot);
    if (error != 0 && error != ENOENT) return error;
    error = bucket_transaction_start(t);
    if (error == 0) error = forget(t, slot, created_ns);
    if (error != 0) t->broken = true;
    return error;
}

int bucket_transaction_heal(struct bucket_transaction *t, uint64_t bucket)
{
    struct stat st;
    char name[bucket_entry_path_size];
    snprintf(name, sizeof name, "%" PRIu64, bucket);
    if (fstatat(t->root_fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    if (S_ISDIR(st.st_mode)) return 0;
    int left;
    const int error = discard(t, t->root_fd, name, &left);
    /* Whatever was in the bucket is gone, but not from the index. */
    return error != 0 ? error : bucket_transaction_recount(t);
}

/* ---- Begin and end ------------------------------------------------------- */

int bucket_transaction_begin(struct bucket_transaction *t,
        struct dnnl_cache_store_handle *store, int root_fd, unsigned timeout_ms)
{
    bool valid;
    *t = (struct bucket_transaction){
            .store = store,
            .root_fd = root_fd,
            .tmp_fd = -1,
            .index = {.fd = -1},
    };
    int error = bucket_index_lock(
            &t->index, &valid, root_fd, &store->options, timeout_ms);
    if (error != 0) return error;
    t->size_known = store_size_read(&t->size, root_fd, size_file) == 0;
    /* If the two disagree, somebody has been at work who does not know of one
     * of them. */
    if (!valid || !t->size_known || t->size != t->index.live_bytes) {
        error = bucket_transaction_recount(t);
        if (error != 0) bucket_transaction_end(t);
    }
    return error;
}

static int record_size(struct bucket_transaction *t)
{
    const uint64_t size = t->index.live_bytes;
    if (t->size_known && t->size == size) return 0;
    for (int attempt = 0;; attempt++) {
        int error = store_size_write(
                size, t->tmp_fd, t->root_fd, size_file, &t->store->options);
        if (error != EISDIR || attempt > 0) return error;
        int left;
        error = discard(t, t->root_fd, size_file, &left);
        if (error != 0) return error;
    }
}

void bucket_transaction_end(struct bucket_transaction *t)
{
    if (t->tmp_fd >= 0) {
        int error = t->broken ? 0 : record_size(t);
        close_tmp(t);
        /* Last, for it says that all of the above is done. */
        if (error == 0 && !t->broken) error = bucket_index_commit(&t->index);
        if (error != 0)
            store_log(t->store, dnnl_cache_log_warning,
                    "%s: size not recorded: %s", t->store->options.path,
                    strerror(error));
    }
    bucket_index_unlock(&t->index);
}

/* ---- Publishing ---------------------------------------------------------- */

/* Writes both files into a directory of .tmp, which is left open. */
static int write_entry(struct bucket_transaction *t, int *fd, const char *name,
        const struct store_part *key, const struct store_part blob[2])
{
    const struct dnnl_cache_store_options *options = &t->store->options;
    int opened;
    int error = store_fs_make_directory(t->tmp_fd, name,
            store_directory_mode(options), is_shared(t->store));
    if (error != 0) return error;
    error = store_fs_open_beneath(
            &opened, t->tmp_fd, name, O_RDONLY | O_DIRECTORY);
    if (error != 0) return error;
    error = store_fs_write_file(opened, "key.bin", key, 1, options);
    if (error == 0)
        error = store_fs_write_file(opened, "kernel.bin", blob, 2, options);
    if (error == 0) error = store_fs_sync_directory(opened, options);
    if (error != 0) {
        close(opened);
        return error;
    }
    *fd = opened;
    return 0;
}

/* What is published stays published if only the syncing fails. */
static void sync_directory(const struct bucket_transaction *t, int fd)
{
    const int error = store_fs_sync_directory(fd, &t->store->options);
    if (error != 0)
        store_log(t->store, dnnl_cache_log_warning,
                "%s: directory not synced: %s", t->store->options.path,
                strerror(error));
}

/* Renames the new kernel.bin over the old one: the key is the same, and a
 * reader finds the old blob or the new one, never none. */
static int replace_blob(const struct bucket_transaction *t, int new_fd,
        int bucket_fd, const char *entry)
{
    int old_fd;
    int error = store_fs_open_beneath(
            &old_fd, bucket_fd, entry, O_RDONLY | O_DIRECTORY);
    if (error != 0) return error;
    if (renameat(new_fd, "kernel.bin", old_fd, "kernel.bin") != 0)
        error = errno;
    else
        sync_directory(t, old_fd);
    close(old_fd);
    return error;
}

/* Renames the finished directory of .tmp into its place, or its blob over the
 * old one. */
static int move_into_place(struct bucket_transaction *t, int new_fd,
        const char *unique, const struct bucket_record *record, bool replace)
{
    char bucket[bucket_entry_path_size];
    char entry[bucket_entry_path_size];
    int bucket_fd;
    snprintf(bucket, sizeof bucket, "%" PRIu64, record->slot.bucket);
    int error = store_fs_make_directory(t->root_fd, bucket,
            store_directory_mode(&t->store->options), is_shared(t->store));
    if (error != 0 && error != EEXIST) return error;
    error = open_bucket(&bucket_fd, t->root_fd, record->slot.bucket);
    if (error != 0) return error;
    snprintf(entry, sizeof entry, "%" PRIu32, record->slot.entry);
    if (replace)
        error = replace_blob(t, new_fd, bucket_fd, entry);
    else if (renameat(t->tmp_fd, unique, bucket_fd, entry) != 0)
        error = errno;
    if (error == 0) {
        sync_directory(t, bucket_fd);
        sync_directory(t, t->root_fd);
    }
    close(bucket_fd);
    if (error != 0) unlinkat(t->root_fd, bucket, AT_REMOVEDIR);
    return error;
}

int bucket_transaction_publish(struct bucket_transaction *t,
        const struct bucket_record *record, bool replace,
        const struct store_part *key, const struct store_part blob[2])
{
    char unique[store_fs_name_size];
    int fd;
    store_fs_unique_name(unique);
    int error = bucket_transaction_start(t);
    if (error != 0) return error;
    error = write_entry(t, &fd, unique, key, blob);
    if (error != 0) goto out;
    /* The index comes first, for it may not find room on a full disk. If the
     * rename does not follow it is wrong. */
    if (replace) error = forget(t, record->slot, creation_of(t, record->slot));
    if (error == 0) error = bucket_index_append(&t->index, record);
    if (error == 0) error = move_into_place(t, fd, unique, record, replace);
    if (error != 0) t->broken = true;
    close(fd);
out:
    if (error != 0 || replace)
        (void)store_fs_remove_tree(t->tmp_fd, unique, tree_depth);
    return error;
}
