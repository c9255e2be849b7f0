/* SPDX-License-Identifier: Apache-2.0 */
#include "directory_store.h"

#include "store_put.h"
#include "store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Get ----------------------------------------------------------------- */

void directory_report_damage(
        struct directory_lookup *lookup, const struct directory_slot *slot)
{
    char path[directory_path_size];
    lookup->store->layout->path(path, lookup->store, slot);
    store_report_damage(&lookup->store->base, path);
    lookup->damaged++;
}

/* 0, ENOENT or a failure. */
static int look_up(struct directory_lookup *l, struct directory_store *store,
        size_t id_size, const uint8_t *id)
{
    *l = (struct directory_lookup){
            .store = store, .id_size = id_size, .id = id};
    return store->layout->look_up(l);
}

dnnl_status_t directory_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct directory_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    int error = ENOENT;
    struct directory_lookup l;
    if (!directory_is_off(store)) error = look_up(&l, store, id_size, id);
    if (error != 0) store_count(&store->base.counters.misses);
    if (error == ENOENT) return dnnl_cache_miss;
    if (error != 0) return store_finish(&store->base, "get", error);
    store_count(&store->base.counters.hits);
    if (store_notes_use(&store->base.options) && !store->read_only)
        store->layout->stamp(store, &l.slot);
    *size = l.size;
    *blob = l.blob;
    return dnnl_success;
}

void directory_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    free((uint8_t *)(uintptr_t)blob); /* was allocated by get */
}

/* ---- Put ----------------------------------------------------------------- */

/* Writes the entry, with the lock held. */
static int put_locked(struct directory_transaction *t,
        struct directory_place *place,
        const dnnl_cache_store_metadata_t *metadata)
{
    const struct directory_layout *layout = t->store->layout;
    struct store_tail tail;
    const struct store_trailer trailer = store_put_trailer(
            place->id_size, place->blob.size, store_now_ns(), metadata);
    store_tail_make(
            &tail, &trailer, place->id, place->blob.data, t->store->base.mac);
    place->tail = (struct store_part){tail.bytes, tail.size};
    const uint64_t bytes = store_size_add(
            place->id_size + tail.size + layout->extra_bytes, place->blob.size);
    int error = directory_make_room(t, bytes);
    if (error == 0) error = layout->choose_place(t, place);
    if (error == 0) error = directory_start(t);
    if (error == 0) error = layout->publish(t, place);
    if (error != 0) return error;
    /* More than there was: somebody has been at work by hand. */
    if (place->old_bytes > t->bytes) t->broken = true;
    t->bytes = store_size_subtract(t->bytes, place->old_bytes);
    t->bytes = store_size_add(t->bytes, bytes);
    return 0;
}

/* Is this very blob there already? Then there is nothing to do: when many
 * processes start cold at once, all but one find it so. *damaged: something is
 * there that is damaged. */
static bool is_unchanged(struct directory_store *store, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob, bool *damaged)
{
    struct directory_lookup l;
    const int error = look_up(&l, store, id_size, id);
    *damaged = l.damaged > 0;
    if (error != 0) return false;
    const bool same = l.size == size && memcmp(l.blob, blob, size) == 0;
    free(l.blob);
    return same;
}

dnnl_status_t directory_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct directory_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    if (store_put_declines(&store->base, store->read_only, id_size, size))
        return dnnl_success;
    bool damaged;
    if (is_unchanged(store, id_size, id, size, blob, &damaged)) {
        store_count(&store->base.counters.puts_unchanged);
        return dnnl_success;
    }
    struct directory_transaction t;
    struct directory_place place = {
            .id_size = id_size, .id = id, .blob = {blob, size}};
    int error = directory_begin(&t, store, store->base.options.lock_timeout_ms);
    if (error == 0) {
        t.suspect = damaged;
        error = put_locked(&t, &place, metadata);
        if (error == 0 && t.suspect) (void)directory_recount(&t);
        directory_end(&t);
    }
    return store_put_finish(&store->base, size, error);
}

/* ---- Remove -------------------------------------------------------------- */

static int remove_locked(struct directory_transaction *t, size_t id_size,
        const uint8_t *id, bool *removed)
{
    const struct directory_layout *layout = t->store->layout;
    struct directory_slot slot;
    for (;;) {
        int error = layout->find(&slot, t->store, id_size, id);
        if (error != 0) return error == ENOENT ? 0 : error;
        error = directory_take_away(t, &slot);
        if (error != 0) return error == EAGAIN ? ETIMEDOUT : error;
        *removed = true;
    }
}

static int remove_entries(
        struct directory_store *store, size_t id_size, const uint8_t *id)
{
    struct directory_transaction t;
    struct directory_slot slot;
    bool removed = false;
    int error = store->layout->find(&slot, store, id_size, id);
    if (error != 0) return error == ENOENT ? 0 : error;
    if (store->read_only) return EROFS;
    error = directory_begin(&t, store, store->base.options.lock_timeout_ms);
    if (error != 0) return error;
    error = remove_locked(&t, id_size, id, &removed);
    directory_end(&t);
    if (error == 0 && removed) store_count(&store->base.counters.removes);
    return error;
}

dnnl_status_t directory_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct directory_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    if (directory_is_off(store)) return dnnl_success;
    return store_finish(
            &store->base, "remove", remove_entries(store, id_size, id));
}
