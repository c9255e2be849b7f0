/* SPDX-License-Identifier: Apache-2.0 */
#include "src/common/cache_parts.h"

#include "src/platform/clock.h"

#include <assert.h>
#include <utlist.h>

uint64_t cache_stamp(void)
{
    static _Thread_local uint64_t last;
    uint64_t now = clock_ns();
    last = now > last ? now : last + 1;
    return last;
}

/* ---- One shard; its lock is held ----------------------------------------- */

struct entry *shard_find_locked(struct shard *s, const struct cache_key *key)
{
    struct entry *e;
    HASH_FIND_BYHASHVALUE(
            hh, s->map, key->data, key->size, (unsigned)key->hash, e);
    return e;
}

bool shard_map_locked(struct shard *s, struct entry *e)
{
    HASH_ADD_KEYPTR_BYHASHVALUE(
            hh, s->map, e->key, e->hh.keylen, e->hh.hashv, e);
    if (e->hh.tbl == NULL) return false;
    e->mapped = true;
    entry_use(e);
    return true;
}

void shard_unmap_locked(struct shard *s, struct entry *e)
{
    HASH_DEL(s->map, e);
    e->mapped = false;
}

void *shard_take_locked(struct cache *c, struct shard *s, struct entry *e)
{
    e->last_use = cache_stamp();
    if (s->by_use->older != e) { /* the head's older is the tail */
        DL_DELETE2(s->by_use, e, older, newer);
        DL_APPEND2(s->by_use, e, older, newer);
    }
    s->counts.hits++;
    s->counts.saved_ns += e->cost_ns;
    c->ops.retain(e->value);
    return e->value;
}

/* Puts a finished entry where its last use says: seldom far from the end. */
static void list_locked(struct shard *s, struct entry *e)
{
    struct entry *before = s->by_use != NULL ? s->by_use->older : NULL;
    while (before != NULL && before->last_use > e->last_use)
        before = before != s->by_use ? before->older : NULL;
    if (before != NULL)
        DL_APPEND_ELEM2(s->by_use, before, e, older, newer);
    else
        DL_PREPEND2(s->by_use, e, older, newer);
}

/* The least recently used entry, after those that were used by other ways than
 * look-ups have found their places. Others may use them on meanwhile: there is
 * an end to it. */
static struct entry *oldest_locked(struct cache *c, struct shard *s)
{
    for (int moves = 0;
            s->by_use != NULL && c->ops.last_use != NULL && moves < 1 << 16;
            moves++) {
        struct entry *e = s->by_use;
        uint64_t use = c->ops.last_use(e->value);
        if (use <= e->last_use) break;
        e->last_use = use;
        DL_DELETE2(s->by_use, e, older, newer);
        list_locked(s, e);
    }
    return s->by_use;
}

/* ---- The limits; their lock and, in these two, the shard's are held ------ */

void cache_enter_locked(struct cache *c, struct shard *s, struct entry *e)
{
    e->last_use = cache_stamp();
    e->entered = true;
    DL_APPEND2(s->by_use, e, older, newer);
    atomic_fetch_add(&c->size, 1);
    atomic_fetch_add(&c->bytes, e->bytes);
    if (c->ops.mark != NULL) c->ops.mark(e->value, true);
}

void cache_remove_locked(struct cache *c, struct shard *s, struct entry *e,
        enum cache_departure why, struct entry **dropped)
{
    shard_unmap_locked(s, e);
    e->why = why;
    if (entry_state(e) == entry_succeeded) {
        if (why == cache_evicted) c->evictions++;
        DL_DELETE2(s->by_use, e, older, newer);
        atomic_fetch_sub(&c->size, 1);
        atomic_fetch_sub(&c->bytes, e->bytes);
        if (c->ops.mark != NULL) c->ops.mark(e->value, false);
    }
    LL_PREPEND2(*dropped, e, newer);
}

/* ---- The limits; their lock is held, no shard's -------------------------- */

void cache_evict_oldest_locked(struct cache *c, struct entry **dropped)
{
    struct shard *oldest = NULL;
    uint64_t last_use = 0;
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        const struct entry *e = oldest_locked(c, s);
        if (e != NULL && (oldest == NULL || e->last_use < last_use)) {
            oldest = s;
            last_use = e->last_use;
        }
        pthread_mutex_unlock(&s->lock);
    }
    assert(oldest != NULL);
    /* Hits may have moved it, but the shard still has one. */
    pthread_mutex_lock(&oldest->lock);
    cache_remove_locked(c, oldest, oldest->by_use, cache_evicted, dropped);
    pthread_mutex_unlock(&oldest->lock);
}

bool cache_make_room_locked(
        struct cache *c, size_t entries, uint64_t bytes, struct entry **dropped)
{
    size_t capacity = atomic_load(&c->capacity);
    /* One that can never fit must not drive out all others first. */
    if (entries > capacity || bytes > c->byte_limit) return false;
    while (atomic_load(&c->size) > capacity - entries
            || atomic_load(&c->bytes) > c->byte_limit - bytes)
        cache_evict_oldest_locked(c, dropped);
    return true;
}

enum { most_counts = 8 };

/* What was asked before a recount, in which the entry was not there yet, is
 * asked again, but not for ever: an owner may recount each time it is asked. */
void cache_count_and_lock(struct cache *c, struct entry *e)
{
    if (e->value == NULL || c->ops.bytes == NULL) {
        pthread_mutex_lock(&c->limits_lock);
        return;
    }
    for (int counts = 1;; counts++) {
        uint64_t recounts = atomic_load(&c->recounts);
        uint64_t bytes = c->ops.bytes(e->value);
        pthread_mutex_lock(&c->limits_lock);
        e->bytes = bytes;
        if (atomic_load(&c->recounts) == recounts || counts == most_counts)
            return;
        pthread_mutex_unlock(&c->limits_lock);
    }
}
