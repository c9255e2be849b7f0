/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/directory/directory_store.h"

#include "stores/core/store_put.h"
#include "stores/core/store_root.h"
#include "stores/files/store_size.h"
#include "stores/journal/record_attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool directory_is_off(const struct directory_handle *handle)
{
    return handle->base.options.off;
}

int directory_enter(struct directory_store *store,
        const struct directory_handle *handle, bool make)
{
    *store = (struct directory_store){
            .base = (dnnl_cache_store_handle_t *)(uintptr_t)&handle->base,
            .layout = handle->layout,
            .variant = handle->variant,
            .root = handle->root,
            .root_fd = -1,
            .read_only = handle->read_only,
    };
    return store_root_enter(
            &store->root_fd, handle->root, make && !handle->read_only);
}

void directory_leave(const struct directory_store *store)
{
    store_root_leave(store->root);
}

/* ---- Iterate and count --------------------------------------------------- */

enum { stop = -1 };

struct iteration {
    struct directory_store *store;
    dnnl_cache_store_visit_callback_t visit;
    void *user;
};

static int visit_entry(void *user, const struct directory_slot *slot)
{
    const struct iteration *it = user;
    struct dnnl_cache_store_entry item;
    uint8_t *id;
    int error = EBADMSG;
    /* Others may replace the entry between our reading its files. */
    for (int attempt = 0; attempt < 4 && error == EBADMSG; attempt++)
        error = it->store->layout->read_item(&item, &id, it->store, slot);
    if (error == EBADMSG) store_count_damage(it->store->base);
    if (error == ENOENT || error == EBADMSG) return 0;
    if (error != 0) return error;
    item.used_ns = store_date_of(item.used_ns);
    const bool go_on = it->visit(it->user, &item);
    free(id);
    return go_on ? 0 : stop;
}

static dnnl_status_t directory_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    const struct directory_handle *handle = (struct directory_handle *)base;
    struct directory_store store;
    struct iteration it = {&store, visit, user};
    if (directory_is_off(handle)) return dnnl_success;
    int error = directory_enter(&store, handle, false);
    if (error == 0) {
        error = handle->layout->for_each(&store, visit_entry, &it, NULL);
        directory_leave(&store);
    }
    return error == stop || error == ENOENT
                   ? dnnl_success
                   : store_finish(&handle->base, "list", error);
}

int directory_read_size(uint64_t *bytes, const struct directory_store *store)
{
    const struct directory_layout *layout = store->layout;
    struct file_facts facts;
    int fd;
    int error = file_open_plain(
            &fd, &facts, store->root_fd, layout->size_file, file_beneath, 0);
    if (error != 0) return error;
    error = layout->size_read(bytes, fd, store->root_fd);
    (void)file_close(fd);
    return error;
}

static uint64_t recorded_bytes(const dnnl_cache_store_handle_t *base)
{
    const struct directory_handle *handle =
            (const struct directory_handle *)base;
    struct directory_store store;
    uint64_t bytes = 0;
    if (directory_is_off(handle) || directory_enter(&store, handle, false) != 0)
        return 0;
    const int error = directory_read_size(&bytes, &store);
    directory_leave(&store);
    return error == 0 ? bytes : 0;
}

/* ---- Open and close ------------------------------------------------------ */

static void leave_root(void *root)
{
    store_root_leave(root);
}

static int directory_find_place(struct store_place *place,
        const dnnl_cache_store_handle_t *base, enum store_beside file)
{
    static const char *const names[] = {
            [store_beside_journal] = STORE_JOURNAL_FILE,
            [store_beside_totals] = STORE_TOTALS_FILE,
    };
    const struct directory_handle *handle =
            (const struct directory_handle *)base;
    if (directory_is_off(handle)) return ENOTSUP;
    strcpy(place->name, names[file]);
    const int error = store_root_enter(&place->folder_fd, handle->root, false);
    if (error != 0) return error;
    place->leave = leave_root;
    place->owner = handle->root;
    return 0;
}

static uint64_t directory_capacity_for(
        const dnnl_cache_store_handle_t *base, uint64_t entries, uint64_t bytes)
{
    const struct directory_layout *layout =
            ((const struct directory_handle *)base)->layout;
    return store_size_add(bytes,
            directory_fixed_bytes(layout)
                    + (layout->has_index ? directory_index_most_bytes(entries)
                                         : 0));
}

static void directory_close(dnnl_cache_store_handle_t *base)
{
    struct directory_handle *handle = (struct directory_handle *)base;
    store_used_report(base);
    store_totals_add(base);
    store_root_destroy(handle->root);
    store_fini(base);
    free(handle);
}

static const struct store_calls directory_store_calls = {
        .close = directory_close,
        .iterate = directory_iterate,
        .bytes = recorded_bytes,
        .trim = directory_trim,
        .date_back = directory_date_back,
        .verify = directory_verify,
        .find_place = directory_find_place,
        .capacity_for = directory_capacity_for,
};

static const dnnl_cache_store_t directory_callbacks = {
        .can_put = store_can_put,
        .get = directory_get,
        .release = directory_release,
        .put = directory_put,
        .remove = directory_remove,
};

/* Puts a store of this process's own in order, without waiting: whoever holds
 * the lock is at it, and every put does the same. Entries are looked at for
 * their age without the lock first: nearly always there is nothing to do.
 * EPERM: refused, since somebody has just made a store of another type. */
static int tidy(struct directory_store *store)
{
    const uint64_t max_age = store->base->options.max_age_seconds;
    const bool expired = directory_has_expired(store, max_age);
    struct directory_transaction t;
    uint64_t count = 0;
    int error = directory_begin(&t, store, 0);
    if (error == 0) {
        /* Then a layout records the time of the directory's change. */
        if (!store_totals_is_there(store->base)) error = directory_start(&t);
        if (error == 0 && expired)
            error = directory_expire(&t, max_age, store_ages_by_use, &count);
        if (error == 0) error = directory_make_room(&t, 0);
        directory_end(&t);
    }
    return error;
}

/* EPERM: refused. */
static int begin_use(struct directory_handle *handle)
{
    struct directory_store store;
    handle->base.is_writable = true;
    handle->base.callbacks.note = store_note;
    store_totals_begin(&handle->base);
    int error = directory_enter(&store, handle, true);
    if (error == 0) {
        error = tidy(&store);
        directory_leave(&store);
    }
    if (error != 0 && error != ETIMEDOUT && error != ERANGE
            && error != STORE_IS_FULL && error != EPERM)
        (void)store_finish(&handle->base, "open", error);
    return error;
}

dnnl_status_t directory_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options,
        const struct directory_layout *layout, unsigned variant)
{
    if (store == NULL || options == NULL) return dnnl_invalid_arguments;
    struct directory_handle *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return dnnl_out_of_memory;
    opened->layout = layout;
    opened->variant = variant;
    dnnl_status_t st = store_init(&opened->base, &directory_store_calls,
            &directory_callbacks, layout->defaults, options);
    if (st == dnnl_success) record_attach(&opened->base);
    if (st == dnnl_success && !directory_is_off(opened))
        st = store_root_create(&opened->root, &opened->read_only, &opened->base,
                layout->lock_file);
    if (st != dnnl_success) goto out;
    if (opened->read_only && !opened->base.options.read_only)
        store_tell_read_only(&opened->base);
    if (!directory_is_off(opened) && !opened->read_only
            && begin_use(opened) == EPERM)
        st = store_status_of(EPERM);
    if (st != dnnl_success) goto out;
    *store = &opened->base;
    opened = NULL; /* moved to caller */
out:
    if (opened != NULL) directory_close(&opened->base);
    return st;
}
