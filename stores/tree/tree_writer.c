/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/tree/tree_internal.h"

#include "src/platform/clock.h"
#include "stores/files/store_lock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Locks an entry's directory against those who know this layout, but not the
 * lock of the store. EAGAIN if its turn does not come. */
static int lock_directory(int fd, unsigned timeout_ms)
{
    const int error = store_lock_descriptor(fd, timeout_ms);
    if (error == ETIMEDOUT) return EAGAIN;
    /* Not for directories of this file system. */
    return error == EBADF || error == ENOLCK || error == EOPNOTSUPP ? 0 : error;
}

/* Removes directories that became empty, the innermost first. What cannot be
 * removed now the next writer finds when it counts. */
static void remove_directories(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    const int root_fd = t->store->root_fd;
    char path[tree_path_size];
    tree_directory_path(path, slot);
    for (int level = tree_groups; level-- > 0;) {
        int fd = file_none;
        char *slash = strrchr(path, '/');
        const char *name = slash != NULL ? slash + 1 : path;
        if (slash != NULL) *slash = '\0';
        int error = 0;
        if (level > 0) error = folder_open_beneath(&fd, root_fd, path);
        if (error == 0) error = folder_remove(level > 0 ? fd : root_fd, name);
        (void)file_close(fd);
        if (tree_is_directory_left(error)) t->broken = true;
        if (error != 0 && error != ENOENT) return;
    }
}

int tree_discard(
        struct directory_transaction *t, const struct directory_slot *slot)
{
    int fd;
    bool any = false;
    int error = tree_open_directory(&fd, t->store, slot);
    if (error != 0) return error;
    error = lock_directory(fd, 0);
    /* The ID first: without it there is no entry. */
    for (int i = 0; i < tree_files && error == 0; i++) {
        char name[tree_name_size];
        tree_entry_name(name, slot->number, (enum tree_file)i);
        error = directory_discard_name(t, fd, name);
        any = any || error == 0;
        if (error == ENOENT) error = 0;
    }
    store_unlock_file(fd);
    if (error == 0) remove_directories(t, slot);
    if (error == 0 && !any) return ENOENT;
    return error;
}

struct choice {
    struct directory_transaction *t;
    struct directory_place *place;
    int fd;
    uint32_t damaged[16]; /* more of them are for the next put */
    unsigned damaged_count;
    bool any; /* that stays */
    uint32_t highest;
};

static void stays(struct choice *c, uint32_t number)
{
    if (!c->any || number > c->highest) c->highest = number;
    c->any = true;
}

static int examine_entry(void *user, uint32_t number)
{
    struct choice *c = user;
    const dnnl_cache_store_handle_t *store = c->t->store->base;
    const int id = tree_entry_compare_id(
            c->fd, number, c->place->id_size, c->place->id);
    const int error = id == 0 || id == ENOMSG
                              ? tree_entry_check(NULL, store, c->fd, number)
                              : id;
    if (error != 0 && error != EBADMSG && error != ENOENT) return error;
    if (error == 0 && id == 0 && !c->place->replace) {
        c->place->replace = true;
        c->place->slot.number = number;
        return 0;
    }
    /* Another ID's stays; what is damaged or there twice goes. */
    if ((error == 0 && id == ENOMSG)
            || c->damaged_count == sizeof c->damaged / sizeof c->damaged[0])
        stays(c, number);
    else
        c->damaged[c->damaged_count++] = number;
    return 0;
}

static int clear_damaged(struct choice *c)
{
    struct directory_slot slot = c->place->slot;
    if (c->damaged_count > 0) c->t->suspect = true;
    for (unsigned i = 0; i < c->damaged_count; i++) {
        slot.number = c->damaged[i];
        const int error = directory_take_away(c->t, &slot);
        if (error == EAGAIN)
            stays(c, slot.number);
        else if (error != 0 && error != ENOENT)
            return error;
    }
    return 0;
}

int tree_choose_place(
        struct directory_transaction *t, struct directory_place *place)
{
    struct choice c = {.t = t, .place = place};
    struct directory_entry entry;
    int error = tree_hash_id(&place->slot, t->store, place->id_size, place->id);
    if (error != 0) return error;
    error = tree_open_directory(&c.fd, t->store, &place->slot);
    if (error == ENOENT) return 0; /* it is made when it is needed */
    if (error != 0) return error;
    error = tree_for_each_number(c.fd, examine_entry, &c);
    (void)file_close(c.fd);
    if (error == 0) error = clear_damaged(&c);
    if (error != 0) return error;
    if (place->replace) {
        error = tree_measure(&entry, t->store, &place->slot);
        if (error == 0) place->old_bytes = entry.bytes;
    } else if (c.any) {
        place->slot.number = c.highest + 1; /* ERANGE is for 2^32 of them */
        if (c.highest == UINT32_MAX) error = ERANGE;
    }
    return error;
}

/* Opens a directory and makes it if need be; what else has the name goes. */
static int make_directory(
        struct directory_transaction *t, int *fd, int parent, const char *name)
{
    const struct dnnl_cache_store_options *options = &t->store->base->options;
    for (int attempt = 0;; attempt++) {
        int error = store_make_folder(parent, name, options);
        if (error != 0 && error != EEXIST) return error;
        if (error == 0) directory_sync(t, parent);
        error = folder_open_beneath(fd, parent, name);
        if ((error != ENOTDIR && error != ELOOP) || attempt > 0) return error;
        error = directory_discard_name(t, parent, name);
        if (error != 0) return error;
    }
}

static int make_directories(struct directory_transaction *t, int *fd,
        const struct directory_slot *slot)
{
    int parent = t->root_fd;
    int error = 0;
    for (int level = 0; level < tree_groups && error == 0; level++) {
        char name[tree_hash_digits + 1];
        int opened = -1;
        snprintf(name, sizeof name, "%016" PRIx64, slot->group[level]);
        error = make_directory(t, &opened, parent, name);
        if (parent != t->root_fd) (void)file_close(parent);
        parent = opened;
    }
    if (error == 0) *fd = parent;
    return error;
}

static int publish_one(struct directory_transaction *t, int fd,
        const struct directory_place *place, enum tree_file file)
{
    char name[tree_name_size];
    char now[tree_time_size + 1];
    tree_entry_format_time(now, clock_epoch_ns());
    const struct file_part src = {place->id, place->id_size};
    const struct file_part bin[] = {place->blob, place->tail};
    const struct file_part time = {now, tree_time_size};
    tree_entry_name(name, place->slot.number, file);
    switch (file) {
    case tree_file_src:
        return directory_publish_file(t, fd, name, &src, 1);
    case tree_file_bin:
        return directory_publish_file(t, fd, name, bin, 2);
    default:
        return directory_publish_file(t, fd, name, &time, 1);
    }
}

/* The ID comes last, for it makes the rest an entry. */
static int publish_new(struct directory_transaction *t, int fd,
        const struct directory_place *place)
{
    int error = publish_one(t, fd, place, tree_file_time);
    if (error == 0) error = publish_one(t, fd, place, tree_file_bin);
    if (error == 0) error = publish_one(t, fd, place, tree_file_src);
    for (int i = 0; i < tree_files && error != 0; i++) {
        char name[tree_name_size];
        tree_entry_name(name, place->slot.number, (enum tree_file)i);
        const int removed = file_remove(fd, name);
        if (removed != 0 && removed != ENOENT) t->broken = true;
    }
    return error;
}

/* The ID is there already, and the blob is exchanged at one stroke. */
static int publish_again(struct directory_transaction *t, int fd,
        const struct directory_place *place)
{
    const int error = publish_one(t, fd, place, tree_file_bin);
    if (error != 0) return error;
    /* Without it the blob's own time is the last use. */
    if (publish_one(t, fd, place, tree_file_time) != 0) t->broken = true;
    return 0;
}

int tree_publish(
        struct directory_transaction *t, const struct directory_place *place)
{
    int fd;
    int error = make_directories(t, &fd, &place->slot);
    if (error != 0) {
        remove_directories(t, &place->slot);
        return error;
    }
    error = lock_directory(fd, t->store->base->options.lock_timeout_ms);
    if (error == EAGAIN)
        error = ETIMEDOUT;
    else if (error == 0) {
        error = place->replace ? publish_again(t, fd, place)
                               : publish_new(t, fd, place);
        if (error == 0) directory_sync(t, fd);
    }
    store_unlock_file(fd);
    if (error != 0) remove_directories(t, &place->slot);
    return error;
}
