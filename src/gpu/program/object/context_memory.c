/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is in memory, context by context.
 */
#include "src/gpu/program/object/context_memory.h"

#include "src/common/settings.h"
#include "src/gpu/program/object/form_queue.h"
#include "src/gpu/program/object/kernel.h"
#include "src/gpu/program/object/memory_limit.h"

#include <stdlib.h>

/* More programs than any network needs; a bound against runaways. Kernels are
 * as many as the programs have. */
enum { PROGRAM_CACHE_CAPACITY = 4096 };

/* Guards the list, every `users` and `past`. Taken before the locks of a
 * cache: its statistics are read under it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct context_memory *memories;
static struct memory_statistics past; /* of contexts that are gone */

static _Atomic(const struct program_users *) program_users; /* set once */

/* ---- The limit ----------------------------------------------------------- */

/* Makes a context obey the limit; recount: after a time without one, in which
 * what came was not counted. Other threads, and callbacks of what leaves, may
 * set another one meanwhile: whoever is done last has applied the last one. */
static void apply_limit(struct context_memory *m, bool recount)
{
    uint64_t bytes;
    do {
        bytes = memory_limit();
        bool is_off = bytes == 0;
        cache_set_capacity(m->programs, is_off ? 0 : PROGRAM_CACHE_CAPACITY);
        cache_set_capacity(m->kernels, is_off ? 0 : SIZE_MAX);
        cache_set_capacity(m->fast_kernels, is_off ? 0 : SIZE_MAX);
        if (recount) cache_recount(m->programs);
        cache_set_byte_limit(m->programs, bytes);
    } while (bytes != memory_limit());
}

/* ---- What is made of programs -------------------------------------------- */

void context_memory_set_users(const struct program_users *users)
{
    atomic_store_explicit(&program_users, users, memory_order_release);
}

static const struct program_users *users_of_programs(void)
{
    return atomic_load_explicit(&program_users, memory_order_acquire);
}

static bool uses_program(const void *value, const void *program)
{
    return users_of_programs()->program_of(value) == program;
}

static bool is_homeless(const void *value, const void *arg)
{
    struct program *program = users_of_programs()->program_of(value);
    (void)arg;
    return program != NULL && !atomic_load(&program->in_memory);
}

/* ---- One context --------------------------------------------------------- */

static bool is_of_program(const void *value, const void *program)
{
    return ((const struct kernel *)value)->program == program;
}

/* A program that leaves takes its kernels along, and, if it is evicted or the
 * memory of another in its place is limited, what would keep it alive. */
static void program_left(void *user, void *value, enum cache_departure why)
{
    struct context_memory *m = user;
    const struct program_users *users = users_of_programs();
    cache_remove_if(m->fast_kernels, why, is_of_program, value);
    cache_remove_if(m->kernels, why, is_of_program, value);
    if (users != NULL
            && (why == cache_evicted
                    || (why == cache_replaced && memory_is_limited())))
        cache_remove_if(users->cache, why, uses_program, value);
}

static void memory_destroy(struct context_memory *m)
{
    if (m->fast_kernels != NULL) cache_clear(m->fast_kernels);
    if (m->kernels != NULL) cache_clear(m->kernels);
    cache_destroy(m->programs);
    cache_destroy(m->kernels);
    cache_destroy(m->fast_kernels);
    free(m);
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

static void add_memory_locked(
        struct memory_statistics *sum, const struct context_memory *m)
{
    struct cache_statistics counts;
    cache_get_statistics(m->programs, &counts);
    add_counts(&sum->programs, &counts);
    cache_get_statistics(m->kernels, &counts);
    add_counts(&sum->kernels, &counts);
    cache_get_statistics(m->fast_kernels, &counts);
    add_counts(&sum->fast_kernels, &counts);
}

/* What is gone has no entries any more. */
static void forget_entries(struct cache_statistics *counts)
{
    counts->entries = 0;
    counts->bytes = 0;
}

static void memory_release(struct context_memory *m)
{
    if (m == NULL) return;
    pthread_mutex_lock(&lock);
    bool last = --m->users == 0;
    if (last) {
        struct context_memory **at = &memories;
        while (*at != m)
            at = &(*at)->next;
        *at = m->next;
        add_memory_locked(&past, m);
        forget_entries(&past.programs);
        forget_entries(&past.kernels);
        forget_entries(&past.fast_kernels);
    }
    pthread_mutex_unlock(&lock);
    if (last) memory_destroy(m);
}

/* The context has no engine any more: its stores may be closed once this has
 * returned. */
static void part_release(struct context_part *part)
{
    struct context_memory *m = (struct context_memory *)part; /* its first */
    const cl_context context = m->context;
    memory_release(m);
    form_queue_finish_context(context);
}

static dnnl_status_t memory_create(struct context_memory **out)
{
    struct context_memory *m = calloc(1, sizeof *m);
    if (m == NULL) return dnnl_out_of_memory;
    struct cache_ops programs = program_cache_ops;
    struct cache_ops kernels = kernel_cache_ops;
    programs.left = program_left;
    programs.user = m;
    programs.free_memory = kernels.free_memory = context_memory_free;
    dnnl_status_t st = cache_create(&m->fast_kernels, SIZE_MAX, &kernels);
    if (st == dnnl_success) st = cache_create(&m->kernels, SIZE_MAX, &kernels);
    if (st == dnnl_success)
        st = cache_create(&m->programs, PROGRAM_CACHE_CAPACITY, &programs);
    if (st != dnnl_success) {
        memory_destroy(m);
        return st;
    }
    m->part.release = part_release;
    m->users = 1;
    *out = m;
    return dnnl_success;
}

/* ---- All contexts -------------------------------------------------------- */

dnnl_status_t context_memory_make(
        struct context_state *state, struct context_memory **out)
{
    struct context_memory *m;
    struct context_part *other = NULL;
    dnnl_status_t st = memory_create(&m);
    if (st != dnnl_success) return st;
    m->context = state->context;
    pthread_mutex_lock(&lock);
    m->next = memories;
    memories = m;
    pthread_mutex_unlock(&lock);
    apply_limit(m, false); /* in the list: no change is missed */
    if (!atomic_compare_exchange_strong(&state->part, &other, &m->part)) {
        memory_release(m);
        m = (struct context_memory *)other;
    }
    memory_limit_complain();
    settings_complain();
    *out = m;
    return dnnl_success;
}

/* The memory after this one (NULL: the first), used by the caller, who gives
 * this one up. Those that come meanwhile are at the front of the list. */
static struct context_memory *next_memory(struct context_memory *m)
{
    pthread_mutex_lock(&lock);
    struct context_memory *next = m != NULL ? m->next : memories;
    if (next != NULL) next->users++;
    pthread_mutex_unlock(&lock);
    memory_release(m);
    return next;
}

void context_memory_free(void *user)
{
    const struct program_users *users = users_of_programs();
    struct context_memory *m = NULL;
    (void)user;
    while ((m = next_memory(m)) != NULL) {
        cache_evict_all(m->fast_kernels);
        cache_evict_all(m->kernels);
        cache_evict_all(m->programs);
    }
    if (users != NULL) cache_evict_all(users->cache);
}

void context_memory_statistics(struct memory_statistics *out)
{
    const struct program_users *users = users_of_programs();
    pthread_mutex_lock(&lock);
    *out = past;
    for (const struct context_memory *m = memories; m != NULL; m = m->next)
        add_memory_locked(out, m);
    pthread_mutex_unlock(&lock);
    if (users != NULL) cache_get_statistics(users->cache, &out->users);
}

/* ---- Calls --------------------------------------------------------------- */

dnnl_status_t dnnl_cache_set_program_cache_limit(uint64_t bytes)
{
    const struct program_users *users = users_of_programs();
    struct context_memory *m = NULL;
    const uint64_t before = memory_limit_set(bytes);
    bool recount =
            before == DNNL_CACHE_NO_LIMIT && bytes != DNNL_CACHE_NO_LIMIT;
    while ((m = next_memory(m)) != NULL)
        apply_limit(m, recount);
    if (users != NULL && bytes != DNNL_CACHE_NO_LIMIT)
        cache_remove_if(users->cache, cache_evicted, is_homeless, NULL);
    return dnnl_success;
}
