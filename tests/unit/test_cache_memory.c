/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the cache, and of a build inside it, fails once: alone,
 * and with those that follow. The linker hands this binary's calls of malloc
 * and of what else may run out of something to the functions here (--wrap).
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cache_items.h"
#include "test.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __real_pthread_mutex_init(
        pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __wrap_pthread_mutex_init(
        pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes);
int __real_pthread_cond_init(
        pthread_cond_t *cond, const pthread_condattr_t *attributes);
int __wrap_pthread_cond_init(
        pthread_cond_t *cond, const pthread_condattr_t *attributes);

/* Allocations of this thread until they fail, and how many fail then. */
static _Thread_local long until_failure;
static _Thread_local long failures_left;

static bool fails(void)
{
    if (failures_left == 0) return false;
    if (until_failure > 0) {
        until_failure--;
        return false;
    }
    failures_left--;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

int __wrap_pthread_mutex_init(
        pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    return fails() ? EAGAIN : __real_pthread_mutex_init(mutex, attributes);
}

int __wrap_pthread_cond_init(
        pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    return fails() ? EAGAIN : __real_pthread_cond_init(cond, attributes);
}

enum { keys = 24 };

/* All in one bucket of the table at first, so that it soon has to grow. */
static struct cache_key crowded_key(const unsigned *id)
{
    return (struct cache_key){id, sizeof *id, (uint64_t)*id << 5};
}

static void expect_consistent(struct cache *c)
{
    size_t found = 0;
    for (unsigned id = 0; id < keys; id++) {
        struct cache_key key = crowded_key(&id);
        void *value = NULL;
        if (!cache_find(c, &key, &value)) continue;
        EXPECT_EQ(id, ((struct item *)value)->id);
        item_release(value);
        found++;
    }
    EXPECT_EQ(found, items_count(c));
    EXPECT_EQ(10 * found, items_statistics(c).bytes);
}

/* Puts one key; with one failure it succeeds, with more it may not. */
static void put(struct cache *c, unsigned id, bool must_succeed)
{
    struct cache_key key = crowded_key(&id);
    struct recipe r = {.id = id, .bytes = 10};
    void *value = c; /* anything but an item */
    dnnl_status_t st = cache_get_or_build(
            c, &key, cache_way_shared, recipe_build, &r, &value, NULL, NULL);
    if (st == dnnl_success) {
        EXPECT_EQ(id, ((struct item *)value)->id);
        item_release(value);
    } else {
        EXPECT_FALSE(must_succeed);
        EXPECT_STATUS(dnnl_out_of_memory, st);
        EXPECT_PTR_EQ(c, value);
    }
}

static void replace(struct cache *c, unsigned id)
{
    struct cache_key key = crowded_key(&id);
    struct item *i = item_create(id, 10);
    if (i == NULL) return;
    dnnl_status_t st = items_replace(c, &key, i, 0);
    void *value = NULL;
    if (st == dnnl_success) {
        EXPECT_TRUE(cache_find(c, &key, &value));
        EXPECT_PTR_EQ(i, value);
        item_release(value);
    } else {
        EXPECT_STATUS(dnnl_out_of_memory, st);
        EXPECT_FALSE(cache_find(c, &key, &value));
        EXPECT_EQ(1, atomic_load(&i->references));
    }
    item_release(i);
}

/* Uses a cache up and down, with some of its allocations failing. */
static void use_cache(long skipped, long failing)
{
    until_failure = skipped;
    failures_left = failing;
    struct cache *c = items_cache(keys);
    if (c == NULL) return;
    for (unsigned id = 0; id < keys; id++)
        put(c, id, failing == 1);
    for (unsigned id = 0; id < keys; id += 5)
        replace(c, id);
    expect_consistent(c);
    cache_clear(c); /* the table goes, too */
    put(c, 1, failing == 1);
    replace(c, 2);
    expect_consistent(c);
    failures_left = 0;
    put(c, 3, true); /* once there is memory again it is kept */
    EXPECT_TRUE(items_count(c) > 0);
    expect_consistent(c);
    cache_destroy(c);
}

TEST_C(CacheMemory, CreationWithoutMemoryWritesNothing)
{
    static const struct cache_ops ops = {0};
    int here = 0;
    struct cache *c = (struct cache *)(void *)&here;
    for (long n = 0; n < 66; n++) { /* the cache, its lock, its shards' */
        until_failure = n;
        failures_left = 1;
        EXPECT_STATUS(dnnl_out_of_memory, cache_create(&c, 1, &ops));
        EXPECT_PTR_EQ(&here, c);
    }
}

TEST_C(CacheMemory, AnyOneAllocationMayFail)
{
    const long most = 10000;
    long n = 0;
    do {
        use_cache(n++, 1);
        EXPECT_EQ(0, items_alive());
    } while (until_failure == 0 && n < most); /* it came so far as to fail */
    EXPECT_GT(n, 4 * keys); /* an entry, its lock, its condition and an item */
    EXPECT_LT(n, most);
}

TEST_C(CacheMemory, AnyNumberOfAllocationsMayFail)
{
    const long several[] = {2, 3, 10, 1000000};
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        for (long n = 0; n < 8 * keys; n++) {
            use_cache(n, several[i]);
            EXPECT_EQ(0, items_alive());
        }
    }
}

TEST_C(CacheMemory, NoteNeedsMemory)
{
    until_failure = 0;
    failures_left = 1;
    EXPECT_NULL(shared_text_create("a word"));
    EXPECT_NULL(shared_text_retain(NULL));
    shared_text_release(NULL);
}
