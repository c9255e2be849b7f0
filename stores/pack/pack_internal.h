/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack_internal.h: what the parts of the pack store know of each other.
 *
 * pack_store.c opens it and makes calls on the database, pack_connection.c and
 * pack_schema.c open the database, pack_heal.c empties a damaged one,
 * pack_reader.c finds blobs, pack_writer.c puts and removes, pack_evict.c makes
 * room, pack_verify.c checks, pack_use.c notes last uses. Functions that return
 * an int give 0 or an errno value (pack_connection.h).
 */
#ifndef DNNL_CACHE_STORES_PACK_PACK_INTERNAL_H
#define DNNL_CACHE_STORES_PACK_PACK_INTERNAL_H

#include "stores/core/store_trailer.h"
#include "stores/pack/pack_pool.h"

enum {
    pack_victims_most = 256, /* chosen at one look */
    pack_evict_batch = 4,    /* removed in one transaction, see */
    pack_use_batch = 16,     /* pack_most_pages() */
    pack_uses_most = 128
};

/* SQLite's own limit of a row, less what is in it besides the blob. */
#define PACK_MAX_BLOB ((uint64_t)999000000)

struct pack_use {
    int64_t number;
    uint64_t used_ns;
};

struct pack_store {
    dnnl_cache_store_handle_t
            base; /* first: a store's user pointer is the store */
    struct pack_file file;
    struct pack_pool pool; /* zeroed: capacity off */
    bool is_open;
    bool read_only;         /* asked for, or all that is allowed */
    atomic_uint generation; /* counts times the database was healed */
    struct pack_use uses[pack_uses_most]; /* not in the file yet; pool.lock */
    unsigned use_count;                   /* pool.lock */
};

typedef int (*pack_body)(
        struct pack_store *store, struct pack_connection *c, void *user);

/* Calls body with a connection, waiting at most timeout_ms; again with another
 * one where the file was exchanged or, for writers, healed, so body must do its
 * work from the beginning each time. No callback of the application may be
 * called in body. */
int pack_call(struct pack_store *store, bool write, unsigned timeout_ms,
        pack_body body, void *user);

/* As store_finish(), for errors that the log has not been told of yet. */
dnnl_status_t pack_finish(
        const struct pack_store *store, const char *what, int error);

bool pack_is_off(const struct pack_store *store);

/* ---- pack_reader.c ------------------------------------------------------- */

/* A blob in the database: SQLite stays within a damaged page when it compares
 * blobs, and may compare integers with what lies behind the page. */
struct pack_hash {
    uint8_t bytes[8];
};

struct pack_hash pack_hash_of(
        const struct pack_store *store, size_t id_size, const void *id);

/* hash has to stay until the statement is bound anew. */
void pack_bind_hash(
        sqlite3_stmt *statement, int index, const struct pack_hash *hash);

/* For store_used.h: an entry of this hash was used or put. */
void pack_note_entry(struct pack_store *store, const struct pack_hash *hash,
        size_t id_size, size_t size);

/* What pack_look_up() looks for, and finds. */
struct pack_lookup {
    struct pack_hash hash;
    size_t id_size;
    const uint8_t *id;
    uint8_t *blob; /* found: the caller frees it; has room for its tail */
    size_t size;
    int64_t number;
    unsigned damaged;       /* entries of this ID that are no good, */
    int64_t damaged_number; /* and the last of them */
};

/* Finds and checks the blob. 0, ENOENT, or a failure. */
int pack_look_up(struct pack_store *store, struct pack_lookup *lookup,
        size_t id_size, const uint8_t *id);

/* The same in a call on a connection; hash, size and ID say what to find. */
int pack_find_in(const struct pack_store *store, struct pack_connection *c,
        struct pack_lookup *lookup);

/* The blob and its tail of a row's columns, joined and checked. EBADMSG: not
 * intact. */
int pack_read_columns(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, sqlite3_stmt *row,
        int tail_column, size_t id_size, const void *id,
        enum store_depth depth);

dnnl_status_t pack_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob);
dnnl_status_t pack_get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs);
void pack_release(void *user, size_t size, const uint8_t *blob);
dnnl_status_t pack_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user);

/* ---- pack_writer.c ------------------------------------------------------- */

dnnl_status_t pack_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata);
dnnl_status_t pack_remove(void *user, size_t id_size, const uint8_t *id);

/* Removes one entry, in a transaction; *existed tells if there was one. */
int pack_delete(struct pack_connection *c, int64_t number, bool *existed);

/* ---- pack_evict.c -------------------------------------------------------- */

/* Those to go next, chosen at one look. */
struct pack_victims {
    int64_t numbers[pack_victims_most];
    size_t count;
    size_t next;
    bool looked; /* there were at most so many */
};

/* In a transaction that has changed nothing: makes room for this many pages
 * or does one step towards it. *done: there is room, nothing was changed; else
 * commit and begin again. ERANGE: that can never be; STORE_IS_FULL: the policy
 * is to evict none. */
int pack_make_room(struct pack_store *store, struct pack_connection *c,
        struct pack_victims *victims, uint64_t pages, bool *done);

/* What a put of these sizes may take. */
uint64_t pack_pages_for(
        const struct pack_connection *c, uint64_t id_size, uint64_t blob_size);

/* As struct store_calls has it. */
uint64_t pack_capacity_for(const dnnl_cache_store_handle_t *base,
        uint64_t entries, uint64_t bytes);

/* What remains to be done at open: expire, and shrink to the capacity. */
int pack_tidy(
        struct pack_store *store, struct pack_connection *c, void *unused);

dnnl_status_t pack_trim(dnnl_cache_store_handle_t *base, uint64_t max_bytes,
        uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed);

/* ---- pack_verify.c ------------------------------------------------------- */

dnnl_status_t pack_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check);

/* ---- pack_use.c ---------------------------------------------------------- */

/* Notes that an entry is being used, if the policy asks for it. */
void pack_note_use(struct pack_store *store, int64_t number);

/* Writes what is noted into the file, in transactions of its own. */
int pack_write_uses(
        struct pack_store *store, struct pack_connection *c, void *unused);

/* As struct store_calls has it. */
int pack_date_entry_back(dnnl_cache_store_handle_t *base, size_t id_size,
        const uint8_t *id, uint64_t used_ns);

/* The later one of this time and a use that is not in the file yet. */
uint64_t pack_last_use(
        struct pack_store *store, int64_t number, uint64_t used_ns);

#endif /* DNNL_CACHE_STORES_PACK_PACK_INTERNAL_H */
