/* SPDX-License-Identifier: Apache-2.0 */
/* The cache as one thread sees it; test_cache_threads.c has the others. */
#include <stdlib.h>
#include <string.h>

#include "cache_items.h"
#include "test.h"

/* Every test ends with no item left. */
TEST_C(Cache, DestroyTakesNull)
{
    cache_destroy(NULL);
    test_asserts(); /* that it returns */
}

TEST_CACHE(Cache, BuildsOnceThenHits, 4)
{
    struct recipe r = {.id = 1, .bytes = 10};
    enum cache_outcome outcome = cache_outcome_waited;
    struct item *built = NULL;
    struct item *hit = NULL;

    ASSERT_OK(recipe_get(c, &r, &built, &outcome));
    EXPECT_EQ(cache_outcome_built, outcome);
    ASSERT_OK(recipe_get(c, &r, &hit, &outcome));
    EXPECT_EQ(cache_outcome_hit, outcome);
    ASSERT_OK(items_put(c, 1)); /* without an outcome */

    EXPECT_PTR_EQ(built, hit);
    EXPECT_EQ(1, atomic_load(&r.calls));
    EXPECT_EQ(3, atomic_load(&built->references)); /* the cache's and ours */
    EXPECT_EQ(1, items_count(c));
    item_release(built);
    item_release(hit);
}

TEST_CACHE(Cache, ComparesWholeKeys, 10)
{
    const unsigned char bytes[] = {1, 2, 3, 4};
    const unsigned char last_differs[] = {1, 2, 3, 5};
    /* One hash for all, equal lengths and prefixes among them. */
    const struct cache_key keys[] = {{bytes, 4, 7}, {last_differs, 4, 7},
            {bytes, 3, 7}, {bytes + 1, 3, 7}, {bytes, 1, 7}};
    enum { count = sizeof keys / sizeof *keys };
    for (unsigned i = 0; i < count; i++) {
        struct recipe r = {.id = i};
        void *value = NULL;
        ASSERT_OK(cache_get_or_build(c, &keys[i], cache_way_shared,
                recipe_build, &r, &value, NULL, NULL));
        item_release(value);
        EXPECT_EQ(1, atomic_load(&r.calls));
    }
    EXPECT_EQ(count, items_count(c));
    for (unsigned i = 0; i < count; i++) {
        void *value = NULL;
        ASSERT_TRUE(cache_find(c, &keys[i], &value));
        EXPECT_EQ(i, ((struct item *)value)->id);
        item_release(value);
    }
}

/* So many that the table grows, finds that it does not help, and stops. */
TEST_CACHE(Cache, KeepsManyKeysOfOneHash, 150)
{
    enum { count = 300 };
    unsigned ids[count];
    for (unsigned i = 0; i < count; i++) {
        struct recipe r = {.id = i};
        void *value = NULL;
        ids[i] = i;
        const struct cache_key key = {&ids[i], sizeof ids[i], 7};
        ASSERT_OK(cache_get_or_build(c, &key, cache_way_shared, recipe_build,
                &r, &value, NULL, NULL));
        EXPECT_EQ(i, ((struct item *)value)->id);
        item_release(value);
    }
    for (unsigned i = 0; i < count; i++) {
        void *value = NULL;
        const struct cache_key key = {&ids[i], sizeof ids[i], 7};
        ASSERT_EQ(i >= count / 2, cache_find(c, &key, &value));
        if (value == NULL) continue;
        EXPECT_EQ(i, ((struct item *)value)->id);
        item_release(value);
    }
}

TEST_CACHE(Cache, KeepsItsOwnCopyOfTheKey, 2)
{
    unsigned char *bytes = malloc(3);
    ASSERT_NOT_NULL(bytes);
    memcpy(bytes, "abc", 3);
    struct recipe r = {.id = 1};
    void *value = NULL;
    ASSERT_OK(cache_get_or_build(c, &(struct cache_key){bytes, 3, 1},
            cache_way_shared, recipe_build, &r, &value, NULL, NULL));
    item_release(value);
    memset(bytes, 0, 3);
    free(bytes);
    EXPECT_TRUE(cache_find(c, &(struct cache_key){"abc", 3, 1}, &value));
    item_release(value);
}

TEST_CACHE(Cache, FindNeitherBuildsNorWritesOnAMiss, 2)
{
    struct item_key k;
    item_key_init(&k, 1);
    void *value = c; /* anything but NULL */
    EXPECT_FALSE(cache_find(c, &k.key, &value));
    EXPECT_PTR_EQ(c, value);
    EXPECT_EQ(0, items_count(c));
}

TEST_CACHE(Cache, FailureIsReturnedAndForgotten, 2)
{
    struct recipe r = {
            .id = 1, .status = dnnl_unimplemented, .failing_calls = 2};
    struct item untouched;
    struct item *i = &untouched;
    enum cache_outcome outcome = cache_outcome_hit;

    EXPECT_STATUS(dnnl_unimplemented, recipe_get(c, &r, &i, &outcome));
    r.status = dnnl_cache_blob_stale; /* ours pass through as well */
    EXPECT_STATUS(dnnl_cache_blob_stale, recipe_get(c, &r, &i, &outcome));
    EXPECT_PTR_EQ(&untouched, i);
    EXPECT_EQ(cache_outcome_hit, outcome);
    EXPECT_EQ(0, items_count(c));
    EXPECT_FALSE(items_find(c, 1));

    ASSERT_OK(recipe_get(c, &r, &i, &outcome));
    EXPECT_EQ(cache_outcome_built, outcome);
    EXPECT_EQ(3, atomic_load(&r.calls));
    EXPECT_EQ(1, items_count(c));
    item_release(i);
}

TEST_CACHE(Cache, SpuriousFailureIsARuntimeErrorToItsBuilder, 2)
{
    struct recipe r = {.id = 1, .status = dnnl_success, .failing_calls = 1};
    struct item *i = NULL;
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(c, &r, &i, NULL));
    EXPECT_NULL(i);
    EXPECT_EQ(1, atomic_load(&r.calls));
    EXPECT_EQ(0, items_count(c));
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
}

/* ---- Limits -------------------------------------------------------------- */

TEST_CACHE(CacheLimits, LeastRecentlyUsedLeavesFirst, 3)
{
    for (unsigned id = 1; id <= 3; id++)
        ASSERT_OK(items_put(c, id));
    ASSERT_OK(items_put(c, 1));    /* a hit: 2 3 1 */
    EXPECT_TRUE(items_find(c, 2)); /* 3 1 2 */
    EXPECT_TRUE(items_find(c, 2)); /* the newest again: no change */
    ASSERT_OK(items_put(c, 4));    /* 1 2 4 */
    EXPECT_FALSE(items_find(c, 3));
    ASSERT_OK(items_put(c, 5)); /* 2 4 5 */
    EXPECT_FALSE(items_find(c, 1));
    EXPECT_TRUE(items_find(c, 2));
    EXPECT_TRUE(items_find(c, 4));
    EXPECT_TRUE(items_find(c, 5));
    EXPECT_EQ(3, items_count(c));
    EXPECT_EQ(2, items_statistics(c).evictions);
}

TEST_CACHE(CacheLimits, EvictedValueLivesOnByItsReferences, 1)
{
    struct recipe r = {.id = 1, .bytes = 10};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    ASSERT_OK(items_put(c, 2));
    EXPECT_FALSE(items_find(c, 1));
    EXPECT_EQ(2, items_alive());
    EXPECT_EQ(1, atomic_load(&i->references));
    EXPECT_EQ(1, i->id);
    item_release(i);
    EXPECT_EQ(1, items_alive());
}

TEST_C(CacheLimits, ShrinkingLeavesExactlyThatMany)
{
    for (unsigned filled = 1; filled <= 12; filled++) {
        for (unsigned capacity = 0; capacity <= 12; capacity++) {
            struct cache *c = items_cache(12);
            unsigned left = capacity < filled ? capacity : filled;
            for (unsigned id = 1; id <= filled; id++)
                ASSERT_OK(items_put(c, id));
            cache_set_capacity(c, capacity);
            EXPECT_EQ(capacity, cache_capacity(c));
            EXPECT_EQ(left, items_count(c));
            EXPECT_EQ(left, items_alive());
            for (unsigned id = 1; id <= filled; id++)
                EXPECT_EQ(id > filled - left, items_find(c, id));
            END_OF_CACHE(c);
        }
    }
}

TEST_CACHE(CacheLimits, GrowingKeepsAllAndMakesRoom, 2)
{
    for (unsigned id = 1; id <= 3; id++)
        ASSERT_OK(items_put(c, id));
    cache_set_capacity(c, 100000);
    for (unsigned id = 2; id <= 1000; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_EQ(999, items_count(c));
    EXPECT_EQ(1000, items_statistics(c).builds);
}

TEST_CACHE(CacheLimits, OffBuildsAndKeepsNothing, 0)
{
    struct recipe r = {.id = 1, .bytes = 10};
    for (unsigned n = 1; n <= 2; n++) {
        enum cache_outcome outcome = cache_outcome_hit;
        struct item *i = NULL;
        ASSERT_OK(recipe_get(c, &r, &i, &outcome));
        EXPECT_EQ(cache_outcome_built, outcome);
        EXPECT_EQ(n, atomic_load(&r.calls));
        EXPECT_EQ(1, atomic_load(&i->references));
        item_release(i);
        EXPECT_EQ(0, items_count(c));
    }
    r.status = dnnl_success;
    r.failing_calls = 3;
    struct item *none = NULL;
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(c, &r, &none, NULL));
    EXPECT_NULL(none);

    cache_set_capacity(c, 1);
    ASSERT_OK(items_put(c, 1));
    EXPECT_EQ(1, items_count(c));
}

TEST_CACHE(CacheLimits, BytesNeverExceedTheirLimit, 100)
{
    cache_set_byte_limit(c, 35);
    for (unsigned id = 1; id <= 10; id++) {
        ASSERT_OK(items_put(c, id));
        EXPECT_LE(items_statistics(c).bytes, 35);
    }
    EXPECT_EQ(3, items_count(c));
    EXPECT_EQ(30, items_statistics(c).bytes);
    for (unsigned id = 8; id <= 10; id++)
        EXPECT_TRUE(items_find(c, id));

    cache_set_byte_limit(c, 20); /* exactly two */
    EXPECT_EQ(2, items_count(c));
    EXPECT_FALSE(items_find(c, 8));
    cache_set_byte_limit(c, UINT64_MAX);
    for (unsigned id = 1; id <= 10; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_EQ(10, items_count(c));
    EXPECT_EQ(100, items_statistics(c).bytes);
}

TEST_CACHE(CacheLimits, LargeValueTakesThePlaceOfAsManyAsItNeeds, 100)
{
    cache_set_byte_limit(c, 50);
    for (unsigned id = 1; id <= 5; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_TRUE(items_find(c, 1)); /* 2 is the oldest now */
    struct recipe r = {.id = 9, .bytes = 25};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(3, items_statistics(c).evictions);
    EXPECT_EQ(45, items_statistics(c).bytes);
    for (unsigned id = 2; id <= 4; id++)
        EXPECT_FALSE(items_find(c, id));
    EXPECT_TRUE(items_find(c, 1));
    EXPECT_TRUE(items_find(c, 5));
    EXPECT_TRUE(items_find(c, 9));
}

TEST_CACHE(CacheLimits, ValueThatNeverFitsDisplacesNoOther, 100)
{
    cache_set_byte_limit(c, 50);
    for (unsigned id = 1; id <= 3; id++)
        ASSERT_OK(items_put(c, id));
    struct recipe r = {.id = 9, .bytes = 51};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    EXPECT_EQ(1, atomic_load(&i->references));
    item_release(i);
    EXPECT_EQ(3, items_count(c));
    EXPECT_EQ(30, items_statistics(c).bytes);

    r.bytes = 50; /* fits, alone */
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(50, items_statistics(c).bytes);
}

static void retain_nothing(void *value)
{
    (void)value;
}

static dnnl_status_t build_constant(
        void *arg, void **value, struct shared_text **note)
{
    (void)note;
    *value = arg;
    return dnnl_success;
}

TEST_C(CacheLimits, ValuesCountNothingWithoutABytesFunction)
{
    struct cache *c = NULL;
    ASSERT_OK(cache_create(&c, 2,
            &(struct cache_ops){
                    .retain = retain_nothing, .release = retain_nothing}));
    cache_set_byte_limit(c, 0);
    int constant = 0;
    struct item_key k;
    void *value = NULL;
    item_key_init(&k, 1);
    ASSERT_OK(cache_get_or_build(c, &k.key, cache_way_shared, build_constant,
            &constant, &value, NULL, NULL));
    EXPECT_PTR_EQ(&constant, value);
    ASSERT_OK(items_replace(c, &k.key, &constant, 0));
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(0, items_statistics(c).bytes);
    cache_destroy(c);
}

/* ---- Changing what is there ---------------------------------------------- */

TEST_CACHE(CacheChange, ReplacedValueIsWhatLaterLookUpsFind, 2)
{
    struct item_key k;
    item_key_init(&k, 1);
    struct recipe r = {.id = 1, .bytes = 10};
    struct item *old = NULL;
    ASSERT_OK(recipe_get(c, &r, &old, NULL));

    struct item *fresh = item_create(1, 25);
    ASSERT_NOT_NULL(fresh);
    ASSERT_OK(items_replace(c, &k.key, fresh, 0));
    EXPECT_EQ(2, atomic_load(&fresh->references));
    EXPECT_EQ(1, atomic_load(&old->references));
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(25, items_statistics(c).bytes);
    EXPECT_EQ(0, items_statistics(c).evictions);

    struct item *found = NULL;
    enum cache_outcome outcome = cache_outcome_built;
    ASSERT_OK(recipe_get(c, &r, &found, &outcome));
    EXPECT_EQ(cache_outcome_hit, outcome);
    EXPECT_PTR_EQ(fresh, found);
    item_release(found);
    item_release(fresh);
    item_release(old);
}

TEST_CACHE(CacheChange, ReplacePutsWhatWasNotThereWithinTheLimits, 2)
{
    for (unsigned id = 1; id <= 3; id++) {
        struct item_key k;
        item_key_init(&k, id);
        struct item *i = item_create(id, 10);
        ASSERT_NOT_NULL(i);
        ASSERT_OK(items_replace(c, &k.key, i, 0));
        item_release(i);
    }
    EXPECT_EQ(2, items_count(c));
    EXPECT_EQ(20, items_statistics(c).bytes);
    EXPECT_FALSE(items_find(c, 1));
}

TEST_CACHE(CacheChange, ReplaceKeepsNothingWhileOff, 0)
{
    struct item_key k;
    item_key_init(&k, 1);
    struct item *i = item_create(1, 10);
    ASSERT_NOT_NULL(i);
    ASSERT_OK(items_replace(c, &k.key, i, 0));
    EXPECT_EQ(1, atomic_load(&i->references));
    EXPECT_EQ(0, items_count(c));
    item_release(i);
}

TEST_CACHE(CacheChange, RemoveValueDropsOnlyThatValue, 2)
{
    struct item_key k;
    struct item_key other;
    item_key_init(&k, 1);
    item_key_init(&other, 2);
    struct recipe r = {.id = 1, .bytes = 10};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    ASSERT_OK(items_put(c, 2));

    EXPECT_FALSE(cache_remove_value(c, &k.key, c));
    EXPECT_FALSE(cache_remove_value(c, &other.key, i));
    EXPECT_EQ(2, items_count(c));
    EXPECT_TRUE(cache_remove_value(c, &k.key, i));
    EXPECT_FALSE(cache_remove_value(c, &k.key, i));
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(10, items_statistics(c).bytes);
    EXPECT_EQ(1, atomic_load(&i->references));
    item_release(i);
}

TEST_CACHE(CacheChange, ClearDropsAllAndTheCacheGoesOn, 10)
{
    cache_clear(c);
    for (unsigned id = 1; id <= 5; id++)
        ASSERT_OK(items_put(c, id));
    cache_clear(c);
    EXPECT_EQ(0, items_count(c));
    EXPECT_EQ(0, items_alive());
    EXPECT_EQ(0, items_statistics(c).bytes);
    EXPECT_EQ(0, items_statistics(c).evictions);
    ASSERT_OK(items_put(c, 1));
    EXPECT_EQ(1, items_count(c));
}

TEST_CACHE(CacheChange, StatisticsCountWhatHappened, 2)
{
    struct recipe failing = {
            .id = 7, .status = dnnl_unimplemented, .failing_calls = 1};
    struct item *i = NULL;
    ASSERT_OK(items_put(c, 1));
    ASSERT_OK(items_put(c, 2));
    ASSERT_OK(items_put(c, 2));
    ASSERT_OK(items_put(c, 3));
    EXPECT_STATUS(dnnl_unimplemented, recipe_get(c, &failing, &i, NULL));
    EXPECT_TRUE(items_find(c, 3));
    EXPECT_FALSE(items_find(c, 1));
    struct cache_statistics s = items_statistics(c);
    EXPECT_EQ(2, s.hits);
    EXPECT_EQ(0, s.waits);
    EXPECT_EQ(5, s.misses);
    EXPECT_EQ(4, s.builds);
    EXPECT_EQ(1, s.failures);
    EXPECT_EQ(1, s.evictions);
    EXPECT_EQ(20, s.bytes);
}

/* ---- Re-entry ------------------------------------------------------------ */

/* The recipe of a build that first asks its cache for the next smaller id. */
static void build_next(struct recipe *r)
{
    if (r->id == 0) return;
    struct recipe next = {.id = r->id - 1,
            .bytes = 10,
            .during = build_next,
            .cache = r->cache};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(r->cache, &next, &i, NULL));
    EXPECT_EQ(next.id, i->id);
    item_release(i);
}

TEST_C(CacheNesting, BuildMayBuildOtherKeys)
{
    const size_t capacities[] = {1000, 1, 0};
    for (size_t n = 0; n < 3; n++) {
        struct cache *c = items_cache(capacities[n]);
        struct recipe r = {
                .id = 100, .bytes = 10, .during = build_next, .cache = c};
        struct item *i = NULL;
        ASSERT_OK(recipe_get(c, &r, &i, NULL));
        item_release(i);
        EXPECT_EQ(101, items_statistics(c).builds);
        EXPECT_EQ(capacities[n] > 101 ? 101 : capacities[n], items_count(c));
        END_OF_CACHE(c);
    }
}

/* Asks for a key that this thread is building. */
static void expect_refused(struct cache *c, unsigned id)
{
    struct recipe r = {.id = id, .bytes = 10};
    struct item untouched;
    struct item *i = &untouched;
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(c, &r, &i, NULL));
    EXPECT_PTR_EQ(&untouched, i);
    EXPECT_EQ(0, atomic_load(&r.calls));
}

static void build_itself(struct recipe *r)
{
    expect_refused(r->cache, r->id);
}

static void build_previous(struct recipe *r)
{
    expect_refused(r->cache, r->id - 1);
}

TEST_CACHE(CacheNesting, BuildThatNeedsItselfGetsAnErrorAndMayGoOn, 4)
{
    struct recipe r = {
            .id = 1, .bytes = 10, .during = build_itself, .cache = c};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(1, items_count(c));
}

/* Asks for a key whose build asks for the one that is being built. */
static void build_circle(struct recipe *r)
{
    struct recipe between = {.id = r->id + 1,
            .bytes = 10,
            .during = build_previous,
            .cache = r->cache};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(r->cache, &between, &i, NULL));
    item_release(i);
}

TEST_CACHE(CacheNesting, CircleOfBuildsGetsAnErrorWhereItCloses, 4)
{
    struct recipe r = {
            .id = 1, .bytes = 10, .during = build_circle, .cache = c};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(2, items_count(c));
}

/* A release function that uses the cache its value is leaving. */
static void use_cache(void *cache)
{
    struct cache *c = cache;
    EXPECT_FALSE(items_find(c, 1));
    EXPECT_OK(items_put(c, 50));
    EXPECT_GT(items_count(c), 0);
}

static void put_reentrant(struct cache *c, unsigned id)
{
    struct recipe r = {.id = id, .bytes = 10};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    i->on_release = use_cache;
    i->on_release_arg = c;
    item_release(i);
}

TEST_CACHE(CacheNesting, ReleaseMayUseTheCache, 2)
{
    struct item_key k;
    item_key_init(&k, 1);

    put_reentrant(c, 1); /* leaves as the oldest */
    ASSERT_OK(items_put(c, 2));
    ASSERT_OK(items_put(c, 3));

    put_reentrant(c, 1); /* leaves by a smaller capacity */
    ASSERT_OK(items_put(c, 4));
    cache_set_capacity(c, 1);
    cache_set_capacity(c, 2);

    put_reentrant(c, 1); /* by a smaller byte limit */
    ASSERT_OK(items_put(c, 5));
    cache_set_byte_limit(c, 10);
    cache_set_byte_limit(c, UINT64_MAX);

    put_reentrant(c, 1); /* with all others */
    cache_clear(c);
    EXPECT_EQ(1, items_count(c));
    EXPECT_TRUE(items_find(c, 50));

    put_reentrant(c, 1); /* replaced, but then the key has a value */
    struct item *i = NULL;
    struct recipe r = {.id = 1};
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    EXPECT_TRUE(cache_remove_value(c, &k.key, i));
    item_release(i);
}

/* ---- Memory runs out in a build ------------------------------------------ */

TEST_CACHE(CacheMemory, BuildOutOfMemoryEmptiesTheCacheAndIsTriedAgain, 10)
{
    for (unsigned id = 1; id <= 5; id++)
        ASSERT_OK(items_put(c, id));
    struct recipe r = {.id = 9,
            .bytes = 70,
            .status = dnnl_out_of_memory,
            .failing_calls = 1};
    struct item *i = NULL;
    enum cache_outcome outcome = cache_outcome_hit;
    ASSERT_OK(recipe_get(c, &r, &i, &outcome));
    item_release(i);
    EXPECT_EQ(cache_outcome_built, outcome);
    EXPECT_EQ(2, atomic_load(&r.calls));
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(1, items_alive());
    struct cache_statistics s = items_statistics(c);
    EXPECT_EQ(70, s.bytes);
    EXPECT_EQ(5, s.evictions);
    EXPECT_EQ(7, s.builds);
    EXPECT_EQ(1, s.failures);

    /* What was counted before no longer is: there is room for all again. */
    cache_set_byte_limit(c, 170);
    for (unsigned id = 10; id < 19; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_EQ(10, items_count(c));
    EXPECT_EQ(160, items_statistics(c).bytes);
}

TEST_CACHE(CacheMemory, BuildOutOfMemoryTwiceFails, 10)
{
    struct recipe r = {.id = 9,
            .bytes = 70,
            .status = dnnl_out_of_memory,
            .failing_calls = 1000};
    struct item *i = NULL;
    ASSERT_OK(items_put(c, 1));
    EXPECT_STATUS(dnnl_out_of_memory, recipe_get(c, &r, &i, NULL));
    EXPECT_NULL(i);
    EXPECT_EQ(2, atomic_load(&r.calls));
    EXPECT_EQ(0, items_count(c));
    EXPECT_EQ(0, items_statistics(c).bytes);
    EXPECT_EQ(0, items_alive());
    ASSERT_OK(items_put(c, 9));
    EXPECT_EQ(1, items_count(c));
}

TEST_C(CacheMemory, SecondTryMayFailOtherwise)
{
    struct cache *c = items_cache(0); /* off it is tried again as well */
    struct recipe r = {
            .id = 9, .status = dnnl_out_of_memory, .failing_calls = 1};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    EXPECT_EQ(2, atomic_load(&r.calls));
    item_release(i);
    END_OF_CACHE(c);
}
