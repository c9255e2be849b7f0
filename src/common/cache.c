/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

#include "common/clock.h"
#include "common/note.h"
#include "common/waits.h"

#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A table that cannot grow refuses the entry instead of ending the process. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>
#include <utlist.h>

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
    void *value;          /* NULL unless it succeeded */
    uint64_t cost_ns;     /* what building it took */
    dnnl_status_t status; /* dnnl_success in a failed entry: spurious */
    struct note *note;    /* what was said of a failure; may be NULL */
    bool refused;         /* it failed, and a look-up inside it was refused */

    /* Guarded by the limits' lock; whoever took it out reads the first two. */
    bool entered;   /* it was mapped and finished at once */
    bool evicted;   /* why it left */
    uint64_t bytes; /* what the value counts */
    uint64_t count; /* the number of the recount that found it */

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

static struct shard *shard_of(struct cache *c, uint64_t hash)
{
    return &c->shards[hash >> (64 - SHARD_BITS)];
}

uint64_t cache_stamp(void)
{
    static _Thread_local uint64_t last;
    uint64_t now = clock_ns();
    last = now > last ? now : last + 1;
    return last;
}

/* ---- Entries ------------------------------------------------------------- */

/* An entry in progress, of one user. NULL: out of memory. */
static struct entry *entry_create(const struct cache_key *key)
{
    assert(key->size <= UINT_MAX); /* the width of uthash's lengths */
    struct entry *e = malloc(sizeof *e + key->size);
    if (e == NULL) return NULL;
    memset(e, 0, sizeof *e);
    if (pthread_mutex_init(&e->lock, NULL) != 0) {
        free(e);
        return NULL;
    }
    if (pthread_cond_init(&e->settled, NULL) != 0) {
        pthread_mutex_destroy(&e->lock);
        free(e);
        return NULL;
    }
    atomic_init(&e->state, entry_in_progress);
    atomic_init(&e->users, 1);
    e->hh.hashv = (unsigned)key->hash;
    e->hh.keylen = (unsigned)key->size;
    memcpy(e->key, key->data, key->size);
    return e;
}

static enum entry_state entry_state(struct entry *e)
{
    return atomic_load_explicit(&e->state, memory_order_acquire);
}

/* Ends the progress of an entry, after its result was written. */
static void entry_settle(struct entry *e)
{
    enum entry_state was = entry_in_progress;
    bool changed = atomic_compare_exchange_strong_explicit(&e->state, &was,
            e->value != NULL ? entry_succeeded : entry_failed,
            memory_order_release, memory_order_relaxed);
    assert(changed);
    (void)changed;
}

static void entry_use(struct entry *e)
{
    atomic_fetch_add_explicit(&e->users, 1, memory_order_relaxed);
}

/* One user fewer. Called with no lock held: it may release the value. */
static void entry_leave(struct cache *c, struct entry *e)
{
    if (atomic_fetch_sub_explicit(&e->users, 1, memory_order_acq_rel) > 1)
        return;
    if (e->value != NULL) c->ops.release(e->value);
    note_release(e->note);
    pthread_cond_destroy(&e->settled);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* The map leaves all entries of the list, which are finished or will be kept
 * by their builders. Called with no lock held. */
static void leave_all(struct cache *c, struct entry *dropped)
{
    struct entry *e;
    struct entry *following;
    LL_FOREACH_SAFE2(dropped, e, following, newer)
    {
        if (c->ops.left != NULL && e->entered)
            c->ops.left(c->ops.user, e->value,
                    e->evicted ? cache_evicted : cache_dropped);
        entry_leave(c, e);
    }
}

/* ---- One shard; its lock is held ----------------------------------------- */

static struct entry *find_locked(struct shard *s, const struct cache_key *key)
{
    struct entry *e;
    HASH_FIND_BYHASHVALUE(
            hh, s->map, key->data, key->size, (unsigned)key->hash, e);
    return e;
}

/* Puts the entry into the map, as a user of it. False: out of memory. */
static bool map_locked(struct shard *s, struct entry *e)
{
    HASH_ADD_KEYPTR_BYHASHVALUE(
            hh, s->map, e->key, e->hh.keylen, e->hh.hashv, e);
    if (e->hh.tbl == NULL) return false;
    e->mapped = true;
    entry_use(e);
    return true;
}

/* Takes the entry out of the map, whose use of it is the caller's then. */
static void unmap_locked(struct shard *s, struct entry *e)
{
    HASH_DEL(s->map, e);
    e->mapped = false;
}

/* A mapped entry in progress, also used by the caller. NULL: out of memory. */
static struct entry *begin_locked(
        struct cache *c, struct shard *s, const struct cache_key *key)
{
    struct entry *e = entry_create(key);
    if (e == NULL) return NULL;
    work_init(&e->build);
    if (map_locked(s, e)) return e;
    entry_leave(c, e); /* it has no value, so this only frees it */
    return NULL;
}

/* A reference to the value of a finished entry, now the newest. */
static void *take_locked(struct cache *c, struct shard *s, struct entry *e)
{
    e->last_use = cache_stamp();
    if (s->by_use->older != e) { /* the head's older is the tail */
        DL_DELETE2(s->by_use, e, older, newer);
        DL_APPEND2(s->by_use, e, older, newer);
    }
    s->counts.hits++;
    s->counts.saved_ns += e->cost_ns;
    c->ops.retain(e->value);
    return e->value;
}

/* Puts a finished entry where its last use says: seldom far from the end. */
static void list_locked(struct shard *s, struct entry *e)
{
    struct entry *before = s->by_use != NULL ? s->by_use->older : NULL;
    while (before != NULL && before->last_use > e->last_use)
        before = before != s->by_use ? before->older : NULL;
    if (before != NULL)
        DL_APPEND_ELEM2(s->by_use, before, e, older, newer);
    else
        DL_PREPEND2(s->by_use, e, older, newer);
}

/* The least recently used entry, after those that were used by other ways than
 * look-ups have found their places. Others may use them on meanwhile: there is
 * an end to it. */
static struct entry *oldest_locked(struct cache *c, struct shard *s)
{
    for (int moves = 0;
            s->by_use != NULL && c->ops.last_use != NULL && moves < 1 << 16;
            moves++) {
        struct entry *e = s->by_use;
        uint64_t use = c->ops.last_use(e->value);
        if (use <= e->last_use) break;
        e->last_use = use;
        DL_DELETE2(s->by_use, e, older, newer);
        list_locked(s, e);
    }
    return s->by_use;
}

/* ---- The limits; their lock and, in these two, the shard's are held ------ */

/* Makes a mapped entry that has its value the newest of the finished. */
static void enter_locked(struct cache *c, struct shard *s, struct entry *e)
{
    e->last_use = cache_stamp();
    e->entered = true;
    DL_APPEND2(s->by_use, e, older, newer);
    atomic_fetch_add(&c->size, 1);
    atomic_fetch_add(&c->bytes, e->bytes);
    if (c->ops.mark != NULL) c->ops.mark(e->value, true);
}

/* Takes a mapped entry out, finished or in progress; it goes to the front of
 * dropped. */
static void remove_locked(struct cache *c, struct shard *s, struct entry *e,
        struct entry **dropped)
{
    unmap_locked(s, e);
    if (entry_state(e) == entry_succeeded) {
        DL_DELETE2(s->by_use, e, older, newer);
        atomic_fetch_sub(&c->size, 1);
        atomic_fetch_sub(&c->bytes, e->bytes);
        if (c->ops.mark != NULL) c->ops.mark(e->value, false);
    }
    LL_PREPEND2(*dropped, e, newer);
}

/* ---- The limits; their lock is held, no shard's -------------------------- */

static void evict_locked(struct cache *c, struct shard *s, struct entry *e,
        struct entry **dropped)
{
    c->evictions++;
    e->evicted = true;
    remove_locked(c, s, e, dropped);
}

/* Takes the least recently used of all finished entries out. There is one. */
static void evict_oldest_locked(struct cache *c, struct entry **dropped)
{
    struct shard *oldest = NULL;
    uint64_t last_use = 0;
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        const struct entry *e = oldest_locked(c, s);
        if (e != NULL && (oldest == NULL || e->last_use < last_use)) {
            oldest = s;
            last_use = e->last_use;
        }
        pthread_mutex_unlock(&s->lock);
    }
    assert(oldest != NULL);
    /* Hits may have moved it, but the shard still has one. */
    pthread_mutex_lock(&oldest->lock);
    evict_locked(c, oldest, oldest->by_use, dropped);
    pthread_mutex_unlock(&oldest->lock);
}

/* Evicts until so much more fits. False: it never will. */
static bool make_room_locked(
        struct cache *c, size_t entries, uint64_t bytes, struct entry **dropped)
{
    size_t capacity = atomic_load(&c->capacity);
    /* One that can never fit must not drive out all others first. */
    if (entries > capacity || bytes > c->byte_limit) return false;
    while (atomic_load(&c->size) > capacity - entries
            || atomic_load(&c->bytes) > c->byte_limit - bytes)
        evict_oldest_locked(c, dropped);
    return true;
}

/* Takes out all finished entries that belong to arg; belongs NULL: all. */
static void remove_all_locked(struct cache *c,
        bool (*belongs)(const void *value, const void *arg), const void *arg,
        bool evict, struct entry **dropped)
{
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        struct entry *e;
        struct entry *following;
        DL_FOREACH_SAFE2(s->by_use, e, following, newer)
        {
            if (belongs != NULL && !belongs(e->value, arg)) continue;
            if (evict)
                evict_locked(c, s, e, dropped);
            else
                remove_locked(c, s, e, dropped);
        }
        pthread_mutex_unlock(&s->lock);
    }
}

static void remove_all(struct cache *c,
        bool (*belongs)(const void *value, const void *arg), const void *arg,
        bool evict)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    remove_all_locked(c, belongs, arg, evict, &dropped);
    pthread_mutex_unlock(&c->limits_lock);
    leave_all(c, dropped);
}

enum { most_counts = 8 };

/* Takes the limits' lock with the entry's value counted as it is now: what was
 * asked before a recount, in which the entry was not there yet, is asked again,
 * but not for ever: an owner may recount each time it is asked.
 */
static void count_and_lock(struct cache *c, struct entry *e)
{
    if (e->value == NULL || c->ops.bytes == NULL) {
        pthread_mutex_lock(&c->limits_lock);
        return;
    }
    for (int counts = 1;; counts++) {
        uint64_t recounts = atomic_load(&c->recounts);
        uint64_t bytes = c->ops.bytes(e->value);
        pthread_mutex_lock(&c->limits_lock);
        e->bytes = bytes;
        if (atomic_load(&c->recounts) == recounts || counts == most_counts)
            return;
        pthread_mutex_unlock(&c->limits_lock);
    }
}

/* ---- Waiting ------------------------------------------------------------- */

static void sleep_until_settled(struct entry *e)
{
    /* Waiting must not end the thread: it would stay in the path of others. */
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_mutex_lock(&e->lock);
    while (entry_state(e) == entry_in_progress)
        pthread_cond_wait(&e->settled, &e->lock);
    pthread_mutex_unlock(&e->lock);
    pthread_setcancelstate(cancel_state, NULL);
}

/* A look-up inside the build that the thread is doing was refused. Why that
 * build then fails is none of the business of those who wait for it: they were
 * not refused. */
static _Thread_local bool was_refused;

enum wait_end {
    wait_over,     /* *status, *value and *note are written */
    wait_circular, /* did not wait: the builder waits for this thread */
    wait_in_vain   /* the builder failed, in a way that is its own */
};

/*
 * Waits for an entry that the caller uses, and leaves it. On success *value is
 * a reference; dnnl_success with NULL is a spurious failure.
 */
static enum wait_end wait_for(struct cache *c, struct entry *e,
        dnnl_status_t *status, void **value, struct note **note)
{
    enum wait_end end = wait_over;
    switch (waits_begin(&e->build)) {
    case waits_granted:
        sleep_until_settled(e);
        waits_end();
        *status = e->status;
        if (e->value != NULL) c->ops.retain(e->value);
        *value = e->value;
        if (e->value == NULL
                && (e->refused
                        || (c->ops.is_builders_own != NULL
                                && c->ops.is_builders_own(e->status))))
            end = wait_in_vain;
        else
            *note = note_retain(e->note);
        break;
    case waits_nested:
        was_refused = true;
        *status = dnnl_runtime_error;
        break;
    case waits_circular:
        end = wait_circular;
        break;
    }
    entry_leave(c, e);
    return end;
}

/* ---- Building ------------------------------------------------------------ */

/* Builds are counted in the shard of their key. */
static void count(struct shard *s, uint64_t *counter)
{
    pthread_mutex_lock(&s->lock);
    ++*counter;
    pthread_mutex_unlock(&s->lock);
}

/* A build on this thread has run out of memory twice, with all memory freed in
 * between: one around it need not try that again. */
static _Thread_local bool memory_is_gone;

static void free_memory(struct cache *c)
{
    if (c->ops.free_memory != NULL)
        c->ops.free_memory(c->ops.user);
    else
        cache_evict_all(c);
}

/* What a build came to. */
struct built {
    void *value; /* NULL unless it succeeded */
    struct note *note;
    uint64_t cost_ns;
};

/*
 * Calls build, and once more if memory ran out, with the memory of what is in
 * caches freed.
 */
static dnnl_status_t run_build(struct cache *c, struct shard *s,
        cache_build_fn build, void *arg, struct built *out)
{
    dnnl_status_t st = dnnl_success;
    for (int attempt = 0; attempt < 2; attempt++) {
        uint64_t start = clock_ns();
        *out = (struct built){NULL, NULL, 0};
        memory_is_gone = false;
        count(s, &s->counts.builds);
        st = build(arg, &out->value, &out->note);
        out->cost_ns = clock_ns() - start;
        if (st == dnnl_success && out->value != NULL) break;
        out->value = NULL;
        count(s, &s->counts.failures);
        if (st != dnnl_out_of_memory || memory_is_gone) break;
        if (attempt == 0) {
            note_release(out->note);
            free_memory(c);
        } else {
            memory_is_gone = true;
        }
    }
    return st;
}

/*
 * Gives the entry its result, tells the waiters and leaves the entry. A value
 * becomes findable, a failure is forgotten, before any waiter learns of it.
 */
static void finish(struct cache *c, struct shard *s, struct entry *e,
        dnnl_status_t status, const struct built *built)
{
    struct entry *dropped = NULL;
    bool has_value = built->value != NULL;
    if (has_value) {
        c->ops.retain(built->value); /* the entry's own reference */
        e->value = built->value;
        e->cost_ns = built->cost_ns;
    }
    e->status = status;
    e->note = note_retain(built->note);

    count_and_lock(c, e);
    /* Not before: counting may call back, and who asks for this key then has to
     * learn that it would wait for itself. */
    work_end(&e->build);
    bool fits = has_value && e->mapped
                && make_room_locked(c, 1, e->bytes, &dropped);
    pthread_mutex_lock(&s->lock);
    bool leaves = e->mapped && !fits;
    if (leaves) unmap_locked(s, e);
    entry_settle(e);
    if (fits) enter_locked(c, s, e);
    pthread_mutex_unlock(&s->lock);
    if (leaves && has_value) c->evictions++;
    pthread_mutex_unlock(&c->limits_lock);

    pthread_mutex_lock(&e->lock);
    pthread_cond_broadcast(&e->settled);
    pthread_mutex_unlock(&e->lock);

    leave_all(c, dropped);
    if (leaves) entry_leave(c, e);
    entry_leave(c, e);
}

struct build_job {
    struct cache *cache;
    struct shard *shard;
    struct entry *entry;
};

static void abandon(void *arg)
{
    struct build_job *job = arg;
    const struct built nothing = {NULL, NULL, 0};
    count(job->shard, &job->shard->counts.failures);
    finish(job->cache, job->shard, job->entry, dnnl_success, &nothing);
}

/* Builds the value of an entry that the caller uses, and leaves the entry. */
static dnnl_status_t build_entry(struct cache *c, struct shard *s,
        struct entry *e, cache_build_fn build, void *arg, struct built *out)
{
    struct build_job job = {c, s, e};
    bool was_refused_before = was_refused;
    dnnl_status_t st;
    was_refused = false;
    /* Compiled with -fexceptions, this sees C++ exceptions pass, too. */
    pthread_cleanup_push(abandon, &job);
    st = run_build(c, s, build, arg, out);
    pthread_cleanup_pop(0);
    e->refused = was_refused && out->value == NULL;
    was_refused = was_refused || was_refused_before;
    finish(c, s, e, st, out);
    return st;
}

static void no_longer_alone(void *arg)
{
    bool *is_alone = arg;
    *is_alone = false;
}

/*
 * Builds for the caller alone, who cannot wait: the circle is not its fault,
 * other threads' builds closed it. A build inside this one that finds itself in
 * a circle fails, so that there is an end to it.
 */
static dnnl_status_t build_alone(struct cache *c, struct shard *s,
        cache_build_fn build, void *arg, struct built *out)
{
    static _Thread_local bool is_alone;
    dnnl_status_t st;
    if (is_alone) {
        was_refused = true;
        return dnnl_runtime_error;
    }
    is_alone = true;
    pthread_cleanup_push(no_longer_alone, &is_alone);
    st = run_build(c, s, build, arg, out);
    pthread_cleanup_pop(1);
    return st;
}

/* ---- The interface ------------------------------------------------------- */

static void cache_free(struct cache *c, size_t shards)
{
    for (size_t i = 0; i < shards; i++)
        pthread_mutex_destroy(&c->shards[i].lock);
    pthread_mutex_destroy(&c->limits_lock);
    free(c);
}

dnnl_status_t cache_create(struct cache **out, size_t capacity_entries,
        const struct cache_ops *ops)
{
    struct cache *c = calloc(1, sizeof *c);
    if (c == NULL) return dnnl_out_of_memory;
    if (pthread_mutex_init(&c->limits_lock, NULL) != 0) {
        free(c);
        return dnnl_out_of_memory;
    }
    for (size_t i = 0; i < SHARDS; i++) {
        if (pthread_mutex_init(&c->shards[i].lock, NULL) != 0) {
            cache_free(c, i);
            return dnnl_out_of_memory;
        }
    }
    c->ops = *ops;
    atomic_init(&c->capacity, capacity_entries);
    atomic_init(&c->size, 0);
    atomic_init(&c->bytes, 0);
    atomic_init(&c->recounts, 0);
    c->byte_limit = UINT64_MAX;
    *out = c;
    return dnnl_success;
}

void cache_destroy(struct cache *c)
{
    if (c == NULL) return;
    cache_clear(c);
    for (size_t i = 0; i < SHARDS; i++)
        assert(c->shards[i].map == NULL); /* no build is under way */
    cache_free(c, SHARDS);
}

/*
 * Looks the key up and, if nothing is there, begins its entry. Either *value
 * is a reference, or *entry is one to wait for or to build, used by the caller;
 * or neither, and the caller builds for itself: the cache is off, or memory
 * lacks for an entry.
 */
static enum cache_outcome look_up(struct cache *c, struct shard *s,
        const struct cache_key *key, void **value, struct entry **entry)
{
    enum cache_outcome outcome;
    pthread_mutex_lock(&s->lock);
    struct entry *e = find_locked(s, key);
    if (e == NULL) {
        outcome = cache_outcome_built;
        s->counts.misses++;
        *entry = atomic_load_explicit(&c->capacity, memory_order_relaxed) > 0
                         ? begin_locked(c, s, key)
                         : NULL;
    } else if (entry_state(e) == entry_succeeded) {
        outcome = cache_outcome_hit;
        *value = take_locked(c, s, e);
    } else {
        outcome = cache_outcome_waited;
        s->counts.waits++;
        entry_use(e);
        *entry = e;
    }
    pthread_mutex_unlock(&s->lock);
    return outcome;
}

/* What a caller has been through. */
struct patience {
    int vain_waits;
    bool spurious; /* a build that it waited for failed so, once already */
};

/* One look-up and what follows from it. False: look again. */
static bool try_once(struct cache *c, struct shard *s,
        const struct cache_key *key, cache_build_fn build, void *arg,
        struct patience *patience, dnnl_status_t *status,
        enum cache_outcome *outcome, struct built *got)
{
    struct entry *e = NULL;
    *got = (struct built){NULL, NULL, 0};
    *status = dnnl_success;
    *outcome = look_up(c, s, key, &got->value, &e);
    if (*outcome == cache_outcome_hit) return true;
    if (*outcome == cache_outcome_built) {
        *status = e != NULL ? build_entry(c, s, e, build, arg, got)
                            : run_build(c, s, build, arg, got);
        return true;
    }
    switch (wait_for(c, e, status, &got->value, &got->note)) {
    case wait_circular:
        *outcome = cache_outcome_built;
        *status = build_alone(c, s, build, arg, got);
        return true;
    case wait_in_vain:
        if (++patience->vain_waits < MOST_VAIN_WAITS) return false;
        *outcome = cache_outcome_built;
        *status = run_build(c, s, build, arg, got);
        return true;
    case wait_over:
        break;
    }
    /* Only who waited for a build that failed spuriously goes again. */
    if (*status != dnnl_success || got->value != NULL || patience->spurious)
        return true;
    patience->spurious = true;
    return false;
}

dnnl_status_t cache_get_or_build(struct cache *c, const struct cache_key *key,
        cache_build_fn build, void *arg, void **value,
        enum cache_outcome *outcome, struct note **note)
{
    struct shard *s = shard_of(c, key->hash);
    struct patience patience = {0, false};
    struct built got;
    dnnl_status_t st;
    enum cache_outcome what;
    while (!try_once(c, s, key, build, arg, &patience, &st, &what, &got))
        continue;
    if (st == dnnl_success && got.value == NULL) st = dnnl_runtime_error;
    if (st != dnnl_success) {
        if (note != NULL)
            *note = got.note;
        else
            note_release(got.note);
        return st;
    }
    note_release(got.note);
    *value = got.value;
    if (outcome != NULL) *outcome = what;
    return dnnl_success;
}

bool cache_find(struct cache *c, const struct cache_key *key, void **value)
{
    struct shard *s = shard_of(c, key->hash);
    pthread_mutex_lock(&s->lock);
    struct entry *e = find_locked(s, key);
    bool found = e != NULL && entry_state(e) == entry_succeeded;
    if (found)
        *value = take_locked(c, s, e);
    else
        s->counts.misses++;
    pthread_mutex_unlock(&s->lock);
    return found;
}

dnnl_status_t cache_replace(struct cache *c, const struct cache_key *key,
        void *value, uint64_t cost_ns)
{
    struct shard *s = shard_of(c, key->hash);
    struct entry *dropped = NULL;
    bool fits = false;
    bool mapped = false;
    struct entry *e = entry_create(key);
    if (e != NULL) {
        c->ops.retain(value);
        e->value = value;
        e->cost_ns = cost_ns;
        entry_settle(e);
        count_and_lock(c, e);
    } else {
        pthread_mutex_lock(&c->limits_lock);
    }

    pthread_mutex_lock(&s->lock);
    struct entry *old = find_locked(s, key);
    if (old != NULL) remove_locked(c, s, old, &dropped);
    pthread_mutex_unlock(&s->lock);
    if (e != NULL) fits = make_room_locked(c, 1, e->bytes, &dropped);
    if (fits) {
        pthread_mutex_lock(&s->lock);
        /* What another thread has begun since serves those who wait for it. */
        old = find_locked(s, key);
        if (old != NULL) remove_locked(c, s, old, &dropped);
        mapped = map_locked(s, e);
        if (mapped) enter_locked(c, s, e);
        pthread_mutex_unlock(&s->lock);
    } else if (e != NULL) {
        c->evictions++;
    }
    pthread_mutex_unlock(&c->limits_lock);

    leave_all(c, dropped);
    if (e != NULL) entry_leave(c, e);
    return mapped || (e != NULL && !fits) ? dnnl_success : dnnl_out_of_memory;
}

bool cache_remove_value(
        struct cache *c, const struct cache_key *key, const void *value)
{
    struct shard *s = shard_of(c, key->hash);
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    pthread_mutex_lock(&s->lock);
    struct entry *e = find_locked(s, key);
    bool removed =
            e != NULL && entry_state(e) == entry_succeeded && e->value == value;
    if (removed) remove_locked(c, s, e, &dropped);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&c->limits_lock);
    leave_all(c, dropped);
    return removed;
}

void cache_evict_if(struct cache *c,
        bool (*belongs)(const void *value, const void *arg), const void *arg)
{
    remove_all(c, belongs, arg, true);
}

void cache_clear(struct cache *c)
{
    remove_all(c, NULL, NULL, false);
}

void cache_evict_all(struct cache *c)
{
    remove_all(c, NULL, NULL, true);
}

void cache_set_capacity(struct cache *c, size_t entries)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    /* Fewer may be held from now on; which, those there now decide. */
    while (atomic_load(&c->size) > entries)
        evict_oldest_locked(c, &dropped);
    atomic_store(&c->capacity, entries);
    pthread_mutex_unlock(&c->limits_lock);
    leave_all(c, dropped);
}

size_t cache_capacity(struct cache *c)
{
    return atomic_load(&c->capacity);
}

void cache_set_byte_limit(struct cache *c, uint64_t bytes)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->limits_lock);
    c->byte_limit = bytes;
    (void)make_room_locked(c, 0, 0, &dropped);
    pthread_mutex_unlock(&c->limits_lock);
    leave_all(c, dropped);
}

/* A finished entry that this recount has not met, for the caller to use. */
static struct entry *next_to_count_locked(struct cache *c, uint64_t recount)
{
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        struct entry *found = NULL;
        struct entry *e;
        pthread_mutex_lock(&s->lock);
        DL_FOREACH2(s->by_use, e, newer)
        {
            if (e->count >= recount) continue;
            entry_use(e);
            e->count = recount;
            found = e;
            break;
        }
        pthread_mutex_unlock(&s->lock);
        if (found != NULL) return found;
    }
    return NULL;
}

void cache_recount(struct cache *c)
{
    if (c->ops.bytes == NULL) return;
    struct entry *e;
    pthread_mutex_lock(&c->limits_lock);
    uint64_t recount = atomic_fetch_add(&c->recounts, 1) + 1;
    while ((e = next_to_count_locked(c, recount)) != NULL) {
        pthread_mutex_unlock(&c->limits_lock);
        uint64_t bytes = c->ops.bytes(e->value);
        struct entry *dropped = NULL;
        pthread_mutex_lock(&c->limits_lock);
        if (e->mapped) { /* read under this lock: see struct entry */
            atomic_fetch_add(&c->bytes, bytes - e->bytes);
            e->bytes = bytes;
            (void)make_room_locked(c, 0, 0, &dropped);
        }
        pthread_mutex_unlock(&c->limits_lock);
        leave_all(c, dropped);
        entry_leave(c, e);
        pthread_mutex_lock(&c->limits_lock);
    }
    pthread_mutex_unlock(&c->limits_lock);
}

size_t cache_size(struct cache *c)
{
    return atomic_load(&c->size);
}

void cache_get_statistics(struct cache *c, struct cache_statistics *out)
{
    struct cache_statistics sum = {0};
    pthread_mutex_lock(&c->limits_lock);
    for (size_t i = 0; i < SHARDS; i++) {
        struct shard *s = &c->shards[i];
        pthread_mutex_lock(&s->lock);
        sum.hits += s->counts.hits;
        sum.waits += s->counts.waits;
        sum.misses += s->counts.misses;
        sum.builds += s->counts.builds;
        sum.failures += s->counts.failures;
        sum.saved_ns += s->counts.saved_ns;
        pthread_mutex_unlock(&s->lock);
    }
    sum.evictions = c->evictions;
    sum.entries = atomic_load(&c->size);
    sum.bytes = atomic_load(&c->bytes);
    pthread_mutex_unlock(&c->limits_lock);
    *out = sum;
}
