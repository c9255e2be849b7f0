/* SPDX-License-Identifier: Apache-2.0 */
#include "layer/storage/storage_calls.h"

#include "layer/settings/print.h"
#include "layer/settings/settings.h"
#include "layer/settings/statistics.h"
#include "layer/storage/opening.h"
#include "layer/storage/place.h"
#include "layer/storage/remedy.h"
#include "layer/storage/storage.h"
#include "layer/storage/upkeep.h"
#include "src/platform/file_system.h"
#include "tools/common/state/told.h"

#include <dnnl_cache/journal.h>
#include <dnnl_cache/remote_store.h>
#include <dnnl_cache/tiers.h>
#include <dnnl_cache/tree_store.h>

#include <dnnl_cache.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct storage_state storage_state = {.lock = PTHREAD_MUTEX_INITIALIZER,
        .putting = PTHREAD_MUTEX_INITIALIZER,
        .opening = PTHREAD_MUTEX_INITIALIZER};

static void before_fork(void)
{
    (void)pthread_mutex_lock(&storage_state.lock);
}

static void after_fork_in_parent(void)
{
    (void)pthread_mutex_unlock(&storage_state.lock);
}

/* The thread that may have been putting, or opening, is not in the child. */
static void after_fork_in_child(void)
{
    storage_state.is_child = true;
    (void)pthread_mutex_unlock(&storage_state.lock);
    (void)pthread_mutex_init(&storage_state.putting, NULL);
    (void)pthread_mutex_init(&storage_state.opening, NULL);
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
    char first[512], last[512]; /* written by open_store() alone */
    bool is_open;               /* from then on nothing is written */
} opening;

/* True: what this says of the folder was not said within a day. */
static bool is_due(const char *folder, const char *what)
{
    char text[settings_path_size + 64];
    (void)snprintf(text, sizeof text, "%s: %s", folder, what);
    return layer_settings()->print_debug || told_is_due(text);
}

/* A disk that is full, or fails, does so at each start until somebody does
 * something about it. Stores begin what they say with their path. */
static void tell_of_system(const char *text)
{
    static atomic_bool is_told;
    const char *folder = layer_settings()->directory;
    const char *remedy = remedy_of_system(text);
    if (remedy == NULL || strncmp(text, folder, strlen(folder)) != 0
            || atomic_exchange(&is_told, true))
        return;
    if (is_due(folder, remedy)) print_warning("%s; %s", text, remedy);
}

/* A host whose key is not that of the others finds nothing, and one without a
 * key shows the server what the others hide: the user is to know. The store
 * says it once. */
static void tell_of_encryption(const char *text)
{
    static const char option[] = "encryption_key_file";
    if (strstr(text, option) == NULL
            || !is_due(layer_settings()->directory, option))
        return;
    print_warning("DNNL_CACHE_REMOTE: %s", text);
}

static void hear(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    static char stage[] = "store"; /* as print_log() takes it */
    (void)unused;
    if (opening.is_open && level != dnnl_cache_log_info) {
        tell_of_system(text);
        tell_of_encryption(text);
    }
    /* A seed that others can write to is told, not only debugged. The store
     * says it once (store_report_damage()). */
    if (opening.is_open && strstr(text, "not signed with the store's key"))
        print_warning("%s", text);
    else
        print_log(level, text, stage);
    if (opening.is_open || level == dnnl_cache_log_info) return;
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

/* What changes in a store there, and what to do instead. A container that is
 * made anew for each command has no marks of what was said: there it is said to
 * who sits before it. */
static void tell_of_file_system(const struct layer_settings *settings)
{
    const struct file_system fs = file_system_of(settings->directory);
    if (fs.kind == file_system_is_local
            || (fs.kind == file_system_is_union && !print_is_for_a_person())
            || !is_due(settings->directory, fs.name))
        return;
    print_warning("%s is on %s: %s%s. %s", settings->directory, fs.name,
            file_system_words(fs.kind),
            settings->store->is_file && fs.kind != file_system_is_union
                    ? "; one lock that fails may cost all entries of a pack"
                    : "",
            fs.kind == file_system_is_union
                    ? "Mount a volume there, or set DNNL_CACHE_DIR to a folder "
                      "of one"
                    : "Set DNNL_CACHE_DIR to a folder of a local disk; what "
                      "machines share is for DNNL_CACHE_SEED and "
                      "DNNL_CACHE_REMOTE");
}

static void open_store(void)
{
    const struct layer_settings *settings = layer_settings();
    struct dnnl_cache_store_options options;
    struct dnnl_cache_store_tiers layers = opening_tiers(settings, &options);
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
    if (local == NULL && options.path != NULL) {
        tell_of_place(settings, "nothing is kept",
                opening.last[0] != '\0' ? opening.last
                                        : "it cannot be used as a store");
        statistics_count_store_failure();
    } else if (local != NULL && is_read_only && settings->is_default) {
        tell_of_place(settings, "nothing new is kept", strerror(error));
    } else if (local != NULL && !is_read_only) {
        tell_of_file_system(settings);
    }
    if (layers.seed != NULL
            && dnnl_cache_store_get_tier(store, dnnl_cache_store_tier_seed)
                       == NULL)
        warn_of_unused("DNNL_CACHE_SEED", opening.first);
    if (remote == NULL && layers.remote != NULL)
        warn_of_unused("DNNL_CACHE_REMOTE", opening.last);
    (void)pthread_mutex_lock(&storage_state.lock);
    storage_state.store = store;
    storage_state.local = local;
    storage_state.remote = remote;
    storage_state.is_read_only = is_read_only;
    storage_state.is_opened = true;
    (void)pthread_mutex_unlock(&storage_state.lock);
}

static bool is_opened_or_closed(void)
{
    (void)pthread_mutex_lock(&storage_state.lock);
    const bool is = storage_state.is_opened || storage_state.closed;
    (void)pthread_mutex_unlock(&storage_state.lock);
    return is;
}

static void open_at_first_use(void)
{
    if (is_opened_or_closed()) return;
    (void)pthread_mutex_lock(&storage_state.opening);
    if (!is_opened_or_closed()) open_store();
    (void)pthread_mutex_unlock(&storage_state.opening);
}

dnnl_cache_store_handle_t *storage_begin_call(void)
{
    if (!layer_settings()->persistent) return NULL;
    open_at_first_use();
    (void)pthread_mutex_lock(&storage_state.lock);
    dnnl_cache_store_handle_t *store =
            storage_state.closed ? NULL : storage_state.store;
    if (store != NULL) storage_state.in_use++;
    (void)pthread_mutex_unlock(&storage_state.lock);
    return store;
}

void storage_end_call(void)
{
    (void)pthread_mutex_lock(&storage_state.lock);
    storage_state.in_use--;
    (void)pthread_mutex_unlock(&storage_state.lock);
}

dnnl_cache_store_handle_t *storage_begin_local_call(void)
{
    if (storage_begin_call() == NULL) return NULL;
    if (storage_state.local == NULL) storage_end_call();
    return storage_state.local;
}

void storage_note_failure(const char *call, dnnl_status_t st)
{
    if (st == dnnl_success || st == dnnl_cache_miss) return;
    print_failure("store", "%s: %s", call, dnnl_status2str(st));
    statistics_count_store_failure();
}

/* ---- The end ------------------------------------------------------------- */

/* Removes what was not used for too long, if it is time to look. */
static void expire(dnnl_cache_store_handle_t *store)
{
    const struct layer_settings *settings = layer_settings();
    if (!settings->evicts || settings->max_days == 0
            || !upkeep_is_due(settings->max_days))
        return;
    storage_note_failure(
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
    /* Nothing was evicted or rejected where nothing was put, by the layer or
     * from another store. */
    if (!atomic_load(&storage_state.has_put) && storage_state.remote == NULL
            && settings->seed[0] == '\0'
            && (settings->max_size == 0 || settings->max_size >= least))
        return;
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
    if (!storage_state.is_child
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
    if (storage_state.local != NULL) {
        expire(storage_state.local);
        tell_capacity(storage_state.local);
    }
    if (storage_state.remote != NULL) tell_refused(storage_state.remote);
    (void)pthread_mutex_lock(&storage_state.lock);
    const bool idle = storage_state.in_use == 0;
    if (idle) {
        storage_state.store = storage_state.local = storage_state.remote = NULL;
        storage_state.is_opened = false;
    }
    (void)pthread_mutex_unlock(&storage_state.lock);
    /* Else other threads of a process that exits use it, or hold its bytes. */
    if (idle) {
        dnnl_cache_store_close(store);
        return;
    }
    (void)dnnl_cache_store_save_working_set(store);
    if (storage_state.remote != NULL)
        (void)dnnl_cache_store_remote_flush(storage_state.remote, flush_ms);
}

void storage_count_remote(void)
{
    struct dnnl_cache_store_statistics all = DNNL_CACHE_STORE_STATISTICS_INIT;
    struct dnnl_cache_store_remote_statistics remote =
            DNNL_CACHE_STORE_REMOTE_STATISTICS_INIT;
    (void)pthread_mutex_lock(&storage_state.lock);
    dnnl_cache_store_handle_t *store =
            storage_state.closed || storage_state.is_child
                    ? NULL
                    : storage_state.remote;
    (void)pthread_mutex_unlock(&storage_state.lock);
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
    (void)pthread_mutex_lock(&storage_state.lock);
    dnnl_cache_store_handle_t *store =
            storage_state.closed ? NULL : storage_state.store;
    storage_state.closed = true;
    blocks_fini(&storage_state.blocks, &left);
    (void)pthread_mutex_unlock(&storage_state.lock);
    block_release_all(left);
    if (store != NULL) close_store(store);
}

void storage_open_again(void)
{
    (void)pthread_mutex_lock(&storage_state.lock);
    storage_state.closed = false;
    (void)pthread_mutex_unlock(&storage_state.lock);
}
