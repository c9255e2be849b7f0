/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was brought is copied, and the store's bytes are released at once:
 * whoever asks for an entry may do so on another thread, and a store's bytes
 * are released where they were got.
 */
#include "working_set.h"

#include "working_set_list.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* An ID that is listed, or was asked for. */
struct item {
    uint64_t hash;
    size_t id_size;
    uint8_t *id; /* owned */
    size_t size;
    uint8_t *blob;  /* owned; NULL: not in memory */
    unsigned loans; /* of blob, not released yet */
    bool is_listed;
    bool is_asked; /* and found, or put */
};

struct dnnl_cache_working_set {
    dnnl_cache_store_t callbacks; /* fixed, as are the next three */
    dnnl_cache_store_t inner;
    size_t list_id_size;
    uint8_t *list_id;
    uint64_t max_bytes;
    pthread_mutex_t lock; /* guards all below; leaf, the store is called
                             without it */
    struct item *items;
    size_t count;
    size_t capacity;
    bool is_full; /* some ID found no memory, or there were too many */
    struct dnnl_cache_working_set_statistics statistics;
};

struct dnnl_cache_working_set_options dnnl_cache_working_set_options_default(
        void)
{
    return (struct dnnl_cache_working_set_options){
            .max_bytes = (uint64_t)256 << 20};
}

/* ---- The items ----------------------------------------------------------- */

static struct item *find_locked(const struct dnnl_cache_working_set *set,
        uint64_t hash, size_t id_size, const uint8_t *id)
{
    for (size_t i = 0; i < set->count; i++) {
        struct item *item = &set->items[i];
        if (item->hash == hash && item->id_size == id_size
                && memcmp(item->id, id, id_size) == 0)
            return item;
    }
    return NULL;
}

/* The item, added if it is not there; NULL: there is no room for it. */
static struct item *find_or_add_locked(
        struct dnnl_cache_working_set *set, size_t id_size, const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    struct item *item = find_locked(set, hash, id_size, id);
    if (item != NULL) return item;
    if (set->count == set->capacity) {
        const size_t capacity = set->capacity > 0 ? 2 * set->capacity : 64;
        item = realloc(set->items, capacity * sizeof *item);
        if (item == NULL) return NULL;
        set->items = item;
        set->capacity = capacity;
    }
    if (set->count == working_set_most_ids
            || id_size > working_set_most_id_bytes)
        return NULL;
    uint8_t *copy = malloc(id_size);
    if (copy == NULL) return NULL;
    memcpy(copy, id, id_size);
    item = &set->items[set->count++];
    *item = (struct item){.hash = hash, .id_size = id_size, .id = copy};
    return item;
}

static void note_asked(
        struct dnnl_cache_working_set *set, size_t id_size, const uint8_t *id)
{
    pthread_mutex_lock(&set->lock);
    struct item *item = find_or_add_locked(set, id_size, id);
    if (item != NULL)
        item->is_asked = true;
    else
        set->is_full = true;
    pthread_mutex_unlock(&set->lock);
}

/* What is in memory of an ID is old once another was put or it was removed. */
static void drop_locked(struct item *item)
{
    if (item->loans > 0) return; /* its last release drops it */
    free(item->blob);
    item->blob = NULL;
}

/* ---- The callbacks ------------------------------------------------------- */

static bool give(struct dnnl_cache_working_set *set, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    pthread_mutex_lock(&set->lock);
    struct item *item = find_locked(set, hash, id_size, id);
    const bool has = item != NULL && item->blob != NULL && !item->is_asked;
    if (has) {
        item->is_asked = true;
        item->loans++;
        set->statistics.given++;
        *size = item->size;
        *blob = item->blob;
    }
    pthread_mutex_unlock(&set->lock);
    return has;
}

/* True if the bytes are the set's own. Each is given once, and then dropped:
 * the library keeps what it made of them. */
static bool take_back(struct dnnl_cache_working_set *set, const uint8_t *blob)
{
    bool is_ours = false;
    pthread_mutex_lock(&set->lock);
    for (size_t i = 0; i < set->count && !is_ours; i++) {
        struct item *item = &set->items[i];
        if (item->blob != blob) continue;
        is_ours = true;
        item->loans--;
        drop_locked(item);
    }
    pthread_mutex_unlock(&set->lock);
    return is_ours;
}

static bool is_call(size_t id_size, const uint8_t *id)
{
    return id_size > 0 && id != NULL;
}

static dnnl_status_t set_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct dnnl_cache_working_set *set = user;
    if (!is_call(id_size, id) || size == NULL || blob == NULL)
        return dnnl_invalid_arguments;
    if (give(set, id_size, id, size, blob)) return dnnl_success;
    const dnnl_status_t st =
            set->inner.get(set->inner.user, id_size, id, size, blob);
    if (st == dnnl_success) note_asked(set, id_size, id);
    return st;
}

static void set_release(void *user, size_t size, const uint8_t *blob)
{
    struct dnnl_cache_working_set *set = user;
    if (blob != NULL && !take_back(set, blob))
        set->inner.release(set->inner.user, size, blob);
}

static void forget(
        struct dnnl_cache_working_set *set, size_t id_size, const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    pthread_mutex_lock(&set->lock);
    struct item *item = find_locked(set, hash, id_size, id);
    if (item != NULL && item->loans == 0) drop_locked(item);
    pthread_mutex_unlock(&set->lock);
}

static dnnl_status_t set_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct dnnl_cache_working_set *set = user;
    if (!is_call(id_size, id)) return dnnl_invalid_arguments;
    forget(set, id_size, id);
    const dnnl_status_t st =
            set->inner.put(set->inner.user, id_size, id, size, blob, metadata);
    if (st == dnnl_success) note_asked(set, id_size, id);
    return st;
}

static dnnl_status_t set_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct dnnl_cache_working_set *set = user;
    if (!is_call(id_size, id)) return dnnl_invalid_arguments;
    forget(set, id_size, id);
    return set->inner.remove(set->inner.user, id_size, id);
}

/* Asks the store for all of these: with one call, if it has that. */
static dnnl_status_t ask_inner(const dnnl_cache_store_t *inner, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    if (inner->get_many != NULL)
        return inner->get_many(inner->user, count, id_sizes, ids, sizes, blobs);
    for (size_t i = 0; i < count; i++)
        if (inner->get(inner->user, id_sizes[i], ids[i], &sizes[i], &blobs[i])
                != dnnl_success)
            blobs[i] = NULL;
    return dnnl_success;
}

/* What is not in memory, gathered for one question. */
struct question {
    size_t count;
    size_t *places; /* of the caller's arrays */
    size_t *id_sizes;
    const uint8_t **ids;
    size_t *sizes;
    const uint8_t **blobs;
};

static void question_fini(struct question *q)
{
    free(q->places);
    free(q->id_sizes);
    free(q->ids);
    free(q->sizes);
    free(q->blobs);
}

static bool question_init(struct question *q, size_t most)
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

static dnnl_status_t set_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    struct dnnl_cache_working_set *set = user;
    struct question q;
    size_t found = 0;
    if (!question_init(&q, count)) return dnnl_out_of_memory;
    for (size_t i = 0; i < count; i++) {
        if (give(set, id_sizes[i], ids[i], &sizes[i], &blobs[i])) {
            found++;
            continue;
        }
        q.places[q.count] = i;
        q.id_sizes[q.count] = id_sizes[i];
        q.ids[q.count++] = ids[i];
    }
    dnnl_status_t st = q.count > 0 ? ask_inner(&set->inner, q.count, q.id_sizes,
                               q.ids, q.sizes, q.blobs)
                                   : dnnl_success;
    for (size_t i = 0; i < q.count && st == dnnl_success; i++) {
        if (q.blobs[i] == NULL) continue;
        sizes[q.places[i]] = q.sizes[i];
        blobs[q.places[i]] = q.blobs[i];
        note_asked(set, q.id_sizes[i], q.ids[i]);
        found++;
    }
    question_fini(&q);
    if (found > 0) return dnnl_success; /* a store that failed is a miss */
    return st == dnnl_success ? dnnl_cache_miss : st;
}

static dnnl_status_t set_note(void *user, const dnnl_cache_note_t *note)
{
    const struct dnnl_cache_working_set *set = user;
    return set->inner.note(set->inner.user, note);
}

static dnnl_status_t set_can_put(void *user)
{
    const struct dnnl_cache_working_set *set = user;
    return set->inner.can_put(set->inner.user);
}

static dnnl_status_t set_wait_or_lead(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    struct dnnl_cache_working_set *set = user;
    if (!is_call(id_size, id) || size == NULL || blob == NULL)
        return dnnl_invalid_arguments;
    const dnnl_status_t st =
            set->inner.wait_or_lead(set->inner.user, id_size, id, size, blob);
    if (st == dnnl_success) note_asked(set, id_size, id);
    return st;
}

static void set_stop_leading(void *user, size_t id_size, const uint8_t *id)
{
    const struct dnnl_cache_working_set *set = user;
    set->inner.stop_leading(set->inner.user, id_size, id);
}

/* ---- Bringing ------------------------------------------------------------ */

static void add_listed(void *user, size_t id_size, const uint8_t *id)
{
    struct dnnl_cache_working_set *set = user;
    struct item *item = find_or_add_locked(set, id_size, id);
    if (item == NULL || item->is_listed) return;
    item->is_listed = true;
    set->statistics.listed++;
}

static void keep(struct dnnl_cache_working_set *set, struct item *item,
        size_t size, const uint8_t *blob)
{
    if (size > set->max_bytes - set->statistics.bytes) return;
    item->blob = malloc(size);
    if (item->blob == NULL) return;
    memcpy(item->blob, blob, size);
    item->size = size;
    set->statistics.brought++;
    set->statistics.bytes += size;
}

/* Nobody else has the set yet. */
static dnnl_status_t bring_listed(struct dnnl_cache_working_set *set)
{
    struct question q;
    if (set->count == 0) return dnnl_success;
    if (!question_init(&q, set->count)) return dnnl_out_of_memory;
    for (q.count = 0; q.count < set->count; q.count++) {
        q.id_sizes[q.count] = set->items[q.count].id_size;
        q.ids[q.count] = set->items[q.count].id;
    }
    const bool is_answered =
            ask_inner(&set->inner, q.count, q.id_sizes, q.ids, q.sizes, q.blobs)
            == dnnl_success;
    for (size_t i = 0; is_answered && i < q.count; i++) {
        if (q.blobs[i] == NULL) continue;
        if (q.sizes[i] > 0) keep(set, &set->items[i], q.sizes[i], q.blobs[i]);
        set->inner.release(set->inner.user, q.sizes[i], q.blobs[i]);
    }
    question_fini(&q);
    return dnnl_success;
}

static dnnl_status_t bring(struct dnnl_cache_working_set *set)
{
    const dnnl_cache_store_t *inner = &set->inner;
    const uint8_t *list = NULL;
    size_t size = 0;
    if (inner->get(inner->user, set->list_id_size, set->list_id, &size, &list)
                    != dnnl_success
            || list == NULL)
        return dnnl_success;
    dnnl_status_t st =
            dnnl_cache_working_set_read_list(size, list, add_listed, set);
    inner->release(inner->user, size, list);
    if (st == dnnl_cache_blob_corrupt && inner->remove != NULL)
        (void)inner->remove(inner->user, set->list_id_size, set->list_id);
    return st == dnnl_out_of_memory ? st : bring_listed(set);
}

/* ---- Saving -------------------------------------------------------------- */

/* The list of what was asked for, from malloc; *size 0: there is no need for
 * it. NULL and a size: out of memory. */
static uint8_t *write_asked(struct dnnl_cache_working_set *set, size_t *size)
{
    size_t count = 0;
    size_t listed = 0;
    uint8_t *list = NULL;
    *size = 1;
    pthread_mutex_lock(&set->lock);
    struct working_set_id *ids = calloc(set->count + 1, sizeof *ids);
    for (size_t i = 0; ids != NULL && i < set->count; i++) {
        const struct item *item = &set->items[i];
        if (!item->is_asked) continue;
        listed += item->is_listed;
        ids[count++] = (struct working_set_id){item->id_size, item->id};
    }
    const bool is_needed =
            count > 0 && (listed < count || set->statistics.listed > 2 * count);
    if (ids != NULL && is_needed)
        list = working_set_list_write(size, count, ids);
    if (ids != NULL && !is_needed) *size = 0;
    pthread_mutex_unlock(&set->lock);
    free(ids);
    return list;
}

dnnl_status_t dnnl_cache_working_set_save(struct dnnl_cache_working_set *set)
{
    size_t size;
    if (set == NULL) return dnnl_invalid_arguments;
    if (set->inner.put == NULL) return dnnl_success;
    uint8_t *list = write_asked(set, &size);
    if (list == NULL) return size == 0 ? dnnl_success : dnnl_out_of_memory;
    const dnnl_status_t st = set->inner.put(
            set->inner.user, set->list_id_size, set->list_id, size, list, NULL);
    free(list);
    return st;
}

/* ---- Life ---------------------------------------------------------------- */

static bool are_valid(const struct dnnl_cache_working_set_options *options)
{
    enum { most_name = 255 };
    if (options == NULL || options->store == NULL
            || options->application == NULL
            || (options->device_id_size > 0 && options->device_id == NULL))
        return false;
    const size_t name = strlen(options->application);
    return name > 0 && name <= most_name && options->store->struct_size > 0
           && options->store->struct_size <= sizeof *options->store
           && options->store->get != NULL && options->store->release != NULL;
}

/* What the store can do, and nothing more. */
static dnnl_cache_store_t callbacks_for(struct dnnl_cache_working_set *set)
{
    const dnnl_cache_store_t *inner = &set->inner;
    const bool leads =
            inner->wait_or_lead != NULL && inner->stop_leading != NULL;
    return (dnnl_cache_store_t){.struct_size = sizeof(dnnl_cache_store_t),
            .user = set,
            .get = set_get,
            .release = set_release,
            .put = inner->put != NULL ? set_put : NULL,
            .remove = inner->remove != NULL ? set_remove : NULL,
            .get_many = set_get_many,
            .note = inner->note != NULL ? set_note : NULL,
            .can_put = inner->can_put != NULL ? set_can_put : NULL,
            .wait_or_lead = leads ? set_wait_or_lead : NULL,
            .stop_leading = leads ? set_stop_leading : NULL};
}

dnnl_status_t dnnl_cache_working_set_open(struct dnnl_cache_working_set **set,
        const struct dnnl_cache_working_set_options *options)
{
    if (set == NULL || !are_valid(options)) return dnnl_invalid_arguments;
    struct dnnl_cache_working_set *made = calloc(1, sizeof *made);
    if (made == NULL) return dnnl_out_of_memory;
    memcpy(&made->inner, options->store, options->store->struct_size);
    made->callbacks = callbacks_for(made);
    made->max_bytes = options->max_bytes;
    pthread_mutex_init(&made->lock, NULL);
    made->list_id = working_set_list_id(&made->list_id_size, options);
    const dnnl_status_t st =
            made->list_id != NULL ? bring(made) : dnnl_out_of_memory;
    if (st != dnnl_success) {
        dnnl_cache_working_set_close(made);
        return st;
    }
    *set = made;
    return dnnl_success;
}

const dnnl_cache_store_t *dnnl_cache_working_set_callbacks(
        const struct dnnl_cache_working_set *set)
{
    return &set->callbacks;
}

void dnnl_cache_working_set_close(struct dnnl_cache_working_set *set)
{
    if (set == NULL) return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].id);
        free(set->items[i].blob);
    }
    free(set->items);
    free(set->list_id);
    pthread_mutex_destroy(&set->lock);
    free(set);
}

dnnl_status_t dnnl_cache_working_set_get_statistics(
        struct dnnl_cache_working_set *set,
        struct dnnl_cache_working_set_statistics *statistics)
{
    if (set == NULL || statistics == NULL) return dnnl_invalid_arguments;
    pthread_mutex_lock(&set->lock);
    *statistics = set->statistics;
    for (size_t i = 0; i < set->count; i++)
        statistics->asked += set->items[i].is_asked;
    pthread_mutex_unlock(&set->lock);
    return dnnl_success;
}
