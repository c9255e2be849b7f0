/* SPDX-License-Identifier: Apache-2.0 */
#include "pack_connection.h"

#include "store_bytes.h"
#include "store_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        [pack_oldest] = "SELECT number FROM dnnl_cache_entry"
                        " ORDER BY number LIMIT ?1",
        [pack_least_used] = "SELECT number FROM dnnl_cache_entry"
                            " ORDER BY used, created LIMIT ?1",
        [pack_used_ahead] = "SELECT number FROM dnnl_cache_entry"
                            " WHERE used > ?2 ORDER BY used, created LIMIT ?1",
        [pack_all_uses] = "SELECT number, used, created, compile, size"
                          " FROM dnnl_cache_entry INDEXED BY dnnl_cache_use",
        [pack_created_before] = "SELECT number FROM dnnl_cache_entry"
                                " WHERE created < ?1 ORDER BY number LIMIT ?2",
        [pack_used_before] = "SELECT number FROM dnnl_cache_entry"
                             " WHERE used < ?1 ORDER BY used LIMIT ?2",
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
    const struct dnnl_cache_store_limit *capacity = &options->capacity;
    if (capacity->kind != dnnl_cache_store_limit_kind_bytes) return 8192;
    const uint64_t mb = 1024 * 1024;
    if (capacity->bytes < 4 * mb) return 1024;
    return capacity->bytes < 64 * mb ? 4096 : 8192;
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
    if (error == ENOSPC || error == EDQUOT || error == EFBIG) return ENOSPC;
    return error == EMFILE || error == ENFILE ? error : EIO;
}

/* An errno value for a result of SQLite. */
static int error_of(const struct pack_connection *c, int code)
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
        error = error_of(c, sqlite3_prepare_v3(c->db, texts[which], -1,
                                    SQLITE_PREPARE_PERSISTENT,
                                    &c->statements[which], NULL));
    *statement = c->statements[which];
    return error;
}

int pack_step(struct pack_connection *c, sqlite3_stmt *statement, bool *row)
{
    const int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return error_of(c, code);
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

uint64_t pack_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* SQLite's own time-out sleeps a millisecond at least, and starts anew with
 * every statement. */
static int wait_for_lock(void *user, int attempt)
{
    const struct pack_connection *c = user;
    const uint64_t now = pack_monotonic_ns();
    if (now >= c->deadline_ns) return 0;
    const uint64_t left = c->deadline_ns - now;
    uint64_t pause = (uint64_t)50000 << (attempt < 6 ? attempt : 6);
    if (pause > left) pause = left;
    const struct timespec t = {0, (long)pause};
    nanosleep(&t, NULL);
    return 1;
}

/* ---- Opening ------------------------------------------------------------- */

static int execute(struct pack_connection *c, const char *text)
{
    return error_of(c, sqlite3_exec(c->db, text, NULL, NULL, NULL));
}

/* The number a pragma tells. */
static int ask(struct pack_connection *c, const char *text, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    const int code = sqlite3_prepare_v2(c->db, text, -1, &statement, NULL);
    if (code != SQLITE_OK) return error_of(c, code);
    const int error = pack_step(c, statement, &row);
    if (row) *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return error == 0 && !row ? EBADMSG : error;
}

static int open_database(
        struct pack_connection *c, const struct pack_file *file, bool writable)
{
    /* No mutexes: one thread at a time, see pack_pool.h. */
    const int flags =
            SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_EXRESCODE
            | SQLITE_OPEN_PRIVATECACHE
            | (writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
    const int code = sqlite3_open_v2(file->path, &c->db, flags, NULL);
    if (code != SQLITE_OK) return error_of(c, code);
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
static int configure(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
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
    return execute(c, text);
}

/* What is fixed when a file is made. */
static int configure_new(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
{
    char text[128];
    snprintf(text, sizeof text,
            "PRAGMA page_size=%" PRIu64 ";"
            "PRAGMA auto_vacuum=INCREMENTAL;",
            pack_page_size(&store->options));
    return execute(c, text);
}

static int count_tables(struct pack_connection *c, int64_t *all, int64_t *ours)
{
    int error = ask(c, "SELECT count(*) FROM sqlite_schema", all);
    if (error == 0)
        error = ask(c,
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
        error = execute(c, tables[i].sql);
    snprintf(text, sizeof text,
            "PRAGMA application_id=%d; PRAGMA user_version=%d",
            application + version, version);
    return error == 0 ? execute(c, text) : error;
}

static int make_schema(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
{
    int64_t all = 0;
    int64_t ours = 0;
    int error = configure_new(c, store);
    if (error == 0) error = pack_run_plain(c, pack_begin);
    if (error != 0) return error;
    error = count_tables(c, &all, &ours);
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
    if (code != SQLITE_OK) return error_of(c, code);
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

static int check_schema(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
{
    int64_t all = 0;
    int64_t ours = 0;
    int64_t id = 0;
    int64_t user = 0;
    int64_t vacuum = 0;
    int error = count_tables(c, &all, &ours);
    if (error == 0) error = ask(c, "PRAGMA application_id", &id);
    if (error == 0) error = ask(c, "PRAGMA user_version", &user);
    if (error == 0) error = ask(c, "PRAGMA auto_vacuum", &vacuum);
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

static int limit_pages(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
{
    char text[64];
    int64_t size = 0;
    int error = ask(c, "PRAGMA page_size", &size);
    if (error != 0) return error;
    c->page_size = (uint64_t)size;
    if (store->options.capacity.kind != dnnl_cache_store_limit_kind_bytes)
        return 0;
    uint64_t pages =
            pack_most_pages(store->options.capacity.bytes, c->page_size);
    if (pages == 0) pages = 1; /* 0 would leave it as it is */
    if (pages > INT32_MAX) pages = INT32_MAX;
    snprintf(text, sizeof text, "PRAGMA max_page_count=%" PRIu64, pages);
    return execute(c, text);
}

/* Through SQLite's own descriptor, see pack_file.h. False: there is none. */
static bool read_head(
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
    return read_head(c, head, sizeof head, &size)
           && (head[write_version] == 2 || head[read_version] == 2);
}

static int open_store(struct pack_connection *c, const struct pack_file *file,
        const struct dnnl_cache_store_handle *store, bool make)
{
    int error = pack_file_prepare(file, store, make, &c->identity);
    if (error != 0) return error;
    const bool writable =
            !store->options.read_only && pack_file_is_writable(file);
    error = open_database(c, file, writable);
    if (error != 0) return error;
    if (!pack_file_is(file, &c->identity)) return ESTALE;
    if (!writable && has_write_ahead_log(c)) return ETIMEDOUT;
    error = configure(c, store);
    if (error == 0) error = check_schema(c, store);
    if (error == ENOENT && make) {
        error = make_schema(c, store);
        if (error == 0) error = check_schema(c, store);
    }
    if (error != 0) return error;
    /* A damaged header may say that it is not to be written to. */
    if (writable && sqlite3_db_readonly(c->db, "main") == 1) return EBADMSG;
    /* Also of a file that somebody's tool left with a write-ahead log. */
    if (writable) error = execute(c, "PRAGMA journal_mode=TRUNCATE");
    if (error == 0) error = limit_pages(c, store);
    return error;
}

int pack_connection_open(struct pack_connection **connection,
        const struct pack_file *file,
        const struct dnnl_cache_store_handle *store, bool make,
        uint64_t deadline_ns)
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

void pack_connection_close(struct pack_connection *connection)
{
    if (connection == NULL) return;
    for (int i = 0; i < pack_statement_count; i++)
        sqlite3_finalize(connection->statements[i]);
    sqlite3_close(connection->db);
    free(connection);
}

/* ---- Healing ------------------------------------------------------------- */

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
    if (!read_head(c, head, sizeof head, &size)) return false;
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
    const int error = execute(c, "VACUUM");
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_RESET_DATABASE, 0, (int *)NULL);
    return error;
}

/* SQLite may take a read that fails for damage. So it is looked at once more,
 * all of it, with another connection. */
static int check_all(
        struct pack_connection *c, const struct dnnl_cache_store_handle *store)
{
    char text[8] = "";
    int error = check_schema(c, store);
    if (error == ENOENT) return EBADMSG; /* no tables, but pages of them */
    if (error == 0) error = pack_check(c, sizeof text, text);
    return error == 0 && strcmp(text, "ok") != 0 ? EBADMSG : error;
}

int pack_heal(const struct pack_file *file,
        const struct dnnl_cache_store_handle *store, bool sure,
        uint64_t deadline_ns)
{
    struct pack_connection c = {.deadline_ns = deadline_ns};
    int64_t all = 0;
    int64_t ours = 0;
    int64_t pages = 0;
    int error = pack_file_prepare(file, store, true, &c.identity);
    if (error == 0) error = open_database(&c, file, true);
    if (error == 0 && !pack_file_is(file, &c.identity)) error = ESTALE;
    if (error != 0) goto out;
    error = configure(&c, store);
    if (error == 0) error = count_tables(&c, &all, &ours);
    if (error != 0 && error != EBADMSG) goto out;
    if (error == 0 && all == 0) error = ask(&c, "PRAGMA page_count", &pages);
    if (error != 0 && error != EBADMSG) goto out;
    /* Somebody else has just done it. */
    if (error == 0 && all == 0 && pages <= 2) goto out;
    if (error == 0 && !sure) {
        error = check_all(&c, store);
        if (error == 0) error = EAGAIN;
        if (error != EBADMSG) goto out;
    }
    if (looks_like_ours(&c)) {
        store_log(store, dnnl_cache_log_warning,
                "%s: damaged (%s): starting anew", file->path,
                sqlite3_errmsg(c.db));
        /* Fails where the header is damaged, and works all the same. */
        (void)configure_new(&c, store);
        error = empty_database(&c);
    } else {
        error = pack_file_move_aside(file, store, &c.identity);
    }
out:
    for (int i = 0; i < pack_statement_count; i++)
        sqlite3_finalize(c.statements[i]);
    sqlite3_close(c.db);
    return error == ESTALE ? 0 : error;
}
