/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/core/store_used.h"

#include "src/platform/store_fork.h"
#include "stores/core/store_internal.h"
#include "stores/files/store_size.h"

#include <inttypes.h>
#include <stdlib.h>

static bool may_evict(const struct dnnl_cache_store_options *options)
{
    return options->capacity.kind == dnnl_cache_store_limit_kind_bytes
           && options->policy != dnnl_cache_store_policy_none
           && options->log != NULL && !options->read_only;
}

/* A child that was forked begins anew. Another thread may have been changing
 * its parent's table, but the table is there as long as the pointer to it
 * (grow_locked()). */
static struct store_used *begin_locked(struct dnnl_cache_store_handle *store)
{
    struct store_used *used = &store->used;
    const unsigned forks = store_fork_count();
    if (used->forks != forks) {
        struct store_used_entry *parents = used->table;
        *used = (struct store_used){.forks = forks};
        store_fork_order_writes();
        free(parents);
    }
    return used;
}

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
    if (2 * (used->count + 1) <= used->room) return true;
    const size_t room = used->room > 0 ? 2 * used->room : 64;
    if (used->count == store_used_most) return false;
    struct store_used_entry *table = calloc(room, sizeof *table);
    if (table == NULL) return false;
    for (size_t i = 0; i < used->room; i++)
        if (used->table[i].key != 0)
            *find(table, room, used->table[i].key) = used->table[i];
    struct store_used_entry *smaller = used->table;
    used->table = table;
    used->room = room;
    store_fork_order_writes();
    free(smaller);
    return true;
}

static uint64_t key_of(uint64_t key)
{
    return key != 0 ? key : 1; /* 0 stands for an empty place */
}

void store_used_note(
        struct dnnl_cache_store_handle *store, uint64_t key, uint64_t bytes)
{
    if (!may_evict(&store->options)) return;
    store_totals_lock();
    struct store_used *used = begin_locked(store);
    const bool has_room = grow_locked(used);
    struct store_used_entry *entry =
            used->room > 0 ? find(used->table, used->room, key_of(key)) : NULL;
    if (entry != NULL && (entry->key != 0 || has_room)) {
        used->count += entry->key == 0;
        used->bytes = store_size_subtract(used->bytes, entry->bytes);
        used->bytes = store_size_add(used->bytes, bytes);
        *entry = (struct store_used_entry){key_of(key), bytes};
    }
    const bool is_clear = used->evicted > 0 && !used->is_told
                          && used->bytes / 2 >= store->options.capacity.bytes;
    store_totals_unlock();
    if (is_clear) store_used_tell(store);
}

bool store_used_watches(struct dnnl_cache_store_handle *store)
{
    if (!may_evict(&store->options)) return false;
    store_totals_lock();
    const struct store_used *used = begin_locked(store);
    const bool watches = used->count > 0 && !used->is_told;
    store_totals_unlock();
    return watches;
}

void store_used_evict(struct dnnl_cache_store_handle *store, uint64_t key)
{
    if (!may_evict(&store->options)) return;
    store_totals_lock();
    struct store_used *used = begin_locked(store);
    const struct store_used_entry *entry =
            used->room > 0 ? find(used->table, used->room, key_of(key)) : NULL;
    if (entry != NULL && entry->key != 0) {
        used->evicted++;
        used->evicted_bytes = store_size_add(used->evicted_bytes, entry->bytes);
    }
    store_totals_unlock();
}

/* A capacity that would do; 0: the one there is does. */
static uint64_t needed(const struct dnnl_cache_store_handle *store,
        const struct store_used *used)
{
    const uint64_t now = store->options.capacity.bytes;
    const uint64_t lost = used->evicted_bytes < used->bytes
                                  ? used->evicted_bytes
                                  : used->bytes;
    if (used->evicted == 0) return 0;
    const uint64_t capacity =
            store->class->capacity_for(store, used->count, used->bytes);
    /* The rest is used by other processes, or by nobody. */
    return capacity > now ? capacity : store_size_add(now, lost);
}

static struct store_used copy(const struct dnnl_cache_store_handle *store)
{
    const struct store_used none = {.table = NULL};
    store_totals_lock();
    const struct store_used used =
            store->used.forks == store_fork_count() ? store->used : none;
    store_totals_unlock();
    return used;
}

uint64_t store_used_capacity_with(
        const struct dnnl_cache_store_handle *store, uint64_t bytes)
{
    const struct store_used used = copy(store);
    return used.count > 0 ? store->class->capacity_for(
                   store, used.count + 1, store_size_add(used.bytes, bytes))
                          : 0;
}

uint64_t store_used_capacity(const struct dnnl_cache_store_handle *store)
{
    const struct store_used used = copy(store);
    return needed(store, &used);
}

void store_used_tell(struct dnnl_cache_store_handle *store)
{
    const struct store_used used = copy(store);
    const uint64_t mb = 1024 * 1024;
    const uint64_t capacity = needed(store, &used);
    if (capacity == 0) return;
    store_totals_lock();
    const bool is_told = store->used.is_told;
    store->used.is_told = true;
    store_totals_unlock();
    if (is_told) return;
    store_log(store, dnnl_cache_log_warning,
            "%s: capacity of %" PRIu64 " bytes is too small: %" PRIu64
            " of the %zu entries that this process uses were evicted; set it "
            "to at least %" PRIu64 " bytes (%" PRIu64 " MB)",
            store->options.path, store->options.capacity.bytes, used.evicted,
            used.count, capacity, capacity / mb + (capacity % mb != 0));
}

void store_used_fini(struct dnnl_cache_store_handle *store)
{
    free(store->used.table);
    store->used = (struct store_used){.table = NULL};
}
