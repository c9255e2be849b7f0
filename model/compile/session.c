/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compile/session.h"

#include "tools/common/text/files.h"

#include <dnnl_cache/file_digests.h>
#include <dnnl_cache/tiers.h>
#include <dnnl_cache/working_set.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { capacity_mb = 1024, max_loaders = 16 };

/* ---- The store ----------------------------------------------------------- */

static bool join_path(
        char path[files_path_size], const char *folder, const char *name)
{
    const int n = snprintf(path, files_path_size, "%s/%s", folder, name);
    if (n >= 0 && n < files_path_size) return true;
    path[0] = '\0';
    return false;
}

static void tell(
        const struct session *s, dnnl_cache_log_level_t level, const char *text)
{
    if (s->options.log != NULL)
        s->options.log(level, text, s->options.log_user);
}

/* Says nothing twice in a row; a worker's loader meets the same, and says it.
 */
static void log_once(dnnl_cache_log_level_t level, const char *text, void *user)
{
    struct session *s = user;
    if (s->options.is_worker) return;
    pthread_mutex_lock(&s->log_lock);
    const bool is_new =
            strncmp(s->last_warning, text, sizeof s->last_warning - 1) != 0;
    if (is_new) snprintf(s->last_warning, sizeof s->last_warning, "%s", text);
    pthread_mutex_unlock(&s->log_lock);
    if (is_new) tell(s, level, text);
}

static void open_store(struct session *s)
{
    char path[files_path_size];
    if (s->options.folder == NULL || s->options.store != NULL
            || !join_path(path, s->options.folder, "programs"))
        return;
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    layers.type = dnnl_cache_store_find_type_at(
            path, dnnl_cache_store_get_default_type());
    local.path = path;
    local.capacity = dnnl_cache_store_megabytes(capacity_mb);
    layers.local = &local;
    layers.remote = s->options.remote;
    layers.log = log_once;
    layers.log_user = s;
    if (dnnl_cache_store_open_tiers(&s->store, &layers) != dnnl_success)
        s->store = NULL;
}

/* Brings what the model needed on another machine into the local store, if this
 * one has never run it. */
static void open_shared(struct session *s)
{
    char name[64];
    struct dnnl_cache_store_working_set_options options =
            DNNL_CACHE_STORE_WORKING_SET_OPTIONS_INIT;
    dnnl_cache_store_handle_t *local =
            s->store == NULL ? NULL
                             : dnnl_cache_store_get_tier(
                                     s->store, dnnl_cache_store_tier_local);
    if (s->list_name[0] == '\0' || s->store == NULL || local == NULL
            || dnnl_cache_store_get_tier(s->store, dnnl_cache_store_tier_remote)
                       == NULL)
        return;
    snprintf(name, sizeof name, "model_loader %s", s->list_name);
    options.store = dnnl_cache_store_get_callbacks(s->store);
    options.near = dnnl_cache_store_get_callbacks(local);
    options.application = name;
    options.keeps_nothing = true;
    if (dnnl_cache_store_working_set_open(&s->shared, &options) != dnnl_success)
        s->shared = NULL;
}

static const dnnl_cache_store_t *callbacks_of(const struct session *s)
{
    if (s->shared != NULL)
        return dnnl_cache_store_working_set_callbacks(s->shared);
    if (s->options.store != NULL) return s->options.store;
    return s->store != NULL ? dnnl_cache_store_get_callbacks(s->store) : NULL;
}

/* ---- The working set ----------------------------------------------------- */

/* A list's name: a hash of the model's file and the engine's ID. Two of one
 * hash would take turns in it, and nothing would be mixed up. */
static void name_list(struct session *s, size_t id_size, const uint8_t *id)
{
    char name[64];
    const XXH128_hash_t model = XXH3_128bits(s->model, s->model_size);
    const XXH128_hash_t both = XXH3_128bits_withSeed(
            id, id_size, model.low64 ^ model.high64 ^ s->variant);
    snprintf(s->list_name, sizeof s->list_name, "%016" PRIx64 "%016" PRIx64,
            (uint64_t)both.high64, (uint64_t)both.low64);
    snprintf(name, sizeof name, "working-sets/%s.ids", s->list_name);
    if (s->options.folder != NULL)
        join_path(s->list_path, s->options.folder, name);
}

/* True if there is a model; its bytes stay while the session is opened. */
static bool wait_for_model(struct session *s)
{
    pthread_mutex_lock(&s->model_lock);
    while (!s->has_model)
        pthread_cond_wait(&s->model_known, &s->model_lock);
    const bool is_there = s->model_size > 0;
    pthread_mutex_unlock(&s->model_lock);
    return is_there;
}

static void tell_device(struct session *s)
{
    pthread_mutex_lock(&s->model_lock);
    s->has_device = true;
    pthread_cond_broadcast(&s->model_known);
    pthread_mutex_unlock(&s->model_lock);
}

int session_threads(const struct session *session)
{
    return session->device.is_for_one_thread ? 1 : session->options.threads;
}

bool session_wait_for_device(struct session *session)
{
    pthread_mutex_lock(&session->model_lock);
    while (!session->has_device)
        pthread_cond_wait(&session->model_known, &session->model_lock);
    const bool is_there = session->device.context != NULL;
    pthread_mutex_unlock(&session->model_lock);
    return is_there;
}

void session_set_model(struct session *session, size_t size,
        const uint8_t *model, uint64_t variant)
{
    pthread_mutex_lock(&session->model_lock);
    if (!session->has_model) {
        session->has_model = true;
        session->model_size = size;
        session->model = model;
        session->variant = variant;
    }
    pthread_cond_broadcast(&session->model_known);
    pthread_mutex_unlock(&session->model_lock);
}

/* Names the list by the device's identity, which is established here. */
static dnnl_status_t identify(struct session *s)
{
    size_t size = 0;
    dnnl_status_t st = dnnl_ocl_interop_engine_get_cache_blob_id(
            s->device.id, &size, NULL);
    s->engine_id = st == dnnl_success && size > 0 ? malloc(size) : NULL;
    if (s->engine_id == NULL) return st;
    st = dnnl_ocl_interop_engine_get_cache_blob_id(
            s->device.id, &size, s->engine_id);
    if (st != dnnl_success) return st;
    s->engine_id_size = size;
    if (!s->options.is_worker && wait_for_model(s))
        name_list(s, size, s->engine_id);
    return st;
}

struct loader_thread {
    pthread_t thread;
    dnnl_engine_t engine;
    size_t count;
    const size_t *sizes;
    const uint8_t *const *ids;
};

static void *load(void *argument)
{
    const struct loader_thread *l = argument;
    dnnl_cache_engine_prefetch(l->engine, l->count, l->sizes, l->ids, NULL);
    return NULL;
}

/* Several threads share the list out; this one has the first part. */
static void load_programs(struct session *s)
{
    const struct id_list *list = &s->working_set;
    struct loader_thread loaders[max_loaders];
    const int threads = session_threads(s);
    size_t n = (size_t)(threads < max_loaders ? threads : max_loaders);
    size_t begin = 0, started = 0;
    if (n > list->count) n = list->count;
    for (size_t i = 0; i < n; i++) {
        const size_t end = list->count * (i + 1) / n;
        loaders[i] = (struct loader_thread){.engine = s->engine,
                .count = end - begin,
                .sizes = list->sizes + begin,
                .ids = (const uint8_t *const *)list->ids + begin};
        begin = end;
    }
    for (size_t i = 1; i < n; i++) {
        if (pthread_create(&loaders[i].thread, NULL, load, &loaders[i]) != 0)
            break;
        started = i;
    }
    /* What no thread could be had for is loaded here. */
    for (size_t i = 0; i < n; i++)
        if (i == 0 || i > started) load(&loaders[i]);
    for (size_t i = 1; i <= started; i++)
        pthread_join(loaders[i].thread, NULL);
}

static void add_shared(void *user, size_t id_size, const uint8_t *id)
{
    id_list_add(user, id_size, id);
}

static void *prefetch(void *argument)
{
    struct session *s = argument;
    struct report *report = s->report;
    id_list_read(&s->working_set, s->list_path);
    if (s->working_set.count == 0 && s->shared != NULL)
        dnnl_cache_store_working_set_for_each(
                s->shared, add_shared, &s->working_set);
    if (s->working_set.count == 0) return NULL;
    lookups_fetch(&s->lookups, &s->working_set);
    report_end(report, phase_store);
    report_begin(report, phase_driver_load);
    load_programs(s);
    report_end(report, phase_driver_load);
    lookups_drop(&s->lookups);
    return NULL;
}

/* Beside what follows: uploading weights needs the engine only. */
static void prefetch_begin(struct session *s, struct report *report)
{
    s->report = report;
    s->is_prefetching =
            !s->device.is_for_one_thread
            && pthread_create(&s->prefetcher, NULL, prefetch, s) == 0;
    if (!s->is_prefetching) prefetch(s);
}

void session_end_prefetch(struct session *session)
{
    if (session->is_prefetching) pthread_join(session->prefetcher, NULL);
    session->is_prefetching = false;
}

void session_keep_working_set(struct session *session)
{
    if (session->list_path[0] == '\0' || callbacks_of(session) == NULL
            || session->lookups.has_unkept) /* it would not help the next */
        return;
    if (session->shared != NULL)
        (void)dnnl_cache_store_working_set_save(session->shared);
    if (id_list_equal(&session->working_set, &session->lookups.used)) return;
    id_list_write(&session->lookups.used, session->list_path);
}

bool session_has_engine(const struct session *s)
{
    size_t size = 0;
    const uint8_t *blob = NULL;
    const dnnl_cache_store_t *store =
            s->options.store != NULL ? s->options.store
            : s->store != NULL       ? dnnl_cache_store_get_callbacks(s->store)
                                     : NULL;
    const bool has = store != NULL && s->engine_id_size > 0
                     && store->get(store->user, s->engine_id_size, s->engine_id,
                                &size, &blob)
                                == dnnl_success;
    if (has) store->release(store->user, size, blob);
    return has;
}

void session_identity(
        const struct session *session, char text[session_identity_size])
{
    const XXH128_hash_t hash =
            XXH3_128bits(session->engine_id, session->engine_id_size);
    text[0] = '\0';
    if (session->engine_id_size > 0)
        (void)snprintf(text, session_identity_size, "%016" PRIx64 "%016" PRIx64,
                hash.high64, hash.low64);
}

void session_warn_unkept(const struct session *session)
{
    if (session->options.is_worker || !session->lookups.has_unkept) return;
    char text[files_path_size + 128];
    snprintf(text, sizeof text,
            "%s does not keep all that was compiled: the next start compiles "
            "it again",
            session->options.store != NULL || session->options.folder == NULL
                    ? "the store"
                    : session->options.folder);
    tell(session, dnnl_cache_log_warning, text);
}

void session_warn(const struct session *session, const char *text)
{
    tell(session, dnnl_cache_log_warning, text);
}

/* ---- Life ---------------------------------------------------------------- */

static dnnl_status_t open_engine(struct session *s, struct report *report)
{
    report_begin(report, phase_identity);
    /* With a store of the caller's nothing is written to the user's cache. */
    if (s->options.folder != NULL) (void)dnnl_cache_store_file_digests_attach();
    dnnl_status_t st = identify(s);
    report_end(report, phase_identity);
    if (st == dnnl_success)
        st = dnnl_ocl_interop_engine_create(
                &s->engine, s->device.id, s->device.context);
    if (st == dnnl_success && s->options.cached_only)
        st = dnnl_cache_engine_set_compile_mode(
                s->engine, dnnl_cache_compile_mode_cached_only);
    return st;
}

void session_init(struct session *session)
{
    *session = (struct session){.log_lock = PTHREAD_MUTEX_INITIALIZER,
            .model_lock = PTHREAD_MUTEX_INITIALIZER,
            .model_known = PTHREAD_COND_INITIALIZER};
}

bool session_open(struct session *session,
        const struct session_options *options, struct report *report,
        struct failure *failure)
{
    session->options = *options;
    report_begin(report, phase_engine);
    const bool has_device =
            model_device_open(&session->device, &options->device, failure);
    tell_device(session);
    if (!has_device) return false;
    dnnl_status_t st = open_engine(session, report);
    report_end(report, phase_engine);
    report->ms[phase_engine] -= report->ms[phase_identity];
    if (st == dnnl_success) {
        report_begin(report, phase_store);
        open_store(session);
        open_shared(session);
        lookups_init(&session->lookups, callbacks_of(session));
        session->lookups.keeps_unkept = options->is_worker;
        session->lookups.engine_size = session->engine_id_size;
        session->lookups.engine = session->engine_id;
        st = dnnl_cache_engine_set_store(
                session->engine, &session->lookups.callbacks);
        session->has_engine = session_has_engine(session);
        report_end(report, phase_store);
        session->open_ms = report->ms[phase_store];
    }
    if (st != dnnl_success)
        return fail_as(failure, st, "the engine: %s", dnnl_status2str(st));
    if (session->list_path[0] != '\0') prefetch_begin(session, report);
    return true;
}

void session_close(struct session *session)
{
    session_end_prefetch(session);
    if (session->engine != NULL)
        dnnl_cache_engine_set_store(session->engine, NULL);
    dnnl_engine_destroy(session->engine);
    lookups_fini(&session->lookups);
    dnnl_cache_store_working_set_close(session->shared);
    dnnl_cache_store_close(session->store);
    id_list_fini(&session->working_set);
    free(session->engine_id);
    model_device_close(&session->device);
    *session = (struct session){0};
}
