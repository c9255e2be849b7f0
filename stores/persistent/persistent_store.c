/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/persistent/persistent_store.h"

#include <pthread.h>
#include <stdlib.h>

/* Guards all that follows and every reference count; leaf. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- The open store ------------------------------------------------------ */

/* A blob that get() gave and release() has not been called for. */
struct loan {
    struct loan *next;
    struct persistent_store *from;
    const uint8_t *blob;
};

static struct persistent_store *current; /* NULL: the cache is off */
static struct loan *loans;

struct persistent_store *persistent_store_take(void)
{
    pthread_mutex_lock(&lock);
    struct persistent_store *opened = current;
    if (opened != NULL) opened->references++;
    pthread_mutex_unlock(&lock);
    return opened;
}

void persistent_store_give_back(struct persistent_store *opened)
{
    if (opened == NULL) return;
    pthread_mutex_lock(&lock);
    const size_t left = --opened->references;
    pthread_mutex_unlock(&lock);
    if (left > 0) return;
    dnnl_cache_store_close(opened->store);
    free(opened->path);
    free(opened);
}

static void lend(struct loan *loan)
{
    pthread_mutex_lock(&lock);
    loan->next = loans;
    loans = loan;
    pthread_mutex_unlock(&lock);
}

static struct loan *end_loan(const uint8_t *blob)
{
    pthread_mutex_lock(&lock);
    struct loan **at = &loans;
    while (*at != NULL && (*at)->blob != blob)
        at = &(*at)->next;
    struct loan *loan = *at;
    if (loan != NULL) *at = loan->next;
    pthread_mutex_unlock(&lock);
    return loan;
}

const struct persistent_store *persistent_store_current(void)
{
    pthread_mutex_lock(&lock);
    const struct persistent_store *opened = current;
    pthread_mutex_unlock(&lock);
    return opened;
}

struct persistent_store *persistent_store_exchange(
        struct persistent_store *next)
{
    pthread_mutex_lock(&lock);
    struct persistent_store *old = current;
    current = next;
    pthread_mutex_unlock(&lock);
    return old;
}

/* ---- What is attached ---------------------------------------------------- */

/* The two callbacks that ask for one blob. */
typedef dnnl_status_t (*ask_callback)(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob);

static dnnl_status_t ask(struct persistent_store *opened, ask_callback callback,
        size_t id_size, const uint8_t *id, size_t *size, const uint8_t **blob)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    struct loan *loan = malloc(sizeof *loan);
    dnnl_status_t st = dnnl_out_of_memory;
    if (loan == NULL) goto out;
    st = callback(s->user, id_size, id, size, blob);
    if (st != dnnl_success) goto out;
    *loan = (struct loan){.from = opened, .blob = *blob};
    lend(loan);
    loan = NULL; /* moved to the list, and the reference with it */
    opened = NULL;
out:
    free(loan);
    persistent_store_give_back(opened);
    return st;
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_cache_miss;
    return ask(opened, dnnl_cache_store_get_callbacks(opened->store)->get,
            id_size, id, size, blob);
}

static dnnl_status_t acquire_lease(void *user, size_t id_size,
        const uint8_t *id, size_t *size, const uint8_t **blob)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_not_required;
    const ask_callback callback =
            dnnl_cache_store_get_callbacks(opened->store)->acquire_lease;
    if (callback != NULL) return ask(opened, callback, id_size, id, size, blob);
    persistent_store_give_back(opened);
    return dnnl_not_required;
}

static void release_lease(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    if (s->release_lease != NULL) s->release_lease(s->user, id_size, id);
    persistent_store_give_back(opened);
}

/* Of blobs that the store lent, in one call, each becomes a loan. */
static size_t lend_all(struct persistent_store *opened,
        const dnnl_cache_store_t *s, size_t count, const size_t *sizes,
        const uint8_t **blobs)
{
    size_t lent = 0;
    for (size_t i = 0; i < count; i++) {
        if (blobs[i] == NULL) continue;
        struct loan *loan = malloc(sizeof *loan);
        if (loan == NULL) {
            s->release(s->user, sizes[i], blobs[i]);
            blobs[i] = NULL;
            continue;
        }
        *loan = (struct loan){.from = opened, .blob = blobs[i]};
        pthread_mutex_lock(&lock);
        opened->references++;
        pthread_mutex_unlock(&lock);
        lend(loan);
        lent++;
    }
    return lent;
}

/* For a server: all in one round trip. */
static dnnl_status_t get_many(void *user, size_t count, const size_t *id_sizes,
        const uint8_t *const *ids, size_t *sizes, const uint8_t **blobs)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_cache_miss;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    dnnl_status_t st = dnnl_cache_miss;
    if (s->get_many != NULL)
        st = s->get_many(s->user, count, id_sizes, ids, sizes, blobs);
    else
        for (size_t i = 0; i < count; i++)
            if (s->get(s->user, id_sizes[i], ids[i], &sizes[i], &blobs[i])
                    == dnnl_success)
                st = dnnl_success;
    if (st == dnnl_success && lend_all(opened, s, count, sizes, blobs) == 0)
        st = dnnl_out_of_memory;
    persistent_store_give_back(opened);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    (void)user;
    struct loan *loan = end_loan(blob);
    if (loan == NULL) return; /* not ours: the caller's mistake */
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(loan->from->store);
    s->release(s->user, size, blob);
    persistent_store_give_back(loan->from);
    free(loan);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_success; /* off: not kept */
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    dnnl_status_t st = s->put(s->user, id_size, id, size, blob, metadata);
    persistent_store_give_back(opened);
    return st;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    (void)user;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_success;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    dnnl_status_t st = s->remove(s->user, id_size, id);
    persistent_store_give_back(opened);
    return st;
}

static dnnl_status_t note(void *user, const dnnl_cache_note_t *what)
{
    (void)user;
    dnnl_status_t st = dnnl_unimplemented;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return st;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    if (s->note != NULL) st = s->note(s->user, what);
    persistent_store_give_back(opened);
    return st;
}

static dnnl_status_t can_put(void *user)
{
    (void)user;
    dnnl_status_t st = dnnl_success;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return dnnl_not_required; /* off */
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    if (s->can_put != NULL) st = s->can_put(s->user);
    persistent_store_give_back(opened);
    return st;
}

static dnnl_status_t record(void *user, const dnnl_cache_note_t *what)
{
    (void)user;
    dnnl_status_t st = dnnl_runtime_error;
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return st;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(opened->store);
    if (s->record != NULL) st = s->record(s->user, what);
    persistent_store_give_back(opened);
    return st;
}

dnnl_cache_store_t persistent_store_callbacks(
        const dnnl_cache_store_handle_t *store)
{
    const bool has_record =
            dnnl_cache_store_get_callbacks(store)->record != NULL;
    return (dnnl_cache_store_t){
            .struct_size = sizeof(dnnl_cache_store_t),
            .get = get,
            .release = release,
            .put = put,
            .remove = forget,
            .get_many = get_many,
            .note = note,
            .can_put = can_put,
            .acquire_lease = acquire_lease,
            .release_lease = release_lease,
            .record = has_record ? record : NULL,
    };
}
