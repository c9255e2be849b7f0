/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in memory, context by context, and the limit of it.
 */
#include "gpu/engine/engine.h"

#include "common/log.h"
#include "gpu/program/kernel_cache.h"
#include "gpu/program/program.h"

#if DNNL_CACHE_PRIMITIVES
#include "gpu/primitive/primitive.h"
#endif

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More programs than any network needs; a bound against runaways. Kernels are
 * as many as the programs have. */
enum { PROGRAM_CACHE_CAPACITY = 4096 };

/* Guards the list, every `engines` and `past`. Taken before the locks of a
 * cache: its statistics are read under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context_state *states;
static struct memory_statistics past; /* of contexts that are gone */

/* ---- The limit ----------------------------------------------------------- */

static pthread_once_t environment_once = PTHREAD_ONCE_INIT;
static bool is_off_by_default;      /* set once */
static atomic_uint_least64_t limit; /* of each context; see the setter */

/* Variables that were set to what is no number, to be told of once. */
static _Atomic(const char *) misspelt[2];

/* Digits only, and no more than there can be bytes. */
static bool read_number(
        const char *name, _Atomic(const char *) *wrong, uint64_t *out)
{
    const char *text = getenv(name);
    if (text == NULL || *text == '\0') return false;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (strspn(text, "0123456789") != strlen(text) || errno != 0) {
        atomic_store(wrong, name);
        return false;
    }
    *out = value;
    return true;
}

/* Not where they are read: whoever is told may use the library. */
static void complain(void)
{
    for (size_t i = 0; i < sizeof misspelt / sizeof misspelt[0]; i++) {
        const char *name = atomic_exchange(&misspelt[i], NULL);
        if (name != NULL)
            log_message(dnnl_cache_log_error, "memory",
                    "the environment variable %s is no number: ignored", name);
    }
}

static void read_environment(void)
{
    uint64_t value;
    uint64_t bytes = DNNL_CACHE_NO_LIMIT;
    /* As in SYCL, 0 is no limit here; in our own call it keeps nothing. */
    if (read_number(
                "DNNL_CACHE_IN_MEM_EVICTION_THRESHOLD", &misspelt[0], &value)
            && value > 0)
        bytes = value;
    if (read_number("DNNL_CACHE_IN_MEM", &misspelt[1], &value) && value == 0) {
        is_off_by_default = true;
        bytes = 0;
    }
    atomic_store(&limit, bytes);
}

static uint64_t current_limit(void)
{
    pthread_once(&environment_once, read_environment);
    return atomic_load_explicit(&limit, memory_order_relaxed);
}

bool context_memory_is_limited(void)
{
    return current_limit() != DNNL_CACHE_NO_LIMIT;
}

bool context_memory_is_off_by_default(void)
{
    pthread_once(&environment_once, read_environment);
    return is_off_by_default;
}

/* Makes a state obey the limit; recount: after a time without one, in which
 * what came was not counted. Other threads, and callbacks of what leaves, may
 * set another one meanwhile: whoever is done last has applied the last one. */
static void apply_limit(struct context_state *state, bool recount)
{
    uint64_t bytes;
    do {
        bytes = current_limit();
        bool is_off = bytes == 0;
        cache_set_capacity(
                state->programs, is_off ? 0 : PROGRAM_CACHE_CAPACITY);
        cache_set_capacity(state->kernels, is_off ? 0 : SIZE_MAX);
        cache_set_capacity(state->fast_kernels, is_off ? 0 : SIZE_MAX);
        if (recount) cache_recount(state->programs);
        cache_set_byte_limit(state->programs, bytes);
    } while (bytes != current_limit());
}

/* ---- One context --------------------------------------------------------- */

static bool is_of_program(const void *value, const void *program)
{
    return ((const struct kernel *)value)->program == program;
}

/* A program that leaves takes its kernels along, and, if it is evicted or the
 * memory of another in its place is limited, the primitives that would keep it
 * alive. */
static void program_left(void *user, void *value, enum cache_departure why)
{
    struct context_state *state = user;
    cache_remove_if(state->fast_kernels, why, is_of_program, value);
    cache_remove_if(state->kernels, why, is_of_program, value);
#if DNNL_CACHE_PRIMITIVES
    if (why == cache_evicted
            || (why == cache_replaced && context_memory_is_limited()))
        primitive_cache_drop_program(value, why);
#endif
}

static void state_destroy(struct context_state *state)
{
    if (state == NULL) return;
    if (state->fast_kernels != NULL) cache_clear(state->fast_kernels);
    if (state->kernels != NULL) cache_clear(state->kernels);
    cache_destroy(state->programs);
    cache_destroy(state->kernels);
    cache_destroy(state->fast_kernels);
    free(state);
}

static dnnl_status_t state_create(
        cl_context context, struct context_state **out)
{
    struct context_state *state = calloc(1, sizeof *state);
    if (state == NULL) return dnnl_out_of_memory;
    struct cache_ops ops = program_cache_ops;
    ops.left = program_left;
    ops.free_memory = context_memory_free;
    ops.user = state;
    dnnl_status_t st =
            cache_create(&state->fast_kernels, SIZE_MAX, &kernel_cache_ops);
    if (st == dnnl_success)
        st = cache_create(&state->kernels, SIZE_MAX, &kernel_cache_ops);
    if (st == dnnl_success)
        st = cache_create(&state->programs, PROGRAM_CACHE_CAPACITY, &ops);
    if (st != dnnl_success) {
        state_destroy(state);
        return st;
    }
    state->context = context;
    *out = state;
    return dnnl_success;
}

/* ---- All contexts -------------------------------------------------------- */

/* The state of a context with one engine more, NULL if there is none yet. With
 * fresh not NULL that one enters the list then. */
static struct context_state *find_or_add(
        cl_context context, struct context_state *fresh)
{
    pthread_mutex_lock(&lock);
    struct context_state *state = states;
    while (state != NULL && state->context != context)
        state = state->next;
    if (state == NULL && fresh != NULL) {
        state = fresh;
        state->next = states;
        states = state;
    }
    if (state != NULL) state->engines++;
    pthread_mutex_unlock(&lock);
    return state;
}

dnnl_status_t context_state_acquire(
        cl_context context, struct context_state **out)
{
    struct context_state *state = find_or_add(context, NULL);
    if (state == NULL) {
        struct context_state *fresh;
        dnnl_status_t st = state_create(context, &fresh);
        if (st != dnnl_success) return st;
        state = find_or_add(context, fresh);
        if (state == fresh)
            apply_limit(state, false); /* in the list: no change is missed */
        else
            state_destroy(fresh);
    }
    complain();
    *out = state;
    return dnnl_success;
}

static void add_counts(
        struct cache_statistics *sum, const struct cache_statistics *more)
{
    sum->hits += more->hits;
    sum->waits += more->waits;
    sum->misses += more->misses;
    sum->builds += more->builds;
    sum->failures += more->failures;
    sum->evictions += more->evictions;
    sum->saved_ns += more->saved_ns;
    sum->entries += more->entries;
    sum->bytes += more->bytes;
}

static void add_state_locked(
        struct memory_statistics *sum, const struct context_state *state)
{
    struct cache_statistics counts;
    cache_get_statistics(state->programs, &counts);
    add_counts(&sum->programs, &counts);
    cache_get_statistics(state->kernels, &counts);
    add_counts(&sum->kernels, &counts);
    cache_get_statistics(state->fast_kernels, &counts);
    add_counts(&sum->fast_kernels, &counts);
}

/* What is gone has no entries any more. */
static void forget_entries(struct cache_statistics *counts)
{
    counts->entries = 0;
    counts->bytes = 0;
}

void context_state_release(struct context_state *state)
{
    if (state == NULL) return;
    pthread_mutex_lock(&lock);
    bool last = --state->engines == 0;
    if (last) {
        struct context_state **at = &states;
        while (*at != state)
            at = &(*at)->next;
        *at = state->next;
        add_state_locked(&past, state);
        forget_entries(&past.programs);
        forget_entries(&past.kernels);
        forget_entries(&past.fast_kernels);
    }
    pthread_mutex_unlock(&lock);
    if (last) state_destroy(state);
}

/* The state after this one (NULL: the first), used by the caller, who gives
 * this one up. Those that come meanwhile are at the front of the list. */
static struct context_state *next_state(struct context_state *state)
{
    pthread_mutex_lock(&lock);
    struct context_state *next = state != NULL ? state->next : states;
    if (next != NULL) next->engines++;
    pthread_mutex_unlock(&lock);
    context_state_release(state);
    return next;
}

void context_memory_free(void *user)
{
    (void)user;
    struct context_state *state = NULL;
    while ((state = next_state(state)) != NULL) {
        cache_evict_all(state->fast_kernels);
        cache_evict_all(state->kernels);
        cache_evict_all(state->programs);
    }
#if DNNL_CACHE_PRIMITIVES
    primitive_cache_drop_all();
#endif
}

void context_memory_statistics(struct memory_statistics *out)
{
    pthread_mutex_lock(&lock);
    *out = past;
    for (const struct context_state *s = states; s != NULL; s = s->next)
        add_state_locked(out, s);
    pthread_mutex_unlock(&lock);
}

/* ---- Calls --------------------------------------------------------------- */

dnnl_status_t dnnl_cache_set_program_cache_limit(uint64_t bytes)
{
    struct context_state *state = NULL;
    (void)current_limit(); /* what the environment says counts no more */
    uint64_t before = atomic_exchange(&limit, bytes);
    bool recount =
            before == DNNL_CACHE_NO_LIMIT && bytes != DNNL_CACHE_NO_LIMIT;
    while ((state = next_state(state)) != NULL)
        apply_limit(state, recount);
#if DNNL_CACHE_PRIMITIVES
    if (bytes != DNNL_CACHE_NO_LIMIT) primitive_cache_drop_homeless();
#endif
    return dnnl_success;
}

dnnl_status_t dnnl_cache_get_program_cache_limit(uint64_t *bytes)
{
    if (bytes == NULL) return dnnl_invalid_arguments;
    *bytes = current_limit();
    return dnnl_success;
}
