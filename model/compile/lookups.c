/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/lookups.h"

#include "src/platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* Notes in one of the lists what a call that began then came to. */
static void note(struct lookups *r, struct id_list *list, size_t id_size,
        const uint8_t *id, uint64_t began)
{
    const uint64_t ended = clock_ns();
    pthread_mutex_lock(&r->lock);
    r->ns += ended - began;
    if (list == &r->missed)
        r->last_miss = id_list_add(list, id_size, id);
    else if (list != NULL)
        id_list_add(list, id_size, id);
    pthread_mutex_unlock(&r->lock);
}

static void count(struct lookups *r, struct id_list *list, size_t id_size,
        const uint8_t *id)
{
    if (list == &r->loaded && id_size == r->engine_size
            && memcmp(id, r->engine, id_size) == 0)
        return;
    pthread_mutex_lock(&r->lock);
    id_list_add(list, id_size, id);
    pthread_mutex_unlock(&r->lock);
}

static unsigned long long count_of(
        struct lookups *r, const struct id_list *list)
{
    pthread_mutex_lock(&r->lock);
    const unsigned long long number = list->count;
    pthread_mutex_unlock(&r->lock);
    return number;
}

unsigned long long lookups_compiled(struct lookups *lookups)
{
    return count_of(lookups, &lookups->compiled);
}

unsigned long long lookups_loaded(struct lookups *lookups)
{
    return count_of(lookups, &lookups->loaded);
}

void lookups_lend(struct lookups *lookups, const struct blob_list *blobs)
{
    lookups->lent = blobs;
}

/* ---- What was fetched ---------------------------------------------------- */

static bool is_fetched(const struct lookups *r, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    if (r->fetched == NULL) return false;
    const size_t at = id_list_find(r->fetched, id_size, id);
    if (at == SIZE_MAX || r->blobs[at] == NULL) return false;
    *size = r->sizes[at];
    *blob = r->blobs[at];
    return true;
}

static bool is_lent(struct lookups *r, const uint8_t *blob)
{
    for (size_t i = 0; r->fetched != NULL && i < r->fetched->count; i++)
        if (r->blobs[i] == blob) return true;
    pthread_mutex_lock(&r->lock);
    const bool owns = blob_list_owns(&r->unkept, blob)
                      || (r->lent != NULL && blob_list_owns(r->lent, blob));
    pthread_mutex_unlock(&r->lock);
    return owns;
}

/* ---- What the store does not keep ---------------------------------------- */

static bool is_unkept(struct lookups *r, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    pthread_mutex_lock(&r->lock);
    const uint8_t *found = blob_list_find(&r->unkept, id_size, id, size);
    if (found == NULL && r->lent != NULL)
        found = blob_list_find(r->lent, id_size, id, size);
    pthread_mutex_unlock(&r->lock);
    if (found != NULL) *blob = found;
    return found != NULL;
}

/* A put that succeeds may be one that was declined: only a get tells. */
static bool is_kept(
        const dnnl_cache_store_t *inner, size_t id_size, const uint8_t *id)
{
    size_t size;
    const uint8_t *blob;
    if (inner->get(inner->user, id_size, id, &size, &blob) != dnnl_success)
        return false;
    inner->release(inner->user, size, blob);
    return true;
}

static void note_unkept(struct lookups *r, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob)
{
    pthread_mutex_lock(&r->lock);
    r->has_unkept = true;
    if (r->keeps_unkept)
        (void)blob_list_add(&r->unkept, id_size, id, size, blob);
    pthread_mutex_unlock(&r->lock);
}

/* ---- The callbacks ------------------------------------------------------- */

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct lookups *r = user;
    dnnl_status_t st = dnnl_cache_miss;
    const uint64_t began = clock_ns();
    if (is_fetched(r, id_size, id, size, blob)
            || is_unkept(r, id_size, id, size, blob))
        st = dnnl_success;
    else if (r->inner != NULL)
        st = r->inner->get(r->inner->user, id_size, id, size, blob);
    note(r, st == dnnl_success ? &r->used : &r->missed, id_size, id, began);
    if (st == dnnl_success) count(r, &r->loaded, id_size, id);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    struct lookups *r = user;
    if (!is_lent(r, blob)) r->inner->release(r->inner->user, size, blob);
}

/* The store's failure is no failure here: after one the engine would offer the
 * same blob again, and no other. */
static void keep(struct lookups *r, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    const uint64_t began = clock_ns();
    dnnl_status_t st = dnnl_success;
    if (r->inner != NULL)
        st = r->inner->put(r->inner->user, id_size, id, size, blob, metadata);
    const bool kept = r->inner != NULL && st == dnnl_success
                      && is_kept(r->inner, id_size, id);
    note(r, kept ? &r->used : NULL, id_size, id, began);
    if (!kept) note_unkept(r, id_size, id, size, blob);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct lookups *r = user;
    count(r, &r->compiled, id_size, id);
    keep(r, id_size, id, size, blob, metadata);
    return dnnl_success;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    const struct lookups *r = user;
    if (r->inner == NULL) return dnnl_success;
    return r->inner->remove(r->inner->user, id_size, id);
}

static dnnl_status_t record(void *user, const dnnl_cache_note_t *what)
{
    const struct lookups *r = user;
    return r->inner->record(r->inner->user, what);
}

/* ---- Life ---------------------------------------------------------------- */

void lookups_init(struct lookups *lookups, const dnnl_cache_store_t *inner)
{
    *lookups = (struct lookups){
            .callbacks = {.struct_size = sizeof lookups->callbacks,
                    .user = lookups,
                    .get = get,
                    .release = release,
                    .put = put,
                    .remove = forget,
                    .record = inner != NULL && inner->record != NULL ? record
                                                                     : NULL},
            .inner = inner,
            .last_miss = SIZE_MAX};
    pthread_mutex_init(&lookups->lock, NULL);
}

void lookups_fetch(struct lookups *lookups, const struct id_list *list)
{
    const uint64_t began = clock_ns();
    const dnnl_cache_store_t *inner = lookups->inner;
    lookups->sizes = calloc(list->count + 1, sizeof *lookups->sizes);
    lookups->blobs = calloc(list->count + 1, sizeof *lookups->blobs);
    if (inner == NULL || inner->get_many == NULL || list->count == 0
            || lookups->sizes == NULL || lookups->blobs == NULL)
        return;
    if (inner->get_many(inner->user, list->count, list->sizes,
                (const uint8_t *const *)list->ids, lookups->sizes,
                lookups->blobs)
            == dnnl_success)
        lookups->fetched = list;
    note(lookups, NULL, 0, NULL, began);
}

void lookups_drop(struct lookups *lookups)
{
    const dnnl_cache_store_t *inner = lookups->inner;
    for (size_t i = 0; lookups->fetched != NULL && i < lookups->fetched->count;
            i++)
        if (lookups->blobs[i] != NULL)
            inner->release(inner->user, lookups->sizes[i], lookups->blobs[i]);
    free(lookups->sizes);
    free(lookups->blobs);
    lookups->sizes = NULL;
    lookups->blobs = NULL;
    lookups->fetched = NULL;
}

void lookups_take(struct lookups *lookups, const struct blob_list *unkept)
{
    const struct id_list *ids = &unkept->ids;
    for (size_t i = 0; i < ids->count; i++) {
        if (!lookups->has_unkept)
            keep(lookups, ids->sizes[i], ids->ids[i], unkept->sizes[i],
                    unkept->blobs[i], NULL);
        pthread_mutex_lock(&lookups->lock);
        (void)blob_list_add(&lookups->unkept, ids->sizes[i], ids->ids[i],
                unkept->sizes[i], unkept->blobs[i]);
        pthread_mutex_unlock(&lookups->lock);
    }
}

size_t lookups_last_miss(struct lookups *lookups)
{
    pthread_mutex_lock(&lookups->lock);
    const size_t last = lookups->last_miss;
    pthread_mutex_unlock(&lookups->lock);
    return last;
}

void lookups_forget_last_miss(struct lookups *lookups)
{
    pthread_mutex_lock(&lookups->lock);
    lookups->last_miss = SIZE_MAX;
    pthread_mutex_unlock(&lookups->lock);
}

void lookups_fini(struct lookups *lookups)
{
    if (lookups->callbacks.get == NULL) return; /* it was never begun */
    lookups_drop(lookups);
    id_list_fini(&lookups->used);
    id_list_fini(&lookups->missed);
    id_list_fini(&lookups->compiled);
    id_list_fini(&lookups->loaded);
    blob_list_fini(&lookups->unkept);
    pthread_mutex_destroy(&lookups->lock);
}
