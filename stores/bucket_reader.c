/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_internal.h"

#include "bucket_entry.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* 0: the blob was read; ENOENT or ENOMSG: not here; EBADMSG: damaged. The
 * blob's checksum, or MAC, is one of the ID too, so only a blob that does not
 * match makes us ask key.bin whose it is. */
static int read_entry(struct bucket_lookup *l, uint64_t number)
{
    const struct bucket_store *store = l->store;
    const struct bucket_slot slot = {l->bucket, (uint32_t)number};
    int error = EBADMSG;
    /* Twice: a writer may put another entry here between our reading the blob
     * and reading the key. */
    for (int attempt = 0; attempt < 2 && error == EBADMSG; attempt++) {
        error = bucket_entry_read_blob(&l->blob, &l->size, &store->base,
                store->root_fd, slot, l->id_size, l->id);
        if (error == 0) l->entry = slot.entry;
        if (error != EBADMSG && error != ENOENT) break;
        error = bucket_entry_compare_key(
                store->root_fd, slot, l->id_size, l->id);
        if (error == 0) error = EBADMSG; /* ours, but not what was put */
    }
    if (error == EIO) error = EBADMSG;
    if (error == EBADMSG) {
        char path[bucket_entry_path_size];
        bucket_entry_path(path, slot, NULL);
        store_report_damage(&l->store->base, path);
    }
    return error;
}

enum { stop = -1 };

static int try_entry(void *user, uint64_t number)
{
    struct bucket_lookup *l = user;
    if (number == 0) return 0; /* was tried first */
    const int error = read_entry(l, number);
    if (error == 0) return stop;
    return error == ENOENT || error == ENOMSG || error == EBADMSG ? 0 : error;
}

/* Entry 0 is nearly always the one. If it is not, the bucket's directory tells
 * which others there are: evictions leave gaps in their numbers. 0, ENOENT, or
 * a failure. */
static int look_up(struct bucket_lookup *l)
{
    int error = read_entry(l, 0);
    if (error == 0) return 0;
    if (error != ENOENT && error != ENOMSG && error != EBADMSG) return error;
    int fd;
    error = bucket_store_open_bucket(&fd, l->store, l->bucket);
    if (error != 0) return error;
    error = store_fs_for_each_number(fd, UINT32_MAX, try_entry, l);
    close(fd);
    if (error == 0) return ENOENT;
    return error == stop ? 0 : error;
}

int bucket_look_up(struct bucket_lookup *lookup, struct bucket_store *store,
        size_t id_size, const uint8_t *id)
{
    *lookup = (struct bucket_lookup){
            .store = store,
            .bucket = store->base.options.hash(id, id_size),
            .id_size = id_size,
            .id = id,
    };
    return look_up(lookup);
}

dnnl_status_t bucket_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct bucket_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    int error = ENOENT;
    struct bucket_lookup l;
    if (!bucket_store_is_off(store))
        error = bucket_look_up(&l, store, id_size, id);
    if (error != 0) store_count(&store->base.counters.misses);
    if (error == ENOENT) return dnnl_cache_miss;
    if (error != 0) return store_finish(&store->base, "get", error);
    store_count(&store->base.counters.hits);
    if (store_notes_use(&store->base.options) && !store->read_only)
        bucket_entry_touch(
                store->root_fd, (struct bucket_slot){l.bucket, l.entry});
    *size = l.size;
    *blob = l.blob;
    return dnnl_success;
}

void bucket_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    free((uint8_t *)(uintptr_t)blob); /* was allocated by get */
}
