/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket_store.h"

#include "bucket_entry.h"
#include "bucket_internal.h"
#include "store_root.h"
#include "store_size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool bucket_store_is_off(const struct bucket_store *store)
{
    return store->base.options.capacity.kind == dnnl_cache_store_limit_kind_off;
}

int bucket_store_open_bucket(
        int *fd, const struct bucket_store *store, uint64_t bucket)
{
    char path[bucket_entry_path_size];
    bucket_entry_path(path, (struct bucket_slot){bucket, 0}, NULL);
    *strchr(path, '/') = '\0';
    const int error = store_fs_open_beneath(
            fd, store->root_fd, path, O_RDONLY | O_DIRECTORY);
    if (error == ENOTDIR || error == ELOOP || error == EACCES) return ENOENT;
    return error;
}

/* ---- Iterate and count --------------------------------------------------- */

enum { stop = -1 };

struct iteration {
    struct bucket_store *store;
    uint64_t bucket;
    bool (*visit)(void *user, const struct dnnl_cache_store_item *item);
    void *user;
};

static int visit_entry(void *user, uint64_t number)
{
    const struct iteration *it = user;
    const struct bucket_slot slot = {it->bucket, (uint32_t)number};
    const int root_fd = it->store->root_fd;
    struct dnnl_cache_store_item item;
    uint8_t *id;
    int error = EBADMSG;
    /* Others may replace the entry between our reading its two files. */
    for (int attempt = 0; attempt < 4; attempt++) {
        error = bucket_entry_read_item(&item, &id, root_fd, slot);
        if (error != ENOENT && error != EBADMSG) break;
        if (bucket_entry_is_gone(root_fd, slot)) return 0;
    }
    if (error == ENOENT || error == EBADMSG) {
        store_count_damage(&it->store->base);
        return 0;
    }
    if (error != 0) return error;
    const bool go_on = it->visit(it->user, &item);
    free(id);
    return go_on ? 0 : stop;
}

static int visit_bucket(void *user, uint64_t number)
{
    struct iteration *it = user;
    int fd;
    it->bucket = number;
    int error = bucket_store_open_bucket(&fd, it->store, number);
    if (error != 0) return error == ENOENT ? 0 : error;
    error = store_fs_for_each_number(fd, UINT32_MAX, visit_entry, it);
    close(fd);
    return error;
}

static dnnl_status_t bucket_iterate(struct dnnl_cache_store_handle *base,
        bool (*visit)(void *user, const struct dnnl_cache_store_item *item),
        void *user)
{
    struct iteration it = {
            .store = (struct bucket_store *)base,
            .visit = visit,
            .user = user,
    };
    if (bucket_store_is_off(it.store)) return dnnl_success;
    const int error = store_fs_for_each_number(
            it.store->root_fd, UINT64_MAX, visit_bucket, &it);
    return error == stop || error == ENOENT ? dnnl_success
                                            : store_status_of(error);
}

static uint64_t bucket_bytes(const struct dnnl_cache_store_handle *base)
{
    const struct bucket_store *store = (const struct bucket_store *)base;
    uint64_t bytes;
    if (bucket_store_is_off(store)
            || store_size_read(&bytes, store->root_fd, "size.txt") != 0)
        return 0;
    return bytes;
}

/* ---- Open and close ------------------------------------------------------ */

static void bucket_close(struct dnnl_cache_store_handle *base)
{
    struct bucket_store *store = (struct bucket_store *)base;
    if (store->root_fd >= 0) close(store->root_fd);
    store_fini(&store->base);
    free(store);
}

static const struct store_class bucket_class = {
        bucket_close, bucket_iterate, bucket_bytes, bucket_trim, bucket_verify};

static const dnnl_cache_store_t bucket_callbacks = {
        .get = bucket_get,
        .release = bucket_release,
        .put = bucket_put,
        .remove = bucket_remove,
};

/* Puts a store of this process's own in order, without waiting: whoever holds
 * the lock is at it, and every put does the same. */
static void tidy(struct bucket_store *store)
{
    struct bucket_transaction t;
    int error = bucket_begin(&t, store, 0);
    if (error == 0) {
        error = bucket_transaction_expire(
                &t, store->base.options.max_age_seconds, NULL);
        if (error == 0) error = bucket_transaction_make_room(&t, 0);
        bucket_transaction_end(&t);
    }
    if (error != 0 && error != ETIMEDOUT && error != ERANGE && error != EDQUOT)
        (void)store_finish(&store->base, "open", error);
}

dnnl_status_t dnnl_cache_store_open_bucket(
        struct dnnl_cache_store_handle **store,
        const struct dnnl_cache_store_options *options)
{
    if (store == NULL || options == NULL) return dnnl_invalid_arguments;
    struct bucket_store *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return dnnl_out_of_memory;
    opened->root_fd = -1;
    dnnl_status_t st = store_init(
            &opened->base, &bucket_class, &bucket_callbacks, options);
    if (st == dnnl_success && !bucket_store_is_off(opened))
        st = store_root_open(&opened->root_fd, &opened->read_only,
                &opened->base, bucket_index_name);
    if (st != dnnl_success) goto out;
    if (!bucket_store_is_off(opened) && !opened->read_only) tidy(opened);
    *store = &opened->base;
    opened = NULL; /* moved to caller */
out:
    if (opened != NULL) bucket_close(&opened->base);
    return st;
}
