/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has to go, and how the file becomes smaller.
 *
 * Everything is done in small transactions, so that the journal stays small
 * (pack_most_pages()). Removing and adding are never in the same one: a page
 * that is freed and used again in one transaction has to go into the journal,
 * a page that was free before has not.
 */
#include "stores/pack/pack_internal.h"

#include "src/common/byte_order.h"
#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/core/store_trailer.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>

/* What an empty store has: its header, the map of owners, a root of each tree
 * and of the list of tables. */
enum { empty_pages = 8 };

struct room {
    uint64_t total; /* pages of the file */
    uint64_t used;  /* of them not free */
    uint64_t most;  /* UINT64_MAX: no limit */
    uint64_t low;   /* what is left once room is needed */
};

static int measure(struct room *room, const struct pack_store *store,
        struct pack_connection *c)
{
    const struct dnnl_cache_store_options *options = &store->base.options;
    uint64_t unused = 0;
    int error = pack_run_number(c, pack_page_count, &room->total);
    if (error == 0) error = pack_run_number(c, pack_free_count, &unused);
    if (error != 0) return error;
    if (unused > room->total) return EBADMSG;
    room->used = room->total - unused;
    room->most = room->low = UINT64_MAX;
    if (store_has_capacity(options)) {
        room->most = pack_most_pages(options->capacity, c->page_size);
        /* What is left in use has no journal. */
        room->low = store_low_water(options) / c->page_size;
        if (room->low > room->most) room->low = room->most;
    }
    return 0;
}

uint64_t pack_pages_for(
        const struct pack_connection *c, uint64_t id_size, uint64_t blob_size)
{
    const uint64_t content = c->page_size - 4; /* of a page of a long value */
    const uint64_t pages =
            blob_size / content + id_size / content + 2 /* rounding */;
    /* Leaves and parents that split, a page of the map for some 200. */
    return pages + pages / 200 + 8;
}

/* Pages of another size may be in a file that is made anew: those of the
 * largest, two for each entry that are not full, and as many as the largest
 * put may ask for. */
uint64_t pack_capacity_for(
        const dnnl_cache_store_handle_t *base, uint64_t entries, uint64_t bytes)
{
    const uint64_t page_size = 8192;
    (void)base;
    uint64_t pages = store_size_add(bytes, entries * 2 * page_size) / page_size;
    pages += pages / 64 + 2 * empty_pages + 64;
    return store_size_add(
            (pages + pages / 64) * (page_size + 8), store_totals_bytes);
}

/* ---- Choosing ------------------------------------------------------------ */

struct candidate {
    double rank;
    int64_t number;
};

/* Keeps the lowest so far in a heap with the highest of them on top. */
static void offer(struct candidate *heap, size_t *count, struct candidate c)
{
    size_t at;
    if (*count < pack_victims_most) {
        at = (*count)++;
        while (at > 0 && heap[(at - 1) / 2].rank < c.rank) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = c;
        return;
    }
    if (c.rank >= heap[0].rank) return;
    for (at = 0;;) {
        size_t child = 2 * at + 1;
        if (child >= *count) break;
        if (child + 1 < *count && heap[child].rank < heap[child + 1].rank)
            child++;
        if (heap[child].rank <= c.rank) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = c;
}

static int compare_ranks(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

/* By cost: ranks change with time, so everybody is looked at, in an index
 * that has all it takes. */
static int choose_by_rank(const struct pack_store *store,
        struct pack_connection *c, struct pack_victims *victims)
{
    const struct store_clock clock = store_totals_read_clock(&store->base);
    struct candidate heap[pack_victims_most];
    sqlite3_stmt *row;
    bool is_row = false;
    size_t count = 0;
    const uint64_t now_ns = clock_epoch_ns();
    int error = pack_prepare(c, &row, pack_all_uses);
    if (error != 0) return error;
    while ((error = pack_step(c, row, &is_row)) == 0 && is_row) {
        const struct dnnl_cache_store_entry item = {
                .struct_size = sizeof item,
                .used_ns = (uint64_t)sqlite3_column_int64(row, 1),
                .created_ns = (uint64_t)sqlite3_column_int64(row, 2),
                .compile_ns = (uint64_t)sqlite3_column_int64(row, 3),
                .blob_size = (uint64_t)sqlite3_column_int64(row, 4),
        };
        const struct dnnl_cache_store_entry counts =
                store_clock_item(&clock, &item, now_ns);
        const struct candidate candidate = {
                store_eviction_rank(&store->base.options, &counts, now_ns),
                sqlite3_column_int64(row, 0)};
        offer(heap, &count, candidate);
    }
    sqlite3_reset(row);
    if (error != 0) return error;
    qsort(heap, count, sizeof *heap, compare_ranks);
    for (size_t i = 0; i < count; i++)
        victims->numbers[i] = heap[i].number;
    victims->count = count;
    return 0;
}

/* Numbers of a statement whose parameters are bound. */
static int list_numbers(struct pack_connection *c, sqlite3_stmt *row,
        struct pack_victims *victims)
{
    bool is_row = false;
    int error;
    victims->count = 0;
    while ((error = pack_step(c, row, &is_row)) == 0 && is_row
            && victims->count < pack_victims_most)
        victims->numbers[victims->count++] = sqlite3_column_int64(row, 0);
    sqlite3_reset(row);
    return error;
}

/* Those used between two times; SQLite has no larger times. */
static int choose_between(struct pack_connection *c,
        struct pack_victims *victims, uint64_t after_ns, uint64_t before_ns)
{
    sqlite3_stmt *row;
    const int error = pack_prepare(c, &row, pack_used_between);
    if (error != 0) return error;
    sqlite3_bind_int(row, 1, pack_evict_batch);
    sqlite3_bind_int64(row, 2, (int64_t)after_ns);
    sqlite3_bind_int64(row, 3, (int64_t)before_ns);
    return list_numbers(c, row, victims);
}

/* As store_eviction_rank() has it, in the order of an index: those that are
 * dated back, those whose use is ahead of the clock, and then the others; what
 * an early clock noted comes behind those that it counts as later than. */
static int choose_by_use(const struct pack_store *store,
        struct pack_connection *c, struct pack_victims *victims)
{
    const struct store_clock clock = store_totals_read_clock(&store->base);
    const uint64_t now_ns = clock_epoch_ns();
    struct store_age_span early;
    sqlite3_stmt *row;
    int error = choose_between(
            c, victims, STORE_DATED_FROM_NS - 1, STORE_DATED_UNTIL_NS);
    if (error == 0 && victims->count == 0)
        error = choose_between(
                c, victims, now_ns + STORE_CLOCK_SKEW_NS, (uint64_t)INT64_MAX);
    if (error == 0 && victims->count == 0
            && store_clock_find_early(&early, &clock, now_ns)) {
        error = choose_between(c, victims, 0, early.from_ns);
        if (error == 0 && victims->count == 0)
            error = choose_between(
                    c, victims, early.until_ns, early.counts_as_ns);
    }
    if (error != 0 || victims->count > 0) return error;
    error = pack_prepare(c, &row, pack_least_used);
    if (error != 0) return error;
    sqlite3_bind_int(row, 1, pack_evict_batch);
    return list_numbers(c, row, victims);
}

static int choose(const struct pack_store *store, struct pack_connection *c,
        struct pack_victims *victims)
{
    const struct dnnl_cache_store_options *options = &store->base.options;
    sqlite3_stmt *row;
    victims->next = victims->count = 0;
    if (options->policy == dnnl_cache_store_policy_cost)
        return choose_by_rank(store, c, victims);
    if (options->policy == dnnl_cache_store_policy_lru)
        return choose_by_use(store, c, victims);
    /* By number: whatever the clock said. */
    const int error = pack_prepare(c, &row, pack_oldest);
    if (error != 0) return error;
    sqlite3_bind_int(row, 1, pack_evict_batch);
    return list_numbers(c, row, victims);
}

/* ---- Removing ------------------------------------------------------------ */

static void count_more(atomic_uint_fast64_t *counter, uint64_t more)
{
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

/* Before it goes: its hash goes with it. What cannot be read is no matter. */
static void note_eviction(
        struct pack_store *store, struct pack_connection *c, int64_t number)
{
    sqlite3_stmt *row;
    bool is_row = false;
    if (!store_used_watches(&store->base)
            || pack_prepare(c, &row, pack_hash_of_number) != 0)
        return;
    sqlite3_bind_int64(row, 1, number);
    if (pack_step(c, row, &is_row) == 0 && is_row
            && sqlite3_column_bytes(row, 0) == sizeof(struct pack_hash))
        store_used_evict(&store->base, load_le64(sqlite3_column_blob(row, 0)));
    sqlite3_reset(row);
}

/* Removes a few of the victims, chosen now if there are none left, but no more
 * than it takes for `most` used pages. *any: there were some. */
static int remove_batch(struct pack_store *store, struct pack_connection *c,
        struct pack_victims *victims, uint64_t most, uint64_t *removed,
        bool *any)
{
    struct room room;
    int error = 0;
    const bool fresh = victims->next == victims->count;
    if (fresh) error = choose(store, c, victims);
    *any = victims->count > 0;
    for (int i = 0; i < pack_evict_batch && error == 0
                    && victims->next < victims->count;
            i++) {
        bool existed;
        const int64_t number = victims->numbers[victims->next++];
        if (victims->looked) note_eviction(store, c, number);
        error = pack_delete(c, number, &existed);
        if (existed) ++*removed;
        /* Chosen in this very transaction: an index knows more than the
         * table, and would have us choose the same for ever. */
        if (error == 0 && fresh && !existed) error = EBADMSG;
        if (error == 0) error = measure(&room, store, c);
        if (error == 0 && room.used <= most) break;
    }
    return error;
}

int pack_make_room(struct pack_store *store, struct pack_connection *c,
        struct pack_victims *victims, uint64_t pages, bool *done)
{
    struct room room;
    uint64_t evicted = 0;
    bool any = false;
    int error = measure(&room, store, c);
    if (error != 0) return error;
    *done = false;
    if (pages > 0
            && (room.most < empty_pages || pages > room.most - empty_pages))
        return ERANGE;
    /* A limit that was set lower than it had been. */
    if (room.total > room.most && room.used < room.total)
        return pack_run_plain(c, pack_give_back);
    const uint64_t wanted = store_size_add(room.used, pages);
    if (!victims->looked && wanted <= room.most) *done = true;
    if (victims->looked && wanted <= room.low) *done = true;
    if (*done) return 0;
    if (store->base.options.policy == dnnl_cache_store_policy_none)
        return STORE_IS_FULL;
    victims->looked = true;
    error = remove_batch(store, c, victims,
            store_size_subtract(room.low, pages), &evicted, &any);
    count_more(&store->base.counters.evictions, evicted);
    if (error != 0 || any) return error;
    /* Nobody is left. What is too large for the low-water mark may fit the
     * capacity; pages that belong to nobody are damage. */
    *done = wanted <= room.most;
    if (*done || pages == 0) {
        *done = true;
        return 0;
    }
    return room.used > 2 * empty_pages ? EBADMSG : ERANGE;
}

/* ---- Age ----------------------------------------------------------------- */

/* What is too old. */
struct expiry {
    uint64_t before_ns;
    struct store_age_span spared;
};

static int expire_batch(const struct pack_store *store,
        struct pack_connection *c, const struct expiry *expiry,
        uint64_t *removed)
{
    sqlite3_stmt *row;
    struct pack_victims victims = {.count = 0};
    int error = pack_prepare(c, &row,
            store_notes_use(&store->base.options) ? pack_used_before
                                                  : pack_created_before);
    if (error != 0) return error;
    sqlite3_bind_int64(row, 1, (int64_t)expiry->before_ns);
    sqlite3_bind_int(row, 2, pack_evict_batch);
    sqlite3_bind_int64(row, 3, (int64_t)expiry->spared.from_ns);
    sqlite3_bind_int64(row, 4, (int64_t)expiry->spared.until_ns);
    if (store_notes_use(&store->base.options)) {
        sqlite3_bind_int64(row, 5, (int64_t)STORE_DATED_FROM_NS);
        sqlite3_bind_int64(row, 6, (int64_t)STORE_DATED_UNTIL_NS);
        sqlite3_bind_int(row, 7, store_dated_share);
    }
    error = list_numbers(c, row, &victims);
    for (size_t i = 0; i < victims.count && error == 0; i++) {
        bool existed;
        error = pack_delete(c, victims.numbers[i], &existed);
        if (existed) ++*removed;
        if (error == 0 && !existed) error = EBADMSG; /* see remove_batch() */
    }
    return error;
}

static int expire(struct pack_store *store, struct pack_connection *c,
        uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed)
{
    const struct store_clock clock = store_totals_read_clock(&store->base);
    const uint64_t now_ns = clock_epoch_ns();
    struct expiry expiry;
    expiry.before_ns = store_age_limit(&clock, ages, now_ns, max_age_seconds);
    if (expiry.before_ns == 0) return 0;
    if (!store_clock_find_early(&expiry.spared, &clock, now_ns)
            || expiry.spared.counts_as_ns < expiry.before_ns)
        expiry.spared = (struct store_age_span){.from_ns = 1}; /* none */
    for (;;) {
        uint64_t expired = 0;
        int error = pack_begin_changes(c, pack_begin);
        if (error != 0) return error;
        error = pack_end(c, expire_batch(store, c, &expiry, &expired));
        if (error != 0) return error;
        count_more(&store->base.counters.expired, expired);
        *removed += expired;
        if (expired == 0) return 0;
    }
}

/* ---- At open, and on request --------------------------------------------- */

/* What is behind the last page the header tells of is nobody's: SQLite would
 * leave it there. While it is cut off nobody reads. */
static int cut_tail(struct pack_connection *c)
{
    sqlite3_file *f = NULL;
    sqlite3_int64 size = 0;
    uint64_t pages = 0;
    if (sqlite3_file_control(c->db, "main", SQLITE_FCNTL_FILE_POINTER, &f)
                    != SQLITE_OK
            || f == NULL || f->pMethods == NULL)
        return EIO;
    int error = pack_run_number(c, pack_page_count, &pages);
    const uint64_t end = pages * c->page_size;
    if (error != 0 || pages == 0) return error;
    if (f->pMethods->xFileSize(f, &size) != SQLITE_OK) return EIO;
    if ((uint64_t)size <= end) return 0;
    return f->pMethods->xTruncate(f, (sqlite3_int64)end) == SQLITE_OK ? 0 : EIO;
}

static int cut_tail_alone(
        const struct pack_store *store, struct pack_connection *c)
{
    uint64_t pages = 0;
    int error = pack_run_number(c, pack_page_count, &pages);
    if (error != 0 || pack_file_size(&store->file) <= pages * c->page_size)
        return error;
    error = pack_begin_changes(c, pack_begin_alone);
    return error == 0 ? pack_end(c, cut_tail(c)) : error;
}

int pack_tidy(struct pack_store *store, struct pack_connection *c, void *unused)
{
    struct pack_victims victims = {.count = 0};
    uint64_t removed = 0;
    bool done = false;
    (void)unused;
    int error = cut_tail_alone(store, c);
    if (error == 0)
        error = expire(store, c, store->base.options.max_age_seconds,
                store_ages_by_use, &removed);
    while (error == 0 && !done) {
        error = pack_begin_changes(c, pack_begin);
        if (error != 0) break;
        error = pack_end(c, pack_make_room(store, c, &victims, 0, &done));
    }
    return error;
}

struct trim {
    uint64_t max_bytes;
    uint64_t max_age_seconds;
    enum store_ages ages;
    uint64_t removed;
};

/* One step towards this many pages. */
static int shrink(struct pack_store *store, struct pack_connection *c,
        struct pack_victims *victims, uint64_t pages, uint64_t *removed,
        bool *done)
{
    struct room room;
    bool any = false;
    uint64_t evicted = 0;
    int error = measure(&room, store, c);
    if (error != 0) return error;
    *done = room.total <= pages;
    if (*done) return 0;
    if (room.used > pages) {
        error = remove_batch(store, c, victims, pages, &evicted, &any);
        count_more(&store->base.counters.evictions, evicted);
        *removed += evicted;
        if (error != 0 || any) return error;
    }
    *done = room.used == room.total;
    return *done ? 0 : pack_run_plain(c, pack_give_back);
}

static int trim(struct pack_store *store, struct pack_connection *c, void *user)
{
    struct trim *t = user;
    struct pack_victims victims = {.count = 0};
    bool done = t->max_bytes == UINT64_MAX;
    int error = cut_tail_alone(store, c);
    if (error == 0) error = pack_write_uses(store, c, NULL);
    if (error == 0)
        error = expire(store, c, t->max_age_seconds, t->ages, &t->removed);
    while (error == 0 && !done) {
        error = pack_begin_changes(c, pack_begin);
        if (error != 0) break;
        error = pack_end(
                c, shrink(store, c, &victims, t->max_bytes / c->page_size,
                           &t->removed, &done));
    }
    return error;
}

dnnl_status_t pack_trim(dnnl_cache_store_handle_t *base, uint64_t max_bytes,
        uint64_t max_age_seconds, enum store_ages ages, uint64_t *removed)
{
    struct pack_store *store = (struct pack_store *)base;
    struct trim t = {max_bytes, max_age_seconds, ages, 0};
    int error = 0;
    if (pack_is_off(store)) return dnnl_success;
    if (store->read_only)
        error = EROFS;
    else
        error = pack_call(store, true, base->options.lock_timeout_ms, trim, &t);
    *removed = t.removed;
    return pack_finish(store, "trim", error);
}
