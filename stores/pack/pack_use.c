/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Last uses, kept in memory for a while: noting each in the file would make a
 * writer of every reader.
 */
#include "stores/pack/pack_internal.h"

#include "src/platform/clock.h"

#include <errno.h>

/* Takes pool.lock. The uses of a parent are the parent's to write; to be read,
 * they are as good if they are whole. */
static void lock_uses(struct pack_store *store, bool write)
{
    pack_pool_lock(&store->pool);
    if (!write && store->pool.uses != fork_torn) return;
    if (store->pool.uses != fork_same) store->use_count = 0;
    store->pool.uses = fork_same;
}

static struct pack_use *find_locked(struct pack_store *store, int64_t number)
{
    for (unsigned i = 0; i < store->use_count; i++)
        if (store->uses[i].number == number) return &store->uses[i];
    return NULL;
}

void pack_note_use(struct pack_store *store, int64_t number)
{
    if (!store_is_user(&store->base) || store->read_only) return;
    const uint64_t now_ns = clock_epoch_ns();
    lock_uses(store, true);
    struct pack_use *use = find_locked(store, number);
    if (use == NULL && store->use_count < pack_uses_most)
        use = &store->uses[store->use_count++];
    if (use != NULL) *use = (struct pack_use){number, now_ns};
    const bool full = store->use_count == pack_uses_most;
    pack_pool_unlock(&store->pool);
    /* Without waiting: somebody who writes now will find room here later. */
    if (full) (void)pack_call(store, true, 0, pack_write_uses, NULL);
}

static unsigned take_uses(
        struct pack_store *store, struct pack_use uses[pack_use_batch])
{
    unsigned count = 0;
    lock_uses(store, true);
    while (count < pack_use_batch && store->use_count > 0)
        uses[count++] = store->uses[--store->use_count];
    pack_pool_unlock(&store->pool);
    return count;
}

static int write_batch(
        struct pack_connection *c, const struct pack_use *uses, unsigned count)
{
    sqlite3_stmt *set;
    int error = pack_begin_changes(c, pack_begin);
    if (error != 0) return error;
    const uint64_t ahead_ns = clock_epoch_ns() + STORE_CLOCK_SKEW_NS;
    error = pack_prepare(c, &set, pack_set_used);
    for (unsigned i = 0; i < count && error == 0; i++) {
        bool row;
        sqlite3_bind_int64(set, 1, uses[i].number);
        sqlite3_bind_int64(set, 2, (int64_t)uses[i].used_ns);
        sqlite3_bind_int64(set, 3, (int64_t)ahead_ns);
        error = pack_step(c, set, &row);
        sqlite3_reset(set);
    }
    return pack_end(c, error);
}

int pack_write_uses(
        struct pack_store *store, struct pack_connection *c, void *unused)
{
    struct pack_use uses[pack_use_batch];
    unsigned count;
    (void)unused;
    /* What cannot be written is lost: it is a hint. */
    while ((count = take_uses(store, uses)) > 0) {
        const int error = write_batch(c, uses, count);
        if (error != 0) return error;
    }
    return 0;
}

uint64_t pack_last_use(
        struct pack_store *store, int64_t number, uint64_t used_ns)
{
    lock_uses(store, false);
    const struct pack_use *use = find_locked(store, number);
    if (use != NULL && use->used_ns > used_ns) used_ns = use->used_ns;
    pack_pool_unlock(&store->pool);
    return used_ns;
}

/* ---- Entries that go first ----------------------------------------------- */

struct dating {
    struct pack_hash hash;
    size_t id_size;
    const uint8_t *id;
    uint64_t used_ns;
};

/* Uses that are not in the file yet are written first: they count. */
static int date_back(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    const struct dating *d = user;
    sqlite3_stmt *set;
    bool row;
    int error = pack_write_uses(store, c, NULL);
    if (error == 0) error = pack_begin_changes(c, pack_begin);
    if (error != 0) return error;
    error = pack_prepare(c, &set, pack_date_back);
    if (error == 0) {
        pack_bind_hash(set, 1, &d->hash);
        sqlite3_bind_blob64(set, 2, d->id, d->id_size, SQLITE_STATIC);
        sqlite3_bind_int64(set, 3, (int64_t)d->used_ns);
        sqlite3_bind_int64(set, 4, (int64_t)store_date_back(d->used_ns));
        error = pack_step(c, set, &row);
        sqlite3_reset(set);
        sqlite3_clear_bindings(set);
    }
    return pack_end(c, error);
}

int pack_date_entry_back(dnnl_cache_store_handle_t *base, size_t id_size,
        const uint8_t *id, uint64_t used_ns)
{
    struct pack_store *store = (struct pack_store *)base;
    struct dating d = {pack_hash_of(store, id_size, id), id_size, id, used_ns};
    if (store->read_only) return EROFS;
    return pack_call(store, true, base->options.lock_timeout_ms, date_back, &d);
}
