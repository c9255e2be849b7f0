/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process-wide primitive cache, with oneDNN's interface.
 */
#include "src/gpu/primitive/primitive.h"
#include "src/gpu/program/object/context_memory.h"
#include "src/gpu/program/object/memory_limit.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_CAPACITY = 1024, MAX_VARIABLE_LENGTH = 11 };

/* Guards the making of the_cache; leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(struct cache *) the_cache; /* made once, never destroyed */

/* oneDNN's variable, else its older name; nonsense is no number. */
static size_t capacity_of_environment(void)
{
    const char *text = getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY");
    if (text == NULL) text = getenv("DNNL_PRIMITIVE_CACHE_CAPACITY");
    if (text == NULL || strlen(text) > MAX_VARIABLE_LENGTH)
        return memory_is_off_by_default() ? 0 : DEFAULT_CAPACITY;
    long value = strtol(text, NULL, 10);
    if (value < 0) return 0;
    return value > INT_MAX ? INT_MAX : (size_t)value;
}

static struct program *program_of(const void *value)
{
    return ((const struct primitive_impl *)value)->program;
}

static dnnl_status_t make_cache(struct cache **out)
{
    static struct program_users users = {.program_of = program_of};
    dnnl_status_t st =
            cache_create(out, capacity_of_environment(), &primitive_cache_ops);
    if (st != dnnl_success) return st;
    users.cache = *out;
    context_memory_set_users(&users);
    atomic_store_explicit(&the_cache, *out, memory_order_release);
    return dnnl_success;
}

dnnl_status_t primitive_cache(struct cache **out)
{
    struct cache *cache =
            atomic_load_explicit(&the_cache, memory_order_acquire);
    dnnl_status_t st = dnnl_success;
    if (cache == NULL) {
        pthread_mutex_lock(&lock);
        cache = atomic_load_explicit(&the_cache, memory_order_relaxed);
        if (cache == NULL) st = make_cache(&cache);
        pthread_mutex_unlock(&lock);
    }
    if (st == dnnl_success) *out = cache;
    return st;
}

dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity)
{
    struct cache *cache;
    if (capacity == NULL) return dnnl_invalid_arguments;
    dnnl_status_t st = primitive_cache(&cache);
    if (st == dnnl_success) *capacity = (int)cache_capacity(cache);
    return st;
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity)
{
    struct cache *cache;
    if (capacity < 0) return dnnl_invalid_arguments;
    dnnl_status_t st = primitive_cache(&cache);
    if (st == dnnl_success) cache_set_capacity(cache, (size_t)capacity);
    return st;
}
