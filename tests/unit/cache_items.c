/* SPDX-License-Identifier: Apache-2.0 */
#include "cache_items.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/cache_parts.h"
#include "src/common/hash.h"

#define WAIT_MILLISECONDS 60000

static atomic_int alive;

struct item *item_create(unsigned id, size_t bytes)
{
    struct item *i = malloc(sizeof *i);
    if (i == NULL) return NULL;
    *i = (struct item){.id = id, .bytes = bytes};
    atomic_init(&i->references, 1);
    atomic_fetch_add(&alive, 1);
    return i;
}

static void item_retain(void *item)
{
    atomic_fetch_add(&((struct item *)item)->references, 1);
}

void item_release(void *item)
{
    struct item *i = item;
    if (atomic_fetch_sub(&i->references, 1) > 1) return;
    if (i->on_release != NULL) i->on_release(i->on_release_arg);
    free(i);
    atomic_fetch_sub(&alive, 1);
}

static size_t item_bytes(const void *item)
{
    return ((const struct item *)item)->bytes;
}

int items_alive(void)
{
    return atomic_load(&alive);
}

static bool is_miss(dnnl_status_t status)
{
    return status == dnnl_cache_miss;
}

struct cache *items_cache(size_t capacity)
{
    static const struct cache_ops ops = {.retain = item_retain,
            .release = item_release,
            .bytes = item_bytes,
            .is_builders_own = is_miss};
    struct cache *c = NULL;
    if (cache_create(&c, capacity, &ops) != dnnl_success) return NULL;
    return c;
}

void item_key_init(struct item_key *k, unsigned id)
{
    memset(k->bytes, 0x5a, sizeof k->bytes);
    memcpy(k->bytes + sizeof k->bytes - 2 * sizeof id, &id, sizeof id);
    k->key.data = k->bytes;
    k->key.size = sizeof k->bytes;
    k->key.hash = hash64(k->bytes, sizeof k->bytes);
}

dnnl_status_t recipe_build(void *arg, void **value, struct shared_text **note)
{
    struct recipe *r = arg;
    unsigned call = atomic_fetch_add(&r->calls, 1);
    if (r->during != NULL) r->during(r);
    if (call < r->failing_calls) {
        if (r->words != NULL) *note = shared_text_create(r->words);
        return r->status;
    }
    *value = item_create(r->id, r->bytes);
    return *value != NULL ? dnnl_success : dnnl_out_of_memory;
}

static void sleep_a_millisecond(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

void recipe_await_waits(struct recipe *r)
{
    for (int i = 0; i < WAIT_MILLISECONDS; i++) {
        if (items_statistics(r->cache).waits >= r->waits) return;
        sleep_a_millisecond();
    }
}

bool await_at_least(atomic_uint *flag, unsigned n)
{
    for (int i = 0; i < WAIT_MILLISECONDS; i++) {
        if (atomic_load(flag) >= n) return true;
        sleep_a_millisecond();
    }
    return false;
}

dnnl_status_t recipe_get(struct cache *c, struct recipe *r, struct item **item,
        enum cache_outcome *outcome)
{
    struct item_key k;
    item_key_init(&k, r->id);
    void *value = NULL;
    dnnl_status_t st = cache_get_or_build(c, &k.key, cache_way_shared,
            recipe_build, r, &value, outcome, NULL);
    if (st == dnnl_success) *item = value;
    return st;
}

dnnl_status_t items_put(struct cache *c, unsigned id)
{
    struct recipe r = {.id = id, .bytes = 10};
    struct item *i = NULL;
    dnnl_status_t st = recipe_get(c, &r, &i, NULL);
    if (st == dnnl_success) item_release(i);
    return st;
}

bool items_find(struct cache *c, unsigned id)
{
    struct item_key k;
    void *value = NULL;
    item_key_init(&k, id);
    if (!cache_find(c, &k.key, &value)) return false;
    item_release(value);
    return true;
}

dnnl_status_t items_replace(struct cache *c, const struct cache_key *key,
        void *value, uint64_t cost_ns)
{
    return cache_put(c, key, value, cost_ns, false);
}

struct cache_statistics items_statistics(struct cache *c)
{
    struct cache_statistics s;
    cache_get_statistics(c, &s);
    return s;
}

size_t items_count(struct cache *c)
{
    return (size_t)items_statistics(c).entries;
}
