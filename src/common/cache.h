/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.h: a cache of reference-counted values in which every key is built
 * once, however many threads ask for it at the same time.
 *
 * The first thread to ask for a key builds its value; those that ask meanwhile
 * wait for that build and get its result or its error; later ones find the
 * value. Only finished values count against the limits, and the least recently
 * used of them leaves first. A value that leaves while in use lives on by the
 * references of its users. The limits hold at every moment.
 *
 * Failures are delivered, with the words that go with them, and not kept: the
 * next call after a failed build builds again. A build that ran out of memory
 * empties the cache, or what its owner says, and is tried once more.
 *
 * Builds may use the cache they run for, and other caches: no lock is held
 * meanwhile. Where threads come to wait for each other's builds in a circle,
 * the call that would close it does not wait: it builds for itself, and that
 * value is not kept (common/waits.h). A build that needs its own key again, on
 * the same thread, gets dnnl_runtime_error. If a build fails in which that
 * happened, those who wait for it do not fail with it, but build.
 *
 * Keys are spread over shards, each with a lock of its own: look-ups of
 * different keys seldom meet, and a hit takes that lock once and no other.
 *
 * Every function may be called from several threads at once, except
 * cache_create and cache_destroy.
 */
#ifndef DNNL_CACHE_COMMON_CACHE_H
#define DNNL_CACHE_COMMON_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dnnl_cache/base.h"

struct cache;
struct shared_text; /* common/shared_text.h */

/*
 * Names a value. Keys are equal if all their bytes are; the hash only finds
 * them faster, so it must be the same function of the bytes for every key of a
 * cache. The caller computes it once. The cache copies the bytes it keeps. The
 * value of a key of more than UINT_MAX bytes is built, and not kept.
 */
struct cache_key {
    const void *data;
    size_t size;
    uint64_t hash;
};

/* Why a value left, for cache_ops.left(). */
enum cache_departure {
    cache_evicted,  /* to stay in the limits, or because memory ran out */
    cache_replaced, /* another value of its key is in its place */
    cache_dropped   /* removed, cleared, or the cache ends */
};

/*
 * How a cache handles its values. retain, mark and last_use may run under a
 * lock of the cache's: they may only read and write the value's own memory. The
 * others run with no lock held and may use the cache. All but retain and
 * release may be NULL. The struct is copied.
 */
struct cache_ops {
    void (*retain)(void *value);
    void (*release)(void *value);
    /* What a value counts against the byte limit: asked once, when it enters,
     * and at cache_recount(). NULL: nothing. */
    size_t (*bytes)(const void *value);
    /* The value entered the cache (true), or is about to leave it. */
    void (*mark)(void *value, bool kept);
    /* The value has left; called before the cache's reference goes. */
    void (*left)(void *user, void *value, enum cache_departure why);
    /* When the value was last used by other ways than look-ups of this cache:
     * a cache_stamp(), or 0. */
    uint64_t (*last_use)(const void *value);
    /* True: a failure of this kind is about the means of the builder that met
     * it. Those who waited for it do not fail with it, but ask again. NULL:
     * there is none. */
    bool (*is_builders_own)(dnnl_status_t status);
    /* A build ran out of memory: free what can be freed. NULL: the cache drops
     * its own values. */
    void (*free_memory)(void *user);
    void *user;
};

/*
 * Builds the value of a key, with no lock held, on the thread that asked. On
 * success it gives one reference, on failure none, but it may give a note then.
 * dnnl_success with a NULL value is a spurious failure: the builder's caller
 * gets dnnl_runtime_error, and one of the threads that waited builds again. So
 * it is if the build is abandoned: by a C++ exception, by the end of its thread
 * (pthread_exit, pthread_cancel). It must not be left by longjmp.
 */
typedef dnnl_status_t (*cache_build_fn)(
        void *arg, void **value, struct shared_text **note);

/* How a call comes by a value. */
enum cache_way {
    cache_way_shared,  /* finds it, waits for its build, or builds it */
    cache_way_no_wait, /* finds it, or builds it whoever else does: kept unless
                          a value has come meanwhile */
    cache_way_anew,    /* builds it, without looking: kept in place of what is
                          there */
    cache_way_unkept   /* builds it, without looking; the key may be NULL */
};

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
    uint64_t builds;    /* calls of build functions, but those that ended with
                           dnnl_cache_miss: they were not to build */
    uint64_t failures;  /* those of them that gave no value */
    uint64_t evictions; /* values that left to stay in the limits, or by a build
                           that ran out of memory; not what never entered */
    uint64_t saved_ns;  /* what the hits found had taken to build */
    uint64_t entries;   /* finished values, now */
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
 * cache later; a function of ops that it runs may not use it either. NULL is
 * fine.
 */
void cache_destroy(struct cache *c);

/*
 * Gives a reference of the caller's to the value of the key, building it if
 * need be. While the cache is off every call builds for itself, and nothing is
 * kept. A build of the key under way is waited for in one way only; in the
 * others it goes on, and serves those who wait for it. outcome and note may be
 * NULL. On failure nothing is written but, if
 * note is not NULL, *note: the words of the failed build, a reference of the
 * caller's, or NULL.
 *
 * Any status of build's; dnnl_runtime_error as said above, and for a second
 * circle inside a build of one's own. All who waited for a failed build get
 * its status and note, except that after a spurious failure they try once
 * more, one of them building. If memory lacks for keeping the value it is built
 * and given without being kept. Whoever has waited for MOST_VAIN_WAITS builds
 * that failed in a way that was not its own builds for itself, too.
 */
dnnl_status_t cache_get_or_build(struct cache *c, const struct cache_key *key,
        enum cache_way way, cache_build_fn build, void *arg, void **value,
        enum cache_outcome *outcome, struct shared_text **note);
enum { MOST_VAIN_WAITS = 8 };

/*
 * Gives a reference of the caller's to the value of the key, if it is there
 * and finished, and makes it the most recently used; else returns false and
 * writes nothing. Does not wait.
 */
bool cache_find(struct cache *c, const struct cache_key *key, void **value);

/* Whether it would, which is neither a use nor a look-up. */
bool cache_has(struct cache *c, const struct cache_key *key);

/*
 * Drops the key's finished value if it is still this one; returns whether it
 * was.
 */
bool cache_remove_value(
        struct cache *c, const struct cache_key *key, const void *value);

/* Takes out the finished values that belong to arg, for that reason; belongs()
 * runs under a lock and may only look. Looks at all values. */
void cache_remove_if(struct cache *c, enum cache_departure why,
        bool (*belongs)(const void *value, const void *arg), const void *arg);

/*
 * Drops all finished values; cache_evict_all() counts them as evictions. Builds
 * under way go on, and enter when they finish.
 */
void cache_clear(struct cache *c);
void cache_evict_all(struct cache *c);

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

/* Asks again what every value counts. The limit holds afterwards. */
void cache_recount(struct cache *c);

void cache_get_statistics(struct cache *c, struct cache_statistics *out);

/* The moment of a use: later ones are greater on one thread, and on others
 * unless they are nearly at the same time. */
uint64_t cache_stamp(void);

#endif /* DNNL_CACHE_COMMON_CACHE_H */
