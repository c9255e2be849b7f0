/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the cache put into it: items that count their references
 * and are counted themselves, keys by number, and build functions that do as
 * they are told.
 */
#ifndef DNNL_CACHE_TESTS_UNIT_CACHE_ITEMS_H
#define DNNL_CACHE_TESTS_UNIT_CACHE_ITEMS_H

#include <stdatomic.h>

#include "src/common/cache.h"
#include "src/common/shared_text.h"

struct item {
    atomic_int references;
    unsigned id;
    size_t bytes;
    void (*on_release)(void *arg); /* as the last reference goes; may be NULL */
    void *on_release_arg;
};

/* An item of one reference. NULL: out of memory. */
struct item *item_create(unsigned id, size_t bytes);
void item_release(void *item);
/* How many items exist. */
int items_alive(void);
/* A cache of items that count their bytes; dnnl_cache_miss is a failure of the
 * builder's own. */
struct cache *items_cache(size_t capacity);

/* About as long as a real ID; keys of different ids differ near the end. */
struct item_key {
    unsigned char bytes[700];
    struct cache_key key;
};
void item_key_init(struct item_key *k, unsigned id);

/* How recipe_build makes an item, or fails to. */
struct recipe {
    unsigned id;
    size_t bytes;
    dnnl_status_t status; /* what the first failing_calls calls return */
    unsigned failing_calls;
    const char *words;               /* that go with those; may be NULL */
    void (*during)(struct recipe *); /* runs inside the build; may be NULL */
    struct cache *cache;             /* for during */
    uint64_t waits; /* for recipe_await_waits: how many to wait for */
    atomic_uint calls;
};
/* A cache_build_fn; arg is a recipe. */
dnnl_status_t recipe_build(void *arg, void **value, struct shared_text **note);
/* A during: returns once cache has counted waits waits, or after a minute. */
void recipe_await_waits(struct recipe *r);

/* cache_get_or_build of the recipe's id. */
dnnl_status_t recipe_get(struct cache *c, struct recipe *r, struct item **item,
        enum cache_outcome *outcome);
/* The same for a plain item of ten bytes; drops the reference. */
dnnl_status_t items_put(struct cache *c, unsigned id);
/* Whether the cache has the id's value; makes it the newest. */
bool items_find(struct cache *c, unsigned id);

/* cache_put() of a value that replaces what the key has. */
dnnl_status_t items_replace(struct cache *c, const struct cache_key *key,
        void *value, uint64_t cost_ns);

struct cache_statistics items_statistics(struct cache *c);
/* How many finished values the cache has. */
size_t items_count(struct cache *c);

/* Polls *flag for a minute at most; returns whether it became at least n. */
bool await_at_least(atomic_uint *flag, unsigned n);

#define END_OF_CACHE(c)              \
    do {                             \
        cache_destroy(c);            \
        EXPECT_EQ(0, items_alive()); \
    } while (0)
/* A test with a cache of so many items. */
#define TEST_CACHE(suite, name, capacity)                              \
    TEST_OF(suite, name, struct cache *, c, c = items_cache(capacity), \
            END_OF_CACHE(c))

#endif /* DNNL_CACHE_TESTS_UNIT_CACHE_ITEMS_H */
