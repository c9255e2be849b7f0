/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/bucket/bucket_entry.h"
#include "stores/bucket/bucket_internal.h"
#include "stores/files/store_file.h"
#include "stores/files/store_tmp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { name_size = 24 };

static void bucket_name(char name[name_size], uint64_t bucket)
{
    snprintf(name, name_size, "%" PRIu64, bucket);
}

static void entry_name(char name[name_size], const struct directory_slot *slot)
{
    snprintf(name, name_size, "%" PRIu32, slot->number);
}

/* ---- Taking away --------------------------------------------------------- */

int bucket_remove_empty(int root_fd, uint64_t bucket)
{
    char name[name_size];
    bucket_name(name, bucket);
    const int error = folder_remove(root_fd, name);
    return error == ENOTEMPTY || error == EEXIST || error == ENOENT ? 0 : error;
}

int bucket_discard(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    char name[name_size];
    int fd;
    int left = 0;
    int error = bucket_open(&fd, t->store, slot->group[0]);
    if (error != 0) return error;
    entry_name(name, slot);
    error = directory_start(t);
    if (error == 0) error = store_tmp_discard(t->tmp_fd, fd, name, &left);
    (void)file_close(fd);
    if (error == 0 && left != 0) {
        /* No entry any more, but no room either: who needs it must stop. */
        t->broken = true;
        error = left;
    }
    if (bucket_remove_empty(t->root_fd, slot->group[0]) != 0)
        t->broken = true; /* the next count takes it away */
    return error;
}

/* Removes what has a bucket's name and is no directory. */
static int heal(struct directory_transaction *t, uint64_t bucket)
{
    struct file_facts facts;
    char name[name_size];
    bucket_name(name, bucket);
    int error = file_facts_of_link(&facts, t->root_fd, name);
    if (error != 0) return error == ENOENT ? 0 : error;
    if (facts.kind == file_is_folder) return 0;
    error = directory_discard_name(t, t->root_fd, name);
    /* Whatever was in the bucket is gone, but not from the index. */
    return error != 0 ? error : directory_recount(t);
}

static int heal_bucket(void *user, uint64_t bucket)
{
    return heal(user, bucket);
}

/* Empty buckets went with the count. Without repair, what is no directory is
 * removed by the next put into it. */
int bucket_prune(struct directory_transaction *t, bool repair)
{
    return repair ? store_names_each_number(
                   t->root_fd, UINT64_MAX, heal_bucket, t)
                  : 0;
}

/* ---- Where to put an entry ----------------------------------------------- */

struct numbers {
    uint32_t *list; /* in use, before anything is removed */
    size_t count;
};

static int note_number(void *user, uint64_t number)
{
    struct numbers *n = user;
    uint32_t *list = realloc(n->list, (n->count + 1) * sizeof *list);
    if (list == NULL) return ENOMEM;
    list[n->count++] = (uint32_t)number;
    n->list = list;
    return 0;
}

/* The caller frees n->list, also after a failure. */
static int list_bucket(
        struct numbers *n, const struct directory_store *store, uint64_t bucket)
{
    int fd;
    *n = (struct numbers){NULL, 0};
    int error = bucket_open(&fd, store, bucket);
    if (error != 0) return error == ENOENT || error == EACCES ? 0 : error;
    error = store_names_each_number(fd, UINT32_MAX, note_number, n);
    (void)file_close(fd);
    return error;
}

/* Looks at one entry with the lock held. Removes it if it is damaged, or if it
 * is another one of the ID already found. */
static int examine_entry(struct directory_transaction *t,
        struct directory_place *place, uint32_t number)
{
    const struct directory_slot slot = {
            .group = {place->slot.group[0]}, .number = number};
    size_t size;
    const int key = bucket_entry_compare_key(
            t->root_fd, &slot, place->id_size, place->id);
    const int error = key == 0 || key == ENOMSG
                              ? bucket_entry_check_files(&size, t->store, &slot)
                              : key;
    if (error == 0 && key == ENOMSG) return 0; /* another ID's */
    if (error == 0 && !place->replace) {
        place->replace = true;
        place->slot.number = number;
        return 0;
    }
    if (error != 0 && error != EBADMSG && error != ENOENT && error != EIO)
        return error;
    return directory_take_away(t, &slot);
}

static bool is_listed(const struct numbers *n, uint32_t number)
{
    for (size_t i = 0; i < n->count; i++)
        if (n->list[i] == number) return true;
    return false;
}

/* The lowest number that is free or was just freed. */
static int find_free(
        struct directory_transaction *t, struct directory_place *place)
{
    struct numbers n;
    const int error = list_bucket(&n, t->store, place->slot.group[0]);
    while (error == 0 && is_listed(&n, place->slot.number))
        place->slot.number++;
    free(n.list);
    return error;
}

int bucket_choose_place(
        struct directory_transaction *t, struct directory_place *place)
{
    const uint64_t bucket =
            t->store->base->options.hash(place->id, place->id_size);
    struct numbers n = {NULL, 0};
    place->slot = (struct directory_slot){.group = {bucket}};
    int error = heal(t, bucket);
    if (error == 0) error = list_bucket(&n, t->store, bucket);
    for (size_t i = 0; i < n.count && error == 0; i++)
        error = examine_entry(t, place, n.list[i]);
    free(n.list);
    return error != 0 || place->replace ? error : find_free(t, place);
}

/* ---- Publishing ---------------------------------------------------------- */

/* Makes a directory of this name, which may be there if exist_ok, and opens
 * it. */
static int make_directory(const struct directory_transaction *t, int *fd,
        int parent, const char *name, bool exist_ok)
{
    const int error = store_make_folder(parent, name, &t->store->base->options);
    if (error != 0 && !(exist_ok && error == EEXIST)) return error;
    return folder_open_beneath(fd, parent, name);
}

/* Writes both files into a directory of .tmp, which is left open. */
static int write_entry(const struct directory_transaction *t, int *fd,
        const char *name, const struct directory_place *place)
{
    const struct dnnl_cache_store_options *options = &t->store->base->options;
    const struct file_part key = {place->id, place->id_size};
    const struct file_part blob[] = {place->blob, place->tail};
    int error = make_directory(t, fd, t->tmp_fd, name, false);
    if (error != 0) return error;
    error = store_write_file(*fd, bucket_key_file, &key, 1, options);
    if (error == 0)
        error = store_write_file(*fd, bucket_blob_file, blob, 2, options);
    if (error == 0) error = store_sync_folder(*fd, options);
    if (error != 0) (void)file_close(*fd);
    return error;
}

/* Renames the new kernel.bin over the old one: the key is the same, and a
 * reader finds the old blob or the new one, never none. */
static int replace_blob(const struct directory_transaction *t, int new_fd,
        int bucket_fd, const char *entry)
{
    int old_fd;
    int error = folder_open_beneath(&old_fd, bucket_fd, entry);
    if (error != 0) return error;
    error = file_rename(
            new_fd, bucket_blob_file, old_fd, bucket_blob_file, true);
    if (error == 0) directory_sync(t, old_fd);
    (void)file_close(old_fd);
    return error;
}

/* Renames the finished directory of .tmp into its place, or its blob over the
 * old one. */
static int move_into_place(const struct directory_transaction *t, int new_fd,
        const char *unique, const struct directory_place *place)
{
    char bucket[name_size];
    char entry[name_size];
    int bucket_fd;
    bucket_name(bucket, place->slot.group[0]);
    entry_name(entry, &place->slot);
    int error = make_directory(t, &bucket_fd, t->root_fd, bucket, true);
    if (error != 0) return error;
    error = place->replace
                    ? replace_blob(t, new_fd, bucket_fd, entry)
                    : file_rename(t->tmp_fd, unique, bucket_fd, entry, true);
    if (error == 0) {
        directory_sync(t, bucket_fd);
        directory_sync(t, t->root_fd);
    }
    (void)file_close(bucket_fd);
    if (error != 0) (void)folder_remove(t->root_fd, bucket);
    return error;
}

int bucket_publish(
        struct directory_transaction *t, const struct directory_place *place)
{
    char unique[file_unique_size];
    int fd;
    file_unique_name(unique, "");
    int error = write_entry(t, &fd, unique, place);
    if (error == 0) {
        error = directory_index_place(t, place);
        if (error == 0) error = move_into_place(t, fd, unique, place);
        if (error != 0) t->broken = true; /* the index has what is not there */
        (void)file_close(fd);
    }
    if (error != 0 || place->replace) store_tmp_remove(t->tmp_fd, unique);
    return error;
}
