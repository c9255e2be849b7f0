/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_parts.h: what the files of the cache share, and nobody else sees.
 *
 * cache_entry.c is the life of an entry, cache_shards.c what is in a cache and
 * within which limits, cache_build.c look-ups that build, cache.c the rest of
 * the interface.
 */
#ifndef DNNL_CACHE_COMMON_CACHE_PARTS_H
#define DNNL_CACHE_COMMON_CACHE_PARTS_H

#include "src/common/cache.h"
#include "src/common/waits.h"

#include <pthread.h>
#include <stdatomic.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Shards by bits of the hash that the maps do not use. So many that a few
 * threads seldom meet in one. */
enum { SHARD_BITS = 6, SHARDS = 1 << SHARD_BITS };

/* Bytes that keep what different threads write apart: processors fetch lines of
 * 64 in pairs. */
enum { APART = 128 };

enum entry_state {
    entry_in_progress, /* its builder is at work */
    entry_succeeded,   /* it has a value */
    entry_failed       /* it has a status */
};

/*
 * A key and what became of its build. An entry is made in progress and changes
 * once, by compare-and-swap; its result is written before that and fixed after
 * it, so whoever has seen the change reads it without a lock.
 *
 * The map, the builder and every waiter count as users. The last of them to
 * leave releases the entry's reference to the value and frees the entry, which
 * is why one that left the map still serves those who wait for it.
 *
 * tests/model/cache_entry.pml is a model of this life, checked by spin.
 */
struct entry {
    /* Guarded by the shard's lock. */
    UT_hash_handle hh;   /* in the map */
    bool mapped;         /* whether it is there; taken out under both locks,
                            unless by its builder before it is finished */
    struct entry *older; /* in the list by use, while mapped and finished */
    struct entry *newer; /* there, too; also links entries on their way out */
    uint64_t last_use;   /* cache_stamp(), while mapped and finished */

    _Atomic(enum entry_state) state;
    atomic_uint users;

    /* The result. */
    void *value;              /* NULL unless it succeeded */
    uint64_t cost_ns;         /* what building it took */
    dnnl_status_t status;     /* dnnl_success in a failed entry: spurious */
    struct shared_text *note; /* what was said of a failure; may be NULL */
    bool refused; /* it failed, and a look-up inside it was refused */

    /* Guarded by the limits' lock; whoever took it out reads the first two. */
    bool entered;             /* it was mapped and finished at once */
    enum cache_departure why; /* it left */
    uint64_t bytes;           /* what the value counts */
    uint64_t count;           /* the number of the recount that found it */

    struct work build;      /* what the waiters wait for */
    pthread_mutex_t lock;   /* pairs with settled, guards nothing else; leaf */
    pthread_cond_t settled; /* the state has changed */
    unsigned char key[];    /* fixed */
};

/* The entries whose hashes begin alike. */
struct shard {
    pthread_mutex_t lock; /* guards all below; ops.retain, mark and last_use
                             run under it; leaf */
    struct entry *map;    /* by key: finished entries and those in progress */
    struct entry *by_use; /* the finished entries of the map, oldest first */
    struct cache_statistics counts; /* but evictions, entries and bytes */
    unsigned char apart[APART];     /* shards share no cache line */
};

/*
 * What is in the cache changes under the limits' lock, and only what hits do,
 * and entries in progress, under a shard's lock alone. So the limits hold at
 * every moment: room is made before a value enters.
 */
struct cache {
    struct cache_ops ops; /* fixed */
    /* Guards what follows it; taken before a shard's lock, never the other way
     * round, and never by a hit. */
    pthread_mutex_t limits_lock;
    uint64_t byte_limit;
    uint64_t evictions;
    atomic_size_t capacity; /* written under the lock, as the next three; */
    atomic_size_t size;     /* finished entries */
    atomic_uint_least64_t bytes; /* of their values */
    atomic_uint_least64_t recounts;
    unsigned char apart[APART];
    struct shard shards[SHARDS];
};

static inline struct shard *shard_of(struct cache *c, uint64_t hash)
{
    return &c->shards[hash >> (64 - SHARD_BITS)];
}

/* ---- Entries ------------------------------------------------------------- */

static inline enum entry_state entry_state(struct entry *e)
{
    return atomic_load_explicit(&e->state, memory_order_acquire);
}

static inline void entry_use(struct entry *e)
{
    atomic_fetch_add_explicit(&e->users, 1, memory_order_relaxed);
}

/* An entry in progress, of one user. NULL: out of memory, or the key is longer
 * than a map's can be. */
struct entry *entry_create(const struct cache_key *key);

/* Ends the progress of an entry, after its result was written. */
void entry_settle(struct entry *e);

/* Returns once the entry, which the caller uses, is no longer in progress. */
void entry_sleep(struct entry *e);

/* One user fewer. Called with no lock held: it may release the value. */
void entry_leave(struct cache *c, struct entry *e);

/* The map leaves all entries of the list, which are finished or will be kept
 * by their builders. Called with no lock held. */
void entry_leave_all(struct cache *c, struct entry *dropped);

/* ---- One shard; its lock is held ----------------------------------------- */

/* NULL: there is none. */
struct entry *shard_find_locked(struct shard *s, const struct cache_key *key);

/* Puts the entry into the map, as a user of it. False: out of memory. */
bool shard_map_locked(struct shard *s, struct entry *e);

/* Takes the entry out of the map, whose use of it is the caller's then. */
void shard_unmap_locked(struct shard *s, struct entry *e);

/* A reference to the value of a finished entry, now the newest: a hit. */
void *shard_take_locked(struct cache *c, struct shard *s, struct entry *e);

/* ---- The limits; their lock and, in these two, the shard's are held ------ */

/* Makes a mapped entry that has its value the newest of the finished. */
void cache_enter_locked(struct cache *c, struct shard *s, struct entry *e);

/* Takes a mapped entry out, finished or in progress; it goes to the front of
 * dropped. */
void cache_remove_locked(struct cache *c, struct shard *s, struct entry *e,
        enum cache_departure why, struct entry **dropped);

/* ---- The limits; their lock is held, no shard's -------------------------- */

/* Takes the least recently used of all finished entries out. There is one. */
void cache_evict_oldest_locked(struct cache *c, struct entry **dropped);

/* Evicts until so much more fits. False: it never will. */
bool cache_make_room_locked(struct cache *c, size_t entries, uint64_t bytes,
        struct entry **dropped);

/* Makes value what later look-ups of the key find, in place of what is there;
 * is_first: unless the key has a finished value. A build of the key under way
 * goes on: it serves those who wait for it already, and is not kept. cost_ns is
 * what making the value has taken. The cache takes a reference of its own,
 * unless it is off or the value does not fit. dnnl_out_of_memory: the key has
 * no value now, later look-ups build it. */
dnnl_status_t cache_put(struct cache *c, const struct cache_key *key,
        void *value, uint64_t cost_ns, bool is_first);

/* Takes the limits' lock, with the entry's value counted as it is now. */
void cache_count_and_lock(struct cache *c, struct entry *e);
#endif /* DNNL_CACHE_COMMON_CACHE_PARTS_H */
