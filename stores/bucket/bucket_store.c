/* SPDX-License-Identifier: Apache-2.0 */
/* How the entries of a bucket store lie in their directories. */
#include "stores/bucket/bucket_store.h"

#include "stores/bucket/bucket_entry.h"
#include "stores/bucket/bucket_internal.h"
#include "stores/files/store_names.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void bucket_path(
        char path[directory_path_size], const struct directory_slot *slot)
{
    bucket_entry_path(path, slot, NULL);
}

int bucket_open(int *fd, const struct directory_store *store, uint64_t bucket)
{
    char name[24];
    snprintf(name, sizeof name, "%" PRIu64, bucket);
    const int error = folder_open_beneath(fd, store->root_fd, name);
    return error == ENOTDIR || error == ELOOP ? ENOENT : error;
}

/* ---- All entries --------------------------------------------------------- */

struct visits {
    const struct directory_store *store;
    directory_visit *visit;
    void *user;
    struct directory_slot slot;
    const struct directory_transaction *t; /* NULL: without the lock */
    bool any;                              /* entry in the bucket */
};

static int visit_entry(void *user, uint64_t number)
{
    struct visits *v = user;
    v->any = true;
    v->slot.number = (uint32_t)number;
    return v->visit(v->user, &v->slot);
}

static int visit_bucket(void *user, uint64_t number)
{
    struct visits *v = user;
    int fd;
    v->slot.group[0] = number;
    int error = bucket_open(&fd, v->store, number);
    if (error == ENOENT || (error == EACCES && v->t == NULL)) return 0;
    if (error != 0) return error;
    v->any = false;
    error = store_names_each_number(fd, UINT32_MAX, visit_entry, v);
    (void)file_close(fd);
    /* A writer that died may have made a bucket and put nothing into it. */
    if (error == 0 && !v->any && v->t != NULL)
        (void)bucket_remove_empty(v->t->root_fd, number);
    return error;
}

static int bucket_for_each(const struct directory_store *store,
        directory_visit *visit, void *user,
        const struct directory_transaction *t)
{
    struct visits v = {.store = store, .visit = visit, .user = user, .t = t};
    return store_names_each_number(
            store->root_fd, UINT64_MAX, visit_bucket, &v);
}

/* ---- Look-up ------------------------------------------------------------- */

/* 0: the blob was read; ENOENT or ENOMSG: not here; EBADMSG: damaged. The
 * blob's checksum, or MAC, is one of the ID too, so only a blob that does not
 * match makes us ask key.bin whose it is, and who wants the entry whole. */
static int read_entry(
        struct directory_lookup *l, const struct directory_slot *slot)
{
    const int root_fd = l->store->root_fd;
    int error = EBADMSG;
    /* Twice: a writer may put another entry here between our reading the blob
     * and reading the key. */
    for (int attempt = 0; attempt < 2 && error == EBADMSG; attempt++) {
        error = bucket_entry_read_blob(&l->blob, &l->size, l->store, slot,
                l->id_size, l->id, directory_depth(l));
        if (error == 0) l->slot = *slot;
        if (error != EBADMSG && error != ENOENT) break;
        error = bucket_entry_compare_key(root_fd, slot, l->id_size, l->id);
        if (error == 0) error = EBADMSG; /* ours, but not what was put */
    }
    if (error == EIO) error = EBADMSG;
    if (error == EBADMSG) directory_report_damage(l, slot);
    if (error == 0 && l->whole
            && bucket_entry_compare_key(root_fd, slot, l->id_size, l->id)
                       != 0) {
        free(l->blob);
        error = ENOENT;
    }
    return error;
}

enum { stop = -1 };

static int try_entry(void *user, const struct directory_slot *slot)
{
    struct directory_lookup *l = user;
    if (slot->number == 0) return 0; /* was tried first */
    const int error = read_entry(l, slot);
    if (error == 0) return stop;
    return error == ENOENT || error == ENOMSG || error == EBADMSG ? 0 : error;
}

/* Entry 0 is nearly always the one. If it is not, the bucket's directory tells
 * which others there are: evictions leave gaps in their numbers. */
static int bucket_look_up(struct directory_lookup *l)
{
    const uint64_t bucket = l->store->base->options.hash(l->id, l->id_size);
    const struct directory_slot first = {.group = {bucket}};
    int error = read_entry(l, &first);
    if (error != ENOENT && error != ENOMSG && error != EBADMSG) return error;
    struct visits v = {.store = l->store, .visit = try_entry, .user = l};
    error = visit_bucket(&v, bucket);
    if (error == 0) return ENOENT;
    return error == stop ? 0 : error;
}

struct match {
    const struct directory_store *store;
    size_t id_size;
    const uint8_t *id;
    struct directory_slot *slot; /* receives it */
};

/* Is the entry this ID's, its key or its blob intact? 0, ENOENT, or EIO if the
 * disk does not tell. */
static int is_of(const struct match *m, const struct directory_slot *slot)
{
    uint8_t *blob;
    size_t size;
    const int key = bucket_entry_compare_key(
            m->store->root_fd, slot, m->id_size, m->id);
    if (key == 0 || (key != ENOMSG && key != ENOENT && key != EBADMSG))
        return key;
    /* A get would find it by its blob. */
    if (bucket_entry_read_blob(&blob, &size, m->store, slot, m->id_size, m->id,
                store_get_depth(m->store->base))
            != 0)
        return ENOENT;
    free(blob);
    return 0;
}

static int match_entry(void *user, const struct directory_slot *slot)
{
    const struct match *m = user;
    const int error = is_of(m, slot);
    if (error == ENOENT) return 0;
    if (error != 0) return error; /* its key, not readable now, may be this */
    *m->slot = *slot;
    return stop;
}

static int bucket_find(struct directory_slot *slot,
        const struct directory_store *store, size_t id_size, const uint8_t *id)
{
    struct match m = {store, id_size, id, slot};
    struct visits v = {.store = store, .visit = match_entry, .user = &m};
    const int error = visit_bucket(&v, store->base->options.hash(id, id_size));
    if (error == 0) return ENOENT;
    return error == stop ? 0 : error;
}

/* ---- The layout ---------------------------------------------------------- */

static const struct directory_layout bucket_layout = {
        .defaults = &store_usual_defaults,
        .has_index = true,
        .lock_file = STORE_BUCKET_FILE,
        .size_file = STORE_BUCKET_SIZE_FILE,
        .size_file_bytes = 2 * store_size_max_bytes,
        .size_read = store_size_read,
        .look_up = bucket_look_up,
        .find = bucket_find,
        .for_each = bucket_for_each,
        .measure = bucket_entry_measure,
        .read_times = bucket_entry_read_times,
        .read_item = bucket_entry_read_item,
        .read_id = bucket_entry_read_key,
        .check = bucket_entry_check,
        .note_use = bucket_entry_note_use,
        .set_use = bucket_entry_set_use,
        .path = bucket_path,
        .prune = bucket_prune,
        .choose_place = bucket_choose_place,
        .publish = bucket_publish,
        .discard = bucket_discard,
};

dnnl_status_t bucket_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options)
{
    return directory_store_open(store, options, &bucket_layout, 0);
}
