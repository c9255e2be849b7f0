/* SPDX-License-Identifier: Apache-2.0 */
/* How the entries of a flat store lie in their directory. */
#include "stores/flat/flat_store.h"

#include "stores/files/store_names.h"
#include "stores/flat/flat_entry.h"
#include "stores/flat/flat_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct directory_slot slot_of(
        const struct directory_store *store, size_t id_size, const uint8_t *id)
{
    return (struct directory_slot){
            .group = {store->base->options.hash(id, id_size)},
            .number = store->variant,
    };
}

/* ---- Without the lock ---------------------------------------------------- */

struct visitor {
    directory_visit *visit;
    void *user;
};

static int visit_name(void *user, const char *name)
{
    const struct visitor *v = user;
    struct directory_slot slot;
    return flat_entry_parse_name(&slot, name) ? v->visit(v->user, &slot) : 0;
}

static int flat_for_each(const struct directory_store *store,
        directory_visit *visit, void *user,
        const struct directory_transaction *t)
{
    (void)t;
    struct visitor v = {visit, user};
    return folder_each(store->root_fd, visit_name, &v);
}

static int flat_look_up(struct directory_lookup *l)
{
    l->slot = slot_of(l->store, l->id_size, l->id);
    const int error = flat_entry_read_blob(&l->blob, &l->size, l->store,
            &l->slot, l->id_size, l->id, directory_depth(l));
    if (error == EBADMSG) directory_report_damage(l, &l->slot);
    return error == EBADMSG || error == ENOMSG ? ENOENT : error;
}

static int flat_find(struct directory_slot *slot,
        const struct directory_store *store, size_t id_size, const uint8_t *id)
{
    struct dnnl_cache_store_entry item;
    uint8_t *found;
    *slot = slot_of(store, id_size, id);
    const int error = flat_entry_read_item(&item, &found, store, slot);
    if (error != 0) return error == EBADMSG ? ENOENT : error;
    const bool same =
            item.id_size == id_size && memcmp(found, id, id_size) == 0;
    free(found);
    return same ? 0 : ENOENT;
}

static int flat_read_id(uint8_t **id, size_t *id_size,
        const struct directory_store *store, const struct directory_slot *slot)
{
    struct dnnl_cache_store_entry item;
    const int error = flat_entry_read_item(&item, id, store, slot);
    if (error != 0) return error;
    if (slot_of(store, item.id_size, item.id).group[0] == slot->group[0]) {
        *id_size = item.id_size;
        return 0;
    }
    free(*id);
    *id = NULL;
    return EBADMSG;
}

static void flat_note_use(
        const struct directory_store *store, const struct directory_slot *slot)
{
    char name[directory_path_size];
    flat_entry_path(name, slot);
    (void)file_touch(store->root_fd, name);
}

static int flat_set_use(const struct directory_store *store,
        const struct directory_slot *slot, uint64_t used_ns)
{
    char name[directory_path_size];
    flat_entry_path(name, slot);
    return file_set_time(store->root_fd, name, used_ns);
}

/* ---- With the lock ------------------------------------------------------- */

/* An entry is put where it belongs, whatever is there. */
static int flat_choose_place(
        struct directory_transaction *t, struct directory_place *place)
{
    struct directory_entry entry = {.bytes = 0};
    place->slot = slot_of(t->store, place->id_size, place->id);
    const int error = flat_entry_measure(&entry, t->store, &place->slot);
    if (error != 0 && error != ENOENT) return error;
    place->old_bytes = entry.bytes;
    place->replace = error == 0;
    return 0;
}

static int flat_publish(
        struct directory_transaction *t, const struct directory_place *place)
{
    char name[directory_path_size];
    const struct file_part parts[] = {
            place->blob, {place->id, place->id_size}, place->tail};
    flat_entry_path(name, &place->slot);
    const int error = directory_publish_file(
            t, t->root_fd, name, parts, sizeof parts / sizeof parts[0]);
    if (error == 0) directory_sync(t, t->root_fd);
    return error;
}

static int flat_discard(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    char name[directory_path_size];
    flat_entry_path(name, slot);
    return directory_discard_name(t, t->root_fd, name);
}

static const struct store_defaults flat_defaults = {
        .capacity = (uint64_t)1024 << 20,
        .policy = dnnl_cache_store_policy_lru,
        .low_water_percent = 66, /* frees a third, and not less */
        .max_age_seconds = DNNL_CACHE_STORE_AGE_UNLIMITED,
};

static const struct directory_layout flat_layout = {
        .defaults = &flat_defaults,
        .lock_file = STORE_FLAT_FILE,
        .size_file = STORE_FLAT_FILE,
        .size_file_bytes = flat_size_bytes,
        .size_read = flat_size_read,
        .size_mark = flat_size_mark,
        .size_write = flat_size_write,
        .look_up = flat_look_up,
        .find = flat_find,
        .for_each = flat_for_each,
        .measure = flat_entry_measure,
        .read_item = flat_entry_read_item,
        .read_id = flat_read_id,
        .check = flat_entry_check,
        .note_use = flat_note_use,
        .set_use = flat_set_use,
        .path = flat_entry_path,
        .choose_place = flat_choose_place,
        .publish = flat_publish,
        .discard = flat_discard,
};

/* ---- The interface ------------------------------------------------------- */

dnnl_status_t dnnl_cache_store_open_flat_for(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options,
        enum dnnl_cache_store_flat_api api)
{
    if (api != dnnl_cache_store_flat_opencl
            && api != dnnl_cache_store_flat_level_zero)
        return dnnl_invalid_arguments;
    return directory_store_open(store, options, &flat_layout, api);
}

dnnl_status_t flat_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options)
{
    return dnnl_cache_store_open_flat_for(
            store, options, dnnl_cache_store_flat_opencl);
}
