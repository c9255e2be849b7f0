/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Both in the file's header. The version is in the two of them, so that a
 * damaged byte does not make a store of a newer one. */
enum { application = 0x646e6300 /* "dnc", then the version */, version = 1 };

/* entry has what is looked through, blob what is looked up: reading the one
 * does not read the other. IDs are found by their hash and compared whole; an
 * index of IDs would hold each of them a second time. */
static const struct table {
    const char *name;
    const char *sql;
} tables[] = {
        {"dnnl_cache_entry",
                "CREATE TABLE dnnl_cache_entry(number INTEGER PRIMARY KEY,"
                " hash BLOB NOT NULL, created INTEGER NOT NULL,"
                " used INTEGER NOT NULL, compile INTEGER NOT NULL,"
                " size INTEGER NOT NULL, kind INTEGER NOT NULL,"
                " id BLOB NOT NULL)"},
        {"dnnl_cache_hash",
                "CREATE INDEX dnnl_cache_hash ON dnnl_cache_entry(hash)"},
        {"dnnl_cache_use", "CREATE INDEX dnnl_cache_use ON"
                           " dnnl_cache_entry(used, created, compile, size)"},
        {"dnnl_cache_blob",
                "CREATE TABLE dnnl_cache_blob(number INTEGER PRIMARY KEY,"
                " tail BLOB NOT NULL, blob BLOB NOT NULL)"},
};
enum { table_count = sizeof tables / sizeof tables[0] };

int pack_schema_configure(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    char text[128];
    snprintf(text, sizeof text,
            "PRAGMA page_size=%" PRIu64 ";"
            "PRAGMA auto_vacuum=INCREMENTAL;",
            pack_page_size(&store->options));
    return pack_execute(c, text);
}

int pack_schema_count(struct pack_connection *c, int64_t *all, int64_t *ours)
{
    int error = pack_ask(c, "SELECT count(*) FROM sqlite_schema", all);
    if (error == 0)
        error = pack_ask(c,
                "SELECT count(*) FROM sqlite_schema"
                " WHERE name LIKE 'dnnl\\_cache\\_%' ESCAPE '\\'",
                ours);
    return error;
}

static int make_tables(struct pack_connection *c)
{
    char text[128];
    int error = 0;
    for (size_t i = 0; i < table_count && error == 0; i++)
        error = pack_execute(c, tables[i].sql);
    snprintf(text, sizeof text,
            "PRAGMA application_id=%d; PRAGMA user_version=%d",
            application + version, version);
    return error == 0 ? pack_execute(c, text) : error;
}

int pack_schema_make(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    int64_t all = 0;
    int64_t ours = 0;
    /* Of an empty file this writes the first pages, before there is a lock. */
    int error = pack_file_may_change(c->file, &c->identity);
    if (error == 0) error = pack_schema_configure(c, store);
    if (error == 0) error = pack_begin_changes(c, pack_begin);
    if (error != 0) return error;
    error = pack_schema_count(c, &all, &ours);
    /* Somebody else may have been first. */
    if (error == 0 && all == 0) error = make_tables(c);
    return pack_end(c, error);
}

/* Is the row what was made, to the letter? *which: of the tables. */
static bool is_table(sqlite3_stmt *row, size_t *which)
{
    const char *name = (const char *)sqlite3_column_text(row, 0);
    const char *sql = (const char *)sqlite3_column_text(row, 2);
    if (name == NULL || sql == NULL) return false;
    for (size_t i = 0; i < table_count; i++) {
        if (strcmp(name, tables[i].name) != 0) continue;
        *which = i;
        return strcmp(sql, tables[i].sql) == 0;
    }
    return false;
}

/* Are the tables what was made, each once and in a tree of its own? A damaged
 * byte in here can make a tree answer for another one. Where the trees begin
 * is not asked, for that changes with VACUUM; what other programs keep in the
 * file, ANALYZE for one, is theirs. */
static int check_tables(struct pack_connection *c)
{
    sqlite3_stmt *row = NULL;
    bool is_row = false;
    int roots[table_count] = {0};
    size_t n = 0;
    const int code = sqlite3_prepare_v2(c->db,
            "SELECT name, rootpage, sql FROM sqlite_schema WHERE name LIKE"
            " 'dnnl\\_cache\\_%' ESCAPE '\\'",
            -1, &row, NULL);
    if (code != SQLITE_OK) return pack_error_of(c, code);
    int error;
    while ((error = pack_step(c, row, &is_row)) == 0 && is_row) {
        size_t which = 0;
        const int root = sqlite3_column_int(row, 1);
        bool good = is_table(row, &which) && roots[which] == 0 && root > 1;
        for (size_t i = 0; i < table_count; i++)
            good = good && roots[i] != root;
        if (!good) {
            error = EBADMSG;
            break;
        }
        roots[which] = root;
        n++;
    }
    sqlite3_finalize(row);
    return error == 0 && n != table_count ? EBADMSG : error;
}

int pack_schema_check(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    int64_t all = 0;
    int64_t ours = 0;
    int64_t id = 0;
    int64_t user = 0;
    int64_t vacuum = 0;
    int error = pack_schema_count(c, &all, &ours);
    if (error == 0) error = pack_ask(c, "PRAGMA application_id", &id);
    if (error == 0) error = pack_ask(c, "PRAGMA user_version", &user);
    if (error == 0) error = pack_ask(c, "PRAGMA auto_vacuum", &vacuum);
    if (error != 0) return error;
    if (all == 0) return ENOENT;
    if (id == application + version && user == version && vacuum == 2)
        return check_tables(c);
    const char *why = NULL;
    if (id == application + user && user > version)
        why = "a newer version's";
    else if (ours == 0)
        why = "a database of another application";
    if (why == NULL) return EBADMSG;
    store_log(store, dnnl_cache_log_error, "%s: refused as a store: %s",
            store->options.path, why);
    return EPERM;
}
