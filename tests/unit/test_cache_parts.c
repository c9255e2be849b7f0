/* SPDX-License-Identifier: Apache-2.0 */
/* How a look-up gets at an entry: the shard of the key is locked, and the map
 * of that shard, and no other, has the entry. */
#include <pthread.h>

#include "cache_items.h"
#include "src/common/cache_parts.h"
#include "test.h"

enum { keys = 200 };

/* Far apart in all bits. */
static uint64_t hash_of(unsigned id)
{
    return (id + 1) * 0x9e3779b97f4a7c15u;
}

/* What is locked whenever the cache gives out a value, by this thread alone. */
static struct {
    struct cache *cache; /* NULL: nobody looks */
    unsigned times;
    unsigned shards; /* that were locked, all times together */
    bool limits;     /* were locked at any time */
    struct shard *last;
} seen;

static bool is_locked(pthread_mutex_t *lock)
{
    if (pthread_mutex_trylock(lock) != 0) return true;
    pthread_mutex_unlock(lock);
    return false;
}

static void look_and_retain(void *item)
{
    if (seen.cache != NULL) {
        seen.times++;
        seen.limits = seen.limits || is_locked(&seen.cache->limits_lock);
        for (unsigned i = 0; i < SHARDS; i++) {
            struct shard *s = &seen.cache->shards[i];
            if (!is_locked(&s->lock)) continue;
            seen.shards++;
            seen.last = s;
        }
    }
    atomic_fetch_add(&((struct item *)item)->references, 1);
}

static struct cache *filled_cache(void)
{
    static const struct cache_ops ops = {
            .retain = look_and_retain, .release = item_release};
    struct cache *c = NULL;
    EXPECT_OK(cache_create(&c, keys, &ops));
    for (unsigned id = 0; id < keys; id++) {
        struct recipe r = {.id = id};
        void *value = NULL;
        const struct cache_key key = {&id, sizeof id, hash_of(id)};
        EXPECT_OK(cache_get_or_build(c, &key, cache_way_shared, recipe_build,
                &r, &value, NULL, NULL));
        item_release(value);
    }
    return c;
}

TEST_C(CacheParts, EveryEntryIsInTheMapOfItsShardAlone)
{
    struct cache *c = filled_cache();
    unsigned used = 0;
    for (unsigned id = 0; id < keys; id++) {
        const struct cache_key key = {&id, sizeof id, hash_of(id)};
        for (unsigned i = 0; i < SHARDS; i++) {
            struct shard *s = &c->shards[i];
            pthread_mutex_lock(&s->lock);
            const struct entry *e = shard_find_locked(s, &key);
            pthread_mutex_unlock(&s->lock);
            EXPECT_EQ(s == shard_of(c, key.hash), e != NULL);
            if (e == NULL) continue;
            EXPECT_EQ(id, ((struct item *)e->value)->id);
        }
    }
    for (unsigned i = 0; i < SHARDS; i++)
        used += c->shards[i].map != NULL;
    EXPECT_EQ(SHARDS, used); /* nobody's keys are all in one */
    cache_destroy(c);
    EXPECT_EQ(0, items_alive());
}

TEST_C(CacheParts, AHitIsTakenUnderTheLockOfItsShardAlone)
{
    struct cache *c = filled_cache();
    for (unsigned id = 0; id < keys; id++) {
        void *value = NULL;
        struct recipe r = {.id = id};
        const struct cache_key key = {&id, sizeof id, hash_of(id)};
        seen.cache = c;
        seen.times = seen.shards = 0;
        seen.limits = false;
        if (id % 2 == 0)
            EXPECT_TRUE(cache_find(c, &key, &value));
        else
            EXPECT_OK(cache_get_or_build(c, &key, cache_way_shared,
                    recipe_build, &r, &value, NULL, NULL));
        seen.cache = NULL;
        EXPECT_EQ(1, seen.times);
        EXPECT_EQ(1, seen.shards);
        EXPECT_PTR_EQ(shard_of(c, key.hash), seen.last);
        EXPECT_FALSE(seen.limits);
        EXPECT_EQ(id, ((struct item *)value)->id);
        EXPECT_EQ(0, atomic_load(&r.calls));
        item_release(value);
    }
    cache_destroy(c);
    EXPECT_EQ(0, items_alive());
}
