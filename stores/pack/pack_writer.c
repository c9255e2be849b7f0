/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_internal.h"

#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pack_delete(struct pack_connection *c, int64_t number, bool *existed)
{
    static const enum pack_statement both[] = {
            pack_delete_entry, pack_delete_blob};
    *existed = false;
    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *statement;
        bool row;
        int error = pack_prepare(c, &statement, both[i]);
        if (error != 0) return error;
        sqlite3_bind_int64(statement, 1, number);
        error = pack_step(c, statement, &row);
        if (error == 0 && i == 0) *existed = sqlite3_changes(c->db) > 0;
        sqlite3_reset(statement);
        if (error != 0) return error;
    }
    return 0;
}

/* Removes all entries of an ID but one. */
static int delete_others(struct pack_connection *c,
        const struct pack_hash *hash, size_t id_size, const uint8_t *id,
        int64_t but, unsigned *removed)
{
    for (;;) {
        sqlite3_stmt *row;
        bool is_row = false;
        bool existed;
        int64_t number = 0;
        int error = pack_prepare(c, &row, pack_find_number);
        if (error != 0) return error;
        pack_bind_hash(row, 1, hash);
        sqlite3_bind_blob64(row, 2, id, id_size, SQLITE_STATIC);
        sqlite3_bind_int64(row, 3, but);
        error = pack_step(c, row, &is_row);
        if (is_row) number = sqlite3_column_int64(row, 0);
        sqlite3_reset(row);
        sqlite3_clear_bindings(row);
        if (error != 0 || !is_row) return error;
        error = pack_delete(c, number, &existed);
        if (error != 0) return error;
        if (!existed) return EBADMSG; /* an index knows more than the table */
        ++*removed;
    }
}

/* ---- Put ----------------------------------------------------------------- */

struct put {
    struct pack_hash hash;
    size_t id_size;
    const uint8_t *id;
    size_t size;
    const uint8_t *blob;
    struct store_trailer trailer;
    struct store_tail tail;
    /* Of the call that put it: */
    int64_t number;
    unsigned generation; /* of its connection */
    unsigned version;    /* that the connection had seen then */
};

static int insert_blob(
        struct pack_connection *c, const struct put *put, int64_t number)
{
    sqlite3_stmt *insert;
    bool row;
    int error = pack_prepare(c, &insert, pack_insert_blob);
    if (error != 0) return error;
    sqlite3_bind_int64(insert, 1, number);
    sqlite3_bind_blob64(
            insert, 2, put->tail.bytes, put->tail.size, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 3, put->blob, put->size, SQLITE_STATIC);
    error = pack_step(c, insert, &row);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    return error;
}

/* The new one first, then those it replaces: see the head of pack_evict.c. */
static int insert(struct pack_connection *c, struct put *put)
{
    sqlite3_stmt *insert;
    bool row;
    unsigned replaced = 0;
    int error = pack_prepare(c, &insert, pack_insert_entry);
    if (error != 0) return error;
    pack_bind_hash(insert, 1, &put->hash);
    sqlite3_bind_int64(insert, 2, (int64_t)put->trailer.created_ns);
    sqlite3_bind_int64(insert, 3, (int64_t)put->trailer.compile_ns);
    sqlite3_bind_int64(insert, 4, (int64_t)put->size);
    sqlite3_bind_int(insert, 5, (int)put->trailer.kind);
    sqlite3_bind_blob64(insert, 6, put->id, put->id_size, SQLITE_STATIC);
    error = pack_step(c, insert, &row);
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
    if (error != 0) return error;
    put->number = sqlite3_last_insert_rowid(c->db);
    error = insert_blob(c, put, put->number);
    if (error == 0)
        error = delete_others(
                c, &put->hash, put->id_size, put->id, put->number, &replaced);
    return error;
}

/* Changes with every commit that the connection has made or has seen. */
static unsigned version_seen(struct pack_connection *c)
{
    unsigned version = 0;
    sqlite3_file_control(
            c->db, "main", SQLITE_FCNTL_DATA_VERSION, (void *)&version);
    return version;
}

/* Makes room, one transaction a step, and inserts in the one that finds there
 * is enough: nobody can take it in between. */
static int put_entry(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct put *put = user;
    struct pack_victims victims = {.count = 0};
    const uint64_t pages = pack_pages_for(
            c, put->id_size, store_size_add(put->size, put->tail.size));
    bool done = false;
    /* Pages kept from before may be damaged in the file by now: who changes it
     * has to see what readers see. */
    sqlite3_db_release_memory(c->db);
    int error = pack_write_uses(store, c, NULL);
    while (error == 0 && !done) {
        error = pack_begin_changes(c, pack_begin);
        if (error != 0) break;
        error = pack_make_room(store, c, &victims, pages, &done);
        if (error == 0 && done) error = insert(c, put);
        error = pack_end(c, error);
    }
    put->generation = c->generation;
    put->version = version_seen(c);
    return error;
}

/* For a call: is it damage that a get does not find what was put? Not if
 * somebody has written since, nor if the database was healed. */
static int blame(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    const struct put *put = user;
    uint64_t pages;
    (void)store;
    int error = pack_run_number(c, pack_page_count, &pages); /* looks */
    if (error == 0 && c->generation == put->generation
            && version_seen(c) == put->version)
        error = EBADMSG;
    return error;
}

/* Does a get find it? Damage in a page of SQLite's own can hide what was just
 * put, or give two blobs the same page, and SQLite says nothing. Asked of the
 * connection that gets use, after the commit: what one connection finds in
 * such a page another may not. Heals the database if not. */
static bool is_found(struct pack_store *store, struct put *put)
{
    struct pack_lookup l;
    const int error = pack_look_up(store, &l, put->id_size, put->id);
    if (error == 0) free(l.blob);
    if (error == 0 && l.damaged == 0) return true;
    const unsigned generation = atomic_load(&store->generation);
    if (error == 0 || error == ENOENT)
        (void)pack_call(
                store, true, store->base.options.lock_timeout_ms, blame, put);
    return generation == atomic_load(&store->generation) && error != EBADMSG;
}

/* Is this very blob there already? Then there is nothing to do: when many
 * processes start cold at once, all but one find it so. */
static bool is_unchanged(struct pack_store *store, const struct put *put)
{
    struct pack_lookup l;
    if (pack_look_up(store, &l, put->id_size, put->id) != 0) return false;
    const bool same =
            l.size == put->size && memcmp(l.blob, put->blob, l.size) == 0;
    free(l.blob);
    if (same) pack_note_entry(store, &put->hash, put->id_size, put->size);
    return same;
}

/* As store_put_finish(), with SQLite's words for a failure. */
static dnnl_status_t finish_put(
        struct pack_store *store, size_t size, int error)
{
    switch (error) {
    case 0:
    case ETIMEDOUT:
    case STORE_IS_FULL:
    case ERANGE:
        return store_put_finish(&store->base, size, error);
    default:
        store_count(&store->base.counters.puts_failed);
        return store_tells_again(&store->base, error)
                       ? pack_finish(store, "put", error)
                       : store_status_of(error);
    }
}

dnnl_status_t pack_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct pack_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == 0
            || blob == NULL)
        return dnnl_invalid_arguments;
    if (store_put_declines(&store->base, store->read_only, id_size, size))
        return dnnl_success;
    if (store_size_add(id_size, size) > PACK_MAX_BLOB)
        return finish_put(store, size, ERANGE);
    struct put put = {
            .hash = pack_hash_of(store, id_size, id),
            .id_size = id_size,
            .id = id,
            .size = size,
            .blob = blob,
            .trailer = store_put_trailer(
                    id_size, size, clock_epoch_ns(), metadata),
    };
    if (is_unchanged(store, &put)) {
        store_count(&store->base.counters.puts_unchanged);
        return dnnl_success;
    }
    /* Outside of the call: others need not wait for sums. */
    store_tail_make(&put.tail, &put.trailer, id, blob, store->base.mac);
    const unsigned timeout_ms = store->base.options.lock_timeout_ms;
    int error = pack_call(store, true, timeout_ms, put_entry, &put);
    /* What is published stays published if only the last sync fails. */
    if ((error == EIO || error == ENOSPC || error == EDQUOT)
            && is_unchanged(store, &put))
        error = 0;
    if (error == 0 && !is_found(store, &put))
        error = pack_call(store, true, timeout_ms, put_entry, &put);
    const dnnl_status_t st = finish_put(store, size, error);
    store_totals_tick(&store->base);
    if (error == 0) pack_note_entry(store, &put.hash, id_size, size);
    return st;
}

/* ---- Remove -------------------------------------------------------------- */

struct removal {
    struct pack_hash hash;
    size_t id_size;
    const uint8_t *id;
    unsigned removed;
};

enum { no_number = -1 };

static int has_entry(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    const struct removal *r = user;
    sqlite3_stmt *row;
    bool is_row = false;
    (void)store;
    int error = pack_prepare(c, &row, pack_find_number);
    if (error != 0) return error;
    pack_bind_hash(row, 1, &r->hash);
    sqlite3_bind_blob64(row, 2, r->id, r->id_size, SQLITE_STATIC);
    sqlite3_bind_int64(row, 3, no_number);
    error = pack_step(c, row, &is_row);
    sqlite3_reset(row);
    sqlite3_clear_bindings(row);
    return error == 0 && !is_row ? ENOENT : error;
}

static int remove_entry(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct removal *r = user;
    (void)store;
    r->removed = 0;
    const int error = pack_begin_changes(c, pack_begin);
    if (error != 0) return error;
    return pack_end(c, delete_others(c, &r->hash, r->id_size, r->id, no_number,
                               &r->removed));
}

dnnl_status_t pack_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct pack_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL)
        return dnnl_invalid_arguments;
    if (pack_is_off(store)) return dnnl_success;
    const unsigned timeout_ms = store->base.options.lock_timeout_ms;
    struct removal r = {pack_hash_of(store, id_size, id), id_size, id, 0};
    int error = pack_call(store, false, timeout_ms, has_entry, &r);
    /* A damaged database has been emptied. */
    if (error == ENOENT || (error == EBADMSG && !store->read_only))
        return dnnl_success;
    if (error == 0)
        error = store->read_only
                        ? EROFS
                        : pack_call(store, true, timeout_ms, remove_entry, &r);
    if (error == 0 && r.removed > 0) store_count(&store->base.counters.removes);
    return pack_finish(store, "remove", error);
}
