/* SPDX-License-Identifier: Apache-2.0 */
/* The ways to a value in which nobody waits: found, built anew, or not kept. */
#include "cache_items.h"

#include "test.h"

#include <limits.h>

/* The recipe's item in one of the ways. */
static dnnl_status_t get(struct cache *c, enum cache_way way, struct recipe *r,
        struct item **item, enum cache_outcome *outcome)
{
    struct item_key k;
    void *value = NULL;
    item_key_init(&k, r->id);
    dnnl_status_t st = cache_get_or_build(
            c, &k.key, way, recipe_build, r, &value, outcome, NULL);
    *item = value;
    return st;
}

static void expect_counts(struct cache *c, uint64_t hits, uint64_t misses,
        uint64_t builds, uint64_t failures)
{
    const struct cache_statistics now = items_statistics(c);
    EXPECT_EQ(hits, now.hits);
    EXPECT_EQ(misses, now.misses);
    EXPECT_EQ(builds, now.builds);
    EXPECT_EQ(failures, now.failures);
    EXPECT_EQ(0, now.waits);
}

/* Inside a build of the same key: what others do meanwhile. */
static void get_without_waiting(struct recipe *r)
{
    struct recipe inner = {.id = r->id, .bytes = 7};
    struct item *item = NULL;
    enum cache_outcome outcome = cache_outcome_hit;
    EXPECT_OK(get(r->cache, cache_way_no_wait, &inner, &item, &outcome));
    EXPECT_EQ(cache_outcome_built, outcome);
    EXPECT_EQ(7, item->bytes);
    item_release(item);
}

TEST_CACHE(CacheWays, NoWaitBuildsWhatAnotherBuilds, 4)
{
    struct recipe r = {
            .id = 1, .bytes = 10, .during = get_without_waiting, .cache = c};
    struct item *item = NULL;
    ASSERT_OK(get(c, cache_way_shared, &r, &item, NULL));
    EXPECT_EQ(10, item->bytes); /* serves who began it */
    item_release(item);
    enum cache_outcome outcome = cache_outcome_built;
    ASSERT_OK(get(c, cache_way_no_wait, &r, &item, &outcome));
    EXPECT_EQ(cache_outcome_hit, outcome);
    EXPECT_EQ(7, item->bytes); /* was finished first */
    item_release(item);
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(7, items_statistics(c).bytes);
    expect_counts(c, 1, 2, 2, 0);
}

static void put_anew(struct recipe *r)
{
    struct recipe inner = {.id = r->id, .bytes = 7};
    struct item *item = NULL;
    EXPECT_OK(get(r->cache, cache_way_anew, &inner, &item, NULL));
    item_release(item);
}

/* What came meanwhile is as good, and others have it already. */
TEST_CACHE(CacheWays, NoWaitLeavesWhatHasComeMeanwhile, 4)
{
    struct recipe r = {.id = 1, .bytes = 10, .during = put_anew, .cache = c};
    struct item *item = NULL;
    ASSERT_OK(get(c, cache_way_no_wait, &r, &item, NULL));
    EXPECT_EQ(10, item->bytes);
    EXPECT_EQ(1, atomic_load(&item->references));
    item_release(item);
    EXPECT_EQ(7, items_statistics(c).bytes);
    EXPECT_EQ(1, items_count(c));
}

TEST_CACHE(CacheWays, AnewTakesThePlaceOfWhatIsThere, 4)
{
    struct recipe r = {.id = 1, .bytes = 10};
    struct recipe again = {.id = 1, .bytes = 20};
    struct item *item = NULL;
    enum cache_outcome outcome = cache_outcome_hit;
    ASSERT_OK(get(c, cache_way_shared, &r, &item, NULL));
    item_release(item);
    uint64_t saved = items_statistics(c).saved_ns;
    ASSERT_OK(get(c, cache_way_anew, &again, &item, &outcome));
    EXPECT_EQ(cache_outcome_built, outcome);
    item_release(item);
    EXPECT_EQ(20, items_statistics(c).bytes);
    EXPECT_EQ(saved, items_statistics(c).saved_ns); /* it saved nothing */
    ASSERT_OK(get(c, cache_way_shared, &r, &item, NULL));
    EXPECT_EQ(20, item->bytes);
    item_release(item);
    expect_counts(c, 1, 2, 2, 0);
}

TEST_CACHE(CacheWays, AnewThatFailsLeavesWhatIsThere, 4)
{
    struct recipe r = {.id = 1, .bytes = 10};
    struct recipe again = {
            .id = 1, .status = dnnl_runtime_error, .failing_calls = 1};
    struct item *item = NULL;
    ASSERT_OK(get(c, cache_way_shared, &r, &item, NULL));
    item_release(item);
    EXPECT_STATUS(
            dnnl_runtime_error, get(c, cache_way_anew, &again, &item, NULL));
    EXPECT_EQ(10, items_statistics(c).bytes);
    expect_counts(c, 0, 2, 2, 1);
}

TEST_CACHE(CacheWays, UnkeptIsCountedAndNotKept, 4)
{
    struct recipe r = {.id = 1, .bytes = 10};
    void *value = NULL;
    ASSERT_OK(cache_get_or_build(
            c, NULL, cache_way_unkept, recipe_build, &r, &value, NULL, NULL));
    EXPECT_EQ(1, atomic_load(&((struct item *)value)->references));
    item_release(value);
    EXPECT_EQ(0, items_count(c));
    EXPECT_EQ(0, items_statistics(c).evictions);
    expect_counts(c, 0, 1, 1, 0);
}

/* Memory is freed, and the build tried again: in every way. */
TEST_C(CacheWays, AllTryAgainOnceMemoryIsFreed)
{
    const enum cache_way ways[] = {cache_way_shared, cache_way_no_wait,
            cache_way_anew, cache_way_unkept};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct cache *c = items_cache(4);
        struct recipe r = {.id = 1,
                .bytes = 10,
                .status = dnnl_out_of_memory,
                .failing_calls = 1};
        struct item *item = NULL;
        ASSERT_OK(items_put(c, 2));
        ASSERT_OK(get(c, ways[i], &r, &item, NULL));
        item_release(item);
        EXPECT_EQ(1, items_statistics(c).evictions);
        EXPECT_FALSE(items_find(c, 2));
        EXPECT_EQ(2, atomic_load(&r.calls));
        EXPECT_EQ(3, items_statistics(c).builds);
        EXPECT_EQ(1, items_statistics(c).failures);
        END_OF_CACHE(c);
    }
}

TEST_CACHE(CacheWays, OffKeepsNothingAndEvictsNothing, 0)
{
    const enum cache_way ways[] = {cache_way_shared, cache_way_no_wait,
            cache_way_anew, cache_way_unkept};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct recipe r = {.id = 1, .bytes = 10};
        struct item *item = NULL;
        ASSERT_OK(get(c, ways[i], &r, &item, NULL));
        EXPECT_EQ(1, atomic_load(&item->references));
        item_release(item);
    }
    EXPECT_EQ(0, items_statistics(c).evictions);
    expect_counts(c, 0, 4, 4, 0);
}

/* Longer than a map's keys can be; only its beginning exists. */
TEST_CACHE(CacheWays, KeysThatAreTooLongAreBuiltAndNotKept, 4)
{
    const enum cache_way ways[] = {
            cache_way_shared, cache_way_no_wait, cache_way_anew};
    struct cache_key key = {"abc", (size_t)UINT_MAX + 4, 1};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        struct recipe r = {.id = 1, .bytes = 10};
        void *value = NULL;
        ASSERT_OK(cache_get_or_build(
                c, &key, ways[i], recipe_build, &r, &value, NULL, NULL));
        EXPECT_EQ(1, atomic_load(&((struct item *)value)->references));
        item_release(value);
    }
    EXPECT_FALSE(cache_has(c, &key));
    EXPECT_EQ(0, items_count(c));
}

TEST_CACHE(CacheWays, HasIsNeitherAUseNorALookUp, 2)
{
    struct item_key k;
    ASSERT_OK(items_put(c, 1));
    ASSERT_OK(items_put(c, 2));
    struct cache_statistics before = items_statistics(c);
    item_key_init(&k, 1);
    EXPECT_TRUE(cache_has(c, &k.key));
    item_key_init(&k, 3);
    EXPECT_FALSE(cache_has(c, &k.key));
    EXPECT_EQ(before.hits, items_statistics(c).hits);
    EXPECT_EQ(before.misses, items_statistics(c).misses);
    ASSERT_OK(items_put(c, 3)); /* 1 is the oldest still */
    EXPECT_FALSE(items_find(c, 1));
    EXPECT_TRUE(items_find(c, 2));
}

/* ---- What is too large displaces no other -------------------------------- */

static struct item *put_item(struct cache *c, unsigned id, size_t bytes)
{
    struct recipe r = {.id = id, .bytes = bytes};
    struct item *item = NULL;
    EXPECT_OK(recipe_get(c, &r, &item, NULL));
    return item;
}

TEST_CACHE(CacheLimits, LoweredBelowOneValueItAloneLeaves, 4)
{
    item_release(put_item(c, 1, 10));
    item_release(put_item(c, 2, 10));
    item_release(put_item(c, 3, 50)); /* the newest */
    cache_set_byte_limit(c, 49);
    EXPECT_EQ(20, items_statistics(c).bytes);
    EXPECT_EQ(1, items_statistics(c).evictions);
    EXPECT_FALSE(items_find(c, 3));
    cache_set_byte_limit(c, 20);
    EXPECT_EQ(2, items_count(c));
}

TEST_CACHE(CacheLimits, ValueThatGrewBeyondThemAloneLeaves, 4)
{
    item_release(put_item(c, 1, 10));
    item_release(put_item(c, 2, 10));
    struct item *grown = put_item(c, 3, 10);
    cache_set_byte_limit(c, 40);
    grown->bytes = 41;
    cache_recount(c);
    EXPECT_EQ(20, items_statistics(c).bytes);
    EXPECT_FALSE(items_find(c, 3));
    EXPECT_TRUE(items_find(c, 1));
    EXPECT_TRUE(items_find(c, 2));
    item_release(grown);
}
