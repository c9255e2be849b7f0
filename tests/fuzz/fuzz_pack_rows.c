/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any values in the rows of a pack, as anybody can put them there who writes to
 * the file: kinds and numbers of columns, IDs, tails, blobs, once as they are
 * and once with the tail made right. What a get finds is a blob of a row with
 * this ID; a repair leaves nothing damaged, and entries of our own can be put
 * and found. The pages of the file are SQLite's to read.
 */
#include "dnnl_cache/store_types.h"
#include "pieces.h"
#include "repair_trailer.h"
#include "scratch.h"
#include "src/common/byte_order.h"

#include <sqlite3.h>

enum { most_rows = 4, columns = 8 };

static uint64_t hash(const void *data, size_t size)
{
    (void)data;
    (void)size;
    return 7;
}

struct rows {
    size_t count;
    struct piece ids[most_rows], blobs[most_rows];
};

static dnnl_cache_store_handle_t *store;
static sqlite3 *base;

static void run(const char *sql)
{
    REQUIRE(sqlite3_exec(base, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static void open_all(void)
{
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    char path[scratch_path_size];
    scratch_path(path, "pack");
    options.path = path;
    options.hash = hash;
    options.policy = dnnl_cache_store_policy_cost;
    REQUIRE(dnnl_cache_store_open(&store, "pack", &options) == dnnl_success);
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    REQUIRE(s->put(s->user, 1, (const uint8_t *)"i", 1, (const uint8_t *)"b",
                    NULL)
            == dnnl_success);
    REQUIRE(sqlite3_open(path, &base) == SQLITE_OK);
    run("PRAGMA synchronous=OFF");
}

/* A number, a text, a blob or nothing, which is not allowed everywhere. */
static void bind(sqlite3_stmt *row, int i, struct pieces *pieces, unsigned kind)
{
    const struct piece value = pieces_next(pieces);
    uint8_t number[8] = {0};
    memcpy(number, value.data, value.size < 8 ? value.size : 8);
    if (kind % 4 == 0)
        sqlite3_bind_int64(row, i, (int64_t)load_le64(number));
    else if (kind % 4 == 1)
        sqlite3_bind_text(row, i, (const char *)value.data, (int)value.size,
                SQLITE_TRANSIENT);
    else if (kind % 4 == 2)
        sqlite3_bind_blob(
                row, i, value.data, (int)value.size, SQLITE_TRANSIENT);
    free(value.data);
}

/* The first byte says which columns are what a put writes there. */
static void add_entry(struct rows *rows, struct pieces *pieces, unsigned flags)
{
    static const uint8_t right_hash[8] = {7};
    const struct piece *id = &rows->ids[rows->count];
    sqlite3_stmt *row = NULL;
    REQUIRE(sqlite3_prepare_v2(base,
                    "INSERT OR REPLACE INTO dnnl_cache_entry(number, hash,"
                    " created, used, compile, size, kind, id)"
                    " VALUES(?,?,?,?,?,?,?,?)",
                    -1, &row, NULL)
            == SQLITE_OK);
    for (int i = 1; i <= columns; i++)
        if ((flags >> (i - 1)) % 2 != 0)
            bind(row, i, pieces, pieces_byte(pieces));
        else if (i == 2)
            sqlite3_bind_blob(row, i, right_hash, 8, SQLITE_STATIC);
        else if (i == columns)
            sqlite3_bind_blob(row, i, id->data, (int)id->size, SQLITE_STATIC);
        else
            sqlite3_bind_int64(row, i,
                    i == 1 ? (int64_t)rows->count + 1
                           : (int64_t)rows->blobs[rows->count].size);
    (void)sqlite3_step(row); /* what is not allowed is not there */
    sqlite3_finalize(row);
}

static void add_blob(struct rows *rows, struct pieces *pieces, bool repaired)
{
    const struct piece *id = &rows->ids[rows->count];
    struct piece *blob = &rows->blobs[rows->count];
    struct piece file = pieces_next(pieces);
    sqlite3_stmt *row = NULL;
    size_t size = file.size / 2;
    if (repaired) {
        const size_t made =
                repair_trailer(file.size, file.data, id->size, id->data, false);
        if (made > 0) size = made;
    }
    blob->size = size;
    blob->data = file.data;
    REQUIRE(sqlite3_prepare_v2(base,
                    "INSERT OR REPLACE INTO dnnl_cache_blob VALUES(?,?,?)", -1,
                    &row, NULL)
            == SQLITE_OK);
    sqlite3_bind_int64(row, 1, (int64_t)rows->count + 1);
    sqlite3_bind_blob(
            row, 2, file.data + size, (int)(file.size - size), SQLITE_STATIC);
    sqlite3_bind_blob(row, 3, file.data, (int)size, SQLITE_STATIC);
    (void)sqlite3_step(row);
    sqlite3_finalize(row);
}

static void fill(struct rows *rows, struct pieces pieces)
{
    run("BEGIN;DELETE FROM dnnl_cache_entry;DELETE FROM dnnl_cache_blob");
    rows->count = 0;
    while (pieces.left > 0 && rows->count < most_rows) {
        const unsigned flags = pieces_byte(&pieces);
        const unsigned how = pieces_byte(&pieces);
        rows->ids[rows->count] = pieces_next(&pieces);
        add_blob(rows, &pieces, how % 2 != 0);
        add_entry(rows, &pieces, flags);
        rows->count++;
    }
    run("COMMIT");
}

static void look_up(const struct rows *rows)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    for (size_t i = 0; i < rows->count; i++) {
        const uint8_t *blob = NULL;
        size_t size = 0;
        bool is_there = false;
        if (rows->ids[i].size == 0
                || s->get(s->user, rows->ids[i].size, rows->ids[i].data, &size,
                           &blob)
                           != dnnl_success)
            continue;
        for (size_t j = 0; j < rows->count; j++)
            is_there = is_there
                       || (rows->blobs[j].size == size
                               && memcmp(rows->blobs[j].data, blob, size) == 0);
        REQUIRE(size > 0 && is_there);
        s->release(s->user, size, blob);
    }
}

static bool visit(void *user, const struct dnnl_cache_store_entry *item)
{
    size_t *count = user;
    REQUIRE(item->id_size > 0 && item->blob_size > 0);
    touch(item->id, item->id_size);
    (*count)++;
    return true;
}

static void check(const struct rows *rows, unsigned how)
{
    struct dnnl_cache_store_check check = DNNL_CACHE_STORE_CHECK_INIT;
    const struct dnnl_cache_store_check none = DNNL_CACHE_STORE_CHECK_INIT;
    size_t count = 0;
    look_up(rows);
    REQUIRE(dnnl_cache_store_iterate(store, visit, &count) == dnnl_success);
    REQUIRE(count <= most_rows);
    if (how % 2 == 0) (void)dnnl_cache_store_trim(store, how * 64, how, NULL);
    (void)dnnl_cache_store_verify(store, true, NULL, NULL, &check);
    check = none;
    REQUIRE(dnnl_cache_store_verify(store, false, NULL, NULL, &check)
            == dnnl_success);
    REQUIRE(check.damaged == 0);
    look_up(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t own[] = "our own";
    struct pieces pieces = {data, size};
    struct rows rows = {.count = 0};
    const unsigned how = pieces_byte(&pieces);
    const uint8_t *blob = NULL;
    size_t found = 0;
    if (store == NULL) open_all();
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    fill(&rows, pieces);
    check(&rows, how);
    REQUIRE(s->put(s->user, sizeof own, own, sizeof own, own, NULL)
            == dnnl_success);
    REQUIRE(s->get(s->user, sizeof own, own, &found, &blob) == dnnl_success);
    REQUIRE(found == sizeof own && memcmp(blob, own, found) == 0);
    s->release(s->user, found, blob);
    for (size_t i = 0; i < rows.count; i++) {
        free(rows.ids[i].data);
        free(rows.blobs[i].data);
    }
    return 0;
}
