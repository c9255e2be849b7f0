/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_connection.h: one SQLite connection to the database of a pack store.
 *
 * A connection is used by one thread at a time. Functions that return an int
 * give 0 or an errno value:
 *   ETIMEDOUT  others held the lock until the deadline, or one that died has
 *              left work that only a writer can undo
 *   EBADMSG    the database is damaged, not just one entry: heal it
 *   ESTALE     another file has the name now: open a new connection
 *   ENOSPC     the disk is full, or the limit of pages reached
 *   EDQUOT     the user's quota is used up
 *   EMLINK     the file has a second name: detach it (pack_detach.c)
 *   EPERM      refused, the log has been told
 *   ENOENT     there is no store, and none is to be made
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_CONNECTION_H
#define DNNL_CACHE_STORES_PACK_PACK_CONNECTION_H

#include "stores/pack/pack_file.h"

#include <sqlite3.h>

/* Statements, prepared when they are needed first. */
enum pack_statement {
    pack_begin,       /* of a transaction that writes */
    pack_begin_read,  /* of one that does not */
    pack_begin_alone, /* of one that nobody may read beside */
    pack_commit,
    pack_rollback,
    pack_page_count,
    pack_free_count,
    pack_find,         /* hash, id -> number, tail, blob */
    pack_find_number,  /* hash, id, not this number -> number */
    pack_insert_entry, /* hash, created, compile, size, kind, id */
    pack_insert_blob,  /* number, tail, blob */
    pack_delete_entry, /* number */
    pack_delete_blob,  /* number */
    pack_set_used,     /* number, used, times after this are ahead */
    pack_date_back,    /* hash, id, used before, used now */
    pack_oldest,       /* how many -> number */
    pack_least_used,   /* how many -> number */
    pack_all_uses,     /* -> number, used, created, compile, size */
    /* time, how many, first and last time that is left out -> number; and
     * which uses are dated back, by how much (store_age.h) */
    pack_created_before,
    pack_used_before,
    pack_used_between,   /* how many, after, before -> number */
    pack_hash_of_number, /* number -> hash */
    pack_last_number,    /* -> number */
    pack_list,           /* above, up to, how many -> number, used, created,
                          * compile, size, kind, id, its blob's number */
    pack_show,      /* above, up to -> number, hash, size, id, tail, blob */
    pack_give_back, /* frees some free pages at the file's end */
    pack_integrity, /* -> "ok" or what is wrong */
    pack_statement_count
};

struct pack_connection {
    sqlite3 *db;
    sqlite3_stmt *statements[pack_statement_count];
    const struct pack_file *file; /* borrowed */
    struct pack_identity identity;
    uint64_t deadline_ns; /* of waiting for locks; monotonic */
    uint64_t page_size;
    unsigned generation; /* of the store, when it was opened */
    bool is_stuck;       /* has a lock that it could not give back */
};

/* Opens a connection and, if make says so, makes the store where there is
 * none. Waits for locks until the deadline. */
int pack_connection_open(struct pack_connection **connection,
        const struct pack_file *file, const dnnl_cache_store_handle_t *store,
        bool make, uint64_t deadline_ns);

/* NULL is fine. */
void pack_connection_close(struct pack_connection *connection);

/* The statement, ready to be bound. */
int pack_prepare(struct pack_connection *c, sqlite3_stmt **statement,
        enum pack_statement which);

/* One step: 0 with *row telling whether there is one. */
int pack_step(struct pack_connection *c, sqlite3_stmt *statement, bool *row);

/* Runs a statement that takes nothing and gives nothing, or one number. */
int pack_run_plain(struct pack_connection *c, enum pack_statement which);
int pack_run_number(
        struct pack_connection *c, enum pack_statement which, uint64_t *number);

/* Begins a transaction that may change the database: pack_begin, or
 * pack_begin_alone. EMLINK: nothing is begun. */
int pack_begin_changes(struct pack_connection *c, enum pack_statement how);

/* Ends a transaction: commits if error is 0, else, or if that fails, undoes
 * it. Returns the error, or that of committing. */
int pack_end(struct pack_connection *c, int error);

/* Looks at the whole database: "ok", or what is wrong, cut to size bytes. */
int pack_check(struct pack_connection *c, size_t size, char *text);

/* Bytes of a page in a new file of this capacity, and pages of the file, or
 * UINT64_MAX, that leave room for the journal; 0 if there is none. */
uint64_t pack_page_size(const struct dnnl_cache_store_options *options);
uint64_t pack_most_pages(uint64_t bytes, uint64_t page_size);

/* ---- For pack_schema.c and pack_heal.c ----------------------------------- */

/* An errno value for a result of SQLite. */
int pack_error_of(const struct pack_connection *c, int code);

int pack_execute(struct pack_connection *c, const char *text);

/* The number that a pragma or a query tells. */
int pack_ask(struct pack_connection *c, const char *text, int64_t *number);

/* Opens the database and sets up the connection, whatever is in the file. */
int pack_open_database(
        struct pack_connection *c, const struct pack_file *file, bool writable);
int pack_configure(
        struct pack_connection *c, const dnnl_cache_store_handle_t *store);

/* A connection without a database is fine. */
void pack_close_database(struct pack_connection *c);

/* The file's first bytes, through SQLite's own descriptor (see pack_file.h).
 * False: it has none. */
bool pack_read_head(
        struct pack_connection *c, uint8_t *head, int size, int64_t *file_size);

/* ---- pack_heal.c --------------------------------------------------------- */

/* Empties a damaged database, or moves it aside if it does not look like one
 * of ours. 0 also if somebody else has done it. EAGAIN, unless the caller is
 * sure: no damage is to be seen. For files that this process may write to. */
int pack_heal(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, bool sure,
        uint64_t deadline_ns);

/* ---- pack_detach.c ------------------------------------------------------- */

/* Gives the store a database of its own, if what it has is in a copy of the
 * store as well (store_detach.h). 0 also if somebody else has done it. */
int pack_detach(const struct pack_file *file,
        const dnnl_cache_store_handle_t *store, uint64_t deadline_ns);

#endif /* DNNL_CACHE_STORES_PACK_PACK_CONNECTION_H */
