/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_internal.h"

#include "bucket_entry.h"
#include "store_put.h"
#include "store_root.h"
#include "store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- A writer's turn ----------------------------------------------------- */

int bucket_begin(struct bucket_transaction *t, struct bucket_store *store,
        unsigned timeout_ms)
{
    const int error =
            store_root_revive(store->root_fd, &store->base, bucket_index_name);
    if (error != 0) return error;
    return bucket_transaction_begin(
            t, &store->base, store->root_fd, timeout_ms);
}

/* What a bucket holds, for a writer: which entry is this ID's, and which
 * number is free. */
struct place {
    struct bucket_transaction *t;
    struct bucket_store *store;
    uint64_t bucket;
    size_t id_size;
    const uint8_t *id;
    uint32_t *entries; /* numbers in use, before anything is removed */
    size_t count;
    bool found;
    uint32_t found_entry;
};

static int note_entry(void *user, uint64_t number)
{
    struct place *p = user;
    uint32_t *entries = realloc(p->entries, (p->count + 1) * sizeof *entries);
    if (entries == NULL) return ENOMEM;
    entries[p->count++] = (uint32_t)number;
    p->entries = entries;
    return 0;
}

static int list_bucket(struct place *p)
{
    int fd;
    const int error = bucket_store_open_bucket(&fd, p->store, p->bucket);
    if (error != 0) return error == ENOENT ? 0 : error;
    const int listed = store_fs_for_each_number(fd, UINT32_MAX, note_entry, p);
    close(fd);
    return listed;
}

/* Looks at one entry with the lock held. Removes it if it is damaged, or if it
 * is another one of the ID already found. */
static int examine_entry(struct place *p, uint32_t entry)
{
    const struct bucket_slot slot = {p->bucket, entry};
    const int key = bucket_entry_compare_key(
            p->store->root_fd, slot, p->id_size, p->id);
    const int error = key == 0 || key == ENOMSG ? bucket_entry_check(
                              NULL, &p->store->base, p->store->root_fd, slot)
                                                : key;
    if (error == 0 && key == ENOMSG) return 0; /* another ID's */
    if (error == 0 && !p->found) {
        p->found = true;
        p->found_entry = entry;
        return 0;
    }
    if (error != 0 && error != EBADMSG && error != ENOENT && error != EIO)
        return error;
    return bucket_transaction_remove(p->t, slot);
}

static bool is_listed(const struct place *p, uint32_t entry)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->entries[i] == entry) return true;
    return false;
}

/* Heals the bucket and finds the entry of the ID, or else a free number. */
static int find_place(struct place *p)
{
    int error = bucket_transaction_heal(p->t, p->bucket);
    if (error == 0) error = list_bucket(p);
    for (size_t i = 0; i < p->count && error == 0; i++)
        error = examine_entry(p, p->entries[i]);
    if (error != 0 || p->found) return error;
    /* The lowest number that is free or was just freed. */
    free(p->entries);
    p->entries = NULL;
    p->count = 0;
    error = list_bucket(p);
    while (is_listed(p, p->found_entry))
        p->found_entry++;
    return error;
}

/* ---- Put ----------------------------------------------------------------- */

static uint64_t creation_time(const struct bucket_index *index)
{
    const uint64_t ns = store_now_ns();
    /* Order of creation is kept even if the clock goes backwards. */
    return ns > index->last_created_ns ? ns : index->last_created_ns + 1;
}

/* Writes the entry, with the lock held. */
static int put_locked(struct bucket_transaction *t, struct bucket_store *store,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct store_tail tail;
    struct place place = {
            .t = t,
            .store = store,
            .bucket = store->base.options.hash(id, id_size),
            .id_size = id_size,
            .id = id,
    };
    const struct store_part key = {id, id_size};
    const uint64_t bytes = store_size_add(store_size_add(id_size, size),
            store->base.mac != NULL ? store_tail_max : store_trailer_size);
    int error = bucket_transaction_make_room(t, bytes);
    if (error == 0) error = find_place(&place);
    if (error != 0) goto out;

    const struct store_trailer trailer = store_put_trailer(
            id_size, size, creation_time(&t->index), metadata);
    const struct bucket_record record = {
            .slot = {place.bucket, place.found_entry},
            .created_ns = trailer.created_ns,
            .bytes = bytes,
            .live = true,
    };
    store_tail_make(&tail, &trailer, id, blob, store->base.mac);
    const struct store_part parts[2] = {{blob, size}, {tail.bytes, tail.size}};
    error = bucket_transaction_publish(t, &record, place.found, &key, parts);
out:
    free(place.entries);
    return error;
}

/* Is this very blob there already, under its key? Then there is nothing to do:
 * when many processes start cold at once, all but one find it so. */
static bool is_unchanged(struct bucket_store *store, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob)
{
    struct bucket_lookup l;
    if (bucket_look_up(&l, store, id_size, id) != 0) return false;
    const struct bucket_slot slot = {l.bucket, l.entry};
    const bool same = l.size == size && memcmp(l.blob, blob, size) == 0;
    free(l.blob);
    return same
           && bucket_entry_compare_key(store->root_fd, slot, id_size, id) == 0;
}

dnnl_status_t bucket_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct bucket_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    if (store_put_declines(&store->base, store->read_only, id_size, size))
        return dnnl_success;
    if (is_unchanged(store, id_size, id, size, blob)) {
        store_count(&store->base.counters.puts_unchanged);
        return dnnl_success;
    }
    struct bucket_transaction t;
    int error = bucket_begin(&t, store, store->base.options.lock_timeout_ms);
    if (error == 0) {
        error = put_locked(&t, store, id_size, id, size, blob, metadata);
        bucket_transaction_end(&t);
    }
    return store_put_finish(&store->base, size, error);
}

/* ---- Remove -------------------------------------------------------------- */

/* Is the entry this ID's, its key or its blob intact? 0, ENOENT, or EIO if the
 * disk does not tell. */
static int is_of(const struct place *p, struct bucket_slot slot)
{
    uint8_t *blob;
    size_t size;
    const int key = bucket_entry_compare_key(
            p->store->root_fd, slot, p->id_size, p->id);
    if (key == 0 || (key != ENOMSG && key != ENOENT && key != EBADMSG))
        return key;
    /* A get would find it by its blob. */
    if (bucket_entry_read_blob(&blob, &size, &p->store->base, p->store->root_fd,
                slot, p->id_size, p->id)
            != 0)
        return ENOENT;
    free(blob);
    return 0;
}

/* Removes all entries of this ID, intact or not. With t NULL nothing is
 * removed; *found tells if there would be something. */
static int remove_matching(struct place *p, bool *found)
{
    int error = list_bucket(p);
    for (size_t i = 0; i < p->count && error == 0; i++) {
        const struct bucket_slot slot = {p->bucket, p->entries[i]};
        const int key = is_of(p, slot);
        if (key == ENOENT) continue;
        /* A key that cannot be read now may be this one. */
        if (key != 0) error = key;
        if (key == 0) *found = true;
        if (key == 0 && p->t != NULL)
            error = bucket_transaction_remove(p->t, slot);
    }
    free(p->entries);
    p->entries = NULL;
    p->count = 0;
    return error;
}

static int remove_entries(
        struct bucket_store *store, size_t id_size, const uint8_t *id)
{
    struct bucket_transaction t;
    struct place place = {
            .store = store,
            .bucket = store->base.options.hash(id, id_size),
            .id_size = id_size,
            .id = id,
    };
    bool found = false;
    int error = remove_matching(&place, &found);
    if (error != 0 || !found) return error;
    if (store->read_only) return EROFS;
    error = bucket_begin(&t, store, store->base.options.lock_timeout_ms);
    if (error != 0) return error;
    place.t = &t;
    found = false;
    error = remove_matching(&place, &found);
    bucket_transaction_end(&t);
    if (error == 0 && found) store_count(&store->base.counters.removes);
    return error;
}

dnnl_status_t bucket_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct bucket_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    if (bucket_store_is_off(store)) return dnnl_success;
    return store_finish(
            &store->base, "remove", remove_entries(store, id_size, id));
}
