/* SPDX-License-Identifier: Apache-2.0 */
#include "memory_store.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct memory_store_entry *find_locked(
        struct memory_store *s, size_t id_size, const uint8_t *id)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        struct memory_store_entry *e = &s->entries[i];
        if (e->id.size == id_size && id_size > 0
                && memcmp(e->id.data, id, id_size) == 0)
            return e;
    }
    return NULL;
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct memory_store *s = user;
    if (s->in_get != NULL) s->in_get(s->in_get_arg);
    pthread_mutex_lock(&s->lock);
    s->gets++;
    dnnl_status_t st = s->fail;
    const struct memory_store_entry *e = find_locked(s, id_size, id);
    if (st == dnnl_success && e == NULL) st = dnnl_cache_miss;
    if (st == dnnl_success) {
        struct bytes copy = bytes_copy(e->blob.data, e->blob.size);
        *blob = copy.data;
        *size = copy.size;
        s->hits++;
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    struct memory_store *s = user;
    (void)size;
    pthread_mutex_lock(&s->lock);
    s->releases++;
    pthread_mutex_unlock(&s->lock);
    free((void *)(uintptr_t)blob);
}

static void drop_locked(struct memory_store_entry *e)
{
    bytes_free(&e->id);
    bytes_free(&e->blob);
}

static void set_locked(struct memory_store *s, size_t id_size,
        const uint8_t *id, size_t size, const uint8_t *blob)
{
    struct memory_store_entry *e = find_locked(s, id_size, id);
    for (size_t i = 0; e == NULL && i < MEMORY_STORE_ENTRIES; i++)
        if (s->entries[i].id.size == 0) e = &s->entries[i];
    if (e == NULL) abort();
    drop_locked(e);
    e->id = bytes_copy(id, id_size);
    e->blob = bytes_copy(blob, size);
}

static dnnl_status_t put(void *user, size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob,
        const dnnl_cache_store_metadata_t *metadata)
{
    struct memory_store *s = user;
    EXPECT_NOT_NULL(metadata);
    pthread_mutex_lock(&s->lock);
    s->puts++;
    dnnl_status_t st = s->fail;
    if (st == dnnl_success) set_locked(s, id_size, id, size, blob);
    pthread_mutex_unlock(&s->lock);
    return st;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    struct memory_store *s = user;
    pthread_mutex_lock(&s->lock);
    s->removes++;
    struct memory_store_entry *e = find_locked(s, id_size, id);
    if (e != NULL) drop_locked(e);
    pthread_mutex_unlock(&s->lock);
    return s->fail;
}

void memory_store_open(struct memory_store *store)
{
    memset(store, 0, sizeof *store);
    pthread_mutex_init(&store->lock, NULL);
    store->callbacks =
            (dnnl_cache_store_t){.struct_size = sizeof(dnnl_cache_store_t),
                    .user = store,
                    .get = get,
                    .release = release,
                    .put = put,
                    .remove = forget};
}

void memory_store_close(struct memory_store *store)
{
    EXPECT_EQ(store->hits, store->releases);
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        drop_locked(&store->entries[i]);
    pthread_mutex_destroy(&store->lock);
}

static dnnl_cache_blob_kind_t kind_of(const struct memory_store_entry *e)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    if (e->id.size == 0
            || dnnl_cache_blob_inspect(e->blob.size, e->blob.data, &info)
                       != dnnl_success)
        return dnnl_cache_blob_kind_undef;
    return info.kind;
}

unsigned memory_store_count(
        struct memory_store *store, dnnl_cache_blob_kind_t kind)
{
    unsigned count = 0;
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        count += store->entries[i].id.size > 0
                 && (kind == dnnl_cache_blob_kind_undef
                         || kind_of(&store->entries[i]) == kind);
    return count;
}

void memory_store_set(struct memory_store *store, const struct bytes *id,
        const struct bytes *blob)
{
    set_locked(store, id->size, id->data, blob->size, blob->data);
}

struct memory_store_entry memory_store_only(
        struct memory_store *store, dnnl_cache_blob_kind_t kind)
{
    if (memory_store_count(store, kind) != 1) {
        fprintf(stderr, "%u blobs of kind %d, not 1\n",
                memory_store_count(store, kind), (int)kind);
        abort();
    }
    struct memory_store_entry copy = {{NULL, 0}, {NULL, 0}};
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++) {
        const struct memory_store_entry *e = &store->entries[i];
        if (kind_of(e) != kind) continue;
        copy.id = bytes_copy(e->id.data, e->id.size);
        copy.blob = bytes_copy(e->blob.data, e->blob.size);
    }
    return copy;
}
