/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator asks for: trim removes what is too old or too much, verify
 * reads every entry and can remove the damaged ones.
 */
#include "stores/directory/directory_store.h"

#include <errno.h>
#include <stdlib.h>

/* The write lock, or why it cannot be had. */
static int begin(struct directory_transaction *t, struct directory_store *store)
{
    if (store->read_only) return EROFS;
    return directory_begin(t, store, store->base->options.lock_timeout_ms);
}

static int trim(struct directory_store *store, uint64_t max_bytes,
        uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed)
{
    struct directory_transaction t;
    int error = begin(&t, store);
    if (error == 0) {
        error = directory_expire(&t, max_age_seconds, ages, removed);
        if (error == 0 && max_bytes != UINT64_MAX)
            error = directory_shrink(&t, max_bytes, removed);
        else if (error == 0 && !store->layout->has_index)
            error = directory_recount(&t);
        directory_end(&t);
    }
    return error;
}

dnnl_status_t directory_trim(dnnl_cache_store_handle_t *base,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed)
{
    const struct directory_handle *handle = (struct directory_handle *)base;
    struct directory_store store;
    if (directory_is_off(handle)) return dnnl_success;
    int error = directory_enter(&store, handle, true);
    if (error == 0) {
        error = trim(&store, max_bytes, max_age_seconds, ages, removed);
        directory_leave(&store);
    }
    return store_finish(base, "trim", error);
}

struct verification {
    struct directory_store *store;
    struct directory_transaction *t; /* NULL: look only */
    dnnl_cache_store_verify_callback_t progress;
    void *user;
    struct dnnl_cache_store_check *check;
};

enum { stop = -1 };

/* Without the lock, others may replace the entry between our reading its files:
 * then it is looked at again. */
static int check_entry(const struct verification *v,
        const struct directory_slot *slot, size_t *size)
{
    int error = EBADMSG;
    for (int attempt = 0; attempt < 4 && error == EBADMSG; attempt++) {
        error = v->store->layout->check(size, v->store, slot);
        if (v->t != NULL) break;
    }
    return error;
}

/* False: enough was seen. */
static bool tell(const struct verification *v,
        const struct directory_slot *slot, size_t id_size, const uint8_t *id,
        bool intact)
{
    char path[directory_path_size];
    if (v->progress == NULL) return true;
    v->store->layout->path(path, slot);
    const struct dnnl_cache_store_verdict verdict = {
            .struct_size = sizeof verdict,
            .name = path,
            .intact = intact,
            .id_size = id_size,
            .id = id};
    return v->progress(v->user, &verdict);
}

/* Without an index the store is counted at the end. */
static int repair_entry(
        const struct verification *v, const struct directory_slot *slot)
{
    const struct directory_layout *layout = v->store->layout;
    if (v->t == NULL) return 0;
    const int error = layout->has_index ? directory_take_away(v->t, slot)
                                        : layout->discard(v->t, slot);
    if (error == 0) v->check->repaired++;
    return error == ENOENT || error == EAGAIN ? 0 : error;
}

/* Its files were removed, with it, while their names were being read: each of
 * these leads here. */
static bool is_gone(
        const struct verification *v, const struct directory_slot *slot)
{
    struct directory_entry entry = {.bytes = 0};
    return v->store->layout->measure(&entry, v->store, slot) == ENOENT;
}

static int verify_entry(void *user, const struct directory_slot *slot)
{
    const struct verification *v = user;
    size_t size = 0;
    size_t id_size = 0;
    uint8_t *id = NULL;
    int error = check_entry(v, slot, &size);
    if (error == ENODEV
            || (error == ENOENT && (v->t == NULL || is_gone(v, slot))))
        return 0; /* a stranger's, or gone meanwhile */
    if (error != 0 && error != EBADMSG && error != ENOENT) return error;
    const bool intact = error == 0;
    if (intact) {
        v->check->intact++;
        v->check->bytes += size;
    } else {
        v->check->damaged++;
        (void)v->store->layout->read_id(&id, &id_size, v->store, slot);
        error = repair_entry(v, slot);
    }
    if (error == 0 && !tell(v, slot, id_size, id, intact)) error = stop;
    free(id);
    return error;
}

/* What was removed without an index is not in the size: that is counted. */
static int finish_repair(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    if (layout->has_index) return layout->prune(t, true);
    t->broken = true;
    return directory_recount(t);
}

static int verify(struct directory_store *store, struct verification *v)
{
    const bool repair = v->t != NULL;
    int error = repair ? begin(v->t, store) : 0;
    if (error != 0) return error;
    error = store->layout->for_each(store, verify_entry, v, NULL);
    if (error == stop || error == ENOENT) error = 0;
    if (repair) {
        const int finished = finish_repair(v->t);
        if (error == 0) error = finished;
        directory_end(v->t);
    }
    return error;
}

dnnl_status_t directory_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    const struct directory_handle *handle = (struct directory_handle *)base;
    struct directory_store store;
    struct directory_transaction t;
    struct verification v = {&store, repair ? &t : NULL, progress, user, check};
    if (directory_is_off(handle)) return dnnl_success;
    int error = directory_enter(&store, handle, repair);
    if (error == 0) {
        error = verify(&store, &v);
        directory_leave(&store);
    } else if (error == ENOENT && !repair) {
        error = 0;
    }
    return store_finish(base, "verify", error);
}
