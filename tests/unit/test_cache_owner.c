/* SPDX-License-Identifier: Apache-2.0 */
/* What a cache tells its owner and is told by it; notes, time, and whose
 * failure it is. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cache_items.h"
#include "test.h"

/* ---- What owners are told, and tell -------------------------------------- */

/* An owner that writes down what it hears, and says what it is told to. */
struct owner {
    int kept;                /* how many values are marked as kept */
    int left[3];             /* by reason */
    int freed;               /* calls of free_memory */
    size_t weight;           /* bytes of every value */
    struct cache *recounted; /* at the next question for bytes */
    struct cache *asked;     /* for what is being counted, the next time */
    dnnl_status_t answer;
    struct cache *always; /* recounted each time */
    int questions;        /* for bytes, but for those of recounts */
    uint64_t last_use[8]; /* by id */
};
static struct owner owner;

static void own_retain(void *value)
{
    atomic_fetch_add(&((struct item *)value)->references, 1);
}

static size_t own_bytes(const void *value)
{
    static bool recounting;
    size_t weight = owner.weight;
    struct cache *c = owner.recounted;
    if (!recounting) owner.questions++;
    if (owner.always != NULL && !recounting) {
        recounting = true;
        cache_recount(owner.always);
        recounting = false;
    }
    if (owner.asked != NULL) {
        struct recipe r = {.id = ((const struct item *)value)->id, .bytes = 10};
        struct cache *asked = owner.asked;
        struct item *item = NULL;
        owner.asked = NULL;
        owner.answer = recipe_get(asked, &r, &item, NULL);
        if (item != NULL) item_release(item);
    }
    if (c != NULL) {
        owner.recounted = NULL;
        owner.weight = 50;
        cache_recount(c);
    }
    return weight;
}

static void own_mark(void *value, bool kept)
{
    (void)value;
    owner.kept += kept ? 1 : -1;
}

static void own_left(void *user, void *value, enum cache_departure why)
{
    struct owner *o = user;
    EXPECT_GT(atomic_load(&((struct item *)value)->references), 0);
    o->left[why]++;
}

static uint64_t own_last_use(const void *value)
{
    return owner.last_use[((const struct item *)value)->id];
}

static bool is_miss(dnnl_status_t status)
{
    return status == dnnl_cache_miss;
}

static void own_free_memory(void *user)
{
    struct owner *o = user;
    o->freed++;
}

static struct cache *owned_cache(size_t capacity)
{
    const struct cache_ops ops = {.retain = own_retain,
            .release = item_release,
            .bytes = own_bytes,
            .mark = own_mark,
            .left = own_left,
            .last_use = own_last_use,
            .is_builders_own = is_miss,
            .free_memory = own_free_memory,
            .user = &owner};
    struct cache *c = NULL;
    memset(&owner, 0, sizeof owner);
    owner.weight = 10;
    if (cache_create(&c, capacity, &ops) != dnnl_success) abort();
    return c;
}

TEST_C(CacheOwner, IsToldWhatEntersAndLeaves)
{
    struct cache *c = owned_cache(2);
    struct item_key k;
    for (unsigned id = 0; id < 3; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_EQ(2, owner.kept);
    EXPECT_EQ(1, owner.left[cache_evicted]);
    struct item *i = item_create(2, 10);
    ASSERT_NOT_NULL(i);
    item_key_init(&k, 2);
    ASSERT_OK(items_replace(c, &k.key, i, 0));
    EXPECT_EQ(2, owner.kept);
    EXPECT_EQ(1, owner.left[cache_replaced]);
    EXPECT_EQ(0, owner.left[cache_dropped]);
    EXPECT_TRUE(cache_remove_value(c, &k.key, i));
    EXPECT_EQ(1, owner.kept);
    EXPECT_EQ(1, owner.left[cache_replaced]);
    EXPECT_EQ(1, owner.left[cache_dropped]);
    item_release(i);
    cache_evict_all(c);
    EXPECT_EQ(0, owner.kept);
    EXPECT_EQ(2, owner.left[cache_evicted]);
    END_OF_CACHE(c);
}

/* What never entered did not leave. */
TEST_C(CacheOwner, IsNotToldOfWhatIsNotKept)
{
    struct cache *c = owned_cache(0);
    ASSERT_OK(items_put(c, 1));
    cache_set_capacity(c, 1);
    cache_set_byte_limit(c, 5);
    ASSERT_OK(items_put(c, 1));
    EXPECT_EQ(0, owner.kept);
    EXPECT_EQ(0, owner.left[cache_evicted] + owner.left[cache_dropped]);
    END_OF_CACHE(c);
}

TEST_C(CacheOwner, TellsOfUsesThatTheCacheDoesNotSee)
{
    struct cache *c = owned_cache(3);
    for (unsigned id = 0; id < 3; id++)
        ASSERT_OK(items_put(c, id));
    owner.last_use[0] = cache_stamp();
    ASSERT_OK(items_put(c, 3)); /* 1 leaves, not 0 */
    owner.last_use[2] = cache_stamp();
    ASSERT_OK(items_put(c, 4)); /* 0 leaves, not 2 */
    EXPECT_FALSE(items_find(c, 1));
    EXPECT_FALSE(items_find(c, 0));
    EXPECT_TRUE(items_find(c, 2));
    EXPECT_TRUE(items_find(c, 3));
    EXPECT_TRUE(items_find(c, 4));
    END_OF_CACHE(c);
}

/* The same with all values in one shard, among which the used ones have to find
 * their places. */
static void put_crowded(struct cache *c, unsigned id)
{
    struct cache_key key = {&id, sizeof id, 0};
    struct recipe r = {.id = id, .bytes = 10};
    void *value = NULL;
    ASSERT_OK(cache_get_or_build(
            c, &key, cache_way_shared, recipe_build, &r, &value, NULL, NULL));
    item_release(value);
}

static bool has_crowded(struct cache *c, unsigned id)
{
    struct cache_key key = {&id, sizeof id, 0};
    struct cache_statistics before = items_statistics(c);
    void *value = NULL;
    if (!cache_find(c, &key, &value)) return false;
    EXPECT_EQ(before.hits + 1, items_statistics(c).hits);
    item_release(value);
    return true;
}

TEST_C(CacheOwner, TellsOfUsesAmongOthersInAShard)
{
    struct cache *c = owned_cache(4);
    put_crowded(c, 0);
    put_crowded(c, 1);
    uint64_t early = cache_stamp();
    put_crowded(c, 2);
    uint64_t later = cache_stamp();
    put_crowded(c, 3);
    owner.last_use[0] = later; /* 1, 2, 0, 3 */
    put_crowded(c, 4);
    EXPECT_FALSE(has_crowded(c, 1));
    owner.last_use[2] = early; /* before it entered: as it was */
    put_crowded(c, 5);
    EXPECT_FALSE(has_crowded(c, 2));
    put_crowded(c, 6);
    EXPECT_FALSE(has_crowded(c, 0));
    EXPECT_TRUE(has_crowded(c, 3));
    END_OF_CACHE(c);
}

static bool has_id(const void *value, const void *arg)
{
    return ((const struct item *)value)->id == *(const unsigned *)arg;
}

TEST_C(CacheOwner, EvictsWhatBelongsTogether)
{
    struct cache *c = owned_cache(8);
    unsigned wanted = 5;
    for (unsigned id = 0; id < 8; id++)
        ASSERT_OK(items_put(c, id));
    cache_remove_if(c, cache_evicted, has_id, &wanted);
    EXPECT_EQ(7, items_count(c));
    EXPECT_FALSE(items_find(c, 5));
    EXPECT_EQ(1, owner.left[cache_evicted]);
    EXPECT_EQ(70, items_statistics(c).bytes);
    END_OF_CACHE(c);
}

TEST_C(CacheOwner, HasValuesCountedAgain)
{
    struct cache *c = owned_cache(20);
    owner.weight = 0;
    for (unsigned id = 0; id < 8; id++)
        ASSERT_OK(items_put(c, id));
    EXPECT_EQ(0, items_statistics(c).bytes);
    owner.weight = 7;
    cache_recount(c);
    EXPECT_EQ(8 * 7, items_statistics(c).bytes);
    cache_set_byte_limit(c, 20);
    EXPECT_EQ(2, items_count(c));
    EXPECT_TRUE(items_find(c, 7));
    EXPECT_TRUE(items_find(c, 6));
    owner.weight = 11; /* both no longer fit: the recount keeps the limit */
    cache_recount(c);
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(11, items_statistics(c).bytes);
    END_OF_CACHE(c);
}

/* What it weighed before the recount, which did not find it, does not count. */
TEST_C(CacheOwner, HasValuesCountedThatEnterDuringARecount)
{
    struct cache *c = owned_cache(4);
    struct item_key k;
    owner.recounted = c;
    ASSERT_OK(items_put(c, 1));
    EXPECT_EQ(50, items_statistics(c).bytes);
    owner.weight = 10;
    owner.recounted = c;
    struct item *i = item_create(2, 10);
    ASSERT_NOT_NULL(i);
    item_key_init(&k, 2);
    ASSERT_OK(items_replace(c, &k.key, i, 0));
    item_release(i);
    EXPECT_EQ(100, items_statistics(c).bytes);
    END_OF_CACHE(c);
}

/* A driver that cannot tell a size is complained of to a log callback, which
 * may want that very program. */
TEST_C(CacheOwner, DoesNotWaitForWhatItIsCounting)
{
    struct cache *c = owned_cache(4);
    owner.asked = c;
    owner.answer = dnnl_success;
    ASSERT_OK(items_put(c, 1));
    EXPECT_STATUS(dnnl_runtime_error, owner.answer);
    EXPECT_TRUE(items_find(c, 1));
    END_OF_CACHE(c);
}

TEST_C(CacheOwner, IsNotAskedForEverThoughItRecountsEachTime)
{
    struct cache *c = owned_cache(4);
    ASSERT_OK(items_put(c, 1));
    owner.always = c;
    owner.questions = 0;
    ASSERT_OK(items_put(c, 2));
    EXPECT_GT(owner.questions, 1);
    EXPECT_LE(owner.questions, 8);
    EXPECT_TRUE(items_find(c, 2));
    owner.always = NULL;
    END_OF_CACHE(c);
}

TEST_C(CacheOwner, SaysWhatToFreeWhenMemoryRunsOut)
{
    struct cache *c = owned_cache(4);
    struct recipe r = {.id = 1,
            .bytes = 10,
            .status = dnnl_out_of_memory,
            .failing_calls = 1};
    struct item *i = NULL;
    ASSERT_OK(items_put(c, 2));
    ASSERT_OK(recipe_get(c, &r, &i, NULL));
    EXPECT_EQ(2, atomic_load(&r.calls));
    EXPECT_EQ(1, owner.freed);
    EXPECT_EQ(2, items_count(c)); /* it did not ask for these */
    item_release(i);
    END_OF_CACHE(c);
}

/* Builds within builds: the inner one was tried twice, which is enough. */
static void build_inside(struct recipe *r)
{
    struct recipe inner = {
            .id = 2, .status = dnnl_out_of_memory, .failing_calls = 1000};
    struct item *i = NULL;
    EXPECT_STATUS(dnnl_out_of_memory, recipe_get(r->cache, &inner, &i, NULL));
    EXPECT_EQ(2, atomic_load(&inner.calls));
}

TEST_C(CacheOwner, IsAskedForMemoryOnceHoweverDeep)
{
    struct cache *c = owned_cache(4);
    struct recipe r = {.id = 1,
            .status = dnnl_out_of_memory,
            .failing_calls = 1000,
            .during = build_inside,
            .cache = c};
    struct item *i = NULL;
    EXPECT_STATUS(dnnl_out_of_memory, recipe_get(c, &r, &i, NULL));
    EXPECT_EQ(1, atomic_load(&r.calls));
    EXPECT_EQ(1, owner.freed);
    /* It does not last: the next one is tried twice again. */
    r = (struct recipe){
            .id = 3, .status = dnnl_out_of_memory, .failing_calls = 1000};
    EXPECT_STATUS(dnnl_out_of_memory, recipe_get(c, &r, &i, NULL));
    EXPECT_EQ(2, atomic_load(&r.calls));
    END_OF_CACHE(c);
}

/* ---- Notes and time ------------------------------------------------------ */

TEST_CACHE(CacheNotes, OfTheLastFailureReachTheCaller, 2)
{
    struct item_key k;
    void *value = c;
    struct shared_text *note = NULL;
    struct recipe r = {.id = 1,
            .status = dnnl_unimplemented,
            .failing_calls = 1,
            .words = "not that one"};
    item_key_init(&k, 1);
    EXPECT_STATUS(
            dnnl_unimplemented, cache_get_or_build(c, &k.key, cache_way_shared,
                                        recipe_build, &r, &value, NULL, &note));
    ASSERT_NOT_NULL(note);
    EXPECT_STR_EQ("not that one", note->text);
    EXPECT_EQ(strlen("not that one"), note->size);
    EXPECT_EQ(1, atomic_load(&note->references));
    EXPECT_PTR_EQ(c, value);
    shared_text_release(note);
    note = NULL;
    ASSERT_OK(cache_get_or_build(c, &k.key, cache_way_shared, recipe_build, &r,
            &value, NULL, &note));
    EXPECT_NULL(note);
    item_release(value);
}

TEST_C(CacheNotes, StayInTheirSlotUntilTheNext)
{
    struct text_slot slot;
    text_slot_init(&slot);
    EXPECT_NULL(text_slot_get(&slot));
    text_slot_put(&slot, shared_text_create("none"));
    text_slot_put(&slot, NULL);
    EXPECT_NULL(text_slot_get(&slot));
    text_slot_put(&slot, shared_text_create("first"));
    struct shared_text *first = text_slot_get(&slot);
    ASSERT_NOT_NULL(first);
    text_slot_put(&slot, shared_text_create("second"));
    EXPECT_STR_EQ("first", first->text);
    shared_text_release(first);
    struct shared_text *second = text_slot_get(&slot);
    ASSERT_NOT_NULL(second);
    EXPECT_STR_EQ("second", second->text);
    shared_text_release(second);
    text_slot_fini(&slot);
}

static void take_a_while(struct recipe *r)
{
    (void)r;
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

TEST_CACHE(CacheChange, HitsSaveWhatTheBuildTook, 2)
{
    struct recipe r = {.id = 1, .bytes = 1, .during = take_a_while};
    for (int n = 0; n < 4; n++) {
        struct item *i = NULL;
        ASSERT_OK(recipe_get(c, &r, &i, NULL));
        item_release(i);
    }
    EXPECT_GE(items_statistics(c).saved_ns, 30000000);
    uint64_t saved = items_statistics(c).saved_ns;
    struct item *i = item_create(2, 1);
    struct item_key k;
    item_key_init(&k, 2);
    ASSERT_OK(items_replace(c, &k.key, i, 5));
    item_release(i);
    EXPECT_TRUE(items_find(c, 2));
    EXPECT_EQ(saved + 5, items_statistics(c).saved_ns);
}

/* ---- Whose failure it is ------------------------------------------------- */

enum { PARTY = 100 };

struct guest {
    struct cache *cache;
    pthread_barrier_t *start;
    pthread_t thread;
    struct recipe recipe;
    dnnl_status_t status;
    struct item *item;
    struct shared_text *note;
};

static void *attend(void *arg)
{
    struct guest *g = arg;
    struct item_key k;
    void *value = NULL;
    item_key_init(&k, 1);
    pthread_barrier_wait(g->start);
    g->status = cache_get_or_build(g->cache, &k.key, cache_way_shared,
            recipe_build, &g->recipe, &value, NULL, &g->note);
    g->item = value;
    return NULL;
}

/* All guests ask for one key at once. */
static void party(struct guest guests[PARTY], struct cache *c)
{
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, PARTY);
    for (int i = 0; i < PARTY; i++) {
        guests[i].cache = c;
        guests[i].start = &start;
        if (pthread_create(&guests[i].thread, NULL, attend, &guests[i]) != 0)
            abort();
    }
    for (int i = 0; i < PARTY; i++)
        pthread_join(guests[i].thread, NULL);
    pthread_barrier_destroy(&start);
}

/* Everyone but one fails for reasons of his own: nobody fails with another,
 * nobody builds twice, and nobody waits for all of them. */
TEST_C(CacheOwnFailures, AreNotDeliveredAndWaitsForThemEnd)
{
    static struct guest guests[PARTY];
    struct cache *c = owned_cache(4);
    memset(guests, 0, sizeof guests);
    for (int i = 0; i < PARTY; i++)
        guests[i].recipe = (struct recipe){.id = 1,
                .bytes = 10,
                .during = i == 0 ? NULL : take_a_while,
                .status = dnnl_cache_miss,
                .failing_calls = i == 0 ? 0 : 1000};
    party(guests, c);
    for (int i = 0; i < PARTY; i++) {
        EXPECT_LE(atomic_load(&guests[i].recipe.calls), 1);
        EXPECT_NULL(guests[i].note);
        if (guests[i].item != NULL)
            EXPECT_OK(guests[i].status); /* built, or found what 0 built */
        else
            EXPECT_STATUS(dnnl_cache_miss, guests[i].status);
        if (guests[i].item != NULL) item_release(guests[i].item);
    }
    EXPECT_NOT_NULL(guests[0].item);
    EXPECT_LE(items_statistics(c).waits, (uint64_t)PARTY * MOST_VAIN_WAITS);
    END_OF_CACHE(c);
}

/* The builder's words reach everyone who waited: one text, not a copy each. */
TEST_CACHE(CacheNotes, ReachAllWhoWaited, 4)
{
    static struct guest guests[PARTY];
    memset(guests, 0, sizeof guests);
    for (int i = 0; i < PARTY; i++)
        guests[i].recipe = (struct recipe){.id = 1,
                .status = dnnl_runtime_error,
                .failing_calls = 1000,
                .words = "error: too many guests",
                .during = recipe_await_waits,
                .cache = c,
                .waits = PARTY - 1};
    party(guests, c);
    unsigned calls = 0;
    for (int i = 0; i < PARTY; i++) {
        calls += atomic_load(&guests[i].recipe.calls);
        EXPECT_STATUS(dnnl_runtime_error, guests[i].status);
        EXPECT_PTR_EQ(guests[0].note, guests[i].note);
    }
    EXPECT_EQ(1, calls);
    ASSERT_NOT_NULL(guests[0].note);
    EXPECT_STR_EQ("error: too many guests", guests[0].note->text);
    EXPECT_EQ(PARTY, atomic_load(&guests[0].note->references));
    for (int i = 0; i < PARTY; i++)
        shared_text_release(guests[i].note);
    EXPECT_EQ(0, items_count(c)); /* and is forgotten */
}

/* ---- While values are counted -------------------------------------------- */

/* What two threads come to while one of them counts. */
struct counting {
    atomic_uint counts;  /* how often bytes were asked for */
    atomic_bool is_held; /* the first answer comes when it is false again */
    size_t first_answer;
};
static struct counting counting;

static size_t count_slowly(const void *value)
{
    (void)value;
    if (atomic_fetch_add(&counting.counts, 1) > 0) return 100;
    while (atomic_load(&counting.is_held))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return counting.first_answer;
}

static struct cache *slowly_counted_cache(size_t first_answer)
{
    const struct cache_ops ops = {.retain = own_retain,
            .release = item_release,
            .bytes = count_slowly};
    struct cache *c = NULL;
    if (cache_create(&c, 4, &ops) != dnnl_success) abort();
    atomic_store(&counting.counts, 0);
    atomic_store(&counting.is_held, true);
    counting.first_answer = first_answer;
    return c;
}

static void *recount_it(void *arg)
{
    cache_recount(arg);
    return NULL;
}

/* The later one was told what is right now. */
TEST_C(CacheOwner, EarlierRecountDoesNotUndoALaterOne)
{
    struct cache *c = slowly_counted_cache(0);
    pthread_t thread;
    atomic_store(&counting.counts, 1); /* none is held yet */
    ASSERT_OK(items_put(c, 1));
    EXPECT_EQ(100, items_statistics(c).bytes);
    atomic_store(&counting.counts, 0);
    ASSERT_EQ(0, pthread_create(&thread, NULL, recount_it, c));
    EXPECT_TRUE(await_at_least(&counting.counts, 1));
    cache_recount(c);
    EXPECT_EQ(100, items_statistics(c).bytes);
    atomic_store(&counting.is_held, false);
    pthread_join(thread, NULL);
    EXPECT_EQ(100, items_statistics(c).bytes);
    cache_set_byte_limit(c, 50);
    EXPECT_EQ(0, items_count(c));
    END_OF_CACHE(c);
}

static void *put_one(void *arg)
{
    EXPECT_OK(items_put(arg, 1));
    return NULL;
}

/* Who waits for it is served: the thread ends later. */
TEST_C(CacheOwner, CancelledWhileItsValueIsCountedABuilderServesAll)
{
    struct cache *c = slowly_counted_cache(100);
    pthread_t builder;
    pthread_t waiter;
    ASSERT_EQ(0, pthread_create(&builder, NULL, put_one, c));
    EXPECT_TRUE(await_at_least(&counting.counts, 1));
    ASSERT_EQ(0, pthread_create(&waiter, NULL, put_one, c));
    while (items_statistics(c).waits == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    EXPECT_EQ(0, pthread_cancel(builder));
    atomic_store(&counting.is_held, false);
    pthread_join(builder, NULL);
    pthread_join(waiter, NULL);
    EXPECT_EQ(1, items_count(c));
    EXPECT_EQ(1, items_statistics(c).builds);
    END_OF_CACHE(c);
}
