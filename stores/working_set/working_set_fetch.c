/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was brought is copied, and the store's bytes are released at once:
 * whoever asks for an entry may do so on another thread, and a store's bytes
 * are released where they were got.
 */
#include "stores/working_set/working_set_internal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Questions ----------------------------------------------------------- */

void question_fini(struct question *q)
{
    free(q->places);
    free(q->id_sizes);
    free(q->ids);
    free(q->sizes);
    free(q->blobs);
}

bool question_init(struct question *q, size_t most)
{
    *q = (struct question){.places = calloc(most + 1, sizeof *q->places),
            .id_sizes = calloc(most + 1, sizeof *q->id_sizes),
            .ids = calloc(most + 1, sizeof *q->ids),
            .sizes = calloc(most + 1, sizeof *q->sizes),
            .blobs = calloc(most + 1, sizeof *q->blobs)};
    if (q->places != NULL && q->id_sizes != NULL && q->ids != NULL
            && q->sizes != NULL && q->blobs != NULL)
        return true;
    question_fini(q);
    return false;
}

dnnl_status_t question_ask(struct question *q, const dnnl_cache_store_t *store)
{
    if (q->count == 0) return dnnl_success;
    if (store->get_many != NULL)
        return store->get_many(
                store->user, q->count, q->id_sizes, q->ids, q->sizes, q->blobs);
    for (size_t i = 0; i < q->count; i++)
        if (store->get(store->user, q->id_sizes[i], q->ids[i], &q->sizes[i],
                    &q->blobs[i])
                != dnnl_success)
            q->blobs[i] = NULL;
    return dnnl_success;
}

/* ---- Bringing ------------------------------------------------------------ */

static void add_listed(void *user, size_t id_size, const uint8_t *id)
{
    struct dnnl_cache_store_working_set *set = user;
    struct item *item = working_set_add_locked(set, id_size, id);
    if (item == NULL || item->is_listed) return;
    item->is_listed = true;
    set->statistics.listed++;
}

/* What was asked for meanwhile may have been put anew. */
static void keep_locked(struct dnnl_cache_store_working_set *set,
        struct item *item, size_t size, const uint8_t *blob)
{
    set->statistics.brought++;
    set->statistics.bytes += size;
    if (item->is_asked || item->blob != NULL
            || size > set->max_bytes - set->kept_bytes)
        return;
    uint8_t *copy = malloc(size);
    if (copy == NULL) return;
    memcpy(copy, blob, size);
    working_set_keep_locked(set, item, size, copy);
}

size_t working_set_gather_listed(struct question *q,
        struct dnnl_cache_store_working_set *set, size_t from, size_t most)
{
    q->count = 0;
    working_set_lock(set);
    for (; from < set->count && q->count < most; from++) {
        const struct item *item = &set->items[from];
        if (!item->is_listed) continue;
        q->places[q->count] = from;
        q->id_sizes[q->count] = item->id_size;
        q->blobs[q->count] = NULL;
        q->ids[q->count++] = item->id;
    }
    fork_unlock(&set->lock);
    return from;
}

/* The bytes brought so far. */
static uint64_t bring_some(
        struct dnnl_cache_store_working_set *set, struct question *q)
{
    uint64_t bytes = 0;
    const bool is_answered = question_ask(q, &set->inner) == dnnl_success;
    for (size_t i = 0; is_answered && i < q->count; i++) {
        if (q->blobs[i] == NULL) continue;
        working_set_lock(set);
        if (q->sizes[i] > 0)
            keep_locked(
                    set, &set->items[q->places[i]], q->sizes[i], q->blobs[i]);
        bytes = set->statistics.bytes;
        fork_unlock(&set->lock);
        set->inner.release(set->inner.user, q->sizes[i], q->blobs[i]);
    }
    return bytes;
}

/* One question is enough for all applications that are known; a list that is
 * longer, or names more bytes, is not to fill the memory. */
static dnnl_status_t bring_listed(
        struct dnnl_cache_store_working_set *set, size_t listed)
{
    enum { most_at_once = 512 };
    static const uint64_t most_bytes = (uint64_t)1 << 30;
    const size_t most = listed < most_at_once ? listed : most_at_once;
    struct question q;
    size_t next = 0;
    uint64_t bytes = 0;
    if (!question_init(&q, most)) return dnnl_out_of_memory;
    do {
        next = working_set_gather_listed(&q, set, next, most);
        bytes = bring_some(set, &q);
    } while (q.count == most && bytes > 0 && bytes < most_bytes);
    question_fini(&q);
    return dnnl_success;
}

/* dnnl_cache_miss: the store has none that is whole. */
static dnnl_status_t read_list(struct dnnl_cache_store_working_set *set,
        const dnnl_cache_store_t *store, size_t *listed)
{
    const uint8_t *list = NULL;
    size_t size = 0;
    if (store->get(store->user, set->list_id_size, set->list_id, &size, &list)
                    != dnnl_success
            || list == NULL)
        return dnnl_cache_miss;
    working_set_lock(set);
    const dnnl_status_t st =
            dnnl_cache_store_working_set_read_list(size, list, add_listed, set);
    *listed = (size_t)set->statistics.listed; /* they are in memory */
    fork_unlock(&set->lock);
    store->release(store->user, size, list);
    if (st == dnnl_cache_blob_corrupt && store->remove != NULL)
        (void)store->remove(store->user, set->list_id_size, set->list_id);
    return st == dnnl_success || st == dnnl_out_of_memory ? st
                                                          : dnnl_cache_miss;
}

dnnl_status_t working_set_fetch(struct dnnl_cache_store_working_set *set)
{
    size_t listed = 0;
    dnnl_status_t st = dnnl_cache_miss;
    if (set->has_near) st = read_list(set, &set->near, &listed);
    if (st != dnnl_cache_miss) return st; /* all that it names was brought */
    st = read_list(set, &set->inner, &listed);
    if (st == dnnl_success && listed > 0) st = bring_listed(set, listed);
    return st == dnnl_out_of_memory ? st : dnnl_success;
}

void working_set_begin(struct dnnl_cache_store_working_set *set, size_t id_size,
        const uint8_t *id)
{
    working_set_lock(set);
    const bool is_first = set->list_id == NULL;
    if (is_first)
        set->list_id = working_set_list_id(
                &set->list_id_size, set->application, id_size, id);
    const bool is_begun = is_first && set->list_id != NULL;
    fork_unlock(&set->lock);
    /* Other threads ask the store themselves meanwhile. */
    if (is_begun) (void)working_set_fetch(set);
}
