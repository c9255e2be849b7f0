/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/cache_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

/* ---- The interface ------------------------------------------------------- */

static void cache_free(struct cache *c, size_t shards)
{
    for (size_t i = 0; i < shards; i++)
        pthread_mutex_destroy(&c->shards[i].lock);
    pthread_mutex_destroy(&c->limits_lock);
    free(c);
}

dnnl_status_t cache_create(struct cache **out, size_t capacity_entries,
        const struct cache_ops *ops)
{
    struct cache *c = calloc(1, sizeof *c);
    if (c == NULL) return dnnl_out_of_memory;
    if (pthread_mutex_init(&c->limits_lock, NULL) != 0) {
        free(c);
        return dnnl_out_of_memory;
    }
    for (size_t i = 0; i < SHARDS; i++) {
        if (pthread_mutex_init(&c->shards[i].lock, NULL) != 0) {
            cache_free(c, i);
            return dnnl_out_of_memory;
        }
    }
    c->ops = *ops;
    atomic_init(&c->capacity, capacity_entries);
    atomic_init(&c->size, 0);
    atomic_init(&c->bytes, 0);
    atomic_init(&c->recounts, 0);
    c->byte_limit = UINT64_MAX;
    *out = c;
    return dnnl_success;
}

void cache_destroy(struct cache *c)
{
    if (c == NULL) return;
    cache_clear(c);
    for (size_t i = 0; i < SHARDS; i++)
        assert(c->shards[i].map == NULL); /* no build is under way */
    cache_free(c, SHARDS);
}

bool cache_find(struct cache *c, const struct cache_key *key, void **value)
{
    struct shard *s = shard_of(c, key->hash);
    pthread_mutex_lock(&s->lock);
    struct entry *e = shard_find_locked(s, key);
    bool found = e != NULL && entry_state(e) == entry_succeeded;
    if (found)
        *value = shard_take_locked(c, s, e);
    else
        s->counts.misses++;
    pthread_mutex_unlock(&s->lock);
    return found;
}

bool cache_has(struct cache *c, const struct cache_key *key)
{
    struct shard *s = shard_of(c, key->hash);
    pthread_mutex_lock(&s->lock);
    struct entry *e = shard_find_locked(s, key);
    bool found = e != NULL && entry_state(e) == entry_succeeded;
    pthread_mutex_unlock(&s->lock);
    return found;
}

/* Takes out what the key has; is_first: a build under way only. False: there is
 * a value that stays. The limits' lock is held. */
static bool clear_place_locked(struct cache *c, struct shard *s,
        const struct cache_key *key, bool is_first, struct entry **dropped)
{
    pthread_mutex_lock(&s->lock);
    struct entry *old = shard_find_locked(s, key);
    bool stays = is_first && old != NULL && entry_state(old) == entry_succeeded;
    if (old != NULL && !stays)
        cache_remove_locked(c, s, old, cache_replaced, dropped);
    pthread_mutex_unlock(&s->lock);
    return !stays;
}

/* Maps and enters a finished entry, if memory allows. The limits' lock is held,
 * and there is room. */
static bool place_locked(struct cache *c, struct shard *s, struct entry *e,
        const struct cache_key *key, struct entry **dropped)
{
    pthread_mutex_lock(&s->lock);
    /* What another thread has begun since serves those who wait for it. */
    struct entry *begun = shard_find_locked(s, key);
    if (begun != NULL)
        cache_remove_locked(c, s, begun, cache_replaced, dropped);
    bool mapped = shard_map_locked(s, e);
    if (mapped) cache_enter_locked(c, s, e);
    pthread_mutex_unlock(&s->lock);
    return mapped;
}

dnnl_status_t cache_put(struct cache *c, const struct cache_key *key,
        void *value, uint64_t cost_ns, bool is_first)
{
    struct shard *s = shard_of(c, key->hash);
    struct entry *dropped = NULL;
    dnnl_status_t st = dnnl_success;
    struct entry *e = entry_create(key);
    if (e != NULL) {
        c->ops.retain(value);
        e->value = value;
        e->cost_ns = cost_ns;
        entry_settle(e);
        cache_count_and_lock(c, e);
    } else {
        pthread_mutex_lock(&c->limits_lock);
    }
    if (clear_place_locked(c, s, key, is_first, &dropped)) {
        if (e == NULL
                || (cache_make_room_locked(c, 1, e->bytes, &dropped)
                        && !place_locked(c, s, e, key, &dropped)))
            st = dnnl_out_of_memory;
    }
    pthread_mutex_unlock(&c->limits_lock);

    entry_leave_all(c, dropped);
    if (e != NULL) entry_leave(c, e);
    return st;
}

bool cache_remove_value(
        struct cache *c, const struct cache_key *key, const void *value)
{
    struct shard *s = shard_of(c, key->hash);
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    pthread_mutex_lock(&s->lock);
    struct entry *e = shard_find_locked(s, key);
    bool removed =
            e != NULL && entry_state(e) == entry_succeeded && e->value == value;
    if (removed) cache_remove_locked(c, s, e, cache_dropped, &dropped);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&c->limits_lock);
    entry_leave_all(c, dropped);
    return removed;
}

/* Some of the finished entries. */
struct choice {
    bool (*belongs)(const void *value, const void *arg); /* NULL: all do */
    const void *arg;
    uint64_t least_bytes; /* those of fewer are not meant */
};

static void remove_chosen_locked(struct cache *c, const struct choice *choice,
        enum cache_departure why, struct entry **dropped)
{
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        struct entry *e;
        struct entry *following;
        DL_FOREACH_SAFE2(s->by_use, e, following, newer)
        {
            if (e->bytes < choice->least_bytes
                    || (choice->belongs != NULL
                            && !choice->belongs(e->value, choice->arg)))
                continue;
            cache_remove_locked(c, s, e, why, dropped);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

static void remove_chosen(
        struct cache *c, const struct choice *choice, enum cache_departure why)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    remove_chosen_locked(c, choice, why, &dropped);
    pthread_mutex_unlock(&c->limits_lock);
    entry_leave_all(c, dropped);
}

void cache_remove_if(struct cache *c, enum cache_departure why,
        bool (*belongs)(const void *value, const void *arg), const void *arg)
{
    const struct choice choice = {belongs, arg, 0};
    remove_chosen(c, &choice, why);
}

void cache_clear(struct cache *c)
{
    const struct choice all = {NULL, NULL, 0};
    remove_chosen(c, &all, cache_dropped);
}

void cache_evict_all(struct cache *c)
{
    const struct choice all = {NULL, NULL, 0};
    remove_chosen(c, &all, cache_evicted);
}

void cache_set_capacity(struct cache *c, size_t entries)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    /* Fewer may be held from now on; which, those there now decide. */
    while (atomic_load(&c->size) > entries)
        cache_evict_oldest_locked(c, &dropped);
    atomic_store(&c->capacity, entries);
    pthread_mutex_unlock(&c->limits_lock);
    entry_leave_all(c, dropped);
}

size_t cache_capacity(struct cache *c)
{
    return atomic_load(&c->capacity);
}

void cache_set_byte_limit(struct cache *c, uint64_t bytes)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    c->byte_limit = bytes;
    if (bytes < UINT64_MAX) {
        /* They must not drive out others first. */
        const struct choice too_large = {NULL, NULL, bytes + 1};
        remove_chosen_locked(c, &too_large, cache_evicted, &dropped);
    }
    (void)cache_make_room_locked(c, 0, 0, &dropped);
    pthread_mutex_unlock(&c->limits_lock);
    entry_leave_all(c, dropped);
}

/* A finished entry that this recount has not met, for the caller to use, and
 * its shard. */
static struct entry *next_to_count_locked(
        struct cache *c, uint64_t recount, struct shard **shard)
{
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        struct entry *found = NULL;
        struct entry *e;
        pthread_mutex_lock(&s->lock);
        DL_FOREACH2(s->by_use, e, newer)
        {
            if (e->count >= recount) continue;
            entry_use(e);
            e->count = recount;
            found = e;
            break;
        }
        pthread_mutex_unlock(&s->lock);
        *shard = s;
        if (found != NULL) return found;
    }
    return NULL;
}

/* Corrects what a finished entry of the map counts. The limits' lock is held.
 */
static void correct_locked(struct cache *c, struct shard *s, struct entry *e,
        uint64_t bytes, struct entry **dropped)
{
    atomic_fetch_add(&c->bytes, bytes - e->bytes);
    e->bytes = bytes;
    if (bytes > c->byte_limit) { /* it must not drive out others first */
        pthread_mutex_lock(&s->lock);
        cache_remove_locked(c, s, e, cache_evicted, dropped);
        pthread_mutex_unlock(&s->lock);
    }
    (void)cache_make_room_locked(c, 0, 0, dropped);
}

void cache_recount(struct cache *c)
{
    if (c->ops.bytes == NULL) return;
    struct entry *e;
    struct shard *s;
    pthread_mutex_lock(&c->limits_lock);
    uint64_t recount = atomic_fetch_add(&c->recounts, 1) + 1;
    while ((e = next_to_count_locked(c, recount, &s)) != NULL) {
        pthread_mutex_unlock(&c->limits_lock);
        uint64_t bytes = c->ops.bytes(e->value);
        struct entry *dropped = NULL;
        pthread_mutex_lock(&c->limits_lock);
        /* Read under this lock: see struct entry. A later recount that met it
         * meanwhile knows better. */
        if (e->mapped && e->count == recount)
            correct_locked(c, s, e, bytes, &dropped);
        pthread_mutex_unlock(&c->limits_lock);
        entry_leave_all(c, dropped);
        entry_leave(c, e);
        pthread_mutex_lock(&c->limits_lock);
    }
    pthread_mutex_unlock(&c->limits_lock);
}

void cache_get_statistics(struct cache *c, struct cache_statistics *out)
{
    struct cache_statistics sum = {0};
    pthread_mutex_lock(&c->limits_lock);
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        sum.hits += s->counts.hits;
        sum.waits += s->counts.waits;
        sum.misses += s->counts.misses;
        sum.builds += s->counts.builds;
        sum.failures += s->counts.failures;
        sum.saved_ns += s->counts.saved_ns;
        pthread_mutex_unlock(&s->lock);
    }
    sum.evictions = c->evictions;
    sum.entries = atomic_load(&c->size);
    sum.bytes = atomic_load(&c->bytes);
    pthread_mutex_unlock(&c->limits_lock);
    *out = sum;
}
