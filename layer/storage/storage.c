/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/storage.h"

#include "layer/settings/settings.h"
#include "layer/storage/storage_calls.h"
#include "src/platform/clock.h"

#include <dnnl_cache.h>

/* On any thread: release() of these stores frees memory. */
static void give_back(size_t size, const uint8_t *bytes)
{
    const dnnl_cache_store_t *callbacks =
            dnnl_cache_store_get_callbacks(storage_state.store);
    callbacks->release(callbacks->user, size, bytes);
    storage_end_call();
}

/* ---- In memory ----------------------------------------------------------- */

static struct storage_block *find_in_memory(size_t id_size, const uint8_t *id)
{
    (void)pthread_mutex_lock(&storage_state.lock);
    struct storage_block *block =
            blocks_find(&storage_state.blocks, id_size, id);
    (void)pthread_mutex_unlock(&storage_state.lock);
    return block;
}

static void keep_in_memory(struct storage_block *block)
{
    struct storage_block *left = NULL;
    (void)pthread_mutex_lock(&storage_state.lock);
    storage_state.blocks.limit = layer_settings()->memory_limit;
    if (!storage_state.closed) blocks_add(&storage_state.blocks, block, &left);
    (void)pthread_mutex_unlock(&storage_state.lock);
    block_release_all(left);
}

/* ---- Calls --------------------------------------------------------------- */

/* On success the call goes on until the block is released. */
static struct storage_block *find_on_disk(
        size_t id_size, const uint8_t *id, bool *damaged)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    const dnnl_cache_store_handle_t *store = storage_begin_call();
    if (store == NULL) return NULL;
    const dnnl_status_t st =
            dnnl_cache_store_find(store, id_size, id, &size, &bytes, damaged);
    storage_note_failure("get", st);
    if (st == dnnl_success)
        return block_create(id_size, id, size, bytes, give_back);
    storage_end_call();
    return NULL;
}

bool storage_get(struct storage_entry *entry, size_t id_size, const uint8_t *id)
{
    const bool in_memory = layer_settings()->in_memory;
    struct storage_block *block =
            in_memory ? find_in_memory(id_size, id) : NULL;
    const bool from_memory = block != NULL;
    *entry = (struct storage_entry){.size = 0};
    if (block == NULL) {
        block = find_on_disk(id_size, id, &entry->damaged);
        if (block == NULL) return false;
        if (in_memory) keep_in_memory(block);
    }
    *entry = (struct storage_entry){
            .size = block->size,
            .blob = block->bytes,
            .from_memory = from_memory,
            .block = block,
    };
    return true;
}

void storage_release(struct storage_entry *entry)
{
    block_release(entry->block);
    *entry = (struct storage_entry){.size = 0};
}

bool storage_acquire_lease(size_t id_size, const uint8_t *id, bool *holds_lease)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    const dnnl_cache_store_handle_t *store = storage_begin_call();
    if (store == NULL) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const dnnl_status_t st = s->acquire_lease != NULL ? s->acquire_lease(
                                     s->user, id_size, id, &size, &bytes)
                                                      : dnnl_not_required;
    *holds_lease = st == dnnl_cache_miss;
    if (st != dnnl_success) {
        storage_end_call();
        return false;
    }
    struct storage_block *block =
            block_create(id_size, id, size, bytes, give_back);
    if (block == NULL) return false;
    if (layer_settings()->in_memory) keep_in_memory(block);
    block_release(block);
    return true;
}

void storage_release_lease(size_t id_size, const uint8_t *id)
{
    const dnnl_cache_store_handle_t *store = storage_begin_call();
    if (store == NULL) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    if (s->release_lease != NULL) s->release_lease(s->user, id_size, id);
    storage_end_call();
}

/* Of the driver's binaries; of all if it is no blob. */
static uint64_t image_size(size_t size, const uint8_t *blob)
{
    dnnl_cache_blob_info_t info = DNNL_CACHE_BLOB_INFO_INIT;
    return dnnl_cache_blob_inspect(size, blob, &info) == dnnl_success
                   ? info.binary_bytes
                   : size;
}

/* Can the remote store be expected to take a put? */
static bool remote_can_put(void)
{
    if (storage_state.remote == NULL) return false;
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(storage_state.remote);
    return s->can_put == NULL || s->can_put(s->user) == dnnl_success;
}

/* How the puts of the store on disk went so far. */
static struct dnnl_cache_store_statistics get_local_statistics(void)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    if (storage_state.local != NULL)
        (void)dnnl_cache_store_get_statistics(storage_state.local, &statistics);
    return statistics;
}

static enum storage_outcome put_in_store(dnnl_cache_store_handle_t *store,
        size_t id_size, const uint8_t *id, size_t size, const uint8_t *blob,
        uint64_t compile_ns)
{
    const dnnl_cache_store_t *callbacks = dnnl_cache_store_get_callbacks(store);
    dnnl_cache_store_metadata_t metadata = DNNL_CACHE_STORE_METADATA_INIT;
    metadata.kind = dnnl_cache_blob_kind_program;
    metadata.compile_ns = compile_ns;
    atomic_store(&storage_state.has_put, true);
    (void)pthread_mutex_lock(&storage_state.putting);
    const bool goes_far = remote_can_put();
    const struct dnnl_cache_store_statistics before = get_local_statistics();
    dnnl_status_t st =
            callbacks->put(callbacks->user, id_size, id, size, blob, &metadata);
    /* Once more: a daemon that closes what it does not know may have closed
     * what this put had opened. Nothing is kept for a minute after a refusal.
     */
    if (st == dnnl_runtime_error)
        st = callbacks->put(
                callbacks->user, id_size, id, size, blob, &metadata);
    const struct dnnl_cache_store_statistics after = get_local_statistics();
    (void)pthread_mutex_unlock(&storage_state.putting);
    storage_note_failure("put", st);
    const bool is_kept = after.puts > before.puts;
    const bool is_unchanged = after.puts_unchanged > before.puts_unchanged;
    /* For its size: another one may fit. */
    if (after.puts_too_large == before.puts_too_large)
        atomic_store(&storage_state.refused_ns,
                is_kept || is_unchanged ? 0 : clock_ns());
    if (is_kept) return storage_kept;
    if (is_unchanged) return storage_unchanged;
    return goes_far && st == dnnl_success ? storage_kept : storage_not_kept;
}

static enum storage_outcome put_on_disk(size_t id_size, const uint8_t *id,
        size_t size, const uint8_t *blob, uint64_t compile_ns)
{
    const struct layer_settings *settings = layer_settings();
    const uint64_t image = image_size(size, blob);
    if (image < settings->min_image) return storage_too_small;
    if (image > settings->max_image) return storage_too_large;
    dnnl_cache_store_handle_t *store = storage_begin_call();
    if (store == NULL) return storage_not_kept;
    const enum storage_outcome outcome =
            put_in_store(store, id_size, id, size, blob, compile_ns);
    storage_end_call();
    return outcome;
}

enum storage_outcome storage_put(size_t id_size, const uint8_t *id,
        size_t blob_size, const uint8_t *blob, uint64_t compile_ns)
{
    const struct layer_settings *settings = layer_settings();
    struct storage_block *block = NULL;
    if (settings->in_memory)
        block = block_create(id_size, id, blob_size, blob, NULL);
    const bool kept = block != NULL;
    if (kept) {
        keep_in_memory(block);
        block_release(block);
    }
    if (settings->persistent)
        return put_on_disk(id_size, id, blob_size, blob, compile_ns);
    return kept ? storage_kept : storage_not_kept;
}

/* Is there a store on disk that can be expected to take a put? It knows whether
 * it is full, and whether it may make room. */
static bool local_can_put(void)
{
    if (storage_state.local == NULL || storage_state.is_read_only) return false;
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(storage_state.local);
    return s->can_put(s->user) == dnnl_success;
}

bool storage_can_keep(void)
{
    static const uint64_t pause_ns = UINT64_C(60) * 1000000000u;
    if (!layer_settings()->persistent) return layer_settings()->in_memory;
    if (storage_begin_call() == NULL) return false;
    const uint64_t refused_ns = atomic_load(&storage_state.refused_ns);
    const bool can =
            local_can_put()
            && (refused_ns == 0 || clock_ns() - refused_ns >= pause_ns);
    const bool either = can || remote_can_put();
    storage_end_call();
    return either;
}

void storage_remove(size_t id_size, const uint8_t *id)
{
    struct storage_block *left = NULL;
    (void)pthread_mutex_lock(&storage_state.lock);
    blocks_remove(&storage_state.blocks, id_size, id, &left);
    (void)pthread_mutex_unlock(&storage_state.lock);
    block_release_all(left);
    const dnnl_cache_store_handle_t *store = storage_begin_call();
    if (store == NULL) return;
    const dnnl_cache_store_t *callbacks = dnnl_cache_store_get_callbacks(store);
    storage_note_failure(
            "remove", callbacks->remove(callbacks->user, id_size, id));
    storage_end_call();
}
