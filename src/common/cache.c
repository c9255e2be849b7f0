/* SPDX-License-Identifier: Apache-2.0 */
#include "cache.h"

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
 */
struct entry {
    /* Guarded by the cache's lock. */
    UT_hash_handle hh;   /* in the map */
    bool mapped;         /* whether it is there */
    struct entry *older; /* in the list by use, while mapped and finished */
    struct entry *newer; /* there, too; also links entries on their way out */

    _Atomic(enum entry_state) state;
    atomic_uint users;

    /* The result. */
    void *value;          /* NULL unless it succeeded */
    size_t bytes;         /* what the value counts */
    dnnl_status_t status; /* dnnl_success in a failed entry: spurious */
    bool refused;         /* it failed, and a look-up inside it was refused */

    struct work build;      /* what the waiters wait for */
    pthread_mutex_t lock;   /* pairs with settled, guards nothing else; leaf */
    pthread_cond_t settled; /* the state has changed */
    unsigned char key[];    /* fixed */
};

struct cache {
    struct cache_ops ops; /* fixed */
    pthread_mutex_t lock; /* guards all below; retain runs under it; leaf */
    struct entry *map;    /* by key: finished entries and those in progress */
    struct entry *by_use; /* the finished entries of the map, oldest first */
    size_t size;          /* how many finished entries there are */
    size_t capacity;
    uint64_t byte_limit;
    struct cache_statistics statistics;
};

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
    pthread_cond_destroy(&e->settled);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* The map leaves all entries of the list. Called with no lock held. */
static void leave_all(struct cache *c, struct entry *dropped)
{
    struct entry *e;
    struct entry *following;
    LL_FOREACH_SAFE2(dropped, e, following, newer) entry_leave(c, e);
}

/* ---- The map and the list by use; the cache's lock is held --------------- */

static struct entry *find_locked(struct cache *c, const struct cache_key *key)
{
    struct entry *e;
    HASH_FIND_BYHASHVALUE(
            hh, c->map, key->data, key->size, (unsigned)key->hash, e);
    return e;
}

/* Puts the entry into the map, as a user of it. False: out of memory. */
static bool map_locked(struct cache *c, struct entry *e)
{
    HASH_ADD_KEYPTR_BYHASHVALUE(
            hh, c->map, e->key, e->hh.keylen, e->hh.hashv, e);
    if (e->hh.tbl == NULL) return false;
    e->mapped = true;
    entry_use(e);
    return true;
}

/* Takes the entry out of the map; it goes to the front of dropped. */
static void unmap_locked(
        struct cache *c, struct entry *e, struct entry **dropped)
{
    HASH_DEL(c->map, e);
    e->mapped = false;
    if (entry_state(e) == entry_succeeded) {
        DL_DELETE2(c->by_use, e, older, newer);
        c->size--;
        c->statistics.bytes -= e->bytes;
    }
    LL_PREPEND2(*dropped, e, newer);
}

static void evict_locked(
        struct cache *c, struct entry *e, struct entry **dropped)
{
    c->statistics.evictions++;
    unmap_locked(c, e, dropped);
}

static void enforce_limits_locked(struct cache *c, struct entry **dropped)
{
    while (c->size > c->capacity || c->statistics.bytes > c->byte_limit)
        evict_locked(c, c->by_use, dropped);
}

/* Makes a mapped entry that just got its value the newest of the finished. */
static void enter_locked(
        struct cache *c, struct entry *e, struct entry **dropped)
{
    DL_APPEND2(c->by_use, e, older, newer);
    c->size++;
    c->statistics.bytes += e->bytes;
    /* One that can never fit must not drive out all others first. */
    if (e->bytes > c->byte_limit) evict_locked(c, e, dropped);
    enforce_limits_locked(c, dropped);
}

/* A reference to the value of a finished entry, now the newest. */
static void *take_locked(struct cache *c, struct entry *e)
{
    if (c->by_use->older != e) { /* the head's older is the tail */
        DL_DELETE2(c->by_use, e, older, newer);
        DL_APPEND2(c->by_use, e, older, newer);
    }
    c->statistics.hits++;
    c->ops.retain(e->value);
    return e->value;
}

/* A mapped entry in progress, also used by the caller. NULL: out of memory. */
static struct entry *begin_locked(struct cache *c, const struct cache_key *key)
{
    struct entry *e = entry_create(key);
    if (e == NULL) return NULL;
    work_init(&e->build);
    if (map_locked(c, e)) return e;
    entry_leave(c, e); /* it has no value, so this only frees it */
    return NULL;
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
    wait_over,     /* *status and *value are written */
    wait_circular, /* did not wait: the builder waits for this thread */
    wait_in_vain   /* the builder failed, in a way that is its own */
};

/*
 * Waits for an entry that the caller uses, and leaves it. On success *value is
 * a reference; dnnl_success with NULL is a spurious failure.
 */
static enum wait_end wait_for(
        struct cache *c, struct entry *e, dnnl_status_t *status, void **value)
{
    enum wait_end end = wait_over;
    switch (waits_begin(&e->build)) {
    case waits_granted:
        sleep_until_settled(e);
        waits_end();
        *status = e->status;
        if (e->value != NULL) c->ops.retain(e->value);
        *value = e->value;
        if (e->refused) end = wait_in_vain;
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

static void count(struct cache *c, uint64_t *counter)
{
    pthread_mutex_lock(&c->lock);
    ++*counter;
    pthread_mutex_unlock(&c->lock);
}

static void evict_all(struct cache *c)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->lock);
    while (c->by_use != NULL)
        evict_locked(c, c->by_use, &dropped);
    pthread_mutex_unlock(&c->lock);
    leave_all(c, dropped);
}

/*
 * Calls build, and once more if memory ran out, with the memory of the cache's
 * values freed. *value is NULL unless it succeeded.
 */
static dnnl_status_t run_build(
        struct cache *c, cache_build_fn build, void *arg, void **value)
{
    dnnl_status_t st = dnnl_success;
    void *made = NULL;
    for (int attempt = 0; attempt < 2; attempt++) {
        count(c, &c->statistics.builds);
        st = build(arg, &made);
        if (st == dnnl_success && made != NULL) break;
        made = NULL;
        count(c, &c->statistics.failures);
        if (st != dnnl_out_of_memory) break;
        if (attempt == 0) evict_all(c);
    }
    *value = made;
    return st;
}

/*
 * Gives the entry its result, tells the waiters and leaves the entry. A value
 * becomes findable, a failure is forgotten, before any waiter learns of it.
 */
static void finish(
        struct cache *c, struct entry *e, dnnl_status_t status, void *value)
{
    struct entry *dropped = NULL;
    if (value != NULL) {
        c->ops.retain(value); /* the entry's own reference */
        e->value = value;
        e->bytes = c->ops.bytes != NULL ? c->ops.bytes(value) : 0;
    }
    e->status = status;

    work_end(&e->build);

    pthread_mutex_lock(&c->lock);
    if (e->mapped && value == NULL) unmap_locked(c, e, &dropped);
    entry_settle(e);
    if (e->mapped) enter_locked(c, e, &dropped);
    pthread_mutex_unlock(&c->lock);

    pthread_mutex_lock(&e->lock);
    pthread_cond_broadcast(&e->settled);
    pthread_mutex_unlock(&e->lock);

    leave_all(c, dropped);
    entry_leave(c, e);
}

struct build_job {
    struct cache *cache;
    struct entry *entry;
};

static void abandon(void *arg)
{
    struct build_job *job = arg;
    count(job->cache, &job->cache->statistics.failures);
    finish(job->cache, job->entry, dnnl_success, NULL);
}

/* Builds the value of an entry that the caller uses, and leaves the entry. */
static dnnl_status_t build_entry(struct cache *c, struct entry *e,
        cache_build_fn build, void *arg, void **value)
{
    struct build_job job = {c, e};
    bool was_refused_before = was_refused;
    dnnl_status_t st;
    was_refused = false;
    /* Compiled with -fexceptions, this sees C++ exceptions pass, too. */
    pthread_cleanup_push(abandon, &job);
    st = run_build(c, build, arg, value);
    pthread_cleanup_pop(0);
    e->refused = was_refused && *value == NULL;
    was_refused = was_refused || was_refused_before;
    finish(c, e, st, *value);
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
static dnnl_status_t build_alone(
        struct cache *c, cache_build_fn build, void *arg, void **value)
{
    static _Thread_local bool is_alone;
    dnnl_status_t st;
    if (is_alone) {
        was_refused = true;
        return dnnl_runtime_error;
    }
    is_alone = true;
    pthread_cleanup_push(no_longer_alone, &is_alone);
    st = run_build(c, build, arg, value);
    pthread_cleanup_pop(1);
    return st;
}

/* ---- The interface ------------------------------------------------------- */

dnnl_status_t cache_create(struct cache **out, size_t capacity_entries,
        const struct cache_ops *ops)
{
    struct cache *c = calloc(1, sizeof *c);
    if (c == NULL) return dnnl_out_of_memory;
    if (pthread_mutex_init(&c->lock, NULL) != 0) {
        free(c);
        return dnnl_out_of_memory;
    }
    c->ops = *ops;
    c->capacity = capacity_entries;
    c->byte_limit = UINT64_MAX;
    *out = c;
    return dnnl_success;
}

void cache_destroy(struct cache *c)
{
    if (c == NULL) return;
    cache_clear(c);
    assert(c->map == NULL); /* no build is under way */
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/*
 * Looks the key up and, if nothing is there, begins its entry. Either *value
 * is a reference, or *entry is one to wait for or to build, used by the caller;
 * or neither, and the caller builds for itself: the cache is off, or memory
 * lacks for an entry.
 */
static enum cache_outcome look_up(struct cache *c, const struct cache_key *key,
        void **value, struct entry **entry)
{
    enum cache_outcome outcome;
    pthread_mutex_lock(&c->lock);
    struct entry *e = find_locked(c, key);
    if (e == NULL) {
        outcome = cache_outcome_built;
        c->statistics.misses++;
        *entry = c->capacity > 0 ? begin_locked(c, key) : NULL;
    } else if (entry_state(e) == entry_succeeded) {
        outcome = cache_outcome_hit;
        *value = take_locked(c, e);
    } else {
        outcome = cache_outcome_waited;
        c->statistics.waits++;
        entry_use(e);
        *entry = e;
    }
    pthread_mutex_unlock(&c->lock);
    return outcome;
}

dnnl_status_t cache_get_or_build(struct cache *c, const struct cache_key *key,
        cache_build_fn build, void *arg, void **value,
        enum cache_outcome *outcome)
{
    dnnl_status_t st = dnnl_success;
    enum cache_outcome what = cache_outcome_built;
    void *got = NULL;
    for (int attempt = 0; attempt < 2; attempt++) {
        struct entry *e = NULL;
        enum wait_end end = wait_over;
        do {
            st = dnnl_success;
            what = look_up(c, key, &got, &e);
            if (what == cache_outcome_waited) end = wait_for(c, e, &st, &got);
        } while (what == cache_outcome_waited && end == wait_in_vain);
        if (what == cache_outcome_waited && end == wait_circular) {
            what = cache_outcome_built;
            st = build_alone(c, build, arg, &got);
        } else if (what == cache_outcome_built && e != NULL) {
            st = build_entry(c, e, build, arg, &got);
        } else if (what == cache_outcome_built) {
            st = run_build(c, build, arg, &got);
        }
        /* Only who waited for a build that failed spuriously goes again. */
        bool spurious = st == dnnl_success && got == NULL;
        if (!spurious || what == cache_outcome_built) break;
    }
    if (st != dnnl_success) return st;
    if (got == NULL) return dnnl_runtime_error;
    *value = got;
    if (outcome != NULL) *outcome = what;
    return dnnl_success;
}

bool cache_find(struct cache *c, const struct cache_key *key, void **value)
{
    pthread_mutex_lock(&c->lock);
    struct entry *e = find_locked(c, key);
    bool found = e != NULL && entry_state(e) == entry_succeeded;
    if (found)
        *value = take_locked(c, e);
    else
        c->statistics.misses++;
    pthread_mutex_unlock(&c->lock);
    return found;
}

dnnl_status_t cache_replace(
        struct cache *c, const struct cache_key *key, void *value)
{
    struct entry *dropped = NULL;
    bool kept = false;
    struct entry *e = entry_create(key);
    if (e != NULL) {
        c->ops.retain(value);
        e->value = value;
        e->bytes = c->ops.bytes != NULL ? c->ops.bytes(value) : 0;
        entry_settle(e);
    }

    pthread_mutex_lock(&c->lock);
    struct entry *old = find_locked(c, key);
    if (old != NULL) unmap_locked(c, old, &dropped);
    if (e != NULL) kept = map_locked(c, e);
    if (kept) enter_locked(c, e, &dropped);
    pthread_mutex_unlock(&c->lock);

    leave_all(c, dropped);
    if (e != NULL) entry_leave(c, e);
    return kept ? dnnl_success : dnnl_out_of_memory;
}

bool cache_remove_value(
        struct cache *c, const struct cache_key *key, const void *value)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->lock);
    struct entry *e = find_locked(c, key);
    bool removed =
            e != NULL && entry_state(e) == entry_succeeded && e->value == value;
    if (removed) unmap_locked(c, e, &dropped);
    pthread_mutex_unlock(&c->lock);
    leave_all(c, dropped);
    return removed;
}

void cache_clear(struct cache *c)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->lock);
    while (c->by_use != NULL)
        unmap_locked(c, c->by_use, &dropped);
    pthread_mutex_unlock(&c->lock);
    leave_all(c, dropped);
}

void cache_set_capacity(struct cache *c, size_t entries)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->lock);
    c->capacity = entries;
    enforce_limits_locked(c, &dropped);
    pthread_mutex_unlock(&c->lock);
    leave_all(c, dropped);
}

size_t cache_capacity(struct cache *c)
{
    pthread_mutex_lock(&c->lock);
    size_t capacity = c->capacity;
    pthread_mutex_unlock(&c->lock);
    return capacity;
}

void cache_set_byte_limit(struct cache *c, uint64_t bytes)
{
    struct entry *dropped = NULL;
    pthread_mutex_lock(&c->lock);
    c->byte_limit = bytes;
    enforce_limits_locked(c, &dropped);
    pthread_mutex_unlock(&c->lock);
    leave_all(c, dropped);
}

size_t cache_size(struct cache *c)
{
    pthread_mutex_lock(&c->lock);
    size_t size = c->size;
    pthread_mutex_unlock(&c->lock);
    return size;
}

void cache_get_statistics(struct cache *c, struct cache_statistics *out)
{
    pthread_mutex_lock(&c->lock);
    *out = c->statistics;
    pthread_mutex_unlock(&c->lock);
}
