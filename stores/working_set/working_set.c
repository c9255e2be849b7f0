/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/working_set.h"

#include "src/common/sized_struct.h"
#include "src/platform/clock.h"
#include "stores/core/store_internal.h"
#include "stores/working_set/working_set_internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---- The items ----------------------------------------------------------- */

/* The thread of the parent's that was saving is not in the child. */
void working_set_lock(struct dnnl_cache_store_working_set *set)
{
    if (fork_lock(&set->lock) != fork_same) set->is_saving = false;
}

/* Two tables of the same size, a power of 2 and at least twice the items' room:
 * slots are the number of an item and 1, or 0. A slot may have an item that was
 * not counted yet, of a thread that a fork() did not take along. */
struct places {
    size_t size;
    uint32_t *by_blob; /* behind the other; of blobs that are, or were */
    uint32_t by_hash[];
};

static size_t slot_of_blob(const struct places *places, const uint8_t *blob)
{
    return (size_t)XXH3_64bits(&blob, sizeof blob) & (places->size - 1);
}

/* The next number in a table from a slot on; 0: no more. */
static uint32_t next_place(const struct places *places, const uint32_t *table,
        size_t *slot, size_t *tried)
{
    if ((*tried)++ == places->size) return 0;
    const uint32_t number = table[*slot];
    *slot = (*slot + 1) & (places->size - 1);
    return number;
}

static void put_place(
        const struct places *places, uint32_t *table, size_t slot, size_t index)
{
    for (size_t i = 0; i < places->size; i++) {
        uint32_t *place = &table[(slot + i) & (places->size - 1)];
        if (*place != 0) continue;
        *place = (uint32_t)index + 1;
        return;
    }
}

static void put_places(
        struct places *places, const struct item *item, size_t index)
{
    put_place(places, places->by_hash, (size_t)item->hash & (places->size - 1),
            index);
    if (item->blob != NULL)
        put_place(places, places->by_blob, slot_of_blob(places, item->blob),
                index);
}

/* For so many items, a power of 2. NULL: out of memory. */
static struct places *make_places(
        size_t capacity, size_t count, const struct item *items)
{
    const size_t size = 2 * capacity;
    struct places *places =
            calloc(1, sizeof *places + 2 * size * sizeof *places->by_blob);
    if (places == NULL) return NULL;
    places->size = size;
    places->by_blob = places->by_hash + size;
    for (size_t i = 0; i < count; i++)
        put_places(places, &items[i], i);
    return places;
}

static struct item *find_locked(const struct dnnl_cache_store_working_set *set,
        uint64_t hash, size_t id_size, const uint8_t *id)
{
    const struct places *places = set->places;
    size_t slot = places != NULL ? (size_t)hash & (places->size - 1) : 0;
    size_t tried = 0;
    uint32_t number;
    while (places != NULL
            && (number = next_place(places, places->by_hash, &slot, &tried))
                       != 0) {
        struct item *item = &set->items[number - 1];
        if (number <= set->count && item->hash == hash
                && item->id_size == id_size
                && memcmp(item->id, id, id_size) == 0)
            return item;
    }
    return NULL;
}

static bool make_room_locked(struct dnnl_cache_store_working_set *set)
{
    if (set->count < set->capacity) return true;
    const size_t capacity = set->capacity > 0 ? 2 * set->capacity : 64;
    struct item *old = set->items;
    struct places *old_places = set->places;
    struct item *items = malloc(capacity * sizeof *items);
    struct places *places = make_places(capacity, set->count, set->items);
    if (items == NULL || places == NULL) {
        free(items);
        free(places);
        return false;
    }
    if (set->count > 0) memcpy(items, old, set->count * sizeof *items);
    fork_order_writes();
    set->items = items;
    set->places = places;
    fork_order_writes();
    set->capacity = capacity;
    free(old);
    free(old_places);
    return true;
}

struct item *working_set_add_locked(struct dnnl_cache_store_working_set *set,
        size_t id_size, const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    struct item *item = find_locked(set, hash, id_size, id);
    if (item != NULL) return item;
    if (!make_room_locked(set) || set->count == working_set_most_ids
            || id_size > working_set_most_id_bytes)
        return NULL;
    uint8_t *copy = malloc(id_size);
    if (copy == NULL) return NULL;
    memcpy(copy, id, id_size);
    item = &set->items[set->count];
    *item = (struct item){.hash = hash, .id_size = id_size, .id = copy};
    put_places(set->places, item, set->count);
    fork_order_writes();
    set->count++;
    return item;
}

void working_set_keep_locked(struct dnnl_cache_store_working_set *set,
        struct item *item, size_t size, uint8_t *blob)
{
    item->size = size;
    put_place(set->places, set->places->by_blob,
            slot_of_blob(set->places, blob), (size_t)(item - set->items));
    fork_order_writes();
    item->blob = blob;
    set->kept_bytes += size;
}

/* What is in memory of an ID is old once another was put or it was removed. */
static void drop_locked(struct item *item)
{
    if (item->loans > 0) return; /* its last release drops it */
    uint8_t *blob = item->blob;
    item->blob = NULL;
    fork_order_writes();
    free(blob);
}

/* ---- The callbacks ------------------------------------------------------- */

static bool give(struct dnnl_cache_store_working_set *set, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    working_set_lock(set);
    struct item *item = find_locked(set, hash, id_size, id);
    const bool has = item != NULL && item->blob != NULL && !item->is_asked;
    if (has) {
        item->is_asked = true;
        item->loans++;
        set->statistics.given++;
        *size = item->size;
        *blob = item->blob;
    }
    fork_unlock(&set->lock);
    return has;
}

/* True if the bytes are the set's own. Each is given once, and then dropped:
 * the library keeps what it made of them. */
static bool take_back(
        struct dnnl_cache_store_working_set *set, const uint8_t *blob)
{
    bool is_ours = false;
    size_t tried = 0;
    uint32_t number;
    working_set_lock(set);
    const struct places *places = set->places;
    size_t slot = places != NULL ? slot_of_blob(places, blob) : 0;
    while (places != NULL && !is_ours
            && (number = next_place(places, places->by_blob, &slot, &tried))
                       != 0) {
        struct item *item = &set->items[number - 1];
        if (number > set->count || item->blob != blob) continue;
        is_ours = true;
        item->loans--;
        drop_locked(item);
    }
    fork_unlock(&set->lock);
    return is_ours;
}

static bool is_call(size_t id_size, const uint8_t *id)
{
    return id_size > 0 && id != NULL;
}

static dnnl_status_t set_get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct dnnl_cache_store_working_set *set = user;
    if (!is_call(id_size, id) || size == NULL || blob == NULL)
        return dnnl_invalid_arguments;
    working_set_begin(set, id_size, id);
    if (give(set, id_size, id, size, blob)) return dnnl_success;
    const dnnl_status_t st =
            set->inner.get(set->inner.user, id_size, id, size, blob);
    if (st == dnnl_success || st == dnnl_cache_miss)
        working_set_note_asked(set, id_size, id);
    working_set_save_in_time(set);
    return st;
}

static void set_release(void *user, size_t size, const uint8_t *blob)
{
    struct dnnl_cache_store_working_set *set = user;
    if (blob != NULL && !take_back(set, blob))
        set->inner.release(set->inner.user, size, blob);
}

static void forget(struct dnnl_cache_store_working_set *set, size_t id_size,
        const uint8_t *id)
{
    const uint64_t hash = XXH3_64bits(id, id_size);
    working_set_lock(set);
    struct item *item = find_locked(set, hash, id_size, id);
    if (item != NULL && item->loans == 0) drop_locked(item);
    fork_unlock(&set->lock);
}

static dnnl_status_t set_put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct dnnl_cache_store_working_set *set = user;
    if (!is_call(id_size, id)) return dnnl_invalid_arguments;
    forget(set, id_size, id);
    const dnnl_status_t st =
            set->inner.put(set->inner.user, id_size, id, size, blob, metadata);
    if (st == dnnl_success) working_set_note_asked(set, id_size, id);
    return st;
}

static dnnl_status_t set_remove(void *user, size_t id_size, const uint8_t *id)
{
    struct dnnl_cache_store_working_set *set = user;
    if (!is_call(id_size, id)) return dnnl_invalid_arguments;
    forget(set, id_size, id);
    return set->inner.remove(set->inner.user, id_size, id);
}

static dnnl_status_t set_get_many(void *user, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids, size_t *sizes,
        const uint8_t **blobs)
{
    struct dnnl_cache_store_working_set *set = user;
    struct question q;
    size_t found = 0;
    if (count == 0) return dnnl_invalid_arguments;
    working_set_begin(set, id_sizes[0], ids[0]);
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
    const dnnl_status_t st = question_ask(&q, &set->inner);
    for (size_t i = 0; i < q.count && st == dnnl_success; i++) {
        if (q.blobs[i] == NULL) continue;
        sizes[q.places[i]] = q.sizes[i];
        blobs[q.places[i]] = q.blobs[i];
        working_set_note_asked(set, q.id_sizes[i], q.ids[i]);
        found++;
    }
    question_fini(&q);
    working_set_save_in_time(set);
    if (found > 0) return dnnl_success; /* a store that failed is a miss */
    return st == dnnl_success ? dnnl_cache_miss : st;
}

static dnnl_status_t set_note(void *user, const dnnl_cache_note_t *note)
{
    const struct dnnl_cache_store_working_set *set = user;
    return set->inner.note(set->inner.user, note);
}

static dnnl_status_t set_record(void *user, const dnnl_cache_note_t *note)
{
    const struct dnnl_cache_store_working_set *set = user;
    return set->inner.record(set->inner.user, note);
}

static dnnl_status_t set_can_put(void *user)
{
    const struct dnnl_cache_store_working_set *set = user;
    return set->inner.can_put(set->inner.user);
}

static dnnl_status_t set_acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    struct dnnl_cache_store_working_set *set = user;
    if (!is_call(id_size, id) || size == NULL || blob == NULL)
        return dnnl_invalid_arguments;
    const dnnl_status_t st =
            set->inner.acquire_lease(set->inner.user, id_size, id, size, blob);
    if (st == dnnl_success) working_set_note_asked(set, id_size, id);
    return st;
}

static void set_release_lease(void *user, size_t id_size, const uint8_t *id)
{
    const struct dnnl_cache_store_working_set *set = user;
    set->inner.release_lease(set->inner.user, id_size, id);
}

/* ---- Life ---------------------------------------------------------------- */

static bool are_valid(
        const struct dnnl_cache_store_working_set_options *options)
{
    enum { most_name = 255 };
    if (options->store == NULL || options->application == NULL
            || (options->device_id_size > 0 && options->device_id == NULL))
        return false;
    const size_t name = strlen(options->application);
    return name > 0 && name <= most_name && options->store->struct_size > 0
           && options->store->struct_size <= sizeof *options->store
           && options->store->get != NULL && options->store->release != NULL
           && (options->near == NULL
                   || (options->near->struct_size > 0
                           && options->near->struct_size
                                      <= sizeof *options->near
                           && options->near->get != NULL
                           && options->near->release != NULL))
           && !(options->by_first_id && options->device_id_size > 0);
}

/* What the store can do, and nothing more. */
static dnnl_cache_store_t callbacks_for(
        struct dnnl_cache_store_working_set *set)
{
    const dnnl_cache_store_t *inner = &set->inner;
    const bool holds_lease =
            inner->acquire_lease != NULL && inner->release_lease != NULL;
    return (dnnl_cache_store_t){.struct_size = sizeof(dnnl_cache_store_t),
            .user = set,
            .get = set_get,
            .release = set_release,
            .put = inner->put != NULL ? set_put : NULL,
            .remove = inner->remove != NULL ? set_remove : NULL,
            .get_many = set_get_many,
            .note = inner->note != NULL ? set_note : NULL,
            .can_put = inner->can_put != NULL ? set_can_put : NULL,
            .acquire_lease = holds_lease ? set_acquire_lease : NULL,
            .release_lease = holds_lease ? set_release_lease : NULL,
            .record = inner->record != NULL ? set_record : NULL};
}

static dnnl_status_t copy_options(struct dnnl_cache_store_working_set *set,
        const struct dnnl_cache_store_working_set_options *options)
{
    memcpy(&set->inner, options->store, options->store->struct_size);
    set->has_near = options->near != NULL;
    if (set->has_near)
        memcpy(&set->near, options->near, options->near->struct_size);
    set->max_bytes = options->max_bytes;
    set->save_every_ns = (uint64_t)options->save_every_ms * 1000000u;
    set->saved_ns = clock_ns();
    set->application = strdup(options->application);
    if (set->application == NULL) return dnnl_out_of_memory;
    if (options->by_first_id) return dnnl_success;
    set->list_id = working_set_list_id(&set->list_id_size, set->application,
            options->device_id_size, options->device_id);
    return set->list_id != NULL ? dnnl_success : dnnl_out_of_memory;
}

dnnl_status_t dnnl_cache_store_working_set_open(
        struct dnnl_cache_store_working_set **set,
        const struct dnnl_cache_store_working_set_options *callers)
{
    enum { usual_max_bytes = 256 * 1024 * 1024 };
    struct dnnl_cache_store_working_set_options ours;
    const struct dnnl_cache_store_working_set_options *options = &ours;
    if (set == NULL || callers == NULL
            || !sized_struct_read(&ours, sizeof ours, callers)
            || !are_valid(&ours))
        return dnnl_invalid_arguments;
    if (ours.max_bytes == 0) ours.max_bytes = usual_max_bytes;
    if (ours.keeps_nothing) ours.max_bytes = 0;
    struct dnnl_cache_store_working_set *made = calloc(1, sizeof *made);
    if (made == NULL) return dnnl_out_of_memory;
    (void)fork_mutex_init(&made->lock);
    dnnl_status_t st = copy_options(made, options);
    made->callbacks = callbacks_for(made);
    if (st == dnnl_success && made->list_id != NULL)
        st = working_set_fetch(made);
    if (st != dnnl_success) {
        dnnl_cache_store_working_set_close(made);
        return st;
    }
    *set = made;
    return dnnl_success;
}

const dnnl_cache_store_t *dnnl_cache_store_working_set_callbacks(
        const struct dnnl_cache_store_working_set *set)
{
    return &set->callbacks;
}

void dnnl_cache_store_working_set_close(
        struct dnnl_cache_store_working_set *set)
{
    if (set == NULL) return;
    for (size_t i = 0; i < set->count; i++) {
        free(set->items[i].id);
        free(set->items[i].blob);
    }
    free(set->items);
    free(set->places);
    free(set->list_id);
    free(set->application);
    fork_mutex_fini(&set->lock);
    free(set);
}

void dnnl_cache_store_working_set_for_each(
        struct dnnl_cache_store_working_set *set,
        void (*visit)(void *user, size_t id_size, const uint8_t *id),
        void *user)
{
    struct question listed;
    working_set_lock(set);
    const size_t most = set->count;
    fork_unlock(&set->lock);
    if (!question_init(&listed, most)) return;
    (void)working_set_gather_listed(&listed, set, 0, most);
    for (size_t i = 0; i < listed.count; i++)
        visit(user, listed.id_sizes[i], listed.ids[i]);
    question_fini(&listed);
}

dnnl_status_t dnnl_cache_store_working_set_get_statistics(
        struct dnnl_cache_store_working_set *set,
        struct dnnl_cache_store_working_set_statistics *statistics)
{
    if (set == NULL || statistics == NULL) return dnnl_invalid_arguments;
    working_set_lock(set);
    struct dnnl_cache_store_working_set_statistics now = set->statistics;
    for (size_t i = 0; i < set->count; i++)
        now.asked += set->items[i].is_asked;
    fork_unlock(&set->lock);
    return sized_struct_write(&now, sizeof now, statistics)
                   ? dnnl_success
                   : dnnl_invalid_arguments;
}
