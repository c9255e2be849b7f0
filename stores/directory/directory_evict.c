/* SPDX-License-Identifier: Apache-2.0 */
/* Which entries a store has, and which of them have to go. */
#include "stores/directory/directory_store.h"

#include "src/common/array.h"
#include "src/platform/clock.h"
#include "stores/core/store_put.h"
#include "stores/files/store_size.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- Which there are ----------------------------------------------------- */

struct candidate {
    struct directory_entry entry;
    double rank;
    bool gone;
};

struct candidates {
    const struct directory_store *store;
    struct candidate *list;
    size_t count;
};

static int add(struct candidates *c, const struct directory_entry *entry)
{
    if (!array_grow(&c->list, c->count, sizeof *c->list)) return ENOMEM;
    c->list[c->count++] = (struct candidate){.entry = *entry};
    return 0;
}

static int measure(void *user, const struct directory_slot *slot)
{
    struct candidates *c = user;
    struct directory_entry entry = {.slot = *slot};
    const int error = c->store->layout->measure(&entry, c->store, slot);
    if (error == ENOENT) return 0; /* gone meanwhile */
    return error == 0 ? add(c, &entry) : error;
}

/* Reads the directory, with the lock if t is not NULL. The caller frees
 * c->list, also after a failure. */
static int list_directory(struct candidates *c,
        const struct directory_store *store,
        const struct directory_transaction *t)
{
    *c = (struct candidates){.store = store};
    const int error = store->layout->for_each(store, measure, c, t);
    return error == ENOENT ? 0 : error;
}

/* Takes a candidate away; what somebody else holds a lock on stays. */
static int drop(struct directory_transaction *t, struct candidate *candidate,
        uint64_t *removed)
{
    const struct directory_layout *layout = t->store->layout;
    const int error = layout->discard(t, &candidate->entry.slot);
    if (error == EAGAIN) return 0;
    if (error != 0 && error != ENOENT) {
        t->broken = true;
        return error;
    }
    candidate->gone = true;
    if (!layout->has_index)
        t->bytes = store_size_subtract(t->bytes, candidate->entry.bytes);
    if (error == 0 && removed != NULL) {
        ++*removed;
        directory_note_eviction(t, &candidate->entry.slot);
    }
    return 0;
}

static int compare_creation(const void *left, const void *right)
{
    const struct directory_record *a = left;
    const struct directory_record *b = right;
    if (a->created_ns != b->created_ns)
        return a->created_ns < b->created_ns ? -1 : 1;
    if (a->slot.group[0] != b->slot.group[0])
        return a->slot.group[0] < b->slot.group[0] ? -1 : 1;
    return (a->slot.number > b->slot.number)
           - (a->slot.number < b->slot.number);
}

/* Makes the index of those that are not gone. Damaged entries have no time, and
 * are the first to go. */
static int rebuild_index(
        struct directory_transaction *t, const struct candidates *c)
{
    size_t kept = 0;
    struct directory_record *records = malloc((c->count + 1) * sizeof *records);
    if (records == NULL) return ENOMEM;
    for (size_t i = 0; i < c->count; i++) {
        const struct directory_entry *entry = &c->list[i].entry;
        if (c->list[i].gone) continue;
        records[kept++] = (struct directory_record){
                .slot = entry->slot,
                .created_ns = entry->item.created_ns,
                .bytes = entry->bytes,
                .live = true,
        };
    }
    qsort(records, kept, sizeof *records, compare_creation);
    const int error = directory_index_rebuild(&t->index, records, kept);
    free(records);
    return error;
}

/* The size of what is listed; what is incomplete is no entry, and goes. */
static int count_listed(struct directory_transaction *t, struct candidates *c)
{
    size_t kept = 0;
    int error = 0;
    t->bytes = 0;
    for (size_t i = 0; i < c->count; i++)
        t->bytes = store_size_add(t->bytes, c->list[i].entry.bytes);
    for (size_t i = 0; i < c->count && error == 0; i++) {
        if (c->list[i].entry.complete)
            c->list[kept++] = c->list[i];
        else
            error = drop(t, &c->list[i], NULL);
    }
    c->count = kept;
    if (error == 0) t->broken = false;
    return error;
}

int directory_recount(struct directory_transaction *t)
{
    const struct directory_layout *layout = t->store->layout;
    struct candidates c = {.list = NULL};
    int error = directory_start(t);
    if (error == 0) error = list_directory(&c, t->store, t);
    if (error == 0)
        error = layout->has_index ? rebuild_index(t, &c) : count_listed(t, &c);
    t->counted = true;
    /* The size is right then, but the next writer has to look again. */
    if (error != 0 || (layout->prune != NULL && layout->prune(t, false) != 0))
        t->broken = true;
    if (c.count > 0) store_count(&t->store->base->counters.recounts);
    free(c.list);
    return error;
}

/* ---- Which have to go ---------------------------------------------------- */

uint64_t directory_slot_key(const struct directory_slot *slot)
{
    uint64_t parts[sizeof slot->group / sizeof *slot->group + 1];
    memcpy(parts, slot->group, sizeof slot->group);
    parts[sizeof slot->group / sizeof *slot->group] = slot->number;
    return XXH3_64bits(parts, sizeof parts);
}

void directory_note_eviction(const struct directory_transaction *t,
        const struct directory_slot *slot)
{
    if (t->makes_room)
        store_used_evict(t->store->base, directory_slot_key(slot));
}

uint64_t directory_fixed_bytes(const struct directory_layout *layout)
{
    return layout->size_file_bytes + store_totals_bytes;
}

uint64_t directory_total_with(
        const struct directory_transaction *t, uint64_t bytes)
{
    const struct directory_layout *layout = t->store->layout;
    uint64_t fixed = directory_fixed_bytes(layout);
    if (layout->has_index) fixed += directory_index_file_bytes(&t->index, 1);
    return store_size_add(store_size_add(directory_bytes(t), bytes), fixed);
}

const struct store_clock *directory_clock(struct directory_transaction *t)
{
    if (!t->knows_clock) t->clock = store_totals_read_clock(t->store->base);
    t->knows_clock = true;
    return &t->clock;
}

/* Those of equal rank, as where no use can be noted: the largest first. */
static int compare_ranks(const void *left, const void *right)
{
    const struct candidate *a = left;
    const struct candidate *b = right;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    return (a->entry.bytes < b->entry.bytes)
           - (a->entry.bytes > b->entry.bytes);
}

static int list_index(struct candidates *c, struct directory_transaction *t)
{
    struct directory_record *records;
    size_t count;
    *c = (struct candidates){.store = t->store};
    int error = directory_index_list(&t->index, &records, &count);
    if (error == EBADMSG) {
        error = directory_recount(t);
        if (error == 0)
            error = directory_index_list(&t->index, &records, &count);
    }
    if (error != 0) return error;
    for (size_t i = 0; i < count && error == 0; i++) {
        const struct directory_entry entry = {
                .slot = records[i].slot,
                .bytes = records[i].bytes,
                .item.created_ns = records[i].created_ns,
        };
        error = add(c, &entry);
    }
    free(records);
    return error;
}

/* All entries, each with its rank; the caller frees c->list, also after a
 * failure. Without an index the store has been counted then. */
static int list_by_rank(
        struct directory_transaction *t, struct candidates *c, uint64_t now_ns)
{
    const struct dnnl_cache_store_options *options = &t->store->base->options;
    const bool indexed = t->store->layout->has_index;
    *c = (struct candidates){.store = t->store};
    int error = indexed ? list_index(c, t) : directory_start(t);
    if (error == 0 && !indexed) error = list_directory(c, t->store, t);
    if (error == 0 && !indexed) error = count_listed(t, c);
    for (size_t i = 0; i < c->count && error == 0; i++) {
        struct directory_entry *entry = &c->list[i].entry;
        if (indexed)
            error = directory_weigh(&c->list[i].rank, &entry->item.used_ns, t,
                    &entry->slot, now_ns);
        else {
            entry->item =
                    store_clock_item(directory_clock(t), &entry->item, now_ns);
            c->list[i].rank =
                    store_eviction_rank(options, &entry->item, now_ns);
        }
    }
    return error;
}

/* What has gone goes from the index, too. */
static int settle(struct directory_transaction *t, const struct candidates *c)
{
    const uint64_t last = t->index.last_created_ns;
    if (!t->store->layout->has_index) return 0;
    int error = directory_start(t);
    if (error == 0) error = rebuild_index(t, c);
    if (error != 0) t->broken = true; /* the index has what is gone */
    /* The order of creation goes on. */
    if (error == 0 && last > t->index.last_created_ns)
        t->index.last_created_ns = last;
    return error;
}

int directory_evict_by_rank(struct directory_transaction *t, uint64_t bytes,
        uint64_t most, uint64_t enough, uint64_t *evicted)
{
    struct candidates c;
    bool any = false;
    int error = list_by_rank(t, &c, clock_epoch_ns());
    uint64_t total = directory_total_with(t, bytes);
    if (error == 0 && total > enough) {
        if (c.count > 0) qsort(c.list, c.count, sizeof *c.list, compare_ranks);
        for (size_t i = 0; i < c.count && error == 0 && total > most; i++) {
            error = drop(t, &c.list[i], evicted);
            if (!c.list[i].gone) continue;
            any = true;
            total = store_size_subtract(total, c.list[i].entry.bytes);
        }
        if (error == 0 && any) error = settle(t, &c);
        if (error == 0 && total > most && !(any && t->store->layout->has_index))
            error = ERANGE;
    }
    free(c.list);
    return error;
}

static int evict(struct directory_transaction *t, uint64_t bytes, uint64_t most,
        uint64_t enough, uint64_t *removed)
{
    uint64_t evicted = 0;
    const int error =
            t->store->layout->has_index
                    ? directory_evict_indexed(t, bytes, most, &evicted)
                    : directory_evict_by_rank(t, bytes, most, enough, &evicted);
    atomic_fetch_add_explicit(
            &t->store->base->counters.evictions, evicted, memory_order_relaxed);
    if (removed != NULL) *removed += evicted;
    return error;
}

int directory_make_room(struct directory_transaction *t, uint64_t bytes)
{
    const struct dnnl_cache_store_options *options = &t->store->base->options;
    const uint64_t capacity = options->capacity;
    if (!store_has_capacity(options)
            || directory_total_with(t, bytes) <= capacity)
        return 0;
    if (options->policy == dnnl_cache_store_policy_none) return STORE_IS_FULL;
    t->makes_room = true;
    const int error = evict(t, bytes, store_low_water(options), capacity, NULL);
    t->makes_room = false;
    /* What is too large for the low-water mark may fit the capacity. */
    return error == ERANGE && directory_total_with(t, bytes) <= capacity
                   ? 0
                   : error;
}

int directory_shrink(
        struct directory_transaction *t, uint64_t max_bytes, uint64_t *removed)
{
    const int error = evict(t, 0, max_bytes, max_bytes, removed);
    return error == ERANGE ? 0 : error;
}

/* ---- Which are too old --------------------------------------------------- */

static bool is_older(const struct candidate *candidate, uint64_t limit_ns)
{
    return store_date_of(candidate->entry.item.used_ns) < limit_ns;
}

bool directory_has_expired(
        struct directory_store *store, uint64_t max_age_seconds)
{
    struct candidates c;
    bool found = false;
    const uint64_t now = clock_epoch_ns();
    if (max_age_seconds > now / 1000000000u) return false; /* any */
    if (store->layout->has_index) return true;
    const struct store_clock clock = store_totals_read_clock(store->base);
    const uint64_t limit_ns =
            store_age_limit(&clock, store_ages_by_use, now, max_age_seconds);
    if (limit_ns == 0) return false;
    const int error = list_directory(&c, store, NULL);
    for (size_t i = 0; error == 0 && i < c.count && !found; i++) {
        struct dnnl_cache_store_entry *item = &c.list[i].entry.item;
        *item = store_clock_item(&clock, item, now);
        found = is_older(&c.list[i], limit_ns);
    }
    free(c.list);
    return found;
}

/* All entries, each with its time as it counts; by an index in which it is the
 * creation that counts no entry is looked at. */
static int list_by_age(
        struct directory_transaction *t, struct candidates *c, uint64_t now_ns)
{
    if (!t->store->layout->has_index
            || store_notes_use(&t->store->base->options))
        return list_by_rank(t, c, now_ns);
    const int error = list_index(c, t);
    for (size_t i = 0; i < c->count && error == 0; i++) {
        struct dnnl_cache_store_entry *item = &c->list[i].entry.item;
        item->used_ns = store_clock_use_of(
                directory_clock(t), item->created_ns, now_ns);
    }
    return error;
}

static int expire_before(struct directory_transaction *t, uint64_t now,
        uint64_t limit_ns, uint64_t *expired)
{
    struct candidates c;
    bool any = false;
    int error = list_by_age(t, &c, now);
    for (size_t i = 0; i < c.count && error == 0; i++) {
        if (!is_older(&c.list[i], limit_ns)) continue;
        error = drop(t, &c.list[i], expired);
        any = any || c.list[i].gone;
    }
    if (error == 0 && any) error = settle(t, &c);
    free(c.list);
    return error;
}

int directory_expire(struct directory_transaction *t, uint64_t max_age_seconds,
        enum store_ages ages, uint64_t *removed)
{
    const uint64_t now = clock_epoch_ns();
    uint64_t expired = 0;
    const uint64_t limit_ns =
            store_age_limit(directory_clock(t), ages, now, max_age_seconds);
    if (limit_ns == 0
            || (t->store->layout->has_index
                    && !directory_may_be_older(t, now, limit_ns)))
        return 0;
    const int error = expire_before(t, now, limit_ns, &expired);
    atomic_fetch_add_explicit(
            &t->store->base->counters.expired, expired, memory_order_relaxed);
    *removed += expired;
    return error;
}
