/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operator asks for: trim removes what is too old or too much, verify
 * reads every entry and can remove the damaged ones.
 */
#include "bucket_internal.h"

#include "bucket_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* A writer's turn, or why there is none. */
static int begin(struct bucket_transaction *t, struct bucket_store *store)
{
    if (store->read_only) return EROFS;
    return bucket_begin(t, store, store->base.options.lock_timeout_ms);
}

dnnl_status_t bucket_trim(struct dnnl_cache_store_handle *base,
        uint64_t max_bytes, uint64_t max_age_seconds, uint64_t *removed)
{
    struct bucket_store *store = (struct bucket_store *)base;
    struct bucket_transaction t;
    if (bucket_store_is_off(store)) return dnnl_success;
    int error = begin(&t, store);
    if (error == 0) {
        error = bucket_transaction_expire(&t, max_age_seconds, removed);
        if (error == 0 && max_bytes != UINT64_MAX)
            error = bucket_transaction_shrink(&t, max_bytes, removed);
        bucket_transaction_end(&t);
    }
    return store_finish(&store->base, "trim", error);
}

struct verification {
    struct bucket_store *store;
    struct bucket_transaction *t; /* NULL: look only */
    bool (*progress)(
            void *user, const struct dnnl_cache_store_verdict *verdict);
    void *user;
    struct dnnl_cache_store_check *check;
    uint64_t bucket;
};

enum { stop = -1 };

/* bucket_entry_check(). Without the lock, others may remove or replace the
 * entry between our reading its two files: then it is looked at again. ENODEV:
 * there is none any more. */
static int check_slot(
        const struct verification *v, struct bucket_slot slot, size_t *size)
{
    int error = EBADMSG;
    for (int attempt = 0; attempt < 4; attempt++) {
        error = bucket_entry_check(
                size, &v->store->base, v->store->root_fd, slot);
        if (v->t != NULL || (error != EBADMSG && error != ENOENT)) break;
        if (bucket_entry_is_gone(v->store->root_fd, slot)) return ENODEV;
    }
    return error;
}

/* False: enough was seen. */
static bool tell(const struct verification *v, struct bucket_slot slot,
        size_t id_size, const uint8_t *id, bool intact)
{
    char name[bucket_entry_path_size];
    if (v->progress == NULL) return true;
    bucket_entry_path(name, slot, NULL);
    const struct dnnl_cache_store_verdict verdict = {name, intact, id_size, id};
    return v->progress(v->user, &verdict);
}

static int verify_entry(void *user, uint64_t number)
{
    struct verification *v = user;
    const struct bucket_slot slot = {v->bucket, (uint32_t)number};
    size_t size = 0;
    size_t id_size = 0;
    uint8_t *id = NULL;
    int error = check_slot(v, slot, &size);
    if (error == ENODEV) return 0; /* removed meanwhile */
    if (error != 0 && bucket_entry_is_foreign(v->store->root_fd, slot))
        return 0;
    if (error != 0 && error != EBADMSG && error != ENOENT) return error;
    const bool intact = error == 0;
    error = 0;
    if (intact) {
        v->check->intact++;
        v->check->bytes += size;
    } else {
        v->check->damaged++;
        (void)bucket_entry_read_key(
                &id, &id_size, &v->store->base, v->store->root_fd, slot);
        if (v->t != NULL) error = bucket_transaction_remove(v->t, slot);
        if (v->t != NULL && error == 0) v->check->repaired++;
    }
    if (error == 0 && !tell(v, slot, id_size, id, intact)) error = stop;
    free(id);
    return error;
}

static int verify_bucket(void *user, uint64_t number)
{
    struct verification *v = user;
    int fd;
    v->bucket = number;
    int error = bucket_store_open_bucket(&fd, v->store, number);
    if (error == ENOENT && v->t != NULL)
        return bucket_transaction_heal(v->t, number);
    if (error != 0) return error == ENOENT ? 0 : error;
    error = store_fs_for_each_number(fd, UINT32_MAX, verify_entry, v);
    close(fd);
    return error;
}

dnnl_status_t bucket_verify(struct dnnl_cache_store_handle *base, bool repair,
        bool (*progress)(
                void *user, const struct dnnl_cache_store_verdict *verdict),
        void *user, struct dnnl_cache_store_check *check)
{
    struct bucket_store *store = (struct bucket_store *)base;
    struct bucket_transaction t;
    struct verification v = {.store = store,
            .t = repair ? &t : NULL,
            .progress = progress,
            .user = user,
            .check = check};
    if (bucket_store_is_off(store)) return dnnl_success;
    int error = repair ? begin(&t, store) : 0;
    if (error != 0) return store_finish(&store->base, "verify", error);
    error = store_fs_for_each_number(
            store->root_fd, UINT64_MAX, verify_bucket, &v);
    if (repair) bucket_transaction_end(&t);
    if (error == stop || error == ENOENT) error = 0;
    return store_finish(&store->base, "verify", error);
}
