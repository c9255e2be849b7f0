/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/directory/directory_store.h"

#include "stores/core/store_root.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_size.h"
#include "stores/files/store_tmp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- Changes ------------------------------------------------------------- */

int directory_start(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    int error = 0;
    /* The mark comes first: who finds none finds nothing to clean up. */
    if (!t->marked)
        error = layout->has_index ? directory_index_begin(&t->index)
                                  : layout->size_mark(t->lock_fd);
    if (error != 0) return error;
    t->marked = true;
    if (t->tmp_fd >= 0) return 0;
    return store_tmp_open(&t->tmp_fd, t->root_fd, &t->store->base->options);
}

int directory_discard_name(
        struct directory_transaction *t, int dirfd, const char *name)
{
    int error = directory_start(t);
    if (error != 0) return error;
    /* A file, a link, a FIFO: readers have it open, or see nothing of it. */
    error = file_remove(dirfd, name);
    if (error != EISDIR && error != EPERM) return error;
    return store_tmp_discard(t->tmp_fd, dirfd, name, NULL);
}

int directory_publish_file(struct directory_transaction *t, int dirfd,
        const char *name, const struct file_part *parts, size_t count)
{
    const struct dnnl_cache_store_options *options = &t->store->base->options;
    int error = directory_start(t);
    if (error != 0) return error;
    error = store_replace_file(t->tmp_fd, dirfd, name, parts, count, options);
    if (error != EISDIR) return error;
    /* A directory, which no file can be renamed over. */
    error = store_tmp_discard(t->tmp_fd, dirfd, name, NULL);
    if (error != 0) return error;
    return store_replace_file(t->tmp_fd, dirfd, name, parts, count, options);
}

static void note_failure(
        const struct directory_transaction *t, const char *what, int error)
{
    if (error != 0)
        store_log(t->store->base, dnnl_cache_log_warning, "%s: %s: %s",
                t->store->base->options.path, what, strerror(error));
}

void directory_sync(const struct directory_transaction *t, int fd)
{
    note_failure(t, "directory not synced",
            store_sync_folder(fd, &t->store->base->options));
}

/* ---- What is recorded ---------------------------------------------------- */

uint64_t directory_bytes(const struct directory_transaction *t)
{
    return t->store->layout->has_index ? t->index.live_bytes : t->bytes;
}

/* 0 if nobody knows. */
static uint64_t creation_of(const struct directory_transaction *t,
        const struct directory_slot *slot)
{
    struct dnnl_cache_store_entry item;
    return t->store->layout->read_times(&item, t->store, slot) == 0
                   ? item.created_ns
                   : 0;
}

/* Takes the slot out of the index; counts again if that is damaged. */
static int forget(struct directory_transaction *t,
        const struct directory_slot *slot, uint64_t created_ns)
{
    int error = directory_index_forget(&t->index, slot, created_ns);
    if (error == EBADMSG) {
        error = directory_recount(t);
        if (error == 0)
            error = directory_index_forget(&t->index, slot, created_ns);
    }
    return error;
}

int directory_index_place(
        struct directory_transaction *t, const struct directory_place *place)
{
    const struct directory_record record = {
            .slot = place->slot,
            .created_ns = place->created_ns,
            .bytes = place->bytes,
            .live = true,
    };
    int error = 0;
    if (place->replace)
        error = forget(t, &place->slot, creation_of(t, &place->slot));
    return error == 0 ? directory_index_append(&t->index, &record) : error;
}

static int take_away_indexed(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    const uint64_t created_ns = creation_of(t, slot);
    int error = t->store->layout->discard(t, slot);
    if (error != 0 && error != ENOENT) return error;
    error = directory_start(t);
    if (error == 0) error = forget(t, slot, created_ns);
    if (error != 0) t->broken = true;
    return error;
}

int directory_take_away(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    const struct directory_layout *layout = t->store->layout;
    struct directory_entry entry = {.bytes = 0};
    if (layout->has_index) return take_away_indexed(t, slot);
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

/* ---- Begin and end ------------------------------------------------------- */

/* EBADMSG: the directory has to be counted. If index and size file disagree,
 * somebody has been at work who does not know of one of them. */
static int read_record(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    if (!layout->has_index)
        return layout->size_read(&t->bytes, t->lock_fd, t->root_fd);
    const int error = directory_index_read(&t->index, t->lock_fd);
    if (directory_read_size(&t->recorded, t->store) != 0)
        t->recorded = UINT64_MAX;
    if (error == 0 && t->recorded != t->index.live_bytes) return EBADMSG;
    return error;
}

int directory_begin(struct directory_transaction *t,
        struct directory_store *store, unsigned timeout_ms)
{
    const struct directory_layout *layout = store->layout;
    *t = (struct directory_transaction){
            .store = store,
            .root_fd = store->root_fd,
            .lock_fd = -1,
            .claim_fd = -1,
            .tmp_fd = -1,
    };
    int error = store_root_claim(&t->claim_fd, t->root_fd, store->root);
    if (error != 0) return error;
    error = store_lock_file(&t->lock_fd, t->root_fd, layout->lock_file,
            &store->base->options, timeout_ms);
    if (error == 0) error = read_record(t);
    if (error == EBADMSG) error = directory_recount(t);
    if (error != 0) directory_end(t);
    return error;
}

/* A size file beside an index is replaced, by way of .tmp. */
static int record_size(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    const uint64_t size = t->index.live_bytes;
    if (t->recorded == size) return 0;
    char text[store_size_max_bytes + 1];
    const struct file_part part = {text, store_size_format(text, size)};
    return directory_publish_file(t, t->root_fd, layout->size_file, &part, 1);
}

void directory_end(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    const bool is_sound = t->marked && !t->broken;
    int error = is_sound && layout->has_index ? record_size(t) : 0;
    /* Before a size file that tells when the root was changed. */
    if (is_sound) store_totals_make(t->store->base);
    if (t->tmp_fd >= 0) store_tmp_close(t->tmp_fd, t->root_fd);
    t->tmp_fd = -1;
    /* Last, for it says that all of the above is done. */
    if (is_sound && error == 0)
        error = layout->has_index
                        ? directory_index_commit(&t->index)
                        : layout->size_write(t->bytes, t->lock_fd, t->root_fd);
    note_failure(t, "size not recorded", error);
    /* What was written into the lock file may be lost, too. */
    note_failure(t, "lock file not released", store_unlock_file(t->lock_fd));
    note_failure(t, "folder not released", store_unlock_file(t->claim_fd));
    t->lock_fd = -1;
    t->claim_fd = -1;
}
