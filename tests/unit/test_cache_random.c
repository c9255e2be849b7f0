/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads do whatever the cache offers, in random order, and check what must
 * hold in any order. DNNL_CACHE_TEST_LONG=1 does a million operations each way,
 * without it is a twentieth.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "cache_items.h"
#include "test.h"

enum { threads = 16, ids = 64 };

struct world {
    struct cache *cache;
    bool only_one_builder; /* at a time for a key; false: may be replaced */
    unsigned operations;   /* of each thread */
    uint64_t seed;
    struct item_key keys[ids];
    atomic_int builders[ids];
    atomic_ullong finds, gets, builds, failures; /* as the callers saw them */
};

struct player {
    struct world *world;
    uint64_t random;
    pthread_t thread;
};

/* A build of an id; it may need those above it, so there are no circles. */
struct errand {
    struct player *player;
    unsigned id;
};

static unsigned draw(struct player *p, unsigned below)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(p->random >> 33) % below;
}

static void get(struct player *p, unsigned id);

static dnnl_status_t build(void *arg, void **value, struct shared_text **note)
{
    (void)note;
    struct errand *e = arg;
    struct player *p = e->player;
    struct world *w = p->world;
    dnnl_status_t st = dnnl_success;
    int before = atomic_fetch_add(&w->builders[e->id], 1);
    if (w->only_one_builder) EXPECT_EQ(0, before);
    atomic_fetch_add(&w->builds, 1);

    if (draw(p, 4) == 0) sched_yield();
    if (e->id + 1 < ids && draw(p, 3) == 0)
        get(p, e->id + 1 + draw(p, ids - 1 - e->id));
    switch (draw(p, 20)) {
    case 0:
        st = dnnl_unimplemented;
        break;
    case 1:
        st = dnnl_out_of_memory;
        break;
    case 2: /* spurious */
        break;
    case 3: /* nobody else's; who has waited in vain too often builds, too */
        if (w->only_one_builder)
            st = dnnl_unimplemented;
        else
            st = dnnl_cache_miss;
        break;
    default:
        *value = item_create(e->id, 1 + draw(p, 100));
        break;
    }
    /* The cache counts no builds that were not to build. */
    if (st == dnnl_cache_miss)
        atomic_fetch_sub(&w->builds, 1);
    else if (*value == NULL)
        atomic_fetch_add(&w->failures, 1);
    atomic_fetch_sub(&w->builders[e->id], 1);
    return st;
}

static void check_and_release(struct item *i, unsigned id)
{
    EXPECT_EQ(id, i->id);
    EXPECT_GT(atomic_load(&i->references), 0);
    item_release(i);
}

static void get(struct player *p, unsigned id)
{
    struct world *w = p->world;
    struct errand e = {p, id};
    enum cache_outcome outcome = cache_outcome_hit;
    void *value = NULL;
    atomic_fetch_add(&w->gets, 1);
    dnnl_status_t st = cache_get_or_build(w->cache, &w->keys[id].key,
            cache_way_shared, build, &e, &value, &outcome, NULL);
    switch (st) {
    case dnnl_success:
        check_and_release(value, id);
        break;
    case dnnl_unimplemented:
    case dnnl_out_of_memory:
    case dnnl_cache_miss:
    case dnnl_runtime_error:
        EXPECT_NULL(value);
        break;
    default:
        EXPECT_OK(st);
    }
}

static void find(struct player *p, unsigned id)
{
    struct world *w = p->world;
    void *value = NULL;
    atomic_fetch_add(&w->finds, 1);
    if (cache_find(w->cache, &w->keys[id].key, &value))
        check_and_release(value, id);
}

static void replace(struct player *p, unsigned id)
{
    struct world *w = p->world;
    struct item *i = item_create(id, 1 + draw(p, 100));
    ASSERT_NOT_NULL(i);
    EXPECT_OK(items_replace(w->cache, &w->keys[id].key, i, 0));
    if (draw(p, 2) == 0)
        (void)cache_remove_value(w->cache, &w->keys[id].key, i);
    item_release(i);
}

static bool has_id(const void *value, const void *arg)
{
    return ((const struct item *)value)->id == *(const unsigned *)arg;
}

static void operate(struct player *p)
{
    struct world *w = p->world;
    unsigned id = draw(p, ids);
    switch (draw(p, 40)) {
    case 0:
        cache_clear(w->cache);
        break;
    case 1: /* off now and then, if several may build one key */
        cache_set_capacity(
                w->cache, draw(p, 40) + (w->only_one_builder ? 1 : 0));
        break;
    case 2:
        cache_set_byte_limit(
                w->cache, draw(p, 2) == 0 ? UINT64_MAX : draw(p, 4000));
        break;
    case 3:
    case 4:
        if (!w->only_one_builder) replace(p, id);
        break;
    case 5:
        /* Capacities go up to 40, and limits hold at every moment. */
        EXPECT_LE(items_count(w->cache), 40);
        EXPECT_LE(items_statistics(w->cache).bytes, 100 * ids);
        break;
    case 6:
    case 7:
    case 8:
    case 9:
        find(p, id);
        break;
    case 10:
        cache_remove_if(w->cache, cache_evicted, has_id, &id);
        break;
    case 11:
        if (draw(p, 20) == 0) cache_recount(w->cache);
        break;
    case 12:
        if (draw(p, 20) == 0) cache_evict_all(w->cache);
        break;
    default:
        get(p, id);
    }
}

static void *play(void *arg)
{
    struct player *p = arg;
    for (unsigned n = 0; n < p->world->operations; n++)
        operate(p);
    return NULL;
}

/* What must hold once all is quiet. */
static void check_world(struct world *w)
{
    struct cache_statistics s = items_statistics(w->cache);
    /* Who waited for a spurious failure looked up twice. */
    uint64_t calls = atomic_load(&w->gets) + atomic_load(&w->finds);
    EXPECT_GE(s.hits + s.waits + s.misses, calls);
    EXPECT_LE(s.hits + s.waits + s.misses, calls + s.waits);
    EXPECT_EQ(atomic_load(&w->builds), s.builds);
    EXPECT_EQ(atomic_load(&w->failures), s.failures);
    EXPECT_LE(items_count(w->cache), cache_capacity(w->cache));
    EXPECT_EQ(items_count(w->cache), items_alive());

    size_t found = 0;
    uint64_t bytes = 0;
    for (unsigned id = 0; id < ids; id++) {
        void *value = NULL;
        if (!cache_find(w->cache, &w->keys[id].key, &value)) continue;
        EXPECT_EQ(2, atomic_load(&((struct item *)value)->references));
        bytes += ((struct item *)value)->bytes;
        found++;
        check_and_release(value, id);
    }
    EXPECT_EQ(found, items_count(w->cache));
    EXPECT_EQ(bytes, s.bytes);
}

static void run_world(bool only_one_builder)
{
    static struct world w;
    static struct player players[threads];
    const char *wanted = getenv("DNNL_CACHE_TEST_LONG");
    bool is_long = wanted != NULL && strcmp(wanted, "1") == 0;
    memset(&w, 0, sizeof w);
    w.cache = items_cache(20);
    w.only_one_builder = only_one_builder;
    w.operations = (is_long ? 1000000u : 50000u) / threads;
    w.seed = test_seed();
    for (unsigned id = 0; id < ids; id++)
        item_key_init(&w.keys[id], id);
    for (unsigned i = 0; i < threads; i++) {
        players[i] = (struct player){.world = &w, .random = w.seed + i};
        if (pthread_create(&players[i].thread, NULL, play, &players[i]) != 0)
            abort();
    }
    for (unsigned i = 0; i < threads; i++)
        pthread_join(players[i].thread, NULL);
    check_world(&w);
    cache_destroy(w.cache);
    EXPECT_EQ(0, items_alive());
}

TEST_C(CacheRandom, EveryKeyHasOneBuilderAtATime)
{
    run_world(true);
}

TEST_C(CacheRandom, AnyOperationsInAnyOrder)
{
    run_world(false);
}
