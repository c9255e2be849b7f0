/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/engine/store.h"

#include "src/blob/writer.h"
#include "src/common/log.h"
#include "src/gpu/device/environment.h"
#include "src/gpu/device/identity_watch.h"
#include "src/gpu/engine/exit_hook.h"
#include "src/gpu/engine/statistics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */
static struct store *process_store; /* guarded by lock; one reference */

/* ---- Life ---------------------------------------------------------------- */

dnnl_status_t store_create(
        const dnnl_cache_store_t *callbacks, struct store **out)
{
    const size_t least = offsetof(dnnl_cache_store_t, get_many);
    size_t theirs = callbacks->struct_size;
    if (theirs < least) return dnnl_invalid_arguments;
    const unsigned char *bytes = (const unsigned char *)callbacks;
    for (size_t i = sizeof *callbacks; i < theirs; i++)
        if (bytes[i] != 0) return dnnl_invalid_arguments;
    if (callbacks->get == NULL || callbacks->release == NULL)
        return dnnl_invalid_arguments;
    struct store *store = calloc(1, sizeof *store);
    if (store == NULL) return dnnl_out_of_memory;
    atomic_init(&store->references, 1);
    atomic_init(&store->detached, false);
    atomic_init(&store->has_reports, false);
    pthread_mutex_init(&store->fresh_lock, NULL);
    pthread_mutex_init(&store->refused_lock, NULL);
    memcpy(&store->callbacks, callbacks,
            theirs < sizeof *callbacks ? theirs : sizeof *callbacks);
    *out = store;
    return dnnl_success;
}

void store_retain(struct store *store)
{
    atomic_fetch_add_explicit(&store->references, 1, memory_order_relaxed);
}

void store_release(struct store *store)
{
    if (store == NULL
            || atomic_fetch_sub_explicit(
                       &store->references, 1, memory_order_acq_rel)
                       != 1)
        return;
    store_forget_fresh(store);
    pthread_mutex_destroy(&store->fresh_lock);
    free(store->refused);
    pthread_mutex_destroy(&store->refused_lock);
    free(store);
}

struct store *store_of_process(void)
{
    pthread_mutex_lock(&lock);
    struct store *store = process_store;
    if (store != NULL) store_retain(store);
    pthread_mutex_unlock(&lock);
    return store;
}

static bool is_equal(const struct store *a, const struct store *b)
{
    const dnnl_cache_store_t *x = &a->callbacks;
    const dnnl_cache_store_t *y = &b->callbacks;
    return x->user == y->user && x->get == y->get && x->release == y->release
           && x->put == y->put && x->remove == y->remove
           && x->get_many == y->get_many && x->note == y->note
           && x->can_put == y->can_put && x->acquire_lease == y->acquire_lease
           && x->release_lease == y->release_lease && x->record == y->record
           && x->automatic == y->automatic;
}

static void (*_Atomic on_leave)(struct store *store, bool is_detached);

void store_set_leave(void (*leave)(struct store *store, bool is_detached))
{
    atomic_store(&on_leave, leave);
}

static void tell_leave(struct store *store, bool is_detached)
{
    void (*leave)(struct store *, bool) = atomic_load(&on_leave);
    if (store != NULL && leave != NULL) leave(store, is_detached);
}

/* The store that is about to be replaced, retained. */
static struct store *leaving_store(const struct store *fresh,
        pthread_mutex_t *slot_lock, struct store **slot)
{
    pthread_mutex_lock(slot_lock);
    struct store *old = *slot;
    if (old != NULL && fresh != NULL && is_equal(old, fresh)) old = NULL;
    if (old != NULL) store_retain(old);
    pthread_mutex_unlock(slot_lock);
    return old;
}

/* As the caller declared it. */
static bool callbacks_are_automatic(const dnnl_cache_store_t *callbacks)
{
    return callbacks->struct_size > offsetof(dnnl_cache_store_t, automatic)
           && callbacks->automatic != 0;
}

dnnl_status_t store_attach(const dnnl_cache_store_t *callbacks,
        pthread_mutex_t *slot_lock, struct store **slot)
{
    struct store *fresh = NULL;
    if (callbacks != NULL) {
        dnnl_status_t st = store_create(callbacks, &fresh);
        if (st != dnnl_success) return st;
    }
    struct store *leaving = leaving_store(fresh, slot_lock, slot);
    tell_leave(leaving, false);
    store_release(leaving);
    pthread_mutex_lock(slot_lock);
    struct store *old = *slot;
    if (old != NULL && fresh != NULL && is_equal(old, fresh)) {
        old = fresh;
    } else {
        *slot = fresh;
        if (old != NULL) atomic_store(&old->detached, true);
    }
    pthread_mutex_unlock(slot_lock);
    if (old != fresh) tell_leave(old, true);
    store_release(old);
    if (callbacks != NULL && callbacks_are_automatic(callbacks))
        exit_hook_try(exit_hook_at_first);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_set_default_store(const dnnl_cache_store_t *store)
{
    return store_attach(store, &lock, &process_store);
}

/* ---- Calls --------------------------------------------------------------- */

/* A put that failed, to be repeated before the driver is asked for more. Larger
 * ones are not remembered, and what is put next is tried. */
struct store_refused {
    size_t id_size;
    size_t size;
    dnnl_cache_blob_kind_t kind;
    uint64_t compile_ns;
    const void *driver;
    uint8_t bytes[]; /* of the ID, then of the blob */
};
enum { refused_max = 1 << 24 };

static _Thread_local bool is_inside;

bool store_is_inside(void)
{
    return is_inside;
}

/* Begins a call, unless none may be made: not from inside one, nor of a store
 * that was taken away, nor after an environment variable has changed. */
static bool enter(const struct store *store)
{
    if (is_inside || atomic_load(&store->detached)
            || environment_changed() != NULL)
        return false;
    is_inside = true;
    return true;
}

static void leave(void)
{
    is_inside = false;
}

static void count_failure(const char *what, const char *how)
{
    statistics_add(&statistics.store_failures, 1);
    log_message(dnnl_cache_log_info, "store", "%s failed: %s", what, how);
}

/* Takes what a store says it has found. */
static bool take_answer(struct store *store, const char *function, size_t size,
        const uint8_t *data, struct store_blob *blob)
{
    const struct store_blob answer = {size, data};
    if (data != NULL && size > 0) {
        *blob = answer;
        return true;
    }
    if (data != NULL) store_give_back(store, &answer);
    count_failure(function, "success, but no bytes");
    statistics_add(&statistics.store_misses, 1);
    return false;
}

bool store_get(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob)
{
    size_t size = 0;
    const uint8_t *data = NULL;
    const dnnl_cache_store_t *s = &store->callbacks;
    if (!enter(store)) return false;
    dnnl_status_t st = s->get(s->user, id_size, id, &size, &data);
    leave();
    if (st == dnnl_success) return take_answer(store, "get", size, data, blob);
    if (st != dnnl_cache_miss) count_failure("get", dnnl_status2str(st));
    statistics_add(&statistics.store_misses, 1);
    return false;
}

bool store_acquire_lease(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob, bool *holds_lease)
{
    size_t size = 0;
    const uint8_t *data = NULL;
    const dnnl_cache_store_t *s = &store->callbacks;
    *holds_lease = false;
    if (s->acquire_lease == NULL || s->release_lease == NULL || !enter(store))
        return false;
    dnnl_status_t st = s->acquire_lease(s->user, id_size, id, &size, &data);
    leave();
    *holds_lease = st == dnnl_cache_miss;
    return st == dnnl_success
           && take_answer(store, "acquire_lease", size, data, blob);
}

void store_release_lease(struct store *store, const uint8_t *id, size_t id_size)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (!enter(store)) return; /* the store lets go of it by itself */
    s->release_lease(s->user, id_size, id);
    leave();
}

bool store_look(struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    struct store_blob found = {0, NULL};
    if (!enter(store)) return false;
    dnnl_status_t st = s->get(s->user, id_size, id, &found.size, &found.data);
    leave();
    if (st != dnnl_success || found.data == NULL) return false;
    *blob = found;
    return true;
}

/* The answers of get_many(): a blob that is NULL is a miss. */
static void take_answers(struct store *store, size_t count, const size_t *sizes,
        const uint8_t *const *data, struct store_blob *blobs)
{
    for (size_t i = 0; i < count; i++) {
        if (data[i] == NULL)
            statistics_add(&statistics.store_misses, 1);
        else
            (void)take_answer(store, "get_many", sizes[i], data[i], &blobs[i]);
    }
}

dnnl_status_t store_get_many(struct store *store, size_t count,
        const size_t *id_sizes, const uint8_t *const *ids,
        struct store_blob *blobs)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    for (size_t i = 0; i < count; i++)
        blobs[i] = (struct store_blob){0, NULL};
    if (s->get_many == NULL) {
        for (size_t i = 0; i < count; i++)
            (void)store_get(store, ids[i], id_sizes[i], &blobs[i]);
        return dnnl_success;
    }
    size_t *sizes = calloc(count, sizeof *sizes);
    const uint8_t **data = calloc(count, sizeof *data);
    bool has_room = sizes != NULL && data != NULL;
    if (has_room && enter(store)) {
        dnnl_status_t st =
                s->get_many(s->user, count, id_sizes, ids, sizes, data);
        leave();
        if (st == dnnl_success) {
            take_answers(store, count, sizes, data, blobs);
        } else {
            statistics_add(&statistics.store_misses, count);
            if (st != dnnl_cache_miss)
                count_failure("get_many", dnnl_status2str(st));
        }
    }
    free(data);
    free(sizes);
    return has_room ? dnnl_success : dnnl_out_of_memory;
}

/* Of a detached store as well: the bytes are its own. */
void store_give_back(struct store *store, const struct store_blob *blob)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    is_inside = true;
    s->release(s->user, blob->size, blob->data);
    leave();
}

/* Puts a copy in the place of what was remembered, which the caller frees. */
static struct store_refused *set_refused(
        struct store *store, struct store_refused *refused)
{
    pthread_mutex_lock(&store->refused_lock);
    struct store_refused *old = store->refused;
    store->refused = refused;
    pthread_mutex_unlock(&store->refused_lock);
    return old;
}

static void remember(struct store *store, const uint8_t *id, size_t id_size,
        const uint8_t *blob, size_t size,
        const dnnl_cache_store_metadata_t *metadata, const void *driver)
{
    if (id_size > refused_max || size > refused_max) return;
    struct store_refused *refused = malloc(sizeof *refused + id_size + size);
    if (refused == NULL) return;
    refused->id_size = id_size;
    refused->size = size;
    refused->kind = metadata->kind;
    refused->compile_ns = metadata->compile_ns;
    refused->driver = driver;
    memcpy(refused->bytes, id, id_size);
    memcpy(refused->bytes + id_size, blob, size);
    free(set_refused(store, refused));
}

/* What is removed, or compiled again, is not to come back. */
static void forget_refused(
        struct store *store, const uint8_t *id, size_t id_size)
{
    struct store_refused *old = NULL;
    pthread_mutex_lock(&store->refused_lock);
    const struct store_refused *r = store->refused;
    if (r != NULL && r->id_size == id_size
            && memcmp(r->bytes, id, id_size) == 0) {
        old = store->refused;
        store->refused = NULL;
    }
    pthread_mutex_unlock(&store->refused_lock);
    free(old);
}

void store_put(struct store *store, const uint8_t *id, size_t id_size,
        const uint8_t *blob, size_t size, dnnl_cache_blob_kind_t kind,
        uint64_t compile_ns, const void *driver)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = kind;
    metadata.compile_ns = compile_ns;
    /* Looked at here, after the compilation. */
    if (s->put == NULL || identity_changed_file(driver) != NULL
            || !enter(store))
        return;
    dnnl_status_t st = s->put(s->user, id_size, id, size, blob, &metadata);
    leave();
    if (st == dnnl_success) {
        statistics_add(&statistics.store_puts, 1);
        free(set_refused(store, NULL));
    } else {
        count_failure("put", dnnl_status2str(st));
        remember(store, id, id_size, blob, size, &metadata, driver);
    }
}

bool store_is_automatic(const struct store *store)
{
    return store->callbacks.automatic != 0;
}

bool store_is_read_only(struct store *store)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (s->put == NULL) return true;
    if (s->can_put == NULL || !enter(store)) return false;
    const dnnl_status_t st = s->can_put(s->user);
    leave();
    return st == dnnl_unimplemented;
}

bool store_can_put(struct store *store, const void *driver)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (s->put == NULL || is_inside || atomic_load(&store->detached)
            || identity_known_changed_file(driver) != NULL)
        return false;
    if (s->can_put != NULL) {
        if (!enter(store)) return false;
        const dnnl_status_t st = s->can_put(s->user);
        leave();
        if (st != dnnl_success) return false;
    }
    struct store_refused *refused = set_refused(store, NULL);
    if (refused == NULL) return true;
    store_put(store, refused->bytes, refused->id_size,
            refused->bytes + refused->id_size, refused->size, refused->kind,
            refused->compile_ns, refused->driver);
    free(refused);
    pthread_mutex_lock(&store->refused_lock);
    const bool works = store->refused == NULL;
    pthread_mutex_unlock(&store->refused_lock);
    return works;
}

/* ---- Notes --------------------------------------------------------------- */

bool store_has_notes(const struct store *store)
{
    return store->callbacks.note != NULL;
}

bool store_note(struct store *store, const dnnl_cache_note_t *note)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (s->note == NULL || !enter(store)) return false;
    const dnnl_status_t st = s->note(s->user, note);
    leave();
    if (st == dnnl_success)
        statistics_add(&statistics.store_notes, 1);
    else
        log_message(dnnl_cache_log_info, "store", "note not taken: %s",
                dnnl_status2str(st));
    return st == dnnl_success;
}

bool store_has_record(const struct store *store)
{
    return store->callbacks.record != NULL;
}

/* The record is nothing that the application waits for, or hears of. */
void store_record(struct store *store, const dnnl_cache_note_t *note)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (s->record == NULL || !enter(store)) return;
    (void)s->record(s->user, note);
    leave();
}

void store_remove(struct store *store, const uint8_t *id, size_t id_size)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    forget_refused(store, id, id_size);
    if (s->remove == NULL || !enter(store)) return;
    dnnl_status_t st = s->remove(s->user, id_size, id);
    leave();
    if (st != dnnl_success) count_failure("remove", dnnl_status2str(st));
}

void store_offer(struct store *store, const struct blob_contents *contents,
        uint64_t compile_ns, const void *driver)
{
    size_t size;
    if (blob_write(contents, NULL, 0, &size) != dnnl_success) return;
    uint8_t *blob = malloc(size);
    if (blob != NULL && blob_write(contents, blob, size, &size) == dnnl_success)
        store_put(store, contents->id, contents->id_size, blob, size,
                (dnnl_cache_blob_kind_t)contents->kind, compile_ns, driver);
    free(blob);
}
