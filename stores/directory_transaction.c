/* SPDX-License-Identifier: Apache-2.0 */
#include "directory_store.h"

#include "store_lock.h"
#include "store_root.h"
#include "store_size.h"
#include "store_tmp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int directory_start(struct directory_transaction *t)
{
    int error = 0;
    /* The mark comes first: who finds none finds nothing to clean up. */
    if (!t->marked) error = t->store->layout->size_mark(t->lock_fd);
    if (error != 0) return error;
    t->marked = true;
    if (t->tmp_fd >= 0) return 0;
    return store_tmp_open(&t->tmp_fd, t->root_fd, &t->store->base.options);
}

int directory_discard_name(
        struct directory_transaction *t, int dirfd, const char *name)
{
    const int error = directory_start(t);
    if (error != 0) return error;
    /* A file, a link, a FIFO: readers have it open, or see nothing of it. */
    if (unlinkat(dirfd, name, 0) == 0) return 0;
    if (errno != EISDIR && errno != EPERM) return errno;
    return store_tmp_discard(t->tmp_fd, dirfd, name, NULL);
}

int directory_take_away(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    const struct directory_layout *layout = t->store->layout;
    struct directory_entry entry = {.bytes = 0};
    int error = layout->measure(&entry, t->store, slot);
    if (error != 0 && error != ENOENT) return error;
    error = layout->discard(t, slot);
    /* Some of its files may be gone. */
    if (error != 0 && error != ENOENT && error != EAGAIN) t->broken = true;
    if (error != 0) return error;
    /* More than there was: somebody has been at work by hand. */
    if (entry.bytes > t->bytes) t->broken = true;
    t->bytes = store_size_subtract(t->bytes, entry.bytes);
    return 0;
}

int directory_publish_file(struct directory_transaction *t, int dirfd,
        const char *name, const struct store_part *parts, size_t count)
{
    const struct dnnl_cache_store_options *options = &t->store->base.options;
    int error = directory_start(t);
    if (error != 0) return error;
    error = store_fs_replace_file(
            t->tmp_fd, dirfd, name, parts, count, options);
    if (error != EISDIR) return error;
    /* A directory, which no file can be renamed over. */
    error = store_tmp_discard(t->tmp_fd, dirfd, name, NULL);
    if (error != 0) return error;
    return store_fs_replace_file(t->tmp_fd, dirfd, name, parts, count, options);
}

void directory_sync_directory(const struct directory_transaction *t, int fd)
{
    const struct dnnl_cache_store_handle *store = &t->store->base;
    const int error = store_fs_sync_directory(fd, &store->options);
    if (error != 0)
        store_log(store, dnnl_cache_log_warning, "%s: directory not synced: %s",
                store->options.path, strerror(error));
}

int directory_begin(struct directory_transaction *t,
        struct directory_store *store, unsigned timeout_ms)
{
    const struct directory_layout *layout = store->layout;
    const struct dnnl_cache_store_options *options = &store->base.options;
    *t = (struct directory_transaction){
            .store = store,
            .root_fd = store->root_fd,
            .lock_fd = -1,
            .tmp_fd = -1,
    };
    int error = store_root_revive(t->root_fd, &store->base, layout->size_file);
    if (error == 0)
        error = store_lock_file(&t->lock_fd, t->root_fd, layout->size_file,
                options, timeout_ms);
    if (error != 0) return error;
    error = layout->size_read(&t->bytes, t->lock_fd, t->root_fd);
    if (error == EBADMSG) {
        t->broken = true; /* until the walk is through */
        error = directory_recount(t);
    }
    if (error != 0) directory_end(t);
    return error;
}

void directory_end(struct directory_transaction *t)
{
    const struct dnnl_cache_store_handle *store = &t->store->base;
    /* Before the size file: the flat store's tells when the root was changed.
     */
    if (t->tmp_fd >= 0) store_tmp_close(t->tmp_fd, t->root_fd);
    t->tmp_fd = -1;
    if (t->marked && !t->broken) {
        const int error =
                t->store->layout->size_write(t->bytes, t->lock_fd, t->root_fd);
        if (error != 0)
            store_log(store, dnnl_cache_log_warning,
                    "%s: size not recorded: %s", store->options.path,
                    strerror(error));
    }
    store_unlock_file(t->lock_fd);
    t->lock_fd = -1;
}
