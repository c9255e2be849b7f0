/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/directory/directory_store.h"

#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- Get ----------------------------------------------------------------- */

enum store_depth directory_depth(const struct directory_lookup *lookup)
{
    return lookup->whole ? store_depth_whole
                         : store_get_depth(lookup->store->base);
}

void directory_report_damage(
        struct directory_lookup *lookup, const struct directory_slot *slot)
{
    char path[directory_path_size];
    lookup->store->layout->path(path, slot);
    store_report_damage(lookup->store->base, path);
    lookup->damaged++;
}

/* What an entry's files have. */
static uint64_t bytes_of(
        const struct directory_store *store, size_t id_size, size_t size)
{
    return store_size_add(id_size + store->layout->extra_bytes
                                  + store_trailer_size
                                  + store_mac_key_size(store->base->mac),
            size);
}

static void note_entry(struct directory_store *store,
        const struct directory_slot *slot, size_t id_size, size_t size)
{
    store_used_note(store->base, directory_slot_key(slot),
            bytes_of(store, id_size, size));
}

static int get_entry(
        struct directory_lookup *l, const struct directory_handle *handle)
{
    struct directory_store store;
    int error = directory_enter(&store, handle, false);
    /* A folder that is refused by now, of which the log was told, has none. */
    if (error != 0) return error == EPERM ? ENOENT : error;
    l->store = &store;
    error = store.layout->look_up(l);
    if (error == 0) {
        note_entry(&store, &l->slot, l->id_size, l->size);
        if (store_is_user(store.base) && !store.read_only)
            store.layout->note_use(&store, &l->slot);
    }
    directory_leave(&store);
    return error;
}

dnnl_status_t directory_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct directory_handle *handle = user;
    if (handle == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    dnnl_cache_store_handle_t *base = &handle->base;
    struct directory_lookup l = {.id_size = id_size, .id = id};
    const int error = directory_is_off(handle) ? ENOENT : get_entry(&l, handle);
    store_count(error != 0 ? &base->counters.misses : &base->counters.hits);
    store_totals_tick(base);
    if (error == ENOENT) return dnnl_cache_miss;
    if (error != 0) return store_finish(base, "get", error);
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

static uint64_t creation_time(const struct directory_transaction *t)
{
    const uint64_t ns = clock_epoch_ns();
    /* The index keeps the order of creation even if the clock goes back. */
    return !t->store->layout->has_index || ns > t->index.last_created_ns
                   ? ns
                   : t->index.last_created_ns + 1;
}

/* Writes the entry, with the lock held. */
static int put_locked(struct directory_transaction *t,
        struct directory_place *place,
        const dnnl_cache_store_metadata_t *metadata)
{
    const struct directory_layout *layout = t->store->layout;
    const struct store_mac_key *mac = t->store->base->mac;
    struct store_tail tail;
    place->bytes = bytes_of(t->store, place->id_size, place->blob.size);
    int error = directory_make_room(t, place->bytes);
    if (error == 0) error = layout->choose_place(t, place);
    if (error == 0) error = directory_start(t);
    if (error != 0) return error;
    place->created_ns = creation_time(t);
    const struct store_trailer trailer = store_put_trailer(
            place->id_size, place->blob.size, place->created_ns, metadata);
    store_tail_make(&tail, &trailer, place->id, place->blob.data, mac);
    place->tail = (struct file_part){tail.bytes, tail.size};
    error = layout->publish(t, place);
    if (error != 0 || layout->has_index) return error;
    /* More than there was: somebody has been at work by hand. */
    if (place->old_bytes > t->bytes) t->broken = true;
    t->bytes = store_size_subtract(t->bytes, place->old_bytes);
    t->bytes = store_size_add(t->bytes, place->bytes);
    return 0;
}

/* Is this very blob there already? Then there is nothing to do: when many
 * processes start cold at once, all but one find it so. *damaged: something is
 * there that is damaged. */
static bool is_unchanged(struct directory_store *store, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob, bool *damaged)
{
    struct directory_lookup l = {
            .store = store, .id_size = id_size, .id = id, .whole = true};
    const int error = store->layout->look_up(&l);
    *damaged = l.damaged > 0;
    if (error != 0) return false;
    const bool same = l.size == size && memcmp(l.blob, blob, size) == 0;
    free(l.blob);
    if (same) note_entry(store, &l.slot, id_size, size);
    return same;
}

static int put_entry(struct directory_store *store,
        struct directory_place *place,
        const dnnl_cache_store_metadata_t *metadata, bool *is_same)
{
    struct directory_transaction t;
    bool damaged;
    *is_same = is_unchanged(store, place->id_size, place->id, place->blob.size,
            place->blob.data, &damaged);
    if (*is_same) return 0;
    int error =
            directory_begin(&t, store, store->base->options.lock_timeout_ms);
    if (error != 0) return error;
    t.suspect = damaged && !store->layout->has_index;
    error = put_locked(&t, place, metadata);
    if (error == 0 && t.suspect) (void)directory_recount(&t);
    directory_end(&t);
    if (error == 0)
        note_entry(store, &place->slot, place->id_size, place->blob.size);
    return error;
}

dnnl_status_t directory_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct directory_handle *handle = user;
    if (handle == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    dnnl_cache_store_handle_t *base = &handle->base;
    if (store_put_declines(base, handle->read_only, id_size, size))
        return dnnl_success;
    struct directory_store store;
    struct directory_place place = {
            .id_size = id_size, .id = id, .blob = {blob, size}};
    bool is_same = false;
    int error = directory_enter(&store, handle, true);
    if (error == 0) {
        error = put_entry(&store, &place, metadata, &is_same);
        directory_leave(&store);
    }
    if (is_same) {
        store_count(&base->counters.puts_unchanged);
        return dnnl_success;
    }
    const dnnl_status_t st = store_put_finish(base, size, error);
    store_totals_tick(base);
    return st;
}

/* ---- Remove -------------------------------------------------------------- */

static bool is_same_slot(
        const struct directory_slot *a, const struct directory_slot *b)
{
    return memcmp(a->group, b->group, sizeof a->group) == 0
           && a->number == b->number;
}

static int remove_locked(struct directory_transaction *t, size_t id_size,
        const uint8_t *id, bool *removed)
{
    const struct directory_layout *layout = t->store->layout;
    struct directory_slot slot;
    struct directory_slot last = {.number = 0};
    for (;;) {
        int error = layout->find(&slot, t->store, id_size, id);
        if (error != 0) return error == ENOENT ? 0 : error;
        if (*removed && is_same_slot(&slot, &last)) {
            t->broken = true; /* it is there still, whatever we were told */
            return EIO;
        }
        error = directory_take_away(t, &slot);
        if (error != 0) return error == EAGAIN ? ETIMEDOUT : error;
        last = slot;
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
    error = directory_begin(&t, store, store->base->options.lock_timeout_ms);
    if (error != 0) return error;
    error = remove_locked(&t, id_size, id, &removed);
    directory_end(&t);
    if (error == 0 && removed) store_count(&store->base->counters.removes);
    return error;
}

dnnl_status_t directory_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct directory_handle *handle = user;
    struct directory_store store;
    if (handle == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    if (directory_is_off(handle)) return dnnl_success;
    int error = directory_enter(&store, handle, false);
    if (error == 0) {
        error = remove_entries(&store, id_size, id);
        directory_leave(&store);
    } else if (error == ENOENT) {
        error = 0;
    }
    return store_finish(&handle->base, "remove", error);
}

/* ---- Entries that go first ----------------------------------------------- */

/* With the lock, so that no other entry takes its place meanwhile. */
static int date_back_locked(const struct directory_store *store, size_t id_size,
        const uint8_t *id, uint64_t used_ns)
{
    const struct directory_layout *layout = store->layout;
    struct directory_slot slot;
    struct dnnl_cache_store_entry item;
    uint8_t *found;
    int error = layout->find(&slot, store, id_size, id);
    if (error == 0) error = layout->read_item(&item, &found, store, &slot);
    if (error != 0) return error;
    free(found);
    /* Used since, or dated back already. */
    if (item.used_ns != used_ns) return 0;
    return layout->set_use(store, &slot, store_date_back(used_ns));
}

int directory_date_back(dnnl_cache_store_handle_t *base, size_t id_size,
        const uint8_t *id, uint64_t used_ns)
{
    struct directory_handle *handle = (struct directory_handle *)base;
    struct directory_store store;
    struct directory_transaction t;
    if (handle->read_only) return EROFS;
    int error = directory_enter(&store, handle, false);
    if (error != 0) return error == ENOENT ? 0 : error;
    error = directory_begin(&t, &store, base->options.lock_timeout_ms);
    if (error == 0) {
        error = date_back_locked(&store, id_size, id, used_ns);
        directory_end(&t);
    }
    directory_leave(&store);
    return error == ENOENT || error == EBADMSG ? 0 : error;
}
