/* SPDX-License-Identifier: Apache-2.0 */
/* A damaged database starts anew. */
#include "stores/pack/pack_schema.h"

#include <errno.h>
#include <string.h>

/* Does the file look like what is left of a store? It does, unless it is text,
 * if its header or its first table does, if it is the beginning of a header,
 * and if it has nothing but zeros where those should be, as files have after a
 * power failure. */
static bool looks_like_ours(struct pack_connection *c)
{
    static const char magic[16] = "SQLite format 3";
    static const char table[] = "dnnl_cache_entry";
    uint8_t head[8192] = {0};
    int64_t size;
    if (!pack_read_head(c, head, sizeof head, &size)) return false;
    const size_t n = size > (int64_t)sizeof head ? sizeof head : (size_t)size;
    if (n < 100)
        return memcmp(head, magic, n < sizeof magic ? n : sizeof magic) == 0;
    bool zeros = true;
    for (size_t i = 0; i < n && zeros; i++)
        zeros = head[i] == 0;
    return zeros || memcmp(head + 68, "dnc", 3) == 0
           || (memchr(head, 0, 100) != NULL
                   && memmem(head, n, table, sizeof table - 1) != NULL);
}

/* SQLite's way to empty a database whatever is in it, with its locks. */
static int empty_database(struct pack_connection *c)
{
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_RESET_DATABASE, 1, (int *)NULL);
    const int error = pack_execute(c, "VACUUM");
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_RESET_DATABASE, 0, (int *)NULL);
    return error;
}

/* SQLite may take a read that fails for damage. So it is looked at once more,
 * all of it, with another connection. */
static int check_all(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    char text[8] = "";
    int error = pack_schema_check(c, store);
    if (error == ENOENT) return EBADMSG; /* no tables, but pages of them */
    if (error == 0) error = pack_check(c, sizeof text, text);
    return error == 0 && strcmp(text, "ok") != 0 ? EBADMSG : error;
}

int pack_heal(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, bool sure, uint64_t deadline_ns)
{
    struct pack_connection c = {.deadline_ns = deadline_ns};
    int64_t all = 0;
    int64_t ours = 0;
    int64_t pages = 0;
    int error = pack_file_prepare(file, store, true, &c.identity);
    if (error == 0) error = pack_open_database(&c, file, true);
    if (error == 0 && !pack_file_is(file, &c.identity)) error = ESTALE;
    if (error != 0) goto out;
    error = pack_configure(&c, store);
    if (error == 0) error = pack_schema_count(&c, &all, &ours);
    if (error != 0 && error != EBADMSG) goto out;
    if (error == 0 && all == 0)
        error = pack_ask(&c, "PRAGMA page_count", &pages);
    if (error != 0 && error != EBADMSG) goto out;
    /* Somebody else has just done it. */
    if (error == 0 && all == 0 && pages <= 2) goto out;
    if (error == 0 && !sure) {
        error = check_all(&c, store);
        if (error == 0) error = EAGAIN;
        if (error != EBADMSG) goto out;
    }
    if (looks_like_ours(&c) && pack_file_has_second_name(file)) {
        store_log(store, dnnl_cache_log_warning,
                "%s: damaged (%s): starting anew; what is damaged has another "
                "name, which stays",
                file->path, sqlite3_errmsg(c.db));
        error = pack_file_leave(file, &c.identity);
    } else if (looks_like_ours(&c)) {
        store_log(store, dnnl_cache_log_warning,
                "%s: damaged (%s): starting anew", file->path,
                sqlite3_errmsg(c.db));
        /* Fails where the header is damaged, and works all the same. */
        (void)pack_schema_configure(&c, store);
        error = empty_database(&c);
    } else {
        error = pack_file_move_aside(file, store, &c.identity);
    }
out:
    pack_close_database(&c);
    return error == ESTALE ? 0 : error;
}
