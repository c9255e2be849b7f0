/* SPDX-License-Identifier: Apache-2.0 */
/* How the entries of a tree store lie in their directories. */
#include "stores/tree/tree_store.h"

#include "stores/files/store_names.h"
#include "stores/files/store_size.h"
#include "stores/tree/tree_internal.h"
#include "stores/tree/tree_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Directories --------------------------------------------------------- */

void tree_directory_path(
        char path[tree_path_size], const struct directory_slot *slot)
{
    enum { levels = sizeof slot->group / sizeof slot->group[0] };
    char *at = path;
    for (size_t i = 0; i < levels; i++) {
        at = store_name_put_hash(at, slot->group[i]);
        *at++ = i + 1 < levels ? '/' : '\0';
    }
}

static void tree_path(
        char path[directory_path_size], const struct directory_slot *slot)
{
    char directory[tree_path_size];
    tree_directory_path(directory, slot);
    snprintf(path, directory_path_size, "%s/%" PRIu32, directory, slot->number);
}

int tree_open_directory(int *fd, const struct directory_store *store,
        const struct directory_slot *slot)
{
    char path[tree_path_size];
    tree_directory_path(path, slot);
    const int error = folder_open_beneath(fd, store->root_fd, path);
    if (error == ENOTDIR || error == ELOOP || error == EACCES) return ENOENT;
    return error;
}

static bool parse_hash(uint64_t *hash, const char *name)
{
    if (strspn(name, "0123456789abcdef") != tree_hash_digits
            || name[tree_hash_digits] != '\0')
        return false;
    *hash = strtoull(name, NULL, 16);
    return true;
}

int tree_hash_id(struct directory_slot *slot,
        const struct directory_store *store, size_t id_size, const uint8_t *id)
{
    slot->number = 0;
    return tree_key_hash(slot->group, id_size, id, store->base->options.hash);
}

/* ---- Look-up ------------------------------------------------------------- */

enum { stop = -1 };

/* Entries of one directory, each number once. */
struct numbers {
    int fd;
    int (*visit)(void *user, uint32_t number);
    void *user;
};

/* 0, ENOENT or a failure. */
static int find_file(int fd, uint32_t number, enum tree_file file)
{
    char name[tree_name_size];
    struct file_facts facts;
    tree_entry_name(name, number, file);
    return file_facts_of_link(&facts, fd, name);
}

static int visit_file(void *user, const char *name)
{
    const struct numbers *n = user;
    uint32_t number;
    enum tree_file file;
    if (!tree_entry_parse_name(&number, &file, name)) return 0;
    for (int earlier = 0; earlier < (int)file; earlier++) {
        const int error = find_file(n->fd, number, (enum tree_file)earlier);
        if (error != ENOENT) return error; /* 0: was visited */
    }
    return n->visit(n->user, number);
}

int tree_for_each_number(
        int fd, int (*visit)(void *user, uint32_t number), void *user)
{
    struct numbers numbers = {fd, visit, user};
    return folder_each(fd, visit_file, &numbers);
}

struct search {
    struct directory_lookup *lookup;
    int fd;
};

/* 0: the blob was read; ENOENT or ENOMSG: not here; EBADMSG: damaged. */
static int read_entry(const struct search *s, uint32_t number)
{
    struct directory_lookup *l = s->lookup;
    int error = EBADMSG;
    /* Twice: a writer may put another entry here between our reading the ID
     * and reading the blob. */
    for (int attempt = 0; attempt < 2 && error == EBADMSG; attempt++) {
        error = tree_entry_compare_id(s->fd, number, l->id_size, l->id);
        if (error != 0) continue;
        error = tree_entry_read_blob(&l->blob, &l->size, l->store->base, s->fd,
                number, l->id_size, l->id, directory_depth(l));
        if (error == ENOENT) error = EBADMSG;
        if (error == 0) l->slot.number = number;
    }
    if (error == EBADMSG) {
        struct directory_slot slot = l->slot;
        slot.number = number;
        directory_report_damage(l, &slot);
    }
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
static int tree_look_up(struct directory_lookup *l)
{
    struct search s = {.lookup = l};
    int error = tree_hash_id(&l->slot, l->store, l->id_size, l->id);
    if (error == 0) error = tree_open_directory(&s.fd, l->store, &l->slot);
    if (error != 0) return error;
    error = read_entry(&s, 0);
    if (error == ENOENT || error == ENOMSG || error == EBADMSG) {
        error = tree_for_each_number(s.fd, try_entry, &s);
        if (error == 0)
            error = ENOENT;
        else if (error == stop)
            error = 0;
    }
    (void)file_close(s.fd);
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
    const int error = tree_entry_compare_id(m->fd, number, m->id_size, m->id);
    if (error == ENOMSG || error == ENOENT || error == EBADMSG) return 0;
    if (error != 0) return error;
    m->number = number;
    return stop;
}

static int tree_find(struct directory_slot *slot,
        const struct directory_store *store, size_t id_size, const uint8_t *id)
{
    struct match m = {.id_size = id_size, .id = id};
    int error = tree_hash_id(slot, store, id_size, id);
    if (error == 0) error = tree_open_directory(&m.fd, store, slot);
    if (error != 0) return error;
    error = tree_for_each_number(m.fd, match_entry, &m);
    (void)file_close(m.fd);
    slot->number = m.number;
    if (error == stop) return 0;
    return error == 0 ? ENOENT : error;
}

/* ---- Walks --------------------------------------------------------------- */

struct walk {
    const struct directory_store *store;
    directory_visit *visit;
    void *user;
    struct directory_slot slot;
    int level;
    int fd;     /* of the directory being read */
    bool prune; /* directories that are empty when they have been read */
    bool left;  /* some of them could not be removed */
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
    int error = folder_open_beneath(&fd, parent, name);
    /* A plain file or a link: the next put into it removes it. */
    if (error == ENOENT || error == ENOTDIR || error == ELOOP
            || error == EACCES)
        return 0;
    if (error != 0) return error;
    w->slot.group[w->level++] = hash;
    w->fd = fd;
    error = w->level < tree_groups ? folder_each(fd, visit_directory, w)
                                   : tree_for_each_number(fd, visit_number, w);
    w->level--;
    w->fd = parent;
    (void)file_close(fd);
    if (w->prune && tree_is_directory_left(folder_remove(parent, name)))
        w->left = true;
    return error == ENOENT ? 0 : error; /* removed meanwhile */
}

static int tree_for_each(const struct directory_store *store,
        directory_visit *visit, void *user,
        const struct directory_transaction *t)
{
    (void)t;
    struct walk w = {
            .store = store, .visit = visit, .user = user, .fd = store->root_fd};
    return folder_each(store->root_fd, visit_directory, &w);
}

static int pass_by(void *user, const struct directory_slot *slot)
{
    (void)user;
    (void)slot;
    return 0;
}

bool tree_is_directory_left(int error)
{
    return error != 0 && error != ENOENT && error != ENOTEMPTY
           && error != EEXIST;
}

static int tree_prune(struct directory_transaction *t, bool repair)
{
    const struct directory_store *store = t->store;
    struct walk w = {.store = store,
            .visit = pass_by,
            .fd = store->root_fd,
            .prune = true};
    (void)repair;
    const int error = folder_each(store->root_fd, visit_directory, &w);
    return error == 0 && w.left ? EBUSY : error;
}

int tree_measure(struct directory_entry *entry,
        const struct directory_store *store, const struct directory_slot *slot)
{
    int fd;
    entry->slot = *slot;
    int error = tree_open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_measure(entry, store->base, fd, slot->number);
    (void)file_close(fd);
    return error;
}

static int tree_read_item(struct dnnl_cache_store_entry *item, uint8_t **id,
        const struct directory_store *store, const struct directory_slot *slot)
{
    int fd;
    int error = tree_open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_read_item(item, id, store->base, fd, slot->number);
    (void)file_close(fd);
    return error;
}

static int tree_read_id(uint8_t **id, size_t *id_size,
        const struct directory_store *store, const struct directory_slot *slot)
{
    struct directory_slot place;
    uint8_t *read;
    int fd;
    int error = tree_open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_read_id(&read, id_size, fd, slot->number);
    (void)file_close(fd);
    if (error != 0) return error;
    error = tree_hash_id(&place, store, *id_size, read);
    if (error == 0 && memcmp(place.group, slot->group, sizeof place.group) != 0)
        error = EBADMSG;
    if (error == 0) {
        *id = read;
        return 0;
    }
    *id_size = 0;
    free(read);
    return error;
}

static int tree_check(size_t *size, const struct directory_store *store,
        const struct directory_slot *slot)
{
    int fd;
    int error = tree_open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_check(size, store->base, fd, slot->number);
    (void)file_close(fd);
    return error;
}

static void tree_note_use(
        const struct directory_store *store, const struct directory_slot *slot)
{
    int fd;
    if (tree_open_directory(&fd, store, slot) != 0) return;
    tree_entry_note_use(fd, slot->number);
    (void)file_close(fd);
}

static int tree_set_use(const struct directory_store *store,
        const struct directory_slot *slot, uint64_t used_ns)
{
    int fd;
    int error = tree_open_directory(&fd, store, slot);
    if (error != 0) return error;
    error = tree_entry_set_use(fd, slot->number, used_ns);
    (void)file_close(fd);
    return error;
}

static const struct store_defaults tree_defaults = {
        .capacity = (uint64_t)8192 << 20,
        .policy = dnnl_cache_store_policy_lru,
        .low_water_percent = 50,
        .max_age_seconds = 7 * 24 * 3600,
};

static const struct directory_layout tree_layout = {
        .defaults = &tree_defaults,
        .lock_file = STORE_TREE_FILE,
        .size_file = STORE_TREE_FILE,
        .size_file_bytes = store_size_max_bytes,
        .size_read = store_size_read,
        .size_mark = tree_size_mark,
        .size_write = tree_size_write,
        .extra_bytes = tree_time_size,
        .look_up = tree_look_up,
        .find = tree_find,
        .for_each = tree_for_each,
        .measure = tree_measure,
        .read_item = tree_read_item,
        .read_id = tree_read_id,
        .check = tree_check,
        .note_use = tree_note_use,
        .set_use = tree_set_use,
        .prune = tree_prune,
        .path = tree_path,
        .choose_place = tree_choose_place,
        .publish = tree_publish,
        .discard = tree_discard,
};

/* ---- The interface ------------------------------------------------------- */

uint64_t dnnl_cache_store_days(uint64_t days)
{
    const uint64_t day = 24 * 3600;
    return days > UINT64_MAX / day ? DNNL_CACHE_STORE_AGE_UNLIMITED
                                   : days * day;
}

dnnl_status_t tree_store_open(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_options *options)
{
    return directory_store_open(store, options, &tree_layout, 0);
}
