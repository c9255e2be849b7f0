/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache among threads. A build that has to meet others part-way waits for
 * them by their counters, so each test runs in the order it describes.
 */
#include <pthread.h>
#include <stdlib.h>

#include "cache_items.h"
#include "test.h"

#define MOST_THREADS 300

/* One thread asking for one key, and what it got. */
struct asker {
    struct cache *cache;
    struct recipe *recipe;
    pthread_barrier_t *start; /* may be NULL */
    pthread_t thread;
    dnnl_status_t status;
    struct item *item;
    enum cache_outcome outcome;
    bool found_at_once; /* whether a failed asker finds a value right after */
};

static void *ask(void *arg)
{
    struct asker *a = arg;
    if (a->start != NULL) pthread_barrier_wait(a->start);
    a->status = recipe_get(a->cache, a->recipe, &a->item, &a->outcome);
    if (a->status != dnnl_success)
        a->found_at_once = items_find(a->cache, a->recipe->id);
    return NULL;
}

static void start(struct asker *a)
{
    if (pthread_create(&a->thread, NULL, ask, a) != 0) abort();
}

static void join(struct asker *a)
{
    pthread_join(a->thread, NULL);
}

/* Runs n askers at once, the i-th with recipes[i % nrecipes]. */
static void ask_all(struct cache *c, struct asker *askers, unsigned n,
        struct recipe *recipes, unsigned nrecipes)
{
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, n);
    for (unsigned i = 0; i < n; i++) {
        askers[i] = (struct asker){.cache = c,
                .recipe = &recipes[i % nrecipes],
                .start = &barrier};
        start(&askers[i]);
    }
    for (unsigned i = 0; i < n; i++)
        join(&askers[i]);
    pthread_barrier_destroy(&barrier);
}

static unsigned count_outcome(
        const struct asker *askers, unsigned n, enum cache_outcome outcome)
{
    unsigned found = 0;
    for (unsigned i = 0; i < n; i++)
        found += askers[i].status == dnnl_success
                 && askers[i].outcome == outcome;
    return found;
}

static void release_items(struct asker *askers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (askers[i].item != NULL) item_release(askers[i].item);
}

TEST_CACHE(CacheThreads, ManyAskingForOneKeyBuildItOnce, 4)
{
    static struct asker askers[MOST_THREADS];
    struct recipe r = {.id = 1, .bytes = 10};
    ask_all(c, askers, MOST_THREADS, &r, 1);
    EXPECT_EQ(1, atomic_load(&r.calls));
    EXPECT_EQ(1, count_outcome(askers, MOST_THREADS, cache_outcome_built));
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        ASSERT_OK(askers[i].status);
        EXPECT_PTR_EQ(askers[0].item, askers[i].item);
    }
    EXPECT_EQ(MOST_THREADS + 1, atomic_load(&askers[0].item->references));
    release_items(askers, MOST_THREADS);
    struct cache_statistics s = items_statistics(c);
    EXPECT_EQ(1, s.misses);
    EXPECT_EQ(MOST_THREADS - 1, s.hits + s.waits);
}

TEST_CACHE(CacheThreads, ThoseThatComeDuringTheBuildWaitForIt, 4)
{
    static struct asker askers[MOST_THREADS];
    struct recipe r = {.id = 1,
            .bytes = 10,
            .during = recipe_await_waits,
            .cache = c,
            .waits = MOST_THREADS - 1};
    ask_all(c, askers, MOST_THREADS, &r, 1);
    EXPECT_EQ(1, atomic_load(&r.calls));
    EXPECT_EQ(1, count_outcome(askers, MOST_THREADS, cache_outcome_built));
    EXPECT_EQ(MOST_THREADS - 1,
            count_outcome(askers, MOST_THREADS, cache_outcome_waited));
    release_items(askers, MOST_THREADS);
}

/* n threads, each with a key of its own, leave as many as there is room for. */
static void fill_from_threads(unsigned n, size_t room)
{
    static struct asker askers[MOST_THREADS];
    static struct recipe recipes[MOST_THREADS];
    struct cache *c = items_cache(room);
    for (unsigned i = 0; i < n; i++)
        recipes[i] = (struct recipe){.id = i, .bytes = 10};
    ask_all(c, askers, n, recipes, n);
    for (unsigned i = 0; i < n; i++) {
        ASSERT_OK(askers[i].status);
        EXPECT_EQ(i, askers[i].item->id);
        EXPECT_EQ(1, atomic_load(&recipes[i].calls));
    }
    EXPECT_EQ(room, items_count(c));
    EXPECT_EQ(10 * room, items_statistics(c).bytes);
    release_items(askers, n);
    EXPECT_EQ(room, items_alive());
    END_OF_CACHE(c);
}

static void await_twenty_builds(struct recipe *r)
{
    EXPECT_TRUE(await_at_least(&r->calls, 20));
}

TEST_CACHE(CacheThreads, NobodyWaitsWhileTheCacheIsOff, 0)
{
    static struct asker askers[20];
    struct recipe r = {.id = 1, .bytes = 10, .during = await_twenty_builds};
    ask_all(c, askers, 20, &r, 1);
    EXPECT_EQ(20, atomic_load(&r.calls));
    EXPECT_EQ(20, count_outcome(askers, 20, cache_outcome_built));
    EXPECT_EQ(20, items_alive());
    release_items(askers, 20);
    EXPECT_EQ(0, items_statistics(c).waits);
}

TEST_C(CacheThreads, RoomForTwoLeavesTwo)
{
    fill_from_threads(200, 2);
}

TEST_C(CacheThreads, RoomForNoneLeavesNone)
{
    fill_from_threads(MOST_THREADS, 0);
}

TEST_C(CacheThreads, RoomForAllLeavesAll)
{
    fill_from_threads(200, 200);
}

/* ---- Failures ------------------------------------------------------------ */

TEST_CACHE(CacheThreads, AllWhoWaitedGetTheFailureAndItIsForgotten, 4)
{
    static struct asker askers[MOST_THREADS];
    struct recipe r = {.id = 1,
            .status = dnnl_unimplemented,
            .failing_calls = 1,
            .during = recipe_await_waits,
            .cache = c,
            .waits = MOST_THREADS - 1};
    ask_all(c, askers, MOST_THREADS, &r, 1);
    EXPECT_EQ(1, atomic_load(&r.calls));
    for (unsigned i = 0; i < MOST_THREADS; i++) {
        EXPECT_STATUS(dnnl_unimplemented, askers[i].status);
        EXPECT_FALSE(askers[i].found_at_once);
        EXPECT_NULL(askers[i].item);
    }
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(2, atomic_load(&r.calls));
}

TEST_CACHE(CacheThreads, AllWhoWaitedGetOutOfMemoryAfterTwoTries, 4)
{
    static struct asker askers[20];
    struct recipe r = {.id = 1,
            .status = dnnl_out_of_memory,
            .failing_calls = 2,
            .during = recipe_await_waits,
            .cache = c,
            .waits = 19};
    ask_all(c, askers, 20, &r, 1);
    EXPECT_EQ(2, atomic_load(&r.calls));
    for (unsigned i = 0; i < 20; i++)
        EXPECT_STATUS(dnnl_out_of_memory, askers[i].status);
}

TEST_CACHE(CacheThreads, SpuriousFailureIsBuiltAgainByOneWhoWaited, 4)
{
    static struct asker askers[20];
    struct recipe r = {.id = 1,
            .bytes = 10,
            .status = dnnl_success,
            .failing_calls = 1,
            .during = recipe_await_waits,
            .cache = c,
            .waits = 19};
    ask_all(c, askers, 20, &r, 1);
    EXPECT_EQ(2, atomic_load(&r.calls));
    unsigned failed = 0;
    for (unsigned i = 0; i < 20; i++) {
        if (askers[i].status == dnnl_success) continue;
        EXPECT_STATUS(dnnl_runtime_error, askers[i].status);
        failed++;
    }
    EXPECT_EQ(1, failed); /* the first builder */
    EXPECT_EQ(1, count_outcome(askers, 20, cache_outcome_built));
    release_items(askers, 20);
    EXPECT_EQ(1, items_count(c));
}

/* Makes the first build meet 19 who wait, and the second 18 of them again. */
static void await_waits_of_each_build(struct recipe *r)
{
    r->waits = atomic_load(&r->calls) == 1 ? 19 : 19 + 18;
    recipe_await_waits(r);
}

TEST_CACHE(CacheThreads, SpuriousFailureIsBuiltAgainOnlyOnce, 4)
{
    static struct asker askers[20];
    struct recipe r = {.id = 1,
            .status = dnnl_success,
            .failing_calls = 1000,
            .during = await_waits_of_each_build,
            .cache = c};
    ask_all(c, askers, 20, &r, 1);
    EXPECT_EQ(2, atomic_load(&r.calls));
    for (unsigned i = 0; i < 20; i++)
        EXPECT_STATUS(dnnl_runtime_error, askers[i].status);
}

static void wait_then_exit(struct recipe *r)
{
    if (atomic_load(&r->calls) > 1) return;
    recipe_await_waits(r);
    pthread_exit(NULL);
}

TEST_CACHE(CacheThreads, BuilderWhoseThreadEndsIsReplacedByOneWhoWaited, 4)
{
    static struct asker askers[20];
    struct recipe r = {.id = 1,
            .bytes = 10,
            .during = wait_then_exit,
            .cache = c,
            .waits = 19};
    ask_all(c, askers, 20, &r, 1);
    EXPECT_EQ(2, atomic_load(&r.calls));
    EXPECT_EQ(1, count_outcome(askers, 20, cache_outcome_built));
    unsigned got = 0;
    for (unsigned i = 0; i < 20; i++)
        got += askers[i].item != NULL;
    EXPECT_EQ(19, got);
    release_items(askers, 20);
    EXPECT_EQ(2, items_statistics(c).builds);
    EXPECT_EQ(1, items_statistics(c).failures);
}

TEST_CACHE(CacheThreads, CancelledWaiterLeavesNothingBehind, 4)
{
    struct recipe r = {.id = 1,
            .bytes = 10,
            .during = recipe_await_waits,
            .cache = c,
            .waits = 2};
    struct asker builder = {.cache = c, .recipe = &r};
    struct asker waiter = {.cache = c, .recipe = &r};
    start(&builder);
    EXPECT_TRUE(await_at_least(&r.calls, 1));
    start(&waiter);
    struct recipe one = {.cache = c, .waits = 1};
    recipe_await_waits(&one);
    pthread_cancel(waiter.thread);
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL)); /* the second wait */
    join(&builder);
    join(&waiter);
    item_release(i);
    release_items(&builder, 1);
    release_items(&waiter, 1);
}

/* ---- Builds under way ---------------------------------------------------- */

/* A build that stays under way until the test says so. */
struct gate {
    struct recipe recipe;
    struct asker builder;
    struct asker waiter;
    atomic_uint open;
};

static void pass_gate(struct recipe *r)
{
    struct gate *g = (struct gate *)(void *)r; /* its first member */
    EXPECT_TRUE(await_at_least(&g->open, 1));
}

/* Starts a build of the id that waits at the gate, and one who waits for it. */
static void gate_start(struct gate *g, struct cache *c, unsigned id)
{
    uint64_t waits = items_statistics(c).waits + 1;
    *g = (struct gate){.recipe = {.id = id, .bytes = 10, .during = pass_gate}};
    g->builder = (struct asker){.cache = c, .recipe = &g->recipe};
    g->waiter = g->builder;
    start(&g->builder);
    EXPECT_TRUE(await_at_least(&g->recipe.calls, 1));
    start(&g->waiter);
    struct recipe one_more = {.cache = c, .waits = waits};
    recipe_await_waits(&one_more);
}

/* Lets both end; they must have got the one item of the one build. */
static void gate_finish(struct gate *g)
{
    atomic_store(&g->open, 1);
    join(&g->builder);
    join(&g->waiter);
    EXPECT_EQ(1, atomic_load(&g->recipe.calls));
    ASSERT_OK(g->builder.status);
    ASSERT_OK(g->waiter.status);
    EXPECT_EQ(cache_outcome_built, g->builder.outcome);
    EXPECT_EQ(cache_outcome_waited, g->waiter.outcome);
    EXPECT_PTR_EQ(g->builder.item, g->waiter.item);
    release_items(&g->builder, 1);
    release_items(&g->waiter, 1);
}

TEST_CACHE(CacheUnderWay, OthersAreServedMeanwhile, 10)
{
    struct gate g;
    ASSERT_OK(items_put(c, 1));
    gate_start(&g, c, 2);
    ASSERT_OK(items_put(c, 1));
    ASSERT_OK(items_put(c, 3));
    EXPECT_TRUE(items_find(c, 3));
    EXPECT_FALSE(items_find(c, 2)); /* not finished, does not wait */
    EXPECT_EQ(2, items_count(c));
    gate_finish(&g);
    EXPECT_EQ(3, items_count(c));
}

TEST_CACHE(CacheUnderWay, IsNeitherCountedNorEvicted, 1)
{
    struct gate g;
    gate_start(&g, c, 1);
    for (unsigned id = 2; id <= 20; id++) {
        ASSERT_OK(items_put(c, id));
        EXPECT_EQ(1, items_count(c));
    }
    EXPECT_TRUE(items_find(c, 20)); /* the build takes no room of others */
    cache_set_capacity(c, 0);
    cache_set_capacity(c, 1);
    cache_set_byte_limit(c, 0);
    cache_set_byte_limit(c, UINT64_MAX);
    cache_clear(c);
    gate_finish(&g);
    EXPECT_EQ(1, items_count(c));
    EXPECT_TRUE(items_find(c, 1));
}

TEST_CACHE(CacheUnderWay, SurvivesAnotherBuildOutOfMemory, 10)
{
    struct gate g;
    ASSERT_OK(items_put(c, 5));
    gate_start(&g, c, 1);
    struct recipe r = {.id = 2,
            .bytes = 10,
            .status = dnnl_out_of_memory,
            .failing_calls = 1};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    item_release(i);
    EXPECT_EQ(1, items_count(c));
    gate_finish(&g);
    EXPECT_EQ(2, items_count(c));
    EXPECT_EQ(20, items_statistics(c).bytes);
}

TEST_CACHE(CacheUnderWay, EndsWithNothingKeptIfTheCacheIsOffByThen, 10)
{
    struct gate g;
    gate_start(&g, c, 1);
    cache_set_capacity(c, 0);
    gate_finish(&g);
    EXPECT_EQ(0, items_count(c));
    EXPECT_EQ(0, items_alive());
}

TEST_CACHE(CacheUnderWay, ReplacedServesThoseWhoWaitOnly, 10)
{
    struct gate g;
    struct item_key k;
    item_key_init(&k, 1);
    gate_start(&g, c, 1);

    struct item *fresh = item_create(1, 25);
    ASSERT_NOT_NULL(fresh);
    ASSERT_OK(items_replace(c, &k.key, fresh, 0));
    void *found = NULL;
    ASSERT_TRUE(cache_find(c, &k.key, &found));
    EXPECT_PTR_EQ(fresh, found);
    item_release(found);

    gate_finish(&g); /* they got the other one */
    ASSERT_TRUE(cache_find(c, &k.key, &found));
    EXPECT_PTR_EQ(fresh, found);
    item_release(found);
    item_release(fresh);
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(25, items_statistics(c).bytes);
    EXPECT_EQ(1, items_alive());
}

TEST_CACHE(CacheUnderWay, RemoveValueLeavesItAlone, 10)
{
    struct gate g;
    struct item_key k;
    item_key_init(&k, 1);
    gate_start(&g, c, 1);
    EXPECT_FALSE(cache_remove_value(c, &k.key, NULL));
    gate_finish(&g);
    EXPECT_TRUE(items_find(c, 1));
}

/* ---- Circles ------------------------------------------------------------- */

/*
 * A ring of threads, each of which builds a key and, once all do, needs the
 * next one's. One of them cannot wait for it, and builds it for itself.
 */
enum { ring_size = 5 };

struct ring_member {
    struct recipe recipe;
    struct cache *next_cache;
    unsigned next_id;
    atomic_uint *ready;
    atomic_uint *alone;
    void (*during_next)(struct recipe *);
};

static void need_next(struct recipe *r)
{
    struct ring_member *m = (struct ring_member *)(void *)r; /* first member */
    struct recipe next = {.id = m->next_id,
            .bytes = 10,
            .during = m->during_next,
            .cache = r->cache};
    struct item *i = NULL;
    enum cache_outcome outcome;
    atomic_fetch_add(m->ready, 1);
    EXPECT_TRUE(await_at_least(m->ready, ring_size));
    ASSERT_OK(recipe_get(m->next_cache, &next, &i, &outcome));
    EXPECT_EQ(outcome == cache_outcome_built, atomic_load(&next.calls));
    EXPECT_EQ(m->next_id, i->id);
    if (outcome == cache_outcome_built) atomic_fetch_add(m->alone, 1);
    item_release(i);
}

/* The i-th member builds in the (i % ncaches)-th cache. */
static void run_ring(struct cache **caches, unsigned ncaches,
        void (*during_next)(struct recipe *))
{
    atomic_uint ready = 0;
    atomic_uint alone = 0;
    struct ring_member members[ring_size];
    struct asker askers[ring_size];
    for (unsigned i = 0; i < ring_size; i++) {
        unsigned next = (i + 1) % ring_size;
        members[i] = (struct ring_member){.recipe = {.id = i,
                                                  .bytes = 10,
                                                  .during = need_next,
                                                  .cache = caches[i % ncaches]},
                .next_cache = caches[next % ncaches],
                .next_id = next,
                .ready = &ready,
                .alone = &alone,
                .during_next = during_next};
        askers[i] = (struct asker){
                .cache = caches[i % ncaches], .recipe = &members[i].recipe};
        start(&askers[i]);
    }
    for (unsigned i = 0; i < ring_size; i++) {
        join(&askers[i]);
        EXPECT_OK(askers[i].status);
    }
    EXPECT_EQ(1, atomic_load(&alone));
    release_items(askers, ring_size);
}

TEST_CACHE(CacheCircles, AcrossThreadsAreCutOnce, 10)
{
    for (unsigned i = 0; i < 20; i++) {
        run_ring(&c, 1, NULL);
        EXPECT_EQ(ring_size, items_count(c));
        cache_clear(c);
    }
}

TEST_C(CacheCircles, AcrossCachesAreCutOnce)
{
    struct cache *caches[2] = {items_cache(10), items_cache(10)};
    for (unsigned i = 0; i < 20; i++) {
        run_ring(caches, 2, NULL);
        cache_clear(caches[0]);
        cache_clear(caches[1]);
    }
    cache_destroy(caches[0]);
    END_OF_CACHE(caches[1]);
}

/* Needs the key of the ring that the thread itself builds. */
static void need_the_first_again(struct recipe *r)
{
    struct item *i = NULL;
    struct recipe again = {.id = (r->id + ring_size - 1) % ring_size};
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(r->cache, &again, &i, NULL));
    EXPECT_NULL(i);
    /* One in another circle: who builds it waits for this thread. */
    again.id = r->id;
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(r->cache, &again, &i, NULL));
    EXPECT_NULL(i);
    EXPECT_EQ(0, atomic_load(&again.calls));
}

TEST_CACHE(CacheCircles, InABuildThatCutOneAreRefused, 10)
{
    run_ring(&c, 1, need_the_first_again);
    EXPECT_EQ(ring_size, items_count(c));
}

/* The build of 2, by the thread that builds 1: another thread comes to wait
 * for it, then it needs 1 and fails. */
struct doomed {
    struct recipe recipe;
    struct asker other;
};

static void need_one_in_vain(struct recipe *r)
{
    struct doomed *d = (struct doomed *)(void *)r; /* its first member */
    struct recipe one = {.id = 1};
    struct item *i = NULL;
    start(&d->other);
    recipe_await_waits(r);
    EXPECT_STATUS(dnnl_runtime_error, recipe_get(r->cache, &one, &i, NULL));
}

static void build_doomed(struct recipe *r)
{
    struct recipe mine = {.id = 2, .bytes = 10};
    struct doomed two = {.recipe = {.id = 2,
                                 .status = dnnl_runtime_error,
                                 .failing_calls = 1,
                                 .during = need_one_in_vain,
                                 .cache = r->cache,
                                 .waits = items_statistics(r->cache).waits + 1},
            .other = {.cache = r->cache, .recipe = &mine}};
    struct item *i = NULL;
    EXPECT_STATUS(
            dnnl_runtime_error, recipe_get(r->cache, &two.recipe, &i, NULL));
    join(&two.other);
    EXPECT_OK(two.other.status);
    EXPECT_EQ(1, atomic_load(&mine.calls));
    release_items(&two.other, 1);
}

TEST_CACHE(CacheCircles, RefusedToOneFailNobodyWhoWaits, 10)
{
    struct recipe one = {
            .id = 1, .bytes = 10, .during = build_doomed, .cache = c};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(c, &one, &i, NULL));
    EXPECT_EQ(2, items_count(c));
    item_release(i);
}

/* A build that starts a thread that comes to wait for it. */
struct beginner {
    struct recipe recipe;
    struct asker other;
};

static void start_other(struct recipe *r)
{
    struct beginner *b = (struct beginner *)(void *)r; /* its first member */
    start(&b->other);
    recipe_await_waits(r);
}

/* The build of 1, which needs 2. */
static void need_two(struct recipe *r)
{
    struct recipe two = {.id = 2};
    struct item *i = NULL;
    ASSERT_OK(recipe_get(r->cache, &two, &i, NULL));
    EXPECT_EQ(0, atomic_load(&two.calls));
    item_release(i);
}

TEST_CACHE(CacheCircles, FinishedBuildIsNoPartOfOne, 10)
{
    for (unsigned n = 0; n < 200; n++) {
        struct recipe one = {
                .id = 1, .bytes = 10, .during = need_two, .cache = c};
        struct beginner two = {.recipe = {.id = 2,
                                       .bytes = 10,
                                       .during = start_other,
                                       .cache = c,
                                       .waits = items_statistics(c).waits + 1},
                .other = {.cache = c, .recipe = &one}};
        struct item *first = NULL;
        struct item *second = NULL;
        ASSERT_OK(recipe_get(c, &two.recipe, &second, NULL));
        /* The other thread, which builds 1, may still be waking up. */
        ASSERT_OK(recipe_get(c, &one, &first, NULL));
        join(&two.other);
        ASSERT_OK(two.other.status);
        EXPECT_PTR_EQ(first, two.other.item);
        item_release(first);
        item_release(second);
        release_items(&two.other, 1);
        cache_clear(c);
    }
}
