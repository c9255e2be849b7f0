/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at every byte: entry by entry, then at how the database holds
 * together. */
#include "stores/pack/pack_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct look {
    int64_t after; /* numbers up to here have been looked at */
    int64_t last;
    bool repair;
    bool broken; /* the database, so that there is no going on */
    bool found;
    bool intact;
    uint64_t bytes;
    size_t id_size; /* of a damaged one, if it can be read */
    uint8_t *id;    /* else NULL; owned */
};

static void forget_id(struct look *look)
{
    free(look->id);
    look->id = NULL;
    look->id_size = 0;
}

/* A call that fails for damage has the database emptied: only to repair. */
static int spare(int error, bool repair, bool *broken)
{
    *broken = error == EBADMSG;
    return *broken && !repair ? 0 : error;
}

/* The row's ID, if it has the hash beside it; NULL if not. */
static const void *row_id(
        const struct pack_store *store, sqlite3_stmt *row, size_t *id_size)
{
    /* A text of the same bytes is not found. */
    if (sqlite3_column_type(row, 1) != SQLITE_BLOB
            || sqlite3_column_type(row, 3) != SQLITE_BLOB)
        return NULL;
    const void *id = sqlite3_column_blob(row, 3);
    *id_size = (size_t)sqlite3_column_bytes(row, 3);
    if (id == NULL || *id_size == 0) return NULL;
    const struct pack_hash hash = pack_hash_of(store, *id_size, id);
    const void *stored = sqlite3_column_blob(row, 1);
    if (stored == NULL || sqlite3_column_bytes(row, 1) != (int)sizeof hash.bytes
            || memcmp(stored, hash.bytes, sizeof hash.bytes) != 0)
        return NULL;
    return id;
}

/* Without memory it is one that cannot be read. */
static void keep_id(
        struct look *look, const struct pack_store *store, sqlite3_stmt *row)
{
    size_t id_size;
    const void *id = row_id(store, row, &id_size);
    look->id = id != NULL ? malloc(id_size) : NULL;
    if (look->id == NULL) return;
    memcpy(look->id, id, id_size);
    look->id_size = id_size;
}

/* Is the row what a put has written? */
static int check_row(
        const struct pack_store *store, sqlite3_stmt *row, uint64_t *bytes)
{
    uint8_t *blob;
    size_t size;
    size_t id_size;
    const void *id = row_id(store, row, &id_size);
    if (id == NULL) return EBADMSG;
    const int error = pack_read_columns(
            &blob, &size, &store->base, row, 4, id_size, id, store_depth_whole);
    if (error != 0) return error;
    free(blob);
    *bytes = size;
    return sqlite3_column_int64(row, 2) == (int64_t)size ? 0 : EBADMSG;
}

static int read_next(
        struct pack_store *store, struct pack_connection *c, struct look *look)
{
    sqlite3_stmt *row;
    int error = 0;
    if (look->last < 0) {
        uint64_t last = 0;
        error = pack_run_number(c, pack_last_number, &last);
        if (error != 0) return error;
        look->last = (int64_t)last;
    }
    error = pack_prepare(c, &row, pack_show);
    if (error != 0) return error;
    sqlite3_bind_int64(row, 1, look->after);
    sqlite3_bind_int64(row, 2, look->last);
    error = pack_step(c, row, &look->found);
    if (error == 0 && look->found) {
        look->after = sqlite3_column_int64(row, 0);
        error = check_row(store, row, &look->bytes);
        look->intact = error == 0;
        forget_id(look);
        if (error == EBADMSG) {
            keep_id(look, store, row);
            error = 0; /* the entry, not the database */
        }
    }
    sqlite3_reset(row);
    return error;
}

static int look_at_next(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct look *look = user;
    return spare(read_next(store, c, look), look->repair, &look->broken);
}

static int delete_one(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    const struct look *look = user;
    bool existed;
    (void)store;
    const int error = pack_begin_changes(c, pack_begin);
    if (error != 0) return error;
    return pack_end(c, pack_delete(c, look->after, &existed));
}

/* ---- The whole ----------------------------------------------------------- */

struct structure {
    bool repair;
    bool broken;
    char text[200];
};

static int check_structure(struct pack_connection *c, struct structure *s)
{
    static const char prefix[] = "database/";
    enum { length = sizeof prefix - 1 };
    memcpy(s->text, prefix, sizeof prefix);
    const int error = pack_check(c, sizeof s->text - length, s->text + length);
    if (error != 0) return error;
    return strcmp(s->text + length, "ok") == 0 ? 0 : EBADMSG;
}

static int look_at_structure(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct structure *s = user;
    (void)store;
    return spare(check_structure(c, s), s->repair, &s->broken);
}

struct verification {
    struct pack_store *store;
    bool repair;
    dnnl_cache_store_verify_callback_t progress;
    void *user;
    struct dnnl_cache_store_check *check;
};

/* False: enough has been seen. */
static bool tell(
        struct verification *v, const struct dnnl_cache_store_verdict *verdict)
{
    return v->progress == NULL || v->progress(v->user, verdict);
}

static int verify_entries(struct verification *v, bool *go_on)
{
    struct pack_store *store = v->store;
    const unsigned timeout_ms = store->base.options.lock_timeout_ms;
    struct look look = {.after = INT64_MIN, .last = -1, .repair = v->repair};
    int error = 0;
    while (*go_on) {
        char name[64];
        error = pack_call(store, false, timeout_ms, look_at_next, &look);
        if (error != 0 || look.broken || !look.found) break;
        if (look.intact) {
            v->check->intact++;
            v->check->bytes += look.bytes;
        } else {
            v->check->damaged++;
            if (v->repair)
                error = pack_call(store, true, timeout_ms, delete_one, &look);
            if (error != 0) break;
            v->check->repaired += v->repair;
        }
        snprintf(name, sizeof name, "entry/%" PRId64, look.after);
        const struct dnnl_cache_store_verdict verdict = {
                .struct_size = sizeof verdict,
                .name = name,
                .intact = look.intact,
                .id_size = look.id_size,
                .id = look.id};
        *go_on = tell(v, &verdict);
    }
    forget_id(&look);
    return error == ENOENT ? 0 : error;
}

static int verify_structure(struct verification *v)
{
    struct structure s = {.repair = v->repair, .text = "database/"};
    const int error = pack_call(v->store, false,
            v->store->base.options.lock_timeout_ms, look_at_structure, &s);
    if (error == EBADMSG || (error == 0 && s.broken)) {
        v->check->damaged++;
        v->check->repaired += v->repair && error == EBADMSG;
        (void)tell(v,
                &(struct dnnl_cache_store_verdict){
                        .struct_size = sizeof(struct dnnl_cache_store_verdict),
                        .name = s.text});
        return 0;
    }
    return error == ENOENT ? 0 : error;
}

dnnl_status_t pack_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    struct pack_store *store = (struct pack_store *)base;
    struct verification v = {store, repair, progress, user, check};
    bool go_on = true;
    int error = 0;
    if (pack_is_off(store)) return dnnl_success;
    if (repair && store->read_only) error = EROFS;
    if (error == 0) error = verify_entries(&v, &go_on);
    /* Damage that hides the entries is the database's; to repair, it has been
     * emptied, and nothing is to be seen of that now. */
    if (error == EBADMSG && repair) {
        check->damaged++;
        check->repaired++;
        (void)tell(&v,
                &(struct dnnl_cache_store_verdict){
                        .struct_size = sizeof(struct dnnl_cache_store_verdict),
                        .name = "database/"});
        error = 0;
    } else if ((error == 0 || error == EBADMSG) && go_on) {
        error = verify_structure(&v);
    }
    return pack_finish(store, "verify", error);
}
