/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups that build, or wait for who does.
 */
#include "src/common/cache_parts.h"

#include "src/common/shared_text.h"
#include "src/platform/clock.h"

#include <stdlib.h>

/* ---- Waiting ------------------------------------------------------------- */

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
        dnnl_status_t *status, void **value, struct shared_text **note)
{
    enum wait_end end = wait_over;
    switch (waits_begin(&e->build)) {
    case waits_granted:
        entry_sleep(e);
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
            *note = shared_text_retain(e->note);
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

/* Builds are counted in the shard of their key, when they have ended. */
static void count_build(struct shard *s, bool failed)
{
    pthread_mutex_lock(&s->lock);
    s->counts.builds++;
    if (failed) s->counts.failures++;
    pthread_mutex_unlock(&s->lock);
}

static void count_failure(void *shard)
{
    count_build(shard, true);
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
    struct shared_text *note;
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
        pthread_cleanup_push(count_failure, s);
        st = build(arg, &out->value, &out->note);
        pthread_cleanup_pop(0);
        out->cost_ns = clock_ns() - start;
        bool failed = st != dnnl_success || out->value == NULL;
        if (st != dnnl_cache_miss) count_build(s, failed);
        if (!failed) break;
        out->value = NULL;
        if (st != dnnl_out_of_memory || memory_is_gone) break;
        if (attempt == 0) {
            shared_text_release(out->note);
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
    int cancel_state;
    /* Counting may call back, and whoever waits must be woken after it. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (has_value) {
        c->ops.retain(built->value); /* the entry's own reference */
        e->value = built->value;
        e->cost_ns = built->cost_ns;
    }
    e->status = status;
    e->note = shared_text_retain(built->note);

    cache_count_and_lock(c, e);
    /* Not before: counting may call back, and who asks for this key then has to
     * learn that it would wait for itself. */
    work_end(&e->build);
    bool fits = has_value && e->mapped
                && cache_make_room_locked(c, 1, e->bytes, &dropped);
    pthread_mutex_lock(&s->lock);
    bool leaves = e->mapped && !fits;
    if (leaves) shard_unmap_locked(s, e);
    entry_settle(e);
    if (fits) cache_enter_locked(c, s, e);
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&c->limits_lock);

    pthread_mutex_lock(&e->lock);
    pthread_cond_broadcast(&e->settled);
    pthread_mutex_unlock(&e->lock);
    pthread_setcancelstate(cancel_state, NULL);

    entry_leave_all(c, dropped);
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

/* ---- Looking up ---------------------------------------------------------- */

/* A mapped entry in progress, also used by the caller. NULL: out of memory. */
static struct entry *begin_locked(
        struct cache *c, struct shard *s, const struct cache_key *key)
{
    struct entry *e = entry_create(key);
    if (e == NULL) return NULL;
    work_init(&e->build);
    if (shard_map_locked(s, e)) return e;
    entry_leave(c, e); /* it has no value, so this only frees it */
    return NULL;
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
    struct entry *e = shard_find_locked(s, key);
    if (e == NULL) {
        outcome = cache_outcome_built;
        s->counts.misses++;
        *entry = atomic_load_explicit(&c->capacity, memory_order_relaxed) > 0
                         ? begin_locked(c, s, key)
                         : NULL;
    } else if (entry_state(e) == entry_succeeded) {
        outcome = cache_outcome_hit;
        *value = shard_take_locked(c, s, e);
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

/* In the other ways, in which nobody is waited for, nor waits. */
static dnnl_status_t get_apart(struct cache *c, const struct cache_key *key,
        enum cache_way way, cache_build_fn build, void *arg,
        enum cache_outcome *outcome, struct built *got)
{
    struct shard *s = shard_of(c, key != NULL ? key->hash : 0);
    *got = (struct built){NULL, NULL, 0};
    *outcome = cache_outcome_hit;
    if (way == cache_way_no_wait) {
        if (cache_find(c, key, &got->value)) return dnnl_success;
    } else {
        pthread_mutex_lock(&s->lock);
        s->counts.misses++;
        pthread_mutex_unlock(&s->lock);
    }
    *outcome = cache_outcome_built;
    dnnl_status_t st = run_build(c, s, build, arg, got);
    /* Not kept for lack of memory is no failure: the next one builds again. */
    if (got->value != NULL && way != cache_way_unkept)
        (void)cache_put(
                c, key, got->value, got->cost_ns, way == cache_way_no_wait);
    return st;
}

dnnl_status_t cache_get_or_build(struct cache *c, const struct cache_key *key,
        enum cache_way way, cache_build_fn build, void *arg, void **value,
        enum cache_outcome *outcome, struct shared_text **note)
{
    struct built got;
    struct patience patience = {0, false};
    enum cache_outcome what;
    dnnl_status_t st;
    if (way == cache_way_shared) {
        struct shard *s = shard_of(c, key->hash);
        while (!try_once(c, s, key, build, arg, &patience, &st, &what, &got))
            continue;
    } else {
        st = get_apart(c, key, way, build, arg, &what, &got);
    }
    if (st == dnnl_success && got.value == NULL) st = dnnl_runtime_error;
    if (st != dnnl_success) {
        if (note != NULL)
            *note = got.note;
        else
            shared_text_release(got.note);
        return st;
    }
    shared_text_release(got.note);
    *value = got.value;
    if (outcome != NULL) *outcome = what;
    return dnnl_success;
}
