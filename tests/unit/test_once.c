/* SPDX-License-Identifier: Apache-2.0 */
/* Things done once, and circles of threads that wait for each other's. */
#include "cache_items.h"
#include "src/common/once.h"

#include "test.h"

#include <pthread.h>

TEST_C(Once, IsDoneByTheFirst)
{
    struct once o;
    once_init(&o);
    EXPECT_FALSE(once_get_done(&o));
    EXPECT_EQ(once_is_ours, once_begin(&o));
    EXPECT_FALSE(once_get_done(&o));
    once_end(&o, true);
    EXPECT_TRUE(once_get_done(&o));
    EXPECT_EQ(once_is_done, once_begin(&o));
    once_fini(&o);
}

TEST_C(Once, ThatFailedIsTriedAgain)
{
    struct once o;
    once_init(&o);
    EXPECT_EQ(once_is_ours, once_begin(&o));
    once_end(&o, false);
    EXPECT_FALSE(once_get_done(&o));
    EXPECT_EQ(once_is_ours, once_begin(&o));
    once_end(&o, true);
    EXPECT_EQ(once_is_done, once_begin(&o));
    once_fini(&o);
}

TEST_C(Once, KnowsWhoIsDoingIt)
{
    struct once o;
    once_init(&o);
    EXPECT_EQ(once_is_ours, once_begin(&o));
    EXPECT_EQ(once_is_nested, once_begin(&o));
    once_end(&o, true);
    EXPECT_EQ(once_is_done, once_begin(&o));
    once_fini(&o);
}

/* Cancellation waits until it is done: those who wait for it do not hang. */
static void *be_cancelled(void *arg)
{
    struct once *o = arg;
    if (once_begin(o) == once_is_ours) {
        pthread_cancel(pthread_self());
        pthread_testcancel();
        once_end(o, true);
    }
    pthread_testcancel();
    return NULL;
}

TEST_C(Once, IsNotLeftByAThreadThatIsCancelled)
{
    struct once o;
    pthread_t thread;
    void *result = NULL;
    once_init(&o);
    ASSERT_EQ(0, pthread_create(&thread, NULL, be_cancelled, &o));
    ASSERT_EQ(0, pthread_join(thread, &result));
    EXPECT_PTR_EQ(PTHREAD_CANCELED, result);
    EXPECT_TRUE(once_get_done(&o));
    once_fini(&o);
}

/* ---- Threads ------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 200 };

struct shared {
    struct once once;
    pthread_barrier_t barrier;
    unsigned value; /* written by who does it, read by all */
    atomic_uint doers;
};

/* The first two to do it fail. */
static void *do_once(void *arg)
{
    struct shared *s = arg;
    pthread_barrier_wait(&s->barrier);
    enum once_state state = once_begin(&s->once);
    if (state == once_is_ours) {
        bool succeeds = atomic_fetch_add(&s->doers, 1) == 2;
        if (succeeds) s->value = 7;
        once_end(&s->once, succeeds);
    } else {
        EXPECT_EQ(once_is_done, state);
        EXPECT_EQ(7, s->value);
    }
    return NULL;
}

TEST_C(Once, IsSeenWholeByAllThreads)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct shared s = {.value = 0};
        pthread_t threads[THREADS];
        once_init(&s.once);
        pthread_barrier_init(&s.barrier, NULL, THREADS);
        for (int i = 0; i < THREADS; i++)
            ASSERT_EQ(0, pthread_create(&threads[i], NULL, do_once, &s));
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        EXPECT_TRUE(once_get_done(&s.once));
        EXPECT_EQ(3, atomic_load(&s.doers));
        pthread_barrier_destroy(&s.barrier);
        once_fini(&s.once);
    }
}

/* ---- Circles ------------------------------------------------------------- */

/* Two threads, each doing its own and, once both are, needing the other's. */
struct circle {
    struct once once[2];
    pthread_barrier_t both_busy;
    atomic_uint refused;
};

struct circle_member {
    struct circle *circle;
    int own;
};

static void *need_the_other(void *arg)
{
    const struct circle_member *m = arg;
    struct circle *c = m->circle;
    EXPECT_EQ(once_is_ours, once_begin(&c->once[m->own]));
    pthread_barrier_wait(&c->both_busy);
    enum once_state other = once_begin(&c->once[1 - m->own]);
    if (other == once_is_nested)
        atomic_fetch_add(&c->refused, 1);
    else
        EXPECT_EQ(once_is_done, other);
    once_end(&c->once[m->own], true);
    return NULL;
}

TEST_C(Once, CirclesOfThreadsAreRefusedOnce)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct circle c = {.refused = 0};
        struct circle_member members[2] = {{&c, 0}, {&c, 1}};
        pthread_t threads[2];
        once_init(&c.once[0]);
        once_init(&c.once[1]);
        pthread_barrier_init(&c.both_busy, NULL, 2);
        for (int i = 0; i < 2; i++)
            ASSERT_EQ(0, pthread_create(&threads[i], NULL, need_the_other,
                                 &members[i]));
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
        EXPECT_EQ(1, atomic_load(&c.refused));
        pthread_barrier_destroy(&c.both_busy);
        once_fini(&c.once[0]);
        once_fini(&c.once[1]);
    }
}

/* The same between a cache's entry and a once-object. */
struct mixed {
    struct recipe recipe; /* its build needs the once-object */
    struct once once;     /* who does it needs the recipe's key */
    struct cache *cache;
    pthread_barrier_t both_busy;
    atomic_uint cut; /* refused by the one, or built alone in the other */
};

static void need_the_once(struct recipe *r)
{
    struct mixed *m = (struct mixed *)(void *)r; /* its first member */
    pthread_barrier_wait(&m->both_busy);
    enum once_state state = once_begin(&m->once);
    if (state == once_is_nested)
        atomic_fetch_add(&m->cut, 1);
    else
        EXPECT_EQ(once_is_done, state);
}

static void *need_the_key(void *arg)
{
    struct mixed *m = arg;
    struct recipe plain = {.id = m->recipe.id, .bytes = 10};
    struct item *item = NULL;
    EXPECT_EQ(once_is_ours, once_begin(&m->once));
    pthread_barrier_wait(&m->both_busy);
    EXPECT_OK(recipe_get(m->cache, &plain, &item, NULL));
    atomic_fetch_add(&m->cut, atomic_load(&plain.calls));
    item_release(item);
    once_end(&m->once, true);
    return NULL;
}

TEST_C(Once, CirclesWithCachesAreCutOnce)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct mixed m = {
                .recipe = {.id = 1, .bytes = 10, .during = need_the_once}};
        struct item *item = NULL;
        pthread_t thread;
        m.cache = items_cache(4);
        once_init(&m.once);
        pthread_barrier_init(&m.both_busy, NULL, 2);
        ASSERT_EQ(0, pthread_create(&thread, NULL, need_the_key, &m));
        ASSERT_OK(recipe_get(m.cache, &m.recipe, &item, NULL));
        pthread_join(thread, NULL);
        item_release(item);
        EXPECT_EQ(1, atomic_load(&m.cut));
        pthread_barrier_destroy(&m.both_busy);
        once_fini(&m.once);
        cache_destroy(m.cache);
        EXPECT_EQ(0, items_alive());
    }
}
