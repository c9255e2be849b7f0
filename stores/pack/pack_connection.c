/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_connection.h"

#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "stores/files/store_size.h"
#include "stores/pack/pack_schema.h"
#include "stores/pack/pack_vfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const texts[pack_statement_count] = {
        [pack_begin] = "BEGIN IMMEDIATE",
        [pack_begin_read] = "BEGIN",
        [pack_begin_alone] = "BEGIN EXCLUSIVE",
        [pack_commit] = "COMMIT",
        [pack_rollback] = "ROLLBACK",
        [pack_page_count] = "PRAGMA page_count",
        [pack_free_count] = "PRAGMA freelist_count",
        [pack_find] = "SELECT e.number, b.tail, b.blob FROM dnnl_cache_entry e"
                      " LEFT JOIN dnnl_cache_blob b ON b.number = e.number"
                      " WHERE e.hash = ?1 AND e.id = ?2 ORDER BY e.number DESC",
        [pack_find_number] = "SELECT number FROM dnnl_cache_entry"
                             " WHERE hash = ?1 AND id = ?2 AND number <> ?3"
                             " LIMIT 1",
        [pack_insert_entry] = "INSERT INTO dnnl_cache_entry(hash, created,"
                              " used, compile, size, kind, id)"
                              " VALUES(?1, ?2, ?2, ?3, ?4, ?5, ?6)",
        [pack_insert_blob] = "INSERT OR REPLACE INTO"
                             " dnnl_cache_blob(number, tail, blob)"
                             " VALUES(?1, ?2, ?3)",
        [pack_delete_entry] = "DELETE FROM dnnl_cache_entry WHERE number = ?1",
        [pack_delete_blob] = "DELETE FROM dnnl_cache_blob WHERE number = ?1",
        [pack_set_used] = "UPDATE dnnl_cache_entry SET used = ?2"
                          " WHERE number = ?1 AND (used < ?2 OR used > ?3)",
        [pack_date_back] = "UPDATE dnnl_cache_entry SET used = ?4"
                           " WHERE hash = ?1 AND id = ?2 AND used = ?3",
        [pack_oldest] = "SELECT number FROM dnnl_cache_entry"
                        " ORDER BY number LIMIT ?1",
        [pack_least_used] = "SELECT number FROM dnnl_cache_entry"
                            " ORDER BY used, created LIMIT ?1",
        [pack_all_uses] = "SELECT number, used, created, compile, size"
                          " FROM dnnl_cache_entry INDEXED BY dnnl_cache_use",
        [pack_created_before] = "SELECT number FROM dnnl_cache_entry"
                                " WHERE created < ?1"
                                " AND created NOT BETWEEN ?3 AND ?4"
                                " ORDER BY number LIMIT ?2",
        [pack_used_before] = "SELECT number FROM dnnl_cache_entry"
                             " WHERE used < ?1 AND used NOT BETWEEN ?3 AND ?4"
                             " AND (used < ?5 OR used >= ?6"
                             " OR used * ?7 < ?1)"
                             " ORDER BY used LIMIT ?2",
        [pack_used_between] = "SELECT number FROM dnnl_cache_entry"
                              " WHERE used > ?2 AND used < ?3"
                              " ORDER BY used, created LIMIT ?1",
        [pack_hash_of_number] = "SELECT hash FROM dnnl_cache_entry"
                                " WHERE number = ?1",
        [pack_last_number] = "SELECT coalesce(max(number), 0)"
                             " FROM dnnl_cache_entry",
        [pack_list] = "SELECT e.number, e.used, e.created, e.compile, e.size,"
                      " e.kind, e.id, b.number FROM dnnl_cache_entry e"
                      " LEFT JOIN dnnl_cache_blob b ON b.number = e.number"
                      " WHERE e.number > ?1 AND e.number <= ?2"
                      " ORDER BY e.number LIMIT ?3",
        [pack_show] = "SELECT e.number, e.hash, e.size, e.id, b.tail, b.blob"
                      " FROM dnnl_cache_entry e LEFT JOIN dnnl_cache_blob b"
                      " ON b.number = e.number"
                      " WHERE e.number > ?1 AND e.number <= ?2"
                      " ORDER BY e.number LIMIT 1",
        [pack_give_back] = "PRAGMA incremental_vacuum(8)",
        [pack_integrity] = "PRAGMA integrity_check(1)",
};

/* ---- Room ---------------------------------------------------------------- */

uint64_t pack_page_size(const struct dnnl_cache_store_options *options)
{
    const uint64_t capacity = options->capacity;
    if (!store_has_capacity(options)) return 8192;
    const uint64_t mb = 1024 * 1024;
    if (capacity < 4 * mb) return 1024;
    return capacity < 64 * mb ? 4096 : 8192;
}

/* A transaction changes four entries or notes sixteen uses, in four trees: the
 * leaves, their neighbours and parents, the list of free pages (one page for
 * page_size / 4 of them) and the map of their owners (one for page_size / 5).
 * What was in a page comes into the journal once. */
uint64_t pack_most_pages(uint64_t bytes, uint64_t page_size)
{
    if (bytes == UINT64_MAX) return UINT64_MAX;
    const uint64_t pages =
            store_size_subtract(bytes, store_totals_bytes) / (page_size + 8);
    const uint64_t journal = 64 + pages / (page_size / 16);
    return pages > journal ? pages - journal : 0;
}

/* ---- Errors -------------------------------------------------------------- */

static int error_of_failed_io(const struct pack_connection *c, int code)
{
    if (code == SQLITE_IOERR_NOMEM) return ENOMEM;
    /* Only where locks are given back. */
    if (code == SQLITE_IOERR_UNLOCK || code == SQLITE_IOERR_RDLOCK)
        return ENOLCK;
    const int error = c->db != NULL ? sqlite3_system_errno(c->db) : 0;
    if (error == ENOSPC || error == EFBIG) return ENOSPC;
    return error == EDQUOT || error == EMFILE || error == ENFILE ? error : EIO;
}

int pack_error_of(const struct pack_connection *c, int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
    case SQLITE_ROW:
    case SQLITE_DONE:
        return 0;
    case SQLITE_NOMEM:
        return ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return ETIMEDOUT;
    case SQLITE_FULL:
        return ENOSPC;
    case SQLITE_TOOBIG:
        return ERANGE;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return EACCES;
    case SQLITE_READONLY:
        /* A writer has died, and only a writer can undo what it began. */
        if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY
                || code == SQLITE_READONLY_CANTLOCK)
            return ETIMEDOUT;
        return code == SQLITE_READONLY_DBMOVED ? ESTALE : EROFS;
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        return error_of_failed_io(c, code);
    case SQLITE_MISUSE:
        return EINVAL;
    default:
        /* Not a database, malformed, no such table or column, a value where
         * it cannot be: it is not what we wrote. */
        return EBADMSG;
    }
}

/* ---- Statements ---------------------------------------------------------- */

int pack_prepare(struct pack_connection *c, sqlite3_stmt **statement,
        enum pack_statement which)
{
    int error = 0;
    if (c->statements[which] == NULL)
        error = pack_error_of(c, sqlite3_prepare_v3(c->db, texts[which], -1,
                                         SQLITE_PREPARE_PERSISTENT,
                                         &c->statements[which], NULL));
    *statement = c->statements[which];
    return error;
}

int pack_step(struct pack_connection *c, sqlite3_stmt *statement, bool *row)
{
    const int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return pack_error_of(c, code);
}

int pack_run_number(
        struct pack_connection *c, enum pack_statement which, uint64_t *number)
{
    sqlite3_stmt *statement;
    bool row = false;
    int error = pack_prepare(c, &statement, which);
    if (error != 0) return error;
    error = pack_step(c, statement, &row);
    if (error == 0 && row && number != NULL)
        *number = (uint64_t)sqlite3_column_int64(statement, 0);
    while (error == 0 && row)
        error = pack_step(c, statement, &row);
    sqlite3_reset(statement);
    return error;
}

int pack_run_plain(struct pack_connection *c, enum pack_statement which)
{
    return pack_run_number(c, which, NULL);
}

/* With the lock nobody detaches it; somebody may have while it was waited for.
 */
int pack_begin_changes(struct pack_connection *c, enum pack_statement how)
{
    int error = pack_run_plain(c, how);
    if (error != 0) return error;
    error = pack_file_may_change(c->file, &c->identity);
    return error != 0 ? pack_end(c, error) : 0;
}

int pack_check(struct pack_connection *c, size_t size, char *text)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int error = pack_prepare(c, &row, pack_integrity);
    if (error != 0) return error;
    error = pack_step(c, row, &is_row);
    const unsigned char *found = is_row ? sqlite3_column_text(row, 0) : NULL;
    if (error == 0)
        snprintf(text, size, "%s", found != NULL ? (const char *)found : "?");
    sqlite3_reset(row);
    return error;
}

int pack_end(struct pack_connection *c, int error)
{
    if (error == 0) {
        error = pack_run_plain(c, pack_commit);
        /* It is in the file, and others see it once the lock is gone: with
         * this connection. */
        if (error == ENOLCK) {
            c->is_stuck = true;
            return 0;
        }
    }
    /* Some failures have undone it already. */
    if (error != 0 && sqlite3_get_autocommit(c->db) == 0)
        (void)pack_run_plain(c, pack_rollback);
    return error;
}

/* ---- Waiting ------------------------------------------------------------- */

/* SQLite's own time-out sleeps a millisecond at least, and starts anew with
 * every statement. */
static int wait_for_lock(void *user, int attempt)
{
    const struct pack_connection *c = user;
    const uint64_t now = clock_ns();
    if (now >= c->deadline_ns) return 0;
    const uint64_t left = c->deadline_ns - now;
    uint64_t pause = (uint64_t)50000 << (attempt < 6 ? attempt : 6);
    if (pause > left) pause = left;
    clock_sleep_ns(pause);
    return 1;
}

/* ---- Opening ------------------------------------------------------------- */

int pack_execute(struct pack_connection *c, const char *text)
{
    return pack_error_of(c, sqlite3_exec(c->db, text, NULL, NULL, NULL));
}

int pack_ask(struct pack_connection *c, const char *text, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    const int code = sqlite3_prepare_v2(c->db, text, -1, &statement, NULL);
    if (code != SQLITE_OK) return pack_error_of(c, code);
    const int error = pack_step(c, statement, &row);
    if (row) *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return error == 0 && !row ? EBADMSG : error;
}

bool pack_read_head(
        struct pack_connection *c, uint8_t *head, int size, int64_t *file_size)
{
    sqlite3_file *f = NULL;
    sqlite3_int64 bytes = 0;
    if (sqlite3_file_control(c->db, "main", SQLITE_FCNTL_FILE_POINTER, &f)
                    != SQLITE_OK
            || f == NULL || f->pMethods == NULL
            || f->pMethods->xFileSize(f, &bytes) != SQLITE_OK)
        return false;
    *file_size = bytes;
    if (bytes < size) size = (int)bytes;
    const int code =
            size > 0 ? f->pMethods->xRead(f, head, size, 0) : SQLITE_OK;
    return code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ;
}

/* Somebody's tool has left the file with a write-ahead log: who reads it so
 * makes files beside it. */
static bool has_write_ahead_log(struct pack_connection *c)
{
    enum { write_version = 18, read_version = 19 };
    uint8_t head[100] = {0};
    int64_t size;
    return pack_read_head(c, head, sizeof head, &size)
           && (head[write_version] == 2 || head[read_version] == 2);
}

static int open_with(struct pack_connection *c, const struct pack_file *file,
        bool writable, const char *vfs)
{
    /* No mutexes: one thread at a time, see pack_pool.h. */
    const int flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
            | SQLITE_OPEN_PRIVATECACHE
            | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    c->file = file;
    const int code = sqlite3_open_v2(file->path, &c->db, flags, vfs);
    return code == SQLITE_OK ? 0 : pack_error_of(c, code);
}

int pack_open_database(
        struct pack_connection *c, const struct pack_file *file, bool writable)
{
    const char *vfs = pack_vfs_name();
    if (vfs == NULL) return ENOMEM;
    int error = open_with(c, file, writable, vfs);
    /* The log needs memory that is shared, which only SQLite's own file system
     * has. A writer does away with the log, so that this happens once. */
    if (error == 0 && writable && has_write_ahead_log(c)) {
        sqlite3_close(c->db);
        c->db = NULL;
        error = open_with(c, file, writable, NULL);
    }
    if (error != 0) return error;
    sqlite3_busy_handler(c->db, wait_for_lock, c);
    /* What is in the file is not to be trusted. */
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)NULL);
    return 0;
}

/* Overwriting what is deleted would put all of it into the journal. A mapped
 * file that somebody cuts short kills the process. */
int pack_configure(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    static const char *const synchronous[] = {"OFF", "FULL", "EXTRA"};
    char text[256];
    snprintf(text, sizeof text,
            "PRAGMA secure_delete=OFF;"
            "PRAGMA temp_store=MEMORY;"
            "PRAGMA cell_size_check=ON;"
            "PRAGMA mmap_size=0;"
            "PRAGMA synchronous=%s;",
            synchronous[store->options.durability]);
    return pack_execute(c, text);
}

static int limit_pages(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store)
{
    char text[64];
    int64_t size = 0;
    int error = pack_ask(c, "PRAGMA page_size", &size);
    if (error != 0) return error;
    c->page_size = (uint64_t)size;
    if (!store_has_capacity(&store->options)) return 0;
    uint64_t pages = pack_most_pages(store->options.capacity, c->page_size);
    if (pages == 0) pages = 1; /* 0 would leave it as it is */
    if (pages > INT32_MAX) pages = INT32_MAX;
    snprintf(text, sizeof text, "PRAGMA max_page_count=%" PRIu64, pages);
    return pack_execute(c, text);
}

static int open_store(struct pack_connection *c, const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, bool make)
{
    int error = pack_file_prepare(file, store, make, &c->identity);
    if (error != 0) return error;
    const bool writable =
            !store->options.read_only && pack_file_is_writable(file);
    error = pack_open_database(c, file, writable);
    if (error != 0) return error;
    if (!pack_file_is(file, &c->identity)) return ESTALE;
    if (!writable && has_write_ahead_log(c)) return ETIMEDOUT;
    error = pack_configure(c, store);
    if (error == 0) error = pack_schema_check(c, store);
    if (error == ENOENT && make) {
        error = pack_schema_make(c, store);
        if (error == 0) error = pack_schema_check(c, store);
    }
    if (error != 0) return error;
    /* A damaged header may say that it is not to be written to. */
    if (writable && sqlite3_db_readonly(c->db, "main") == 1) return EBADMSG;
    /* Also of a file that somebody's tool left with a write-ahead log. */
    if (writable) error = pack_execute(c, "PRAGMA journal_mode=TRUNCATE");
    if (error == 0) error = limit_pages(c, store);
    return error;
}

int pack_connection_open(struct pack_connection **connection,
        const struct pack_file *file, const dnnl_cache_store_handle_t *store,
        bool make, uint64_t deadline_ns)
{
    struct pack_connection *c = calloc(1, sizeof *c);
    if (c == NULL) return ENOMEM;
    c->deadline_ns = deadline_ns;
    const int error = open_store(c, file, store, make);
    if (error != 0) {
        pack_connection_close(c);
        return error;
    }
    *connection = c;
    return 0;
}

void pack_close_database(struct pack_connection *c)
{
    for (int i = 0; i < pack_statement_count; i++)
        sqlite3_finalize(c->statements[i]);
    sqlite3_close(c->db);
}

void pack_connection_close(struct pack_connection *connection)
{
    if (connection == NULL) return;
    pack_close_database(connection);
    free(connection);
}
