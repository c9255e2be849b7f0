/* SPDX-License-Identifier: Apache-2.0 */
#include "walk_store.h"

#include "store_root.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

bool walk_store_is_off(const struct walk_store *store)
{
    return store->base.options.capacity.kind == dnnl_cache_store_limit_kind_off;
}

/* ---- Iterate and count --------------------------------------------------- */

enum { stop = -1 };

struct iteration {
    struct walk_store *store;
    bool (*visit)(void *user, const struct dnnl_cache_store_item *item);
    void *user;
};

static int visit_entry(void *user, const struct walk_slot *slot)
{
    const struct iteration *it = user;
    struct dnnl_cache_store_item item;
    uint8_t *id;
    int error = EBADMSG;
    /* Others may replace the entry between our reading its files. */
    for (int attempt = 0; attempt < 4 && error == EBADMSG; attempt++)
        error = it->store->layout->read_item(&item, &id, it->store, slot);
    if (error == EBADMSG) store_count_damage(&it->store->base);
    if (error == ENOENT || error == EBADMSG) return 0;
    if (error != 0) return error;
    const bool go_on = it->visit(it->user, &item);
    free(id);
    return go_on ? 0 : stop;
}

static dnnl_status_t walk_iterate(struct dnnl_cache_store_handle *base,
        bool (*visit)(void *user, const struct dnnl_cache_store_item *item),
        void *user)
{
    struct iteration it = {(struct walk_store *)base, visit, user};
    if (walk_store_is_off(it.store)) return dnnl_success;
    const int error = it.store->layout->for_each(it.store, visit_entry, &it);
    return error == stop || error == ENOENT ? dnnl_success
                                            : store_status_of(error);
}

static uint64_t walk_bytes(const struct dnnl_cache_store_handle *base)
{
    const struct walk_store *store = (const struct walk_store *)base;
    const struct walk_layout *layout = store->layout;
    uint64_t size;
    uint64_t bytes = 0;
    int fd;
    if (walk_store_is_off(store)
            || store_fs_open_file(&fd, &size, store->root_fd, layout->book)
                       != 0)
        return 0;
    if (layout->book_read(&bytes, fd, store->root_fd) != 0) bytes = 0;
    close(fd);
    return bytes;
}

/* ---- Open and close ------------------------------------------------------ */

static void walk_close(struct dnnl_cache_store_handle *base)
{
    struct walk_store *store = (struct walk_store *)base;
    if (store->root_fd >= 0) close(store->root_fd);
    store_fini(&store->base);
    free(store);
}

static const struct store_class walk_class = {
        walk_close, walk_iterate, walk_bytes, walk_trim, walk_verify};

static const dnnl_cache_store_t walk_callbacks = {
        .get = walk_get,
        .release = walk_release,
        .put = walk_put,
        .remove = walk_remove,
};

/* Puts a store of this process's own in order, without waiting: whoever holds
 * the lock is at it, and every put does the same. Entries are looked at for
 * their age without the lock first: nearly always there is nothing to do. */
static void tidy(struct walk_store *store)
{
    const uint64_t max_age = store->base.options.max_age_seconds;
    const bool expired = walk_has_expired(store, max_age);
    struct walk_transaction t;
    int error = walk_begin(&t, store, 0);
    if (error == 0) {
        if (expired) error = walk_expire(&t, max_age, NULL);
        if (error == 0) error = walk_make_room(&t, 0);
        walk_end(&t);
    }
    if (error != 0 && error != ETIMEDOUT && error != ERANGE && error != EDQUOT)
        (void)store_finish(&store->base, "open", error);
}

dnnl_status_t walk_store_open(struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options,
        const struct walk_layout *layout, unsigned flavour)
{
    if (store == NULL || options == NULL) return dnnl_invalid_arguments;
    struct walk_store *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return dnnl_out_of_memory;
    opened->root_fd = -1;
    opened->layout = layout;
    opened->flavour = flavour;
    dnnl_status_t st =
            store_init(&opened->base, &walk_class, &walk_callbacks, options);
    if (st == dnnl_success && !walk_store_is_off(opened))
        st = store_root_open(&opened->root_fd, &opened->read_only,
                &opened->base, layout->book);
    if (st != dnnl_success) goto out;
    if (!walk_store_is_off(opened) && !opened->read_only) tidy(opened);
    *store = &opened->base;
    opened = NULL; /* moved to caller */
out:
    if (opened != NULL) walk_close(&opened->base);
    return st;
}
