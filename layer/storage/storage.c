/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/storage.h"

#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/storage/blocks.h"
#include "layer/storage/opening.h"
#include "layer/storage/place.h"
#include "layer/storage/remedy.h"
#include "layer/storage/upkeep.h"
#include "src/platform/clock.h"
#include "tools/common/state/told.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/remote_store.h>
#include <dnnl_cache/tiers.h>
#include <dnnl_cache/tree_store.h>

#include <dnnl_cache.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock; /* guards what follows; a leaf */
    struct blocks blocks;
    bool closed;
    bool is_opened; /* or there was none to be had */
    /* Calls of the store that are under way, and blobs that it has lent. */
    size_t in_use;
    /* Written by open_store(), and when they are closed: all stores in one, and
     * of these the one on disk and the remote one, which may be NULL. */
    dnnl_cache_store_handle_t *store;
    dnnl_cache_store_handle_t *local;
    dnnl_cache_store_handle_t *remote;
    bool is_read_only; /* the one on disk; the same */
    bool is_child;     /* of a fork(): the stores have counted for the parent */
    atomic_uint_least64_t refused_ns; /* the last refusal; 0: a put worked */
} storage = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Held for a whole put: the counters of the store show what became of it only
 * without other puts, which would wait for the store's lock anyway. */
static pthread_mutex_t putting = PTHREAD_MUTEX_INITIALIZER;

/* Held while the stores are opened, for which all calls wait. */
static pthread_mutex_t opening_lock = PTHREAD_MUTEX_INITIALIZER;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&storage.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&storage.lock);
}

/* The thread that may have been putting, or opening, is not in the child. */
static void after_fork_in_child(void)
{
    storage.is_child = true;
    (void)pthread_mutex_unlock(&storage.lock);
    (void)pthread_mutex_init(&putting, NULL);
    (void)pthread_mutex_init(&opening_lock, NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(
            before_fork, after_fork_in_parent, after_fork_in_child);
}

/* ---- The store ----------------------------------------------------------- */

/* What the stores say while they are opened, the seed first and the remote one
 * last: of one that cannot be used, the reason. */
static struct {
    char first[256], last[256]; /* written by open_store() alone */
    bool is_open;               /* from then on nothing is written */
} opening;

static void hear(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    static char stage[] = "store"; /* as print_log() takes it */
    (void)unused;
    /* A seed that others can write to is told, not only debugged. The store
     * says it once (store_report_damage()). */
    if (opening.is_open && strstr(text, "not signed with the store's key"))
        print_warning("%s", text);
    else
        print_log(level, text, stage);
    if (opening.is_open) return;
    (void)snprintf(opening.last, sizeof opening.last, "%s", text);
    if (opening.first[0] == '\0')
        memcpy(opening.first, opening.last, sizeof opening.first);
}

static void warn_of_unused(const char *variable, const char *reason)
{
    print_warning("%s is not used: %s", variable, reason);
    statistics_count_store_failure();
}

/* At each start there would be the same to say. */
static void tell_of_place(const struct layer_settings *settings,
        const char *what, const char *reason)
{
    if (!settings->print_debug && !told_is_due(settings->directory)) return;
    /* Most reasons begin with the path. */
    const char *path = settings->directory;
    const bool has_path = strncmp(reason, path, strlen(path)) == 0;
    print_warning("%s: %s%s%s: %s", what, has_path ? "" : path,
            has_path ? "" : ": ", reason, remedy_for(reason, path));
}

static void open_store(void)
{
    const struct layer_settings *settings = layer_settings();
    struct dnnl_cache_store_tiers layers = opening_tiers(settings);
    dnnl_cache_store_handle_t *store = NULL;
    memset(&opening, 0, sizeof opening);
    layers.log = hear;
    (void)dnnl_cache_store_open_tiers_with_key(&store, &layers,
            settings->seed_key[0] != '\0' ? settings->seed_key : NULL);
    opening.is_open = true;
    dnnl_cache_store_handle_t *local =
            dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_local);
    dnnl_cache_store_handle_t *remote =
            dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_remote);
    const bool is_read_only = local == NULL || !place_is_writable(settings);
    const int error = errno;
    if (local != NULL)
        (void)dnnl_cache_store_journal_set_limit(
                local, opening_journal_limit(settings));
    if (local == NULL && layers.local.path != NULL) {
        tell_of_place(settings, "nothing is kept",
                opening.last[0] != '\0' ? opening.last
                                        : "it cannot be used as a store");
        statistics_count_store_failure();
    } else if (local != NULL && is_read_only && settings->is_default) {
        tell_of_place(settings, "nothing new is kept", strerror(error));
    }
    if (layers.seed != NULL
            && dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_seed)
                       == NULL)
        warn_of_unused("DNNL_CACHE_SEED", opening.first);
    if (remote == NULL && layers.remote != NULL)
        warn_of_unused("DNNL_CACHE_REMOTE", opening.last);
    (void)pthread_mutex_lock(&storage.lock);
    storage.store = store;
    storage.local = local;
    storage.remote = remote;
    storage.is_read_only = is_read_only;
    storage.is_opened = true;
    (void)pthread_mutex_unlock(&storage.lock);
}

static bool is_opened_or_closed(void)
{
    (void)pthread_mutex_lock(&storage.lock);
    const bool is = storage.is_opened || storage.closed;
    (void)pthread_mutex_unlock(&storage.lock);
    return is;
}

static void open_at_first_use(void)
{
    if (is_opened_or_closed()) return;
    (void)pthread_mutex_lock(&opening_lock);
    if (!is_opened_or_closed()) open_store();
    (void)pthread_mutex_unlock(&opening_lock);
}

/* The store for one call, which end_call() is to follow; NULL if there is none
 * to be had. */
static dnnl_cache_store_handle_t *begin_call(void)
{
    if (!layer_settings()->persistent) return NULL;
    open_at_first_use();
    (void)pthread_mutex_lock(&storage.lock);
    dnnl_cache_store_handle_t *store = storage.closed ? NULL : storage.store;
    if (store != NULL) storage.in_use++;
    (void)pthread_mutex_unlock(&storage.lock);
    return store;
}

static void end_call(void)
{
    (void)pthread_mutex_lock(&storage.lock);
    storage.in_use--;
    (void)pthread_mutex_unlock(&storage.lock);
}

/* The same for calls that are about the store on disk alone. */
static dnnl_cache_store_handle_t *begin_local_call(void)
{
    if (begin_call() == NULL) return NULL;
    if (storage.local == NULL) end_call();
    return storage.local;
}

/* On any thread: release() of these stores frees memory. */
static void give_back(size_t size, const uint8_t *bytes)
{
    const dnnl_cache_store_t *callbacks =
            dnnl_cache_store_get_callbacks(storage.store);
    callbacks->release(callbacks->user, size, bytes);
    end_call();
}

static void note_failure(const char *call, dnnl_status_t st)
{
    if (st == dnnl_success || st == dnnl_cache_miss) return;
    print_failure("store", "%s: %s", call, dnnl_status2str(st));
    statistics_count_store_failure();
}

/* ---- In memory ----------------------------------------------------------- */

static struct storage_block *find_in_memory(size_t id_size, const uint8_t *id)
{
    (void)pthread_mutex_lock(&storage.lock);
    struct storage_block *block = blocks_find(&storage.blocks, id_size, id);
    (void)pthread_mutex_unlock(&storage.lock);
    return block;
}

static void keep_in_memory(struct storage_block *block)
{
    struct storage_block *left = NULL;
    (void)pthread_mutex_lock(&storage.lock);
    storage.blocks.limit = layer_settings()->memory_limit;
    if (!storage.closed) blocks_add(&storage.blocks, block, &left);
    (void)pthread_mutex_unlock(&storage.lock);
    block_release_all(left);
}

/* ---- Calls --------------------------------------------------------------- */

/* On success the call goes on until the block is released. */
static struct storage_block *find_on_disk(
        size_t id_size, const uint8_t *id, bool *damaged)
{
    const uint8_t *bytes = NULL;
    size_t size = 0;
    const dnnl_cache_store_handle_t *store = begin_call();
    if (store == NULL) return NULL;
    const dnnl_status_t st =
            dnnl_cache_store_find(store, id_size, id, &size, &bytes, damaged);
    note_failure("get", st);
    if (st == dnnl_success)
        return block_create(id_size, id, size, bytes, give_back);
    end_call();
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
    const dnnl_cache_store_handle_t *store = begin_call();
    if (store == NULL) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    const dnnl_status_t st = s->acquire_lease != NULL ? s->acquire_lease(
                                     s->user, id_size, id, &size, &bytes)
                                                      : dnnl_not_required;
    *holds_lease = st == dnnl_cache_miss;
    if (st != dnnl_success) {
        end_call();
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
    const dnnl_cache_store_handle_t *store = begin_call();
    if (store == NULL) return;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(store);
    if (s->release_lease != NULL) s->release_lease(s->user, id_size, id);
    end_call();
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
    if (storage.remote == NULL) return false;
    const dnnl_cache_store_t *s =
            dnnl_cache_store_get_callbacks(storage.remote);
    return s->can_put == NULL || s->can_put(s->user) == dnnl_success;
}

/* How the puts of the store on disk went so far. */
static struct dnnl_cache_store_statistics get_local_statistics(void)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    if (storage.local != NULL)
        (void)dnnl_cache_store_get_statistics(storage.local, &statistics);
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
    (void)pthread_mutex_lock(&putting);
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
    (void)pthread_mutex_unlock(&putting);
    note_failure("put", st);
    const bool is_kept = after.puts > before.puts;
    const bool is_unchanged = after.puts_unchanged > before.puts_unchanged;
    /* For its size: another one may fit. */
    if (after.puts_too_large == before.puts_too_large)
        atomic_store(
                &storage.refused_ns, is_kept || is_unchanged ? 0 : clock_ns());
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
    dnnl_cache_store_handle_t *store = begin_call();
    if (store == NULL) return storage_not_kept;
    const enum storage_outcome outcome =
            put_in_store(store, id_size, id, size, blob, compile_ns);
    end_call();
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
    if (storage.local == NULL || storage.is_read_only) return false;
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(storage.local);
    return s->can_put(s->user) == dnnl_success;
}

bool storage_can_keep(void)
{
    static const uint64_t pause_ns = UINT64_C(60) * 1000000000u;
    if (!layer_settings()->persistent) return layer_settings()->in_memory;
    if (begin_call() == NULL) return false;
    const uint64_t refused_ns = atomic_load(&storage.refused_ns);
    const bool can =
            local_can_put()
            && (refused_ns == 0 || clock_ns() - refused_ns >= pause_ns);
    const bool either = can || remote_can_put();
    end_call();
    return either;
}

/* ---- The journal --------------------------------------------------------- */

bool storage_note(const dnnl_cache_note_t *note)
{
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return false;
    const dnnl_status_t st = dnnl_cache_store_journal_append(store, note);
    note_failure("note", st);
    end_call();
    return st == dnnl_success;
}

struct note_visitor {
    bool (*visit)(void *user, const dnnl_cache_note_t *note, uint64_t key);
    void *user;
};

static bool visit_note(
        void *user, const struct dnnl_cache_store_journal_item *item)
{
    const struct note_visitor *v = user;
    return v->visit(v->user, &item->note, item->key);
}

void storage_for_each_note(
        bool (*visit)(void *user, const dnnl_cache_note_t *note, uint64_t key),
        void *user)
{
    struct note_visitor v = {visit, user};
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return;
    note_failure(
            "journal", dnnl_cache_store_journal_read(store, visit_note, &v));
    end_call();
}

void storage_drop_notes(size_t count, const uint64_t *keys)
{
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return;
    note_failure("journal", dnnl_cache_store_journal_drop(store, count, keys));
    end_call();
}

bool storage_begin_drain(void)
{
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return false;
    const bool is_alone =
            dnnl_cache_store_journal_begin_drain(store, 0) == dnnl_success;
    end_call();
    return is_alone;
}

void storage_end_drain(void)
{
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return;
    dnnl_cache_store_journal_end_drain(store);
    end_call();
}

/* ---- Removal ------------------------------------------------------------- */

void storage_remove(size_t id_size, const uint8_t *id)
{
    struct storage_block *left = NULL;
    (void)pthread_mutex_lock(&storage.lock);
    blocks_remove(&storage.blocks, id_size, id, &left);
    (void)pthread_mutex_unlock(&storage.lock);
    block_release_all(left);
    const dnnl_cache_store_handle_t *store = begin_call();
    if (store == NULL) return;
    const dnnl_cache_store_t *callbacks = dnnl_cache_store_get_callbacks(store);
    note_failure("remove", callbacks->remove(callbacks->user, id_size, id));
    end_call();
}

struct id_visitor {
    bool (*visit)(
            void *user, size_t id_size, const uint8_t *id, uint64_t created_ns);
    void *user;
};

static bool visit_item(void *user, const struct dnnl_cache_store_entry *item)
{
    const struct id_visitor *v = user;
    return v->visit(v->user, item->id_size, item->id, item->created_ns);
}

void storage_for_each_id(bool (*visit)(void *user, size_t id_size,
                                 const uint8_t *id, uint64_t created_ns),
        void *user)
{
    struct id_visitor v = {visit, user};
    dnnl_cache_store_handle_t *store = begin_local_call();
    if (store == NULL) return;
    note_failure("iterate", dnnl_cache_store_iterate(store, visit_item, &v));
    end_call();
}

/* ---- The end ------------------------------------------------------------- */

/* Removes what was not used for too long, if it is time to look. */
static void expire(dnnl_cache_store_handle_t *store)
{
    const struct layer_settings *settings = layer_settings();
    if (!settings->evicts || settings->max_days == 0
            || !upkeep_is_due(settings->max_days))
        return;
    note_failure(
            "expire", dnnl_cache_store_expire(store,
                              dnnl_cache_store_days(settings->max_days), NULL));
}

/* What was evicted, or never got in, is compiled again at every start. */
static void tell_capacity(const dnnl_cache_store_handle_t *store)
{
    enum { least_program = 1024 }; /* no smaller one is put */
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    const struct layer_settings *settings = layer_settings();
    const uint64_t least = opening_max_size_for(least_program);
    const char *unit = layer_settings_count_megabytes(settings) ? "B" : "";
    if (dnnl_cache_store_get_statistics(store, &statistics) != dnnl_success)
        return;
    if (statistics.capacity_needed > 0)
        print_warning("DNNL_CACHE_MAX_SIZE=%" PRIu64
                      "%s is too small for this process; set it to at least "
                      "%" PRIu64 "%s",
                settings->max_size, unit,
                opening_max_size_for(statistics.capacity_needed), unit);
    else if (statistics.puts_too_large > 0
             || (settings->max_size > 0 && settings->max_size < least))
        print_warning("DNNL_CACHE_MAX_SIZE=%" PRIu64
                      "%s is too small for %s program of this process, which "
                      "is compiled at each start",
                settings->max_size, unit,
                settings->max_size < least ? "any" : "at least one");
}

/* Each start compiles such entries, if nobody replaces them. */
static void tell_refused(const dnnl_cache_store_handle_t *remote)
{
    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    if (!storage.is_child
            && dnnl_cache_store_get_statistics(remote, &statistics)
                       == dnnl_success
            && statistics.damaged > 0)
        print_warning("DNNL_CACHE_REMOTE: %" PRIu64
                      " look-ups found entries that are damaged or of another "
                      "key; DNNL_CACHE_PRINT_DEBUG=1 names them",
                statistics.damaged);
}

static void close_store(dnnl_cache_store_handle_t *store)
{
    enum { flush_ms = 1000 }; /* as long as closing may take */
    if (storage.local != NULL) {
        expire(storage.local);
        tell_capacity(storage.local);
    }
    if (storage.remote != NULL) tell_refused(storage.remote);
    (void)pthread_mutex_lock(&storage.lock);
    const bool idle = storage.in_use == 0;
    if (idle) {
        storage.store = storage.local = storage.remote = NULL;
        storage.is_opened = false;
    }
    (void)pthread_mutex_unlock(&storage.lock);
    /* Else other threads of a process that exits use it, or hold its bytes. */
    if (idle) {
        dnnl_cache_store_close(store);
        return;
    }
    (void)dnnl_cache_store_save_working_set(store);
    if (storage.remote != NULL)
        (void)dnnl_cache_store_remote_flush(storage.remote, flush_ms);
}

void storage_count_remote(void)
{
    struct dnnl_cache_store_statistics all = DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_remote_statistics remote =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    (void)pthread_mutex_lock(&storage.lock);
    dnnl_cache_store_handle_t *store =
            storage.closed || storage.is_child ? NULL : storage.remote;
    (void)pthread_mutex_unlock(&storage.lock);
    if (store == NULL) return;
    /* In this order: a list is counted as a hit first. */
    (void)dnnl_cache_store_remote_get_statistics(store, &remote);
    (void)dnnl_cache_store_get_statistics(store, &all);
    statistics_add_remote(
            all.hits - remote.lists, remote.gets_failed + remote.gets_skipped);
}

void storage_close(void)
{
    struct storage_block *left = NULL;
    (void)pthread_mutex_lock(&storage.lock);
    dnnl_cache_store_handle_t *store = storage.closed ? NULL : storage.store;
    storage.closed = true;
    blocks_fini(&storage.blocks, &left);
    (void)pthread_mutex_unlock(&storage.lock);
    block_release_all(left);
    if (store != NULL) close_store(store);
}

void storage_open_again(void)
{
    (void)pthread_mutex_lock(&storage.lock);
    storage.closed = false;
    (void)pthread_mutex_unlock(&storage.lock);
}
