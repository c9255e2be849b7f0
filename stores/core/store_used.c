/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_used.h"

#include "src/platform/fork.h"
#include "stores/core/store_internal.h"
#include "stores/files/store_size.h"

#include <inttypes.h>
#include <stdlib.h>

static bool may_evict(const struct dnnl_cache_store_options *options)
{
    return store_has_capacity(options)
           && options->policy != dnnl_cache_store_policy_none
           && options->log != NULL && !options->read_only;
}

/* Is what is there this process's, so that its first places may be used without
 * the lock? */
static bool is_ours(const struct store_used *used)
{
    return atomic_load_explicit(&used->forks, memory_order_acquire)
           == fork_count();
}

/* A child that was forked begins anew. Another thread may have been changing
 * its parent's table, but the table is there as long as the pointer to it
 * (grow_locked()). */
static struct store_used *begin_locked(dnnl_cache_store_handle_t *store)
{
    struct store_used *used = &store->used;
    if (is_ours(used)) return used;
    struct store_used_entry *parents = used->table;
    used->table = NULL;
    used->room = 0;
    used->table_count = 0;
    used->evicted_bytes = 0;
    for (size_t i = 0; i < store_used_places; i++) {
        atomic_store(&used->first[i].key, 0);
        atomic_store(&used->first[i].bytes, 0);
    }
    atomic_store(&used->first_count, 0);
    atomic_store(&used->count, 0);
    atomic_store(&used->bytes, 0);
    atomic_store(&used->evicted, 0);
    atomic_store(&used->is_told, false);
    fork_order_writes();
    free(parents);
    atomic_store_explicit(&used->forks, fork_count(), memory_order_release);
    return used;
}

static uint64_t key_of(uint64_t key)
{
    return key != 0 ? key : 1; /* 0 stands for an empty place */
}

/* ---- The first places ---------------------------------------------------- */

static void set_bytes(
        struct store_used *used, struct store_used_place *place, uint64_t bytes)
{
    if (atomic_load_explicit(&place->bytes, memory_order_relaxed) == bytes)
        return;
    const uint64_t before = atomic_exchange(&place->bytes, bytes);
    atomic_fetch_add(&used->bytes, bytes - before);
}

/* The place of a key, or the free one where it belongs: there always is one. */
static struct store_used_place *find_first(
        struct store_used *used, uint64_t key, uint64_t *found)
{
    size_t at = (size_t)key % store_used_places;
    for (;;) {
        struct store_used_place *place = &used->first[at];
        *found = atomic_load_explicit(&place->key, memory_order_relaxed);
        if (*found == 0 || *found == key) return place;
        at = (at + 1) % store_used_places;
    }
}

/* Needs no lock. False: the key has no place there, nor gets one. Two threads
 * that bring the same key when one place is left may count it twice. */
static bool note_first(struct store_used *used, uint64_t key, uint64_t bytes)
{
    uint64_t found;
    struct store_used_place *place = find_first(used, key, &found);
    if (found == 0) {
        if (atomic_load_explicit(&used->first_count, memory_order_relaxed)
                        >= store_used_first
                || atomic_fetch_add(&used->first_count, 1) >= store_used_first)
            return false;
        do {
            uint_fast64_t expected = 0;
            if (atomic_compare_exchange_strong(&place->key, &expected, key)) {
                atomic_fetch_add(&used->count, 1);
                break;
            }
            place = find_first(used, key, &found);
        } while (found == 0);
    }
    set_bytes(used, place, bytes);
    return true;
}

/* ---- The table ----------------------------------------------------------- */

/* The place of a key, or the empty one where it belongs. */
static struct store_used_entry *find(
        struct store_used_entry *table, size_t room, uint64_t key)
{
    size_t at = (size_t)key & (room - 1);
    while (table[at].key != 0 && table[at].key != key)
        at = (at + 1) & (room - 1);
    return &table[at];
}

/* At most half of the table is in use. */
static bool grow_locked(struct store_used *used)
{
    if (2 * (used->table_count + 1) <= used->room) return true;
    const size_t room = used->room > 0 ? 2 * used->room : 64;
    if (used->table_count == store_used_most) return false;
    struct store_used_entry *table = calloc(room, sizeof *table);
    if (table == NULL) return false;
    for (size_t i = 0; i < used->room; i++)
        if (used->table[i].key != 0)
            *find(table, room, used->table[i].key) = used->table[i];
    struct store_used_entry *smaller = used->table;
    used->table = table;
    used->room = room;
    fork_order_writes();
    free(smaller);
    return true;
}

static void note_locked(struct store_used *used, uint64_t key, uint64_t bytes)
{
    const bool has_room = grow_locked(used);
    struct store_used_entry *entry =
            used->room > 0 ? find(used->table, used->room, key) : NULL;
    if (entry == NULL || (entry->key == 0 && !has_room)) return;
    if (entry->key == 0) {
        used->table_count++;
        atomic_fetch_add(&used->count, 1);
    }
    atomic_fetch_add(&used->bytes, bytes - entry->bytes);
    *entry = (struct store_used_entry){key, bytes};
}

/* *bytes: of the entry, if it is one that was used. */
static bool is_used_locked(
        struct store_used *used, uint64_t key, uint64_t *bytes)
{
    uint64_t found;
    const struct store_used_place *place = find_first(used, key, &found);
    if (found != 0) {
        *bytes = atomic_load(&place->bytes);
        return true;
    }
    const struct store_used_entry *entry =
            used->room > 0 ? find(used->table, used->room, key) : NULL;
    if (entry == NULL || entry->key == 0) return false;
    *bytes = entry->bytes;
    return true;
}

/* ---- Calls --------------------------------------------------------------- */

void store_used_note(
        dnnl_cache_store_handle_t *store, uint64_t key, uint64_t bytes)
{
    struct store_used *used = &store->used;
    if (!may_evict(&store->options)) return;
    key = key_of(key);
    if (!is_ours(used) || !note_first(used, key, bytes)) {
        store_totals_lock();
        (void)begin_locked(store);
        if (!note_first(used, key, bytes)) note_locked(used, key, bytes);
        store_totals_unlock();
    }
    if (atomic_load_explicit(&used->evicted, memory_order_relaxed) > 0
            && !atomic_load(&used->is_told)
            && atomic_load(&used->bytes) / 2 >= store->options.capacity)
        store_used_report(store);
}

bool store_used_watches(dnnl_cache_store_handle_t *store)
{
    const struct store_used *used = &store->used;
    return may_evict(&store->options) && is_ours(used)
           && atomic_load(&used->count) > 0 && !atomic_load(&used->is_told);
}

void store_used_evict(dnnl_cache_store_handle_t *store, uint64_t key)
{
    uint64_t bytes;
    if (!may_evict(&store->options)) return;
    store_totals_lock();
    struct store_used *used = begin_locked(store);
    if (is_used_locked(used, key_of(key), &bytes)) {
        used->evicted_bytes = store_size_add(used->evicted_bytes, bytes);
        atomic_fetch_add(&used->evicted, 1);
    }
    store_totals_unlock();
}

/* A capacity that would do; 0: the one there is does. */
static uint64_t needed(const dnnl_cache_store_handle_t *store,
        const struct store_used_sum *used)
{
    const uint64_t now = store->options.capacity;
    const uint64_t lost = used->evicted_bytes < used->bytes
                                  ? used->evicted_bytes
                                  : used->bytes;
    if (used->evicted == 0) return 0;
    const uint64_t capacity =
            store->calls->capacity_for(store, used->count, used->bytes);
    /* The rest is used by other processes, or by nobody. */
    return capacity > now ? capacity : store_size_add(now, lost);
}

static struct store_used_sum sum_of(const dnnl_cache_store_handle_t *store)
{
    const struct store_used *used = &store->used;
    struct store_used_sum sum = {0, 0, 0, 0};
    store_totals_lock();
    if (is_ours(used))
        sum = (struct store_used_sum){
                .count = atomic_load(&used->count),
                .bytes = atomic_load(&used->bytes),
                .evicted = atomic_load(&used->evicted),
                .evicted_bytes = used->evicted_bytes,
        };
    store_totals_unlock();
    return sum;
}

uint64_t store_used_capacity_with(
        const dnnl_cache_store_handle_t *store, uint64_t bytes)
{
    const struct store_used_sum used = sum_of(store);
    return used.count > 0 ? store->calls->capacity_for(
                   store, used.count + 1, store_size_add(used.bytes, bytes))
                          : 0;
}

uint64_t store_used_capacity(const dnnl_cache_store_handle_t *store)
{
    const struct store_used_sum used = sum_of(store);
    return needed(store, &used);
}

void store_used_report(dnnl_cache_store_handle_t *store)
{
    const struct store_used_sum used = sum_of(store);
    const uint64_t mb = 1024 * 1024;
    const uint64_t capacity = needed(store, &used);
    if (capacity == 0) return;
    if (atomic_exchange(&store->used.is_told, true)) return;
    store_log(store, dnnl_cache_log_warning,
            "%s: capacity of %" PRIu64 " bytes is too small: %" PRIu64
            " of the %" PRIu64
            " entries that this process uses were evicted; set it "
            "to at least %" PRIu64 " bytes (%" PRIu64 " MB)",
            store->options.path, store->options.capacity, used.evicted,
            used.count, capacity, capacity / mb + (capacity % mb != 0));
}

void store_used_fini(dnnl_cache_store_handle_t *store)
{
    free(store->used.table);
    store->used.table = NULL;
    store->used.room = 0;
}
