/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/chain_store.h"

#include "dnnl_cache/working_set.h"
#include "src/common/sized_struct.h"
#include "src/platform/clock.h"
#include "stores/chain/chain_internal.h"
#include "stores/files/store_size.h"
#include "stores/journal/record_attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t monotonic_ns(void *unused)
{
    (void)unused;
    return clock_ns();
}

/* ---- What is done with sample stores ------------------------------------- */

static uint64_t chain_bytes(const dnnl_cache_store_handle_t *base)
{
    const struct chain *chain = (const struct chain *)base;
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    uint64_t bytes = 0;
    for (size_t i = 0; i < chain->count; i++)
        if (chain->links[i].store != NULL
                && dnnl_cache_store_get_statistics(
                           chain->links[i].store, &statistics)
                           == dnnl_success)
            bytes = store_size_add(bytes, statistics.bytes);
    return bytes;
}

/* IDs that have been shown: a hash table with open places. */
struct shown {
    uint8_t **ids; /* NULL: free */
    size_t *sizes;
    size_t places; /* a power of two */
    size_t count;
};

static size_t place_of(
        const struct shown *shown, uint64_t hash, size_t size, const void *id)
{
    size_t at = (size_t)hash & (shown->places - 1);
    while (shown->ids[at] != NULL
            && (shown->sizes[at] != size
                    || memcmp(shown->ids[at], id, size) != 0))
        at = (at + 1) & (shown->places - 1);
    return at;
}

static void free_shown(struct shown *shown)
{
    for (size_t i = 0; i < shown->places; i++)
        free(shown->ids[i]);
    free(shown->ids);
    free(shown->sizes);
}

struct iteration {
    struct chain *chain;
    struct shown shown;
    dnnl_cache_store_visit_callback_t visit;
    void *user;
    bool stopped;
    dnnl_status_t status;
};

static bool grow(struct iteration *it)
{
    struct shown *old = &it->shown;
    if (2 * (old->count + 1) <= old->places) return true;
    struct shown new = {.places = old->places > 0 ? 2 * old->places : 64,
            .count = old->count};
    new.ids = calloc(new.places, sizeof *new.ids);
    new.sizes = calloc(new.places, sizeof *new.sizes);
    if (new.ids == NULL || new.sizes == NULL) {
        free(new.ids);
        free(new.sizes);
        return false;
    }
    for (size_t i = 0; i < old->places; i++) {
        if (old->ids[i] == NULL) continue;
        const uint64_t hash =
                it->chain->base.options.hash(old->ids[i], old->sizes[i]);
        const size_t at = place_of(&new, hash, old->sizes[i], old->ids[i]);
        new.ids[at] = old->ids[i];
        new.sizes[at] = old->sizes[i];
    }
    free(old->ids);
    free(old->sizes);
    *old = new;
    return true;
}

/* 1 if the ID is a new one, 0 if not, -1: out of memory. */
static int note_shown(
        struct iteration *it, const struct dnnl_cache_store_entry *item)
{
    if (!grow(it)) return -1;
    const uint64_t hash = it->chain->base.options.hash(item->id, item->id_size);
    const size_t at = place_of(&it->shown, hash, item->id_size, item->id);
    if (it->shown.ids[at] != NULL) return 0;
    uint8_t *copy = malloc(item->id_size);
    if (copy == NULL) return -1;
    memcpy(copy, item->id, item->id_size);
    it->shown.ids[at] = copy;
    it->shown.sizes[at] = item->id_size;
    it->shown.count++;
    return 1;
}

static bool show(void *user, const struct dnnl_cache_store_entry *item)
{
    struct iteration *it = user;
    const int is_new = note_shown(it, item);
    if (is_new < 0) it->status = dnnl_out_of_memory;
    if (is_new > 0) it->stopped = !it->visit(it->user, item);
    return is_new >= 0 && !it->stopped;
}

static dnnl_status_t chain_iterate(dnnl_cache_store_handle_t *base,
        dnnl_cache_store_visit_callback_t visit, void *user)
{
    struct chain *chain = (struct chain *)base;
    struct iteration it = {.chain = chain, .visit = visit, .user = user};
    /* A member that fails does not hide the others'. */
    for (size_t i = 0;
            i < chain->count && !it.stopped && it.status != dnnl_out_of_memory;
            i++) {
        if (chain->links[i].store == NULL) continue;
        const dnnl_status_t st =
                dnnl_cache_store_iterate(chain->links[i].store, show, &it);
        if (it.status == dnnl_success) it.status = st;
    }
    free_shown(&it.shown);
    return it.status;
}

static dnnl_status_t chain_trim(dnnl_cache_store_handle_t *base,
        uint64_t max_bytes, uint64_t max_age_seconds, enum store_ages ages,
        uint64_t *removed)
{
    struct chain *chain = (struct chain *)base;
    dnnl_status_t first = dnnl_success;
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        uint64_t count = 0;
        if (link->store == NULL
                || link->role == dnnl_cache_store_chain_role_read)
            continue;
        const dnnl_status_t st = link->store->calls->trim(
                link->store, max_bytes, max_age_seconds, ages, &count);
        if (first == dnnl_success) first = st;
        *removed += count;
    }
    return first;
}

/* Stops the members after the one where enough was seen, too. */
struct verification {
    dnnl_cache_store_verify_callback_t progress;
    void *user;
    bool stopped;
};

static bool tell(void *user, const struct dnnl_cache_store_verdict *verdict)
{
    struct verification *v = user;
    if (v->progress != NULL) v->stopped = !v->progress(v->user, verdict);
    return !v->stopped;
}

static dnnl_status_t chain_verify(dnnl_cache_store_handle_t *base, bool repair,
        dnnl_cache_store_verify_callback_t progress, void *user,
        struct dnnl_cache_store_check *check)
{
    struct chain *chain = (struct chain *)base;
    struct verification v = {progress, user, false};
    dnnl_status_t first = dnnl_success;
    for (size_t i = 0; i < chain->count && !v.stopped; i++) {
        const struct link *link = &chain->links[i];
        struct dnnl_cache_store_check one = DNNL_CACHE_STORE_CHECK_INIT;
        if (link->store == NULL) continue;
        const dnnl_status_t st = dnnl_cache_store_verify(link->store,
                repair && link->role != dnnl_cache_store_chain_role_read, tell,
                &v, &one);
        if (first == dnnl_success) first = st;
        check->intact += one.intact;
        check->damaged += one.damaged;
        check->repaired += one.repaired;
        check->bytes += one.bytes;
    }
    return first;
}

/* ---- Open and close ------------------------------------------------------ */

static void chain_close(dnnl_cache_store_handle_t *base)
{
    struct chain *chain = (struct chain *)base;
    if (chain->working_set != NULL)
        (void)dnnl_cache_store_working_set_save(chain->working_set);
    dnnl_cache_store_working_set_close(chain->working_set);
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (link->is_owned) dnnl_cache_store_close(link->store);
        free(link->name);
    }
    free(chain->links);
    fork_mutex_fini(&chain->lock);
    fork_mutex_fini(&chain->loans.lock);
    store_fini(base);
    free(chain);
}

/* The first store that is written to; the chain itself has no journal. */
static dnnl_cache_store_handle_t *find_journal(dnnl_cache_store_handle_t *base)
{
    struct chain *chain = (struct chain *)base;
    for (size_t i = 0; i < chain->count; i++) {
        const struct link *link = &chain->links[i];
        if (link->role == dnnl_cache_store_chain_role_write
                && link->store != NULL)
            return store_find_journal(link->store);
    }
    return base;
}

static const struct store_calls chain_store_calls = {
        .close = chain_close,
        .iterate = chain_iterate,
        .bytes = chain_bytes,
        .trim = chain_trim,
        .verify = chain_verify,
        .find_journal = find_journal,
};

struct chain *chain_of(dnnl_cache_store_handle_t *store)
{
    return store->calls == &chain_store_calls ? (struct chain *)store : NULL;
}

static const dnnl_cache_store_t chain_callbacks = {
        .can_put = chain_can_put,
        .get = chain_get,
        .release = chain_release,
        .put = chain_put,
        .remove = chain_remove,
        .get_many = chain_get_many,
};

static const char *find_mistake(
        const struct dnnl_cache_store_chain_member *members, size_t count)
{
    if (count == 0) return "no member";
    for (size_t i = 0; i < count; i++) {
        const struct dnnl_cache_store_chain_member *m = &members[i];
        const dnnl_cache_store_t *s = m->callbacks;
        if (m->store != NULL && s != NULL)
            return "a member is a store or callbacks";
        if (m->role > dnnl_cache_store_chain_role_write) return "no such role";
        if (s != NULL
                && (s->struct_size < offsetof(dnnl_cache_store_t, get_many)
                        || s->get == NULL || s->release == NULL
                        || s->put == NULL || s->remove == NULL))
            return "a member lacks callbacks";
    }
    return NULL;
}

/* An application built with an older header has a shorter struct. */
static void copy_callbacks(
        dnnl_cache_store_t *copy, const dnnl_cache_store_t *callbacks)
{
    const size_t size = callbacks->struct_size < sizeof *copy
                                ? callbacks->struct_size
                                : sizeof *copy;
    *copy = (dnnl_cache_store_t)DNNL_CACHE_STORE_INIT;
    memcpy(copy, callbacks, size);
    copy->struct_size = sizeof *copy;
}

static bool read_options(struct dnnl_cache_store_chain_options *options,
        const struct dnnl_cache_store_chain_options *callers)
{
    if (!sized_struct_read(options, sizeof *options, callers)) return false;
    if (options->failures_to_skip == 0) options->failures_to_skip = 3;
    if (options->retry_after_ns == 0)
        options->retry_after_ns = (uint64_t)30 * 1000000000u;
    if (options->slow_ns == 0) options->slow_ns = UINT64_MAX;
    if (options->now_ns == NULL) options->now_ns = monotonic_ns;
    return true;
}

/* The caller's array, whose members are of the size that the first one says;
 * the caller frees *members. */
static dnnl_status_t read_members(
        struct dnnl_cache_store_chain_member **members, size_t count,
        const struct dnnl_cache_store_chain_member *callers)
{
    const size_t step = count > 0 ? callers->struct_size : 0;
    struct dnnl_cache_store_chain_member *read =
            calloc(count + 1, sizeof *read);
    if (read == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < count; i++) {
        const unsigned char *at = (const unsigned char *)callers + i * step;
        size_t size;
        memcpy(&size, at, sizeof size);
        if (size != step || !sized_struct_read(&read[i], sizeof *read, at)) {
            free(read);
            return dnnl_invalid_arguments;
        }
    }
    *members = read;
    return dnnl_success;
}

static dnnl_status_t copy_members(struct chain *chain,
        const struct dnnl_cache_store_chain_member *members, size_t count)
{
    chain->links = calloc(count, sizeof *chain->links);
    if (chain->links == NULL) return dnnl_out_of_memory;
    for (size_t i = 0; i < count; i++) {
        const struct dnnl_cache_store_chain_member *m = &members[i];
        struct link *link = &chain->links[i];
        char number[32];
        snprintf(number, sizeof number, "member %zu", i);
        link->name = strdup(m->name != NULL ? m->name : number);
        if (link->name == NULL) return dnnl_out_of_memory;
        chain->count++;
        link->store = m->store;
        link->role = m->role;
        link->is_absent = m->store == NULL && m->callbacks == NULL;
        if (link->is_absent) {
            link->role = dnnl_cache_store_chain_role_read;
            continue;
        }
        /* A damaged blob of one member is a miss, for the next one is asked. */
        if (m->store != NULL) m->store->is_member = count > 1;
        copy_callbacks(&link->callbacks,
                m->store != NULL ? dnnl_cache_store_get_callbacks(m->store)
                                 : m->callbacks);
        if (link->role == dnnl_cache_store_chain_role_write
                && link->callbacks.note != NULL)
            chain->base.callbacks.note = chain_note;
        if (link->callbacks.acquire_lease != NULL
                && link->callbacks.release_lease != NULL) {
            chain->base.callbacks.acquire_lease = chain_acquire_lease;
            chain->base.callbacks.release_lease = chain_release_lease;
        }
    }
    return dnnl_success;
}

static dnnl_status_t open_chain(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_chain_member *members, size_t count,
        const struct dnnl_cache_store_chain_options *options)
{
    struct chain *chain = calloc(1, sizeof *chain);
    if (chain == NULL) return dnnl_out_of_memory;
    struct dnnl_cache_store_options base = DNNL_CACHE_STORE_OPTIONS_INIT;
    base.path = "/chain"; /* nothing is there */
    base.log = options->log;
    base.log_user = options->log_user;
    (void)fork_mutex_init(&chain->lock); /* cannot fail on Linux */
    (void)fork_mutex_init(&chain->loans.lock);
    chain->options = *options;
    dnnl_status_t st = store_init(&chain->base, &chain_store_calls,
            &chain_callbacks, &store_usual_defaults, &base);
    if (st == dnnl_success) record_attach(&chain->base);
    if (st == dnnl_success) {
        const char *mistake = find_mistake(members, count);
        if (mistake != NULL) {
            store_log(&chain->base, dnnl_cache_log_error, "chain: %s", mistake);
            st = dnnl_invalid_arguments;
        }
    }
    if (st == dnnl_success) st = copy_members(chain, members, count);
    if (st != dnnl_success) {
        chain_close(&chain->base);
        return st;
    }
    *store = &chain->base;
    return dnnl_success;
}

dnnl_status_t dnnl_cache_store_open_chain(dnnl_cache_store_handle_t **store,
        const struct dnnl_cache_store_chain_member *members, size_t count,
        const struct dnnl_cache_store_chain_options *options)
{
    struct dnnl_cache_store_chain_options ours;
    struct dnnl_cache_store_chain_member *read = NULL;
    if (store == NULL || members == NULL || options == NULL
            || !read_options(&ours, options))
        return dnnl_invalid_arguments;
    dnnl_status_t st = read_members(&read, count, members);
    if (st == dnnl_success) st = open_chain(store, read, count, &ours);
    free(read);
    return st;
}

dnnl_status_t dnnl_cache_store_chain_get_member_statistics(
        dnnl_cache_store_handle_t *chain, size_t member,
        struct dnnl_cache_store_chain_member_statistics *statistics)
{
    struct chain *c = (struct chain *)chain;
    if (c == NULL || statistics == NULL || member >= c->count)
        return dnnl_invalid_arguments;
    struct link *link = &c->links[member];
    const struct dnnl_cache_store_chain_member_statistics now = {
            .hits = atomic_load(&link->hits),
            .misses = atomic_load(&link->misses),
            .failures = atomic_load(&link->failures),
            .slow = atomic_load(&link->slow),
            .skipped = atomic_load(&link->skipped),
            .puts = atomic_load(&link->puts),
            .fills = atomic_load(&link->fills),
            .removes = atomic_load(&link->removes),
            .is_skipped = chain_is_skipped(c, member),
    };
    return sized_struct_write(&now, sizeof now, statistics)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}
