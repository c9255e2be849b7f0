/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/chain/chain_internal.h"

#include <stdlib.h>

/* What asking the members has come to so far. */
struct outcome {
    bool answered;        /* one said whether it has it */
    dnnl_status_t status; /* of the first that failed */
};

static void note_status(
        struct outcome *outcome, dnnl_status_t status, bool failed)
{
    if (!failed && status != dnnl_out_of_memory)
        outcome->answered = true;
    else if (outcome->status == dnnl_success)
        outcome->status = status;
}

static dnnl_status_t status_of_nothing(const struct outcome *outcome)
{
    return outcome->answered || outcome->status == dnnl_success
                   ? dnnl_cache_miss
                   : outcome->status;
}

/* The nth member to ask: in their order, or first those that are written to. */
static size_t nth_member(
        const struct chain *chain, size_t n, bool written_first)
{
    if (!written_first) return n;
    for (int written = 1; written >= 0; written--) {
        for (size_t i = 0; i < chain->count; i++) {
            const bool is =
                    chain->links[i].role == dnnl_cache_store_chain_role_write;
            if (is != (written == 1)) continue;
            if (n == 0) return i;
            n--;
        }
    }
    return chain->count - 1;
}

/* Bytes that a member gave become the chain's to hand out. */
static dnnl_status_t take_over(struct chain *chain, size_t member,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob)
{
    struct link *link = &chain->links[member];
    store_count(&link->hits);
    if (!loans_add(&chain->loans, blob, size, member)) {
        link->callbacks.release(link->callbacks.user, size, blob);
        return dnnl_out_of_memory;
    }
    store_count(&chain->base.counters.hits);
    chain_fill(chain, member, id_size, id, size, blob);
    return dnnl_success;
}

/* ---- One ----------------------------------------------------------------- */

static dnnl_status_t ask(struct chain *chain, size_t member, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob,
        struct outcome *outcome)
{
    struct call call;
    bool failed;
    struct link *link = &chain->links[member];
    const uint8_t *found = NULL;
    size_t found_size = 0;
    if (!chain_begin(&call, chain, member)) return dnnl_cache_miss;
    dnnl_status_t st = link->callbacks.get(
            link->callbacks.user, id_size, id, &found_size, &found);
    if (st == dnnl_success && (found == NULL || found_size == 0))
        st = dnnl_runtime_error;
    st = chain_end(&call, st, true, &failed);
    note_status(outcome, st, failed);
    if (st == dnnl_cache_miss) store_count(&link->misses);
    if (st == dnnl_success) {
        st = take_over(chain, member, id_size, id, found_size, found);
        *size = found_size;
        *blob = found;
    }
    return st;
}

dnnl_status_t chain_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct chain *chain = user;
    if (chain == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    const bool written_first = chain_was_put(chain, id_size, id);
    struct outcome outcome = {false, dnnl_success};
    size_t found_size = 0;
    const uint8_t *found = NULL;
    for (size_t n = 0; n < chain->count; n++) {
        const dnnl_status_t st = ask(chain, nth_member(chain, n, written_first),
                id_size, id, &found_size, &found, &outcome);
        if (st == dnnl_success) {
            *size = found_size;
            *blob = found;
            return st;
        }
    }
    store_count(&chain->base.counters.misses);
    return status_of_nothing(&outcome);
}

void chain_release(void *user, size_t size, const uint8_t *blob)
{
    struct chain *chain = user;
    size_t member;
    if (chain == NULL || blob == NULL
            || !loans_take(&chain->loans, blob, size, &member))
        return;
    const dnnl_cache_store_t *s = &chain->links[member].callbacks;
    s->release(s->user, size, blob);
}

/* Waiting is no failure, however long it takes: the member's own limits hold.
 */
dnnl_status_t chain_acquire_lease(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct chain *chain = user;
    const uint8_t *found = NULL;
    size_t found_size = 0;
    if (chain == NULL || id_size == 0 || id == NULL || size == NULL
            || blob == NULL)
        return dnnl_invalid_arguments;
    for (size_t i = 0; i < chain->count; i++) {
        const dnnl_cache_store_t *s = &chain->links[i].callbacks;
        if (s->acquire_lease == NULL || s->release_lease == NULL
                || chain_is_skipped(chain, i))
            continue;
        dnnl_status_t st =
                s->acquire_lease(s->user, id_size, id, &found_size, &found);
        if (st != dnnl_success) return st;
        if (found == NULL || found_size == 0) return dnnl_runtime_error;
        st = take_over(chain, i, id_size, id, found_size, found);
        if (st != dnnl_success) return st;
        *size = found_size;
        *blob = found;
        return st;
    }
    return dnnl_not_required;
}

void chain_release_lease(void *user, size_t id_size, const uint8_t *id)
{
    struct chain *chain = user;
    if (chain == NULL || id_size == 0 || id == NULL) return;
    for (size_t i = 0; i < chain->count; i++) {
        const dnnl_cache_store_t *s = &chain->links[i].callbacks;
        if (s->release_lease != NULL) s->release_lease(s->user, id_size, id);
    }
}

/* ---- Many ---------------------------------------------------------------- */

/* The look-up of many: what is asked for, what is found, and room for what is
 * still missing. */
struct many {
    struct chain *chain;
    size_t count;
    const size_t *id_sizes;
    const uint8_t *const *ids;
    size_t *sizes;
    const uint8_t **blobs;
    struct outcome outcome;
    size_t missing; /* of them: */
    size_t *indices;
    size_t *missing_id_sizes;
    const uint8_t **missing_ids;
    size_t *found_sizes;
    const uint8_t **found_blobs;
};

/* IDs to ask this member for: those put lately are left to the second round if
 * it is not written to, and asked for in that alone. */
static void list_missing(struct many *m, size_t member, bool second)
{
    const bool written =
            m->chain->links[member].role == dnnl_cache_store_chain_role_write;
    m->missing = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->blobs[i] != NULL) continue;
        const bool late =
                !written && chain_was_put(m->chain, m->id_sizes[i], m->ids[i]);
        if (late != second) continue;
        const size_t n = m->missing++;
        m->indices[n] = i;
        m->missing_id_sizes[n] = m->id_sizes[i];
        m->missing_ids[n] = m->ids[i];
        m->found_sizes[n] = 0;
        m->found_blobs[n] = NULL;
    }
}

/* One found, or not. */
static dnnl_status_t settle(struct many *m, size_t member, size_t n)
{
    const size_t i = m->indices[n];
    if (m->found_blobs[n] == NULL) {
        store_count(&m->chain->links[member].misses);
        return dnnl_cache_miss;
    }
    const dnnl_status_t st = take_over(m->chain, member, m->id_sizes[i],
            m->ids[i], m->found_sizes[n], m->found_blobs[n]);
    if (st != dnnl_success) return st;
    m->sizes[i] = m->found_sizes[n];
    m->blobs[i] = m->found_blobs[n];
    return st;
}

/* Found without a size: given back as it came. */
static bool has_lies(const struct many *m)
{
    for (size_t n = 0; n < m->missing; n++)
        if (m->found_blobs[n] != NULL && m->found_sizes[n] == 0) return true;
    return false;
}

static void give_back_all(const struct many *m, const dnnl_cache_store_t *s)
{
    for (size_t n = 0; n < m->missing; n++)
        if (m->found_blobs[n] != NULL)
            s->release(s->user, m->found_sizes[n], m->found_blobs[n]);
}

static void ask_for_many(struct many *m, size_t member)
{
    struct call call;
    bool failed;
    const dnnl_cache_store_t *s = &m->chain->links[member].callbacks;
    if (!chain_begin(&call, m->chain, member)) return;
    dnnl_status_t st = s->get_many(s->user, m->missing, m->missing_id_sizes,
            m->missing_ids, m->found_sizes, m->found_blobs);
    if (st == dnnl_success && has_lies(m)) {
        give_back_all(m, s);
        st = dnnl_runtime_error;
    }
    st = chain_end(&call, st, true, &failed);
    note_status(&m->outcome, st, failed);
    if (st != dnnl_success && st != dnnl_cache_miss) return;
    for (size_t n = 0; n < m->missing; n++) {
        /* What is there of a miss is not looked at. */
        if (st == dnnl_cache_miss) m->found_blobs[n] = NULL;
        (void)settle(m, member, n);
    }
}

/* A member that knows no better. */
static void ask_one_by_one(struct many *m, size_t member)
{
    for (size_t n = 0; n < m->missing; n++) {
        const size_t i = m->indices[n];
        size_t size;
        const uint8_t *blob;
        if (ask(m->chain, member, m->id_sizes[i], m->ids[i], &size, &blob,
                    &m->outcome)
                == dnnl_success) {
            m->sizes[i] = size;
            m->blobs[i] = blob;
        }
    }
}

static void ask_members(struct many *m, bool second)
{
    for (size_t member = 0; member < m->chain->count; member++) {
        list_missing(m, member, second);
        if (m->missing == 0) continue;
        if (m->chain->links[member].callbacks.get_many != NULL)
            ask_for_many(m, member);
        else
            ask_one_by_one(m, member);
    }
}

static dnnl_status_t finish_many(const struct many *m)
{
    size_t missed = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (m->blobs[i] != NULL) continue;
        store_count(&m->chain->base.counters.misses);
        missed++;
    }
    return missed < m->count ? dnnl_success : status_of_nothing(&m->outcome);
}

dnnl_status_t chain_get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs)
{
    struct chain *chain = user;
    if (chain == NULL
            || !store_asks_for_many(count, id_sizes, ids, sizes, blobs))
        return dnnl_invalid_arguments;
    struct many m = {
            .chain = chain,
            .count = count,
            .id_sizes = id_sizes,
            .ids = ids,
            .sizes = sizes,
            .blobs = blobs,
            .outcome = {false, dnnl_success},
            .indices = calloc(count, sizeof *m.indices),
            .missing_id_sizes = calloc(count, sizeof *m.missing_id_sizes),
            .missing_ids = calloc(count, sizeof *m.missing_ids),
            .found_sizes = calloc(count, sizeof *m.found_sizes),
            .found_blobs = calloc(count, sizeof *m.found_blobs),
    };
    dnnl_status_t st = dnnl_out_of_memory;
    if (m.indices != NULL && m.missing_id_sizes != NULL && m.missing_ids != NULL
            && m.found_sizes != NULL && m.found_blobs != NULL) {
        ask_members(&m, false);
        ask_members(&m, true);
        st = finish_many(&m);
    }
    free(m.indices);
    free(m.missing_id_sizes);
    free(m.missing_ids);
    free(m.found_sizes);
    free(m.found_blobs);
    return st;
}
