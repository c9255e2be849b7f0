/* SPDX-License-Identifier: Apache-2.0 */
/* How the entries of a tree store lie in their directories. */
#include "tree_store.h"

#include "store_lock.h"
#include "store_size.h"
#include "tree_book.h"
#include "tree_entry.h"
#include "tree_key.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Directories --------------------------------------------------------- */

enum { hash_digits = 16, directory_size = tree_groups * (hash_digits + 1) };

static void directory_path(
        char path[directory_size], const struct walk_slot *slot)
{
    snprintf(path, directory_size,
            "%016" PRIx64 "/%016" PRIx64 "/%016" PRIx64 "/%016" PRIx64,
            slot->group[0], slot->group[1], slot->group[2], slot->group[3]);
}

static void tree_path(char path[walk_path_size], const struct walk_store *store,
        const struct walk_slot *slot)
{
    char directory[directory_size];
    (void)store;
    directory_path(directory, slot);
    snprintf(path, walk_path_size, "%s/%" PRIu32, directory, slot->number);
}

/* ENOENT also for one that is none, or that we may not read. */
static int open_directory(
        int *fd, const struct walk_store *store, const struct walk_slot *slot)
{
    char path[directory_size];
    directory_path(path, slot);
    const int error = store_fs_open_beneath(
            fd, store->root_fd, path, O_RDONLY | O_DIRECTORY);
    if (error == ENOTDIR || error == ELOOP || error == EACCES) return ENOENT;
    return error;
}

static bool parse_hash(uint64_t *hash, const char *name)
{
    if (strspn(name, "0123456789abcdef") != hash_digits
            || name[hash_digits] != '\0')
        return false;
    *hash = strtoull(name, NULL, 16);
    return true;
}

static int hash_id(struct walk_slot *slot, const struct walk_store *store,
        size_t id_size, const uint8_t *id)
{
    slot->number = 0;
    return tree_key_hash(slot->group, id_size, id, store->base.options.hash);
}

/* ---- Look-up ------------------------------------------------------------- */

enum { stop = -1 };

/* Entries of one directory, each number once. */
struct numbers {
    int fd;
    int (*visit)(void *user, uint32_t number);
    void *user;
};

static bool has_file(int fd, uint32_t number, enum tree_file file)
{
    char name[tree_name_size];
    tree_entry_name(name, number, file);
    return faccessat(fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static int visit_file(void *user, const char *name)
{
    const struct numbers *n = user;
    uint32_t number;
    enum tree_file file;
    if (!tree_entry_parse_name(&number, &file, name)) return 0;
    for (int earlier = 0; earlier < (int)file; earlier++)
        if (has_file(n->fd, number, (enum tree_file)earlier)) return 0;
    return n->visit(n->user, number);
}

static int for_each_number(
        int fd, int (*visit)(void *user, uint32_t number), void *user)
{
    struct numbers numbers = {fd, visit, user};
    return store_fs_for_each_name(fd, visit_file, &numbers);
}

struct search {
    struct walk_lookup *lookup;
    int fd;
};

/* 0: the blob was read; ENOENT or ENOMSG: not here; EBADMSG: damaged. */
static int read_entry(const struct search *s, uint32_t number)
{
    struct walk_lookup *l = s->lookup;
    int error = EBADMSG;
    /* Twice: a writer may put another entry here between our reading the ID
     * and reading the blob. */
    for (int attempt = 0; attempt < 2 && error == EBADMSG; attempt++) {
        error = tree_entry_compare_id(s->fd, number, l->id_size, l->id);
        if (error != 0) continue;
        error = tree_entry_read_blob(&l->blob, &l->size, &l->store->base, s->fd,
                number, l->id_size, l->id);
        if (error == ENOENT) error = EBADMSG;
        if (error == 0) l->slot.number = number;
    }
    if (error == EBADMSG) l->damaged++;
    return error;
}

static int try_entry(void *user, uint32_t number)
{
    const struct search *s = user;
    if (number == 0) return 0; /* was tried first */
    const int error = read_entry(s, number);
    if (error == 0) return stop;
    return error == ENOENT || error == ENOMSG || error == EBADMSG ? 0 : error;
}

/* Number 0 is nearly always the one. If it is not, the directory tells which
 * others there are. */
static int tree_look_up(struct walk_lookup *l)
{
    struct search s = {.lookup = l};
    int error = hash_id(&l->slot, l->store, l->id_size, l->id);
    if (error == 0) error = open_directory(&s.fd, l->store, &l->slot);
    if (error != 0) return error;
    error = read_entry(&s, 0);
    if (error == ENOENT || error == ENOMSG || error == EBADMSG) {
        error = for_each_number(s.fd, try_entry, &s);
        if (error == 0)
            error = ENOENT;
        else if (error == stop)
            error = 0;
    }
    close(s.fd);
    return error;
}

struct match {
    int fd;
    size_t id_size;
    const uint8_t *id;
    uint32_t number;
};

static int match_entry(void *user, uint32_t number)
{
    struct match *m = user;
    if (tree_entry_compare_id(m->fd, number, m->id_size, m->id) != 0) return 0;
    m->number = number;
    return stop;
}

static int tree_find(struct walk_slot *slot, const struct walk_store *store,
        size_t id_size, const uint8_t *id)
{
    struct match m = {.id_size = id_size, .id = id};
    int error = hash_id(slot, store, id_size, id);
    if (error == 0) error = open_directory(&m.fd, store, slot);
    if (error != 0) return error;
    error = for_each_number(m.fd, match_entry, &m);
    close(m.fd);
    slot->number = m.number;
    if (error == stop) return 0;
    return error == 0 ? ENOENT : error;
}

/* ---- Walks --------------------------------------------------------------- */

struct walk {
    const struct walk_store *store;
    int (*visit)(void *user, const struct walk_slot *slot);
    void *user;
    struct walk_slot slot;
    int level;
    int fd;     /* of the directory being read */
    bool prune; /* directories that are empty when they have been read */
};

static int visit_number(void *user, uint32_t number)
{
    struct walk *w = user;
    w->slot.number = number;
    return w->visit(w->user, &w->slot);
}

static int visit_directory(void *user, const char *name)
{
    struct walk *w = user;
    const int parent = w->fd;
    uint64_t hash;
    int fd;
    if (!parse_hash(&hash, name)) return 0;
    int error =
            store_fs_open_beneath(&fd, parent, name, O_RDONLY | O_DIRECTORY);
    /* A plain file or a link: the next put into it removes it. */
    if (error == ENOENT || error == ENOTDIR || error == ELOOP
            || error == EACCES)
        return 0;
    if (error != 0) return error;
    w->slot.group[w->level++] = hash;
    w->fd = fd;
    error = w->level < tree_groups
                    ? store_fs_for_each_name(fd, visit_directory, w)
                    : for_each_number(fd, visit_number, w);
    w->level--;
    w->fd = parent;
    close(fd);
    if (w->prune) (void)unlinkat(parent, name, AT_REMOVEDIR);
    return error == ENOENT ? 0 : error; /* removed meanwhile */
}

static int tree_for_each(const struct walk_store *store,
        int (*visit)(void *user, const struct walk_slot *slot), void *user)
{
    struct walk w = {
            .store = store, .visit = visit, .user = user, .fd = store->root_fd};
    return store_fs_for_each_name(store->root_fd, visit_directory, &w);
}

static int pass_by(void *user, const struct walk_slot *slot)
{
    (void)user;
    (void)slot;
    return 0;
}

static void tree_prune(const struct walk_store *store)
{
    struct walk w = {.store = store,
            .visit = pass_by,
            .fd = store->root_fd,
            .prune = true};
    (void)store_fs_for_each_name(store->root_fd, visit_directory, &w);
}

static int tree_measure(struct walk_entry *entry,
        const struct walk_store *store, const struct walk_slot *slot)
{
    int fd;
    entry->slot = *slot;
    int error = open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_measure(entry, &store->base, fd, slot->number);
    close(fd);
    return error;
}

static int tree_read_item(struct store_item *item, uint8_t **id,
        const struct walk_store *store, const struct walk_slot *slot)
{
    int fd;
    int error = open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_read_item(item, id, &store->base, fd, slot->number);
    close(fd);
    return error;
}

static int tree_check(size_t *size, const struct walk_store *store,
        const struct walk_slot *slot)
{
    int fd;
    int error = open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_check(size, &store->base, fd, slot->number);
    close(fd);
    return error;
}

static void tree_stamp(
        const struct walk_store *store, const struct walk_slot *slot)
{
    int fd;
    if (open_directory(&fd, store, slot) != 0) return;
    tree_entry_stamp(fd, slot->number);
    close(fd);
}

/* ---- With the lock ------------------------------------------------------- */

/* Locks an entry's directory against those who know this layout, but not the
 * lock of the store. EAGAIN if its turn does not come. */
static int lock_directory(int fd, unsigned timeout_ms)
{
    const int error = store_lock_descriptor(fd, timeout_ms);
    if (error == ETIMEDOUT) return EAGAIN;
    /* Not for directories of this file system. */
    return error == EBADF || error == ENOLCK || error == EOPNOTSUPP ? 0 : error;
}

/* Removes directories that became empty, the innermost first. */
static void remove_directories(
        const struct walk_store *store, const struct walk_slot *slot)
{
    char path[directory_size];
    directory_path(path, slot);
    for (int level = tree_groups; level-- > 0;) {
        int fd = -1;
        char *slash = strrchr(path, '/');
        const char *name = slash != NULL ? slash + 1 : path;
        if (slash != NULL) *slash = '\0';
        if (level > 0
                && store_fs_open_beneath(
                           &fd, store->root_fd, path, O_RDONLY | O_DIRECTORY)
                           != 0)
            return;
        const bool removed =
                unlinkat(level > 0 ? fd : store->root_fd, name, AT_REMOVEDIR)
                == 0;
        if (fd >= 0) close(fd);
        if (!removed) return;
    }
}

static int tree_discard(
        struct walk_transaction *t, const struct walk_slot *slot)
{
    int fd;
    bool any = false;
    int error = open_directory(&fd, t->store, slot);
    if (error != 0) return error;
    error = lock_directory(fd, 0);
    /* The ID first: without it there is no entry. */
    for (int i = 0; i < tree_files && error == 0; i++) {
        char name[tree_name_size];
        tree_entry_name(name, slot->number, (enum tree_file)i);
        error = walk_discard_name(t, fd, name);
        any = any || error == 0;
        if (error == ENOENT) error = 0;
    }
    store_unlock_file(fd);
    if (error == 0) remove_directories(t->store, slot);
    if (error == 0 && !any) return ENOENT;
    return error;
}

struct choice {
    struct walk_transaction *t;
    struct walk_place *place;
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
    const struct store *store = &c->t->store->base;
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
    struct walk_slot slot = c->place->slot;
    if (c->damaged_count > 0) c->t->suspect = true;
    for (unsigned i = 0; i < c->damaged_count; i++) {
        slot.number = c->damaged[i];
        const int error = walk_take_away(c->t, &slot);
        if (error == EAGAIN)
            stays(c, slot.number);
        else if (error != 0 && error != ENOENT)
            return error;
    }
    return 0;
}

static int tree_choose_place(
        struct walk_transaction *t, struct walk_place *place)
{
    struct choice c = {.t = t, .place = place};
    struct walk_entry entry;
    int error = hash_id(&place->slot, t->store, place->id_size, place->id);
    if (error != 0) return error;
    error = open_directory(&c.fd, t->store, &place->slot);
    if (error == ENOENT) return 0; /* it is made when it is needed */
    if (error != 0) return error;
    error = for_each_number(c.fd, examine_entry, &c);
    close(c.fd);
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
        struct walk_transaction *t, int *fd, int parent, const char *name)
{
    const struct store_options *options = &t->store->base.options;
    for (int attempt = 0;; attempt++) {
        int error = store_fs_make_directory(parent, name,
                store_directory_mode(options),
                options->sharing != store_sharing_private);
        if (error != 0 && error != EEXIST) return error;
        if (error == 0) walk_sync_directory(t, parent);
        error = store_fs_open_beneath(fd, parent, name, O_RDONLY | O_DIRECTORY);
        if ((error != ENOTDIR && error != ELOOP) || attempt > 0) return error;
        error = walk_discard_name(t, parent, name);
        if (error != 0) return error;
    }
}

static int make_directories(
        struct walk_transaction *t, int *fd, const struct walk_slot *slot)
{
    int parent = t->root_fd;
    int error = 0;
    for (int level = 0; level < tree_groups && error == 0; level++) {
        char name[hash_digits + 1];
        int opened = -1;
        snprintf(name, sizeof name, "%016" PRIx64, slot->group[level]);
        error = make_directory(t, &opened, parent, name);
        if (parent != t->root_fd) close(parent);
        parent = opened;
    }
    if (error == 0) *fd = parent;
    return error;
}

static int publish_one(struct walk_transaction *t, int fd,
        const struct walk_place *place, enum tree_file file)
{
    char name[tree_name_size];
    char now[tree_time_size + 1];
    tree_entry_format_time(now, store_now_ns());
    const struct store_part src = {place->id, place->id_size};
    const struct store_part bin[] = {place->blob, place->tail};
    const struct store_part time = {now, tree_time_size};
    tree_entry_name(name, place->slot.number, file);
    switch (file) {
    case tree_file_src:
        return walk_publish_file(t, fd, name, &src, 1);
    case tree_file_bin:
        return walk_publish_file(t, fd, name, bin, 2);
    default:
        return walk_publish_file(t, fd, name, &time, 1);
    }
}

/* The ID comes last, for it makes the rest an entry. */
static int publish_new(
        struct walk_transaction *t, int fd, const struct walk_place *place)
{
    int error = publish_one(t, fd, place, tree_file_time);
    if (error == 0) error = publish_one(t, fd, place, tree_file_bin);
    if (error == 0) error = publish_one(t, fd, place, tree_file_src);
    for (int i = 0; i < tree_files && error != 0; i++) {
        char name[tree_name_size];
        tree_entry_name(name, place->slot.number, (enum tree_file)i);
        if (unlinkat(fd, name, 0) != 0 && errno != ENOENT) t->broken = true;
    }
    return error;
}

/* The ID is there already, and the blob is exchanged at one stroke. */
static int publish_again(
        struct walk_transaction *t, int fd, const struct walk_place *place)
{
    const int error = publish_one(t, fd, place, tree_file_bin);
    if (error != 0) return error;
    /* Without it the blob's own time is the last use. */
    if (publish_one(t, fd, place, tree_file_time) != 0) t->broken = true;
    return 0;
}

static int tree_publish(
        struct walk_transaction *t, const struct walk_place *place)
{
    int fd;
    int error = make_directories(t, &fd, &place->slot);
    if (error != 0) {
        remove_directories(t->store, &place->slot);
        return error;
    }
    error = lock_directory(fd, t->store->base.options.lock_timeout_ms);
    if (error == EAGAIN)
        error = ETIMEDOUT;
    else if (error == 0) {
        error = place->replace ? publish_again(t, fd, place)
                               : publish_new(t, fd, place);
        if (error == 0) walk_sync_directory(t, fd);
    }
    store_unlock_file(fd);
    if (error != 0) remove_directories(t->store, &place->slot);
    return error;
}

static const struct walk_layout tree_layout = {
        .book = "cache_size.txt",
        .book_bytes = tree_book_size,
        .book_read = tree_book_read,
        .book_mark = tree_book_mark,
        .book_write = tree_book_write,
        .extra_bytes = tree_time_size,
        .look_up = tree_look_up,
        .find = tree_find,
        .for_each = tree_for_each,
        .measure = tree_measure,
        .read_item = tree_read_item,
        .check = tree_check,
        .stamp = tree_stamp,
        .prune = tree_prune,
        .path = tree_path,
        .choose_place = tree_choose_place,
        .publish = tree_publish,
        .discard = tree_discard,
};

/* ---- The interface ------------------------------------------------------- */

uint64_t tree_store_days(uint64_t days)
{
    const uint64_t day = 24 * 3600;
    return days > UINT64_MAX / day ? STORE_AGE_UNLIMITED : days * day;
}

struct store_options tree_store_options_default(void)
{
    struct store_options options = store_options_default();
    options.capacity = store_limit_mb(8192);
    options.policy = store_policy_lru;
    options.low_water_percent = 50;
    options.max_age_seconds = tree_store_days(7);
    return options;
}

dnnl_status_t tree_store_open(
        struct store **store, const struct store_options *options)
{
    return walk_store_open(store, options, &tree_layout, 0);
}
