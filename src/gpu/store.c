/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/store.h"

#include "common/log.h"
#include "gpu/statistics.h"

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
    if (store != NULL
            && atomic_fetch_sub_explicit(
                       &store->references, 1, memory_order_acq_rel)
                       == 1)
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

dnnl_status_t dnnl_cache_set_store(const dnnl_cache_store_t *store)
{
    struct store *fresh = NULL;
    if (store != NULL) {
        dnnl_status_t st = store_create(store, &fresh);
        if (st != dnnl_success) return st;
    }
    pthread_mutex_lock(&lock);
    struct store *old = process_store;
    process_store = fresh;
    pthread_mutex_unlock(&lock);
    store_release(old);
    return dnnl_success;
}

/* ---- Calls --------------------------------------------------------------- */

/* True if the store gave something; nothing that calls itself something is
 * given back. */
static bool take_answer(const dnnl_cache_store_t *s, size_t size,
        const uint8_t *data, struct store_blob *blob)
{
    if (data != NULL && size > 0) {
        blob->size = size;
        blob->data = data;
        return true;
    }
    if (data != NULL) s->release(s->user, size, data);
    statistics_add(&statistics.store_misses, 1);
    return false;
}

bool store_get(const struct store *store, const uint8_t *id, size_t id_size,
        struct store_blob *blob)
{
    size_t size = 0;
    const uint8_t *data = NULL;
    const dnnl_cache_store_t *s = &store->callbacks;
    dnnl_status_t st = s->get(s->user, id_size, id, &size, &data);
    if (st == dnnl_success) return take_answer(s, size, data, blob);
    if (st != dnnl_cache_miss)
        log_message(dnnl_cache_log_info, "store", "get failed: %s",
                dnnl_status2str(st));
    statistics_add(&statistics.store_misses, 1);
    return false;
}

dnnl_status_t store_get_many(const struct store *store, size_t count,
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
    dnnl_status_t st = dnnl_out_of_memory;
    if (sizes == NULL || data == NULL) goto out;
    dnnl_status_t asked =
            s->get_many(s->user, count, id_sizes, ids, sizes, data);
    st = dnnl_success;
    if (asked != dnnl_success) {
        if (asked != dnnl_cache_miss)
            log_message(dnnl_cache_log_info, "store", "get_many failed: %s",
                    dnnl_status2str(asked));
        statistics_add(&statistics.store_misses, count);
        goto out;
    }
    for (size_t i = 0; i < count; i++)
        (void)take_answer(s, sizes[i], data[i], &blobs[i]);
out:
    free(data);
    free(sizes);
    return st;
}

void store_give_back(const struct store *store, const struct store_blob *blob)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    s->release(s->user, blob->size, blob->data);
}

void store_put(const struct store *store, const uint8_t *id, size_t id_size,
        const uint8_t *blob, size_t size, dnnl_cache_blob_kind_t kind,
        uint64_t compile_ns)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = kind;
    metadata.compile_ns = compile_ns;
    if (s->put == NULL) return;
    dnnl_status_t st = s->put(s->user, id_size, id, size, blob, &metadata);
    statistics_add(st == dnnl_success ? &statistics.store_puts
                                      : &statistics.store_failures,
            1);
    if (st != dnnl_success)
        log_message(dnnl_cache_log_info, "store", "put failed: %s",
                dnnl_status2str(st));
}

void store_remove(const struct store *store, const uint8_t *id, size_t id_size)
{
    const dnnl_cache_store_t *s = &store->callbacks;
    if (s->remove == NULL) return;
    dnnl_status_t st = s->remove(s->user, id_size, id);
    if (st != dnnl_success)
        log_message(dnnl_cache_log_info, "store", "remove failed: %s",
                dnnl_status2str(st));
}
