/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h: a cache of reference-counted values in which every key is built
 * once, however many threads ask for it at the same time.
 *
 * The first thread to ask for a key builds its value; those that ask meanwhile
 * wait for that build and get its result or its error; later ones find the
 * value. Only finished values count against the limits, and the least recently
 * used of them leaves first. A value that leaves while in use lives on by the
 * references of its users.
 *
 * Failures are delivered, not kept: the next call after a failed build builds
 * again. A build that ran out of memory empties the cache and is tried once
 * more.
 *
 * Builds may use the cache they run for, and other caches: no lock is held
 * meanwhile. Where threads come to wait for each other's builds in a circle,
 * the call that would close it does not wait: it builds for itself, and that
 * value is not kept (common/waits.h). A build that needs its own key again, on
 * the same thread, gets dnnl_runtime_error. If a build fails in which that
 * happened, those who wait for it do not fail with it, but build.
 *
 * Every function may be called from several threads at once, except
 * cache_create and cache_destroy.
 */
#ifndef DNNL_CACHE_COMMON_CACHE_H
#define DNNL_CACHE_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnnl_cache_types.h"

struct cache;

/*
 * Names a value. Keys are equal if all their bytes are; the hash only finds
 * them faster, so it must be the same function of the bytes for every key of a
 * cache. The caller computes it once. The cache copies the bytes it keeps.
 * size is at most UINT_MAX.
 */
struct cache_key {
    const void *data;
    size_t size;
    uint64_t hash;
};

/*
 * How a cache handles its values. retain may run under the cache's lock: it may
 * only count. release and bytes run with no lock held and may use the cache.
 * bytes, what a value counts against the byte limit, is asked once, when the
 * value enters; NULL: nothing. The struct is copied.
 */
struct cache_ops {
    void (*retain)(void *value);
    void (*release)(void *value);
    size_t (*bytes)(const void *value);
};

/*
 * Builds the value of a key, with no lock held, on the thread that asked. On
 * success it gives one reference, on failure none. dnnl_success with a NULL
 * value is a spurious failure: the builder's caller gets dnnl_runtime_error,
 * and one of the threads that waited builds again. So it is if the build is
 * abandoned: by a C++ exception, by the end of its thread (pthread_exit,
 * pthread_cancel). It must not be left by longjmp.
 */
typedef dnnl_status_t (*cache_build_fn)(void *arg, void **value);

/* What a successful cache_get_or_build did. */
enum cache_outcome {
    cache_outcome_hit,    /* found the value */
    cache_outcome_waited, /* found its build under way, waited for it */
    cache_outcome_built   /* called the build function */
};

struct cache_statistics {
    uint64_t hits;      /* look-ups that found a finished value */
    uint64_t waits;     /* look-ups that waited for a build under way */
    uint64_t misses;    /* all other look-ups */
    uint64_t builds;    /* calls of build functions */
    uint64_t failures;  /* those of them that gave no value */
    uint64_t evictions; /* values dropped to stay in the limits, or by a build
                           that ran out of memory */
    uint64_t bytes;     /* of the finished values, now */
};

/*
 * Creates a cache for capacity_entries values (0: it is off) and any number of
 * bytes. The caller destroys it. dnnl_out_of_memory.
 */
dnnl_status_t cache_create(struct cache **out, size_t capacity_entries,
        const struct cache_ops *ops);

/*
 * Releases all values and the cache. No other call may be running, nor use the
 * cache later; a release function that it runs may not use it either. NULL is
 * fine.
 */
void cache_destroy(struct cache *c);

/*
 * Gives a reference of the caller's to the value of the key, building it if
 * need be. While the cache is off every call builds for itself, and nothing is
 * kept. outcome may be NULL. On failure nothing is written.
 *
 * Any status of build's; dnnl_runtime_error as said above, and for a second
 * circle inside a build of one's own. All who waited for a failed build get
 * its status, except that after a spurious failure they try once more, one of
 * them building. If memory lacks for keeping the value it is built and given
 * without being kept.
 */
dnnl_status_t cache_get_or_build(struct cache *c, const struct cache_key *key,
        cache_build_fn build, void *arg, void **value,
        enum cache_outcome *outcome);

/*
 * Gives a reference of the caller's to the value of the key, if it is there
 * and finished, and makes it the most recently used; else returns false and
 * writes nothing. Does not wait.
 */
bool cache_find(struct cache *c, const struct cache_key *key, void **value);

/*
 * Makes value what later look-ups of the key find, in place of what is there.
 * A build of the key under way goes on: it serves those who wait for it
 * already, and is not kept. The cache takes a reference of its own, unless it
 * is off. dnnl_out_of_memory: the key has no value now, later look-ups build
 * it.
 */
dnnl_status_t cache_replace(
        struct cache *c, const struct cache_key *key, void *value);

/*
 * Drops the key's finished value if it is still this one; returns whether it
 * was.
 */
bool cache_remove_value(
        struct cache *c, const struct cache_key *key, const void *value);

/*
 * Drops all finished values. Builds under way go on, and enter when they
 * finish.
 */
void cache_clear(struct cache *c);

/*
 * Sets how many finished values the cache may hold, 0 turning it off. If it
 * holds more, the least recently used leave, and exactly that many stay.
 */
void cache_set_capacity(struct cache *c, size_t entries);
size_t cache_capacity(struct cache *c);

/*
 * Sets how many bytes the finished values may have together; UINT64_MAX: any
 * number. The least recently used leave until that holds. A value that alone
 * has more is not kept, and displaces no other.
 */
void cache_set_byte_limit(struct cache *c, uint64_t bytes);

/* How many finished values the cache holds. */
size_t cache_size(struct cache *c);

void cache_get_statistics(struct cache *c, struct cache_statistics *out);

#endif /* DNNL_CACHE_COMMON_CACHE_H */
