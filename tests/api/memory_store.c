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

static void drop_locked(struct memory_store_entry *e)
{
    bytes_free(&e->id);
    bytes_free(&e->blob);
}

static void call_hook(struct memory_store *s, enum memory_store_place place)
{
    if (s->hook != NULL) s->hook(place, s->hook_arg);
}

/* The bytes begin `misalign` behind where malloc put them. */
static uint8_t *place_copy(struct memory_store *s, const struct bytes *blob)
{
    uint8_t *room = malloc(blob->size + s->misalign);
    if (room == NULL) abort();
    memcpy(room + s->misalign, blob->data, blob->size);
    return room + s->misalign;
}

static dnnl_status_t get(void *user, size_t id_size, const uint8_t *id,
        size_t *size, const uint8_t **blob)
{
    struct memory_store *s = user;
    call_hook(s, memory_store_asked);
    pthread_mutex_lock(&s->lock);
    s->gets++;
    dnnl_status_t st = s->fail_get != dnnl_success ? s->fail_get : s->fail;
    struct memory_store_entry *e = find_locked(s, id_size, id);
    if (st == dnnl_success && e == NULL) st = dnnl_cache_miss;
    if (st == dnnl_success) {
        *blob = place_copy(s, &e->blob);
        *size = e->blob.size;
        s->hits++;
        if (s->forgets) drop_locked(e);
    }
    pthread_mutex_unlock(&s->lock);
    call_hook(s, memory_store_answers);
    return st;
}

static void release(void *user, size_t size, const uint8_t *blob)
{
    struct memory_store *s = user;
    (void)size;
    pthread_mutex_lock(&s->lock);
    s->releases++;
    pthread_mutex_unlock(&s->lock);
    free((uint8_t *)(uintptr_t)blob - s->misalign);
    call_hook(s, memory_store_released);
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
    dnnl_status_t st = s->fail_put != dnnl_success ? s->fail_put : s->fail;
    if (st == dnnl_success) set_locked(s, id_size, id, size, blob);
    pthread_mutex_unlock(&s->lock);
    call_hook(s, memory_store_kept);
    return st;
}

static dnnl_status_t forget(void *user, size_t id_size, const uint8_t *id)
{
    struct memory_store *s = user;
    pthread_mutex_lock(&s->lock);
    s->removes++;
    dnnl_status_t st =
            s->fail_remove != dnnl_success ? s->fail_remove : s->fail;
    struct memory_store_entry *e = find_locked(s, id_size, id);
    if (e != NULL && s->fail_remove == dnnl_success) drop_locked(e);
    pthread_mutex_unlock(&s->lock);
    call_hook(s, memory_store_dropped);
    return st;
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
    memory_store_clear(store);
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

void memory_store_clear(struct memory_store *store)
{
    for (size_t i = 0; i < MEMORY_STORE_ENTRIES; i++)
        drop_locked(&store->entries[i]);
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
