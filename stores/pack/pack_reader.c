/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/pack/pack_internal.h"

#include "src/common/byte_order.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Finding ------------------------------------------------------------- */

struct pack_hash pack_hash_of(
        const struct pack_store *store, size_t id_size, const void *id)
{
    struct pack_hash hash;
    store_le64(hash.bytes, store->base.options.hash(id, id_size));
    return hash;
}

void pack_bind_hash(
        sqlite3_stmt *statement, int index, const struct pack_hash *hash)
{
    sqlite3_bind_blob(
            statement, index, hash->bytes, sizeof hash->bytes, SQLITE_STATIC);
}

void pack_note_entry(struct pack_store *store, const struct pack_hash *hash,
        size_t id_size, size_t size)
{
    store_used_note(&store->base, load_le64(hash->bytes),
            store_size_add(id_size + store_tail_max, size));
}

int pack_read_columns(uint8_t **blob, size_t *size,
        const dnnl_cache_store_handle_t *store, sqlite3_stmt *row,
        int tail_column, size_t id_size, const void *id, enum store_depth depth)
{
    const int blob_column = tail_column + 1;
    if (sqlite3_column_type(row, tail_column) != SQLITE_BLOB
            || sqlite3_column_type(row, blob_column) != SQLITE_BLOB)
        return EBADMSG;
    const size_t tail_size = (size_t)sqlite3_column_bytes(row, tail_column);
    const size_t blob_size = (size_t)sqlite3_column_bytes(row, blob_column);
    if (tail_size < store_trailer_size || tail_size > store_tail_max
            || blob_size == 0 || blob_size > store->options.max_blob_bytes)
        return EBADMSG;
    const void *tail = sqlite3_column_blob(row, tail_column);
    const void *stored = sqlite3_column_blob(row, blob_column);
    uint8_t *bytes = malloc(blob_size + tail_size);
    if (tail == NULL || stored == NULL || bytes == NULL) {
        free(bytes);
        return ENOMEM;
    }
    memcpy(bytes, stored, blob_size);
    memcpy(bytes + blob_size, tail, tail_size);
    size_t checked;
    int error = store_tail_check(&checked, bytes, blob_size + tail_size,
            id_size, id, store->mac, depth);
    if (error == 0 && checked != blob_size) error = EBADMSG;
    if (error != 0) {
        free(bytes);
        return error;
    }
    *blob = bytes;
    *size = blob_size;
    return 0;
}

int pack_find_in(const struct pack_store *store, struct pack_connection *c,
        struct pack_lookup *l)
{
    sqlite3_stmt *row;
    bool is_row = false;
    int error = pack_prepare(c, &row, pack_find);
    if (error != 0) return error;
    l->damaged = 0;
    pack_bind_hash(row, 1, &l->hash);
    sqlite3_bind_blob64(row, 2, l->id, l->id_size, SQLITE_STATIC);
    while ((error = pack_step(c, row, &is_row)) == 0 && is_row) {
        error = pack_read_columns(&l->blob, &l->size, &store->base, row, 1,
                l->id_size, l->id, store_get_depth(&store->base));
        if (error != EBADMSG) break;
        l->damaged++;
        l->damaged_number = sqlite3_column_int64(row, 0);
    }
    if (error == 0 && is_row) l->number = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    sqlite3_clear_bindings(row);
    return error == 0 && !is_row ? ENOENT : error;
}

static int find_one(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    return pack_find_in(store, c, user);
}

static struct pack_lookup lookup_of(
        const struct pack_store *store, size_t id_size, const uint8_t *id)
{
    return (struct pack_lookup){
            .hash = pack_hash_of(store, id_size, id),
            .id_size = id_size,
            .id = id,
    };
}

static void report_damage(struct pack_store *store, const struct pack_lookup *l)
{
    char name[64];
    snprintf(name, sizeof name, "entry/%" PRId64, l->damaged_number);
    for (unsigned i = 0; i < l->damaged; i++)
        store_report_damage(&store->base, name);
}

int pack_look_up(struct pack_store *store, struct pack_lookup *lookup,
        size_t id_size, const uint8_t *id)
{
    *lookup = lookup_of(store, id_size, id);
    const int error = pack_call(store, false,
            store->base.options.lock_timeout_ms, find_one, lookup);
    report_damage(store, lookup);
    return error;
}

/* ---- Get ----------------------------------------------------------------- */

/* A damaged store has nothing, nor has one that somebody is writing to for
 * longer than we wait. */
static bool is_miss(int error)
{
    return error == ENOENT || error == EBADMSG || error == ETIMEDOUT;
}

dnnl_status_t pack_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct pack_store *store = user;
    if (store == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    int error = ENOENT;
    struct pack_lookup l;
    if (!pack_is_off(store)) error = pack_look_up(store, &l, id_size, id);
    store_count(error != 0 ? &store->base.counters.misses
                           : &store->base.counters.hits);
    store_totals_tick(&store->base);
    if (error != 0) {
        if (error == ENOENT) return dnnl_cache_miss;
        const dnnl_status_t st = pack_finish(store, "get", error);
        return is_miss(error) ? dnnl_cache_miss : st;
    }
    pack_note_entry(store, &l.hash, id_size, l.size);
    pack_note_use(store, l.number);
    *size = l.size;
    *blob = l.blob;
    return dnnl_success;
}

void pack_release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    (void)size;
    free((uint8_t *)(uintptr_t)blob); /* was allocated by get */
}

/* ---- Many at once -------------------------------------------------------- */

struct many {
    struct pack_lookup *lookups;
    size_t count;
};

static void forget_found(struct many *many)
{
    for (size_t i = 0; i < many->count; i++) {
        free(many->lookups[i].blob);
        many->lookups[i].blob = NULL;
    }
}

static int find_many(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct many *many = user;
    forget_found(many); /* of an attempt before */
    int error = pack_run_plain(c, pack_begin_read);
    if (error != 0) return error;
    for (size_t i = 0; i < many->count && error == 0; i++) {
        error = pack_find_in(store, c, &many->lookups[i]);
        if (error == ENOENT) error = 0;
    }
    return pack_end(c, error);
}

static dnnl_status_t hand_out(struct pack_store *store, const struct many *many,
        size_t *sizes, const uint8_t **blobs)
{
    size_t found = 0;
    for (size_t i = 0; i < many->count; i++) {
        struct pack_lookup *l = &many->lookups[i];
        report_damage(store, l);
        if (l->blob == NULL) {
            store_count(&store->base.counters.misses);
            continue;
        }
        store_count(&store->base.counters.hits);
        pack_note_entry(store, &l->hash, l->id_size, l->size);
        pack_note_use(store, l->number);
        sizes[i] = l->size;
        blobs[i] = l->blob;
        found++;
    }
    store_totals_tick(&store->base);
    return found > 0 ? dnnl_success : dnnl_cache_miss;
}

dnnl_status_t pack_get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs)
{
    struct pack_store *store = user;
    if (store == NULL
            || !store_asks_for_many(count, id_sizes, ids, sizes, blobs))
        return dnnl_invalid_arguments;
    struct many many = {calloc(count, sizeof *many.lookups), count};
    if (many.lookups == NULL) return dnnl_out_of_memory;
    int error = 0;
    for (size_t i = 0; i < count; i++)
        many.lookups[i] = lookup_of(store, id_sizes[i], ids[i]);
    if (!pack_is_off(store))
        error = pack_call(store, false, store->base.options.lock_timeout_ms,
                find_many, &many);
    if (error != 0) {
        forget_found(&many);
        if (error != ENOENT) (void)pack_finish(store, "get_many", error);
    }
    dnnl_status_t st = error == 0 || is_miss(error) ? dnnl_success
                                                    : store_status_of(error);
    if (st == dnnl_success) st = hand_out(store, &many, sizes, blobs);
    free(many.lookups);
    return st;
}

/* ---- Iterate ------------------------------------------------------------- */

enum { page_items = 32 };

/* Some entries, copied so that no lock is held while they are shown. */
struct page {
    int64_t after;
    int64_t last; /* none that was put later: a visitor might put for ever */
    struct dnnl_cache_store_entry items[page_items];
    int64_t numbers[page_items];
    size_t count;
    size_t seen; /* damaged ones included */
    size_t damaged;
};

static void empty_page(struct page *page)
{
    for (size_t i = 0; i < page->count; i++)
        free((uint8_t *)(uintptr_t)page->items[i].id);
    page->count = 0;
    page->seen = 0;
    page->damaged = 0;
}

static int read_item(struct dnnl_cache_store_entry *item, sqlite3_stmt *row)
{
    const int64_t size = sqlite3_column_int64(row, 4);
    if (sqlite3_column_type(row, 6) != SQLITE_BLOB) return EBADMSG;
    const void *id = sqlite3_column_blob(row, 6);
    const size_t id_size = (size_t)sqlite3_column_bytes(row, 6);
    if (size <= 0 || id == NULL || id_size == 0
            || sqlite3_column_type(row, 7) == SQLITE_NULL)
        return EBADMSG;
    uint8_t *copy = malloc(id_size);
    if (copy == NULL) return ENOMEM;
    memcpy(copy, id, id_size);
    const int64_t used =
            (int64_t)store_date_of((uint64_t)sqlite3_column_int64(row, 1));
    const int64_t created = sqlite3_column_int64(row, 2);
    *item = (struct dnnl_cache_store_entry){
            .struct_size = sizeof(struct dnnl_cache_store_entry),
            .id_size = id_size,
            .id = copy,
            .blob_size = (uint64_t)size,
            .created_ns = (uint64_t)created,
            .used_ns = (uint64_t)(used > created ? used : created),
            .compile_ns = (uint64_t)sqlite3_column_int64(row, 3),
            .kind = (dnnl_cache_blob_kind_t)sqlite3_column_int(row, 5),
    };
    return 0;
}

static int read_page(
        struct pack_store *store, struct pack_connection *c, void *user)
{
    struct page *page = user;
    sqlite3_stmt *row = NULL;
    bool is_row = false;
    int64_t after = page->after;
    int error = 0;
    (void)store;
    empty_page(page);
    if (page->last < 0) {
        uint64_t last = 0;
        error = pack_run_number(c, pack_last_number, &last);
        if (error == 0) page->last = (int64_t)last;
    }
    if (error == 0) error = pack_prepare(c, &row, pack_list);
    if (error != 0) return error;
    sqlite3_bind_int64(row, 1, after);
    sqlite3_bind_int64(row, 2, page->last);
    sqlite3_bind_int(row, 3, page_items);
    while ((error = pack_step(c, row, &is_row)) == 0 && is_row) {
        after = sqlite3_column_int64(row, 0);
        page->seen++;
        error = read_item(&page->items[page->count], row);
        if (error == 0) page->numbers[page->count++] = after;
        page->damaged += error == EBADMSG;
        if (error != 0 && error != EBADMSG) break;
    }
    sqlite3_reset(row);
    if (error == 0) page->after = after;
    return error;
}

static bool show_page(struct pack_store *store, struct page *page,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    for (size_t i = 0; i < page->damaged; i++)
        store_count_damage(&store->base);
    for (size_t i = 0; i < page->count; i++) {
        struct dnnl_cache_store_entry *item = &page->items[i];
        item->used_ns = pack_last_use(store, page->numbers[i], item->used_ns);
        if (!visit(user, item)) return false;
    }
    return true;
}

dnnl_status_t pack_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    struct pack_store *store = (struct pack_store *)base;
    struct page page = {.after = INT64_MIN, .last = -1};
    int error = 0;
    if (pack_is_off(store)) return dnnl_success;
    do {
        error = pack_call(
                store, false, base->options.lock_timeout_ms, read_page, &page);
    } while (error == 0 && page.seen == page_items
             && show_page(store, &page, visit, user));
    if (error == 0 && page.seen < page_items)
        (void)show_page(store, &page, visit, user);
    empty_page(&page);
    if (error != ENOENT) (void)pack_finish(store, "iterate", error);
    return error == ENOENT || error == EBADMSG ? dnnl_success
                                               : store_status_of(error);
}
