/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/persistent_cache.h"

#include "dnnl_cache.h"
#include "dnnl_cache/file_digests.h"
#include "dnnl_cache/remote_store.h"
#include "dnnl_cache/tiers.h"
#include "src/platform/library.h"
#include "stores/persistent/persistent_environment.h"
#include "stores/persistent/persistent_store.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* leaf */

/* ---- Messages ------------------------------------------------------------ */

static dnnl_cache_log_callback_t log_callback; /* guarded by lock */
static void *log_user;                         /* guarded by lock */

static pthread_once_t threshold_once = PTHREAD_ONCE_INIT;
static int threshold;   /* most verbose level printed; set once */
static bool is_onednns; /* lines have oneDNN's form; set once */

/* As the library reads it. */
static void read_threshold(void)
{
    const char *text = getenv("ONEDNN_VERBOSE");
    if (text == NULL) text = getenv("DNNL_VERBOSE");
    threshold = dnnl_cache_log_warning;
    if (text == NULL) return;
    is_onednns = true;
    if (strcmp(text, "none") == 0) threshold = -1;
    if (strcmp(text, "error") == 0) threshold = dnnl_cache_log_error;
}

static void print(dnnl_cache_log_level_t level, const char *text)
{
    pthread_once(&threshold_once, read_threshold);
    if ((int)level > threshold) return;
    (void)fprintf(stderr, "%s%s%s%s\n",
            is_onednns ? "onednn_verbose,v1,dnnl_cache," : "dnnl_cache: ",
            level == dnnl_cache_log_error ? "error"
            : is_onednns                  ? "warn"
                                          : "warning",
            is_onednns ? "," : ": ", text);
}

/* Called by stores, and by us, without `lock`. */
static void tell(dnnl_cache_log_level_t level, const char *text, void *unused)
{
    char message[600]; /* stores say at most 512 bytes */
    (void)unused;
    (void)snprintf(message, sizeof message, "persistent cache: %s", text);
    pthread_mutex_lock(&lock);
    const dnnl_cache_log_callback_t callback = log_callback;
    void *user = log_user;
    pthread_mutex_unlock(&lock);
    if (callback != NULL)
        callback(level, message, user);
    else
        print(level, message);
}

dnnl_status_t dnnl_cache_persistent_set_log_callback(
        dnnl_cache_log_callback_t callback, void *user)
{
    pthread_mutex_lock(&lock);
    log_callback = callback;
    log_user = user;
    pthread_mutex_unlock(&lock);
    return dnnl_success;
}

/* The cache is in use until the process ends, and nobody closes it. What the
 * application gave for messages may be gone by now. */
__attribute__((destructor)) static void record_at_exit(void)
{
    struct persistent_store *opened = persistent_store_take();
    if (opened == NULL) return;
    enum { flush_ms = 1000 };
    dnnl_cache_store_handle_t *local = dnnl_cache_store_get_tier(
            opened->store, dnnl_cache_store_tier_local);
    dnnl_cache_store_handle_t *remote = dnnl_cache_store_get_tier(
            opened->store, dnnl_cache_store_tier_remote);
    (void)dnnl_cache_persistent_set_log_callback(NULL, NULL);
    (void)dnnl_cache_store_save_working_set(opened->store);
    (void)dnnl_cache_store_record_totals(local);
    if (remote != NULL) (void)dnnl_cache_store_remote_flush(remote, flush_ms);
    persistent_store_give_back(opened);
}

/* ---- Settings ------------------------------------------------------------ */

enum text { text_dir, text_seed, text_remote, text_application, text_count };

struct settings {
    bool enabled;      /* for dnnl_gpu */
    bool automatic;    /* nothing is done by hand */
    bool has_capacity; /* the application has said one */
    int capacity;      /* megabytes */
    enum dnnl_cache_store_policy policy;
    /* Owned; of a call that is being made the one that it changes is new. NULL:
     * the working directory, and none. Paths are from the root on. */
    char *texts[text_count];
};

/* Lets one thread at a time change settings, which opens files and tells what
 * is wrong with them: nobody but another such thread waits for it, and the
 * application's log callback may not come back here. Taken before `lock`. */
static pthread_mutex_t settings_lock = PTHREAD_MUTEX_INITIALIZER;
/* Guarded by settings_lock. */
static struct settings settings = {.enabled = true,
        .automatic = true,
        .policy = dnnl_cache_store_policy_fifo};

static void tell_complaint(void)
{
    const char *complaint = persistent_environment()->complaint;
    if (complaint != NULL) tell(dnnl_cache_log_warning, complaint, NULL);
}

static bool is_in_use(const struct settings *s)
{
    return s->enabled && s->capacity > 0 && !persistent_environment()->is_off;
}

/* A capacity in which all that is in a directory's store finds room, with the
 * files beside its entries. */
static uint64_t capacity_for_all(const struct persistent_store *opened)
{
    const uint64_t mb = 1024 * 1024;

    struct dnnl_cache_store_statistics statistics =
            DNNL_CACHE_STORE_STATISTICS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    options.path = opened->path;
    options.read_only = true;
    if (dnnl_cache_store_open(&store, opened->type->name, &options)
            != dnnl_success)
        return 0;
    (void)dnnl_cache_store_get_statistics(store, &statistics);
    dnnl_cache_store_close(store);
    return statistics.bytes + statistics.bytes / 4 + mb;
}

/* The default capacity evicts nothing that is there: the application may be
 * about to say another one. */
static uint64_t capacity_of(
        const struct settings *s, const struct persistent_store *opened)
{
    const struct persistent_environment *e = persistent_environment();
    uint64_t limit = dnnl_cache_store_megabytes((uint64_t)s->capacity);
    if (e->has_size && e->max_size == 0) return DNNL_CACHE_STORE_UNLIMITED;
    if (e->has_size) return e->max_size;
    const uint64_t all = s->has_capacity ? 0 : capacity_for_all(opened);
    return all > limit ? all : limit;
}

static void complain_of_environment(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, tell_complaint);
}

/* A path from the root on: the application may go elsewhere while the store is
 * open. The caller frees *path. */
static dnnl_status_t absolute_path(char **path, const char *dir)
{
    *path = path_from_root(dir);
    if (*path != NULL) return dnnl_success;
    if (errno == ENOMEM) return dnnl_out_of_memory;
    tell(dnnl_cache_log_error, "the working directory is not known", NULL);
    return dnnl_runtime_error;
}

/* The type of a directory's store, bucket for a new one: what the proposal
 * draws. */
static const struct dnnl_cache_store_type *type_of_locked(const char *path)
{
    /* Not to be looked at while it is open. */
    const struct persistent_store *current = persistent_store_current();
    if (current != NULL && strcmp(current->path, path) == 0)
        return current->type;
    const struct dnnl_cache_store_type *usual =
            dnnl_cache_store_find_type("bucket");
    const struct dnnl_cache_store_type *type =
            dnnl_cache_store_find_type_at(path, usual);
    return type->is_file ? usual : type;
}

/* The directory's store, with a seed in front of it and a remote store behind
 * it. */
static dnnl_status_t open_layers(
        struct persistent_store *opened, const struct settings *s)
{
    const struct persistent_environment *e = persistent_environment();
    struct dnnl_cache_store_options local = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct dnnl_cache_store_tiers layers = DNNL_CACHE_STORE_TIERS_INIT;
    layers.seed = e->seed != NULL ? e->seed : s->texts[text_seed];
    layers.remote = e->remote != NULL ? e->remote : s->texts[text_remote];
    layers.application = e->application != NULL ? e->application
                                                : s->texts[text_application];
    layers.needs_local = true;
    layers.type = opened->type;
    local.path = opened->path;
    local.policy = s->policy;
    local.capacity = capacity_of(s, opened);
    layers.local = &local;
    layers.log = tell;
    return dnnl_cache_store_open_tiers_with_key(
            &opened->store, &layers, e->seed_key);
}

/* Opens the store of these settings. Without a directory of its own it stays
 * where it is, or else is made in the working directory. */
static dnnl_status_t open_store_locked(
        struct persistent_store **out, const struct settings *s)
{
    struct persistent_store *opened = calloc(1, sizeof *opened);
    if (opened == NULL) return dnnl_out_of_memory;
    const char *given = persistent_environment()->dir;
    if (given == NULL) given = s->texts[text_dir];
    const char *dir = given != NULL ? given : ".";
    if (given == NULL && persistent_store_current() != NULL)
        dir = persistent_store_current()->path;
    dnnl_status_t st = absolute_path(&opened->path, dir);
    if (st != dnnl_success) goto out;
    opened->type = type_of_locked(opened->path);
    st = open_layers(opened, s);
    if (st != dnnl_success) goto out;
    opened->references = 1;
    *out = opened;
    opened = NULL; /* moved to caller */
out:
    if (opened != NULL) free(opened->path);
    free(opened);
    return st;
}

/* Makes the settings good; the directory is theirs then. */
static dnnl_status_t apply_locked(const struct settings *wanted)
{
    struct persistent_store *next = NULL;
    dnnl_status_t st = dnnl_success;
    complain_of_environment();
    if (is_in_use(wanted)) st = dnnl_cache_store_file_digests_attach();
    if (st != dnnl_success) return st;
    if (is_in_use(wanted)) st = open_store_locked(&next, wanted);
    if (st != dnnl_success) return st;
    /* Off and never on: what the application attached is left alone. */
    if (is_in_use(wanted) != is_in_use(&settings)
            || (is_in_use(wanted) && wanted->automatic != settings.automatic)) {
        dnnl_cache_store_t callbacks = DNNL_CACHE_STORE_INIT;
        if (next != NULL) callbacks = persistent_store_callbacks(next->store);
        callbacks.automatic = wanted->automatic;
        st = dnnl_cache_set_default_store(next != NULL ? &callbacks : NULL);
    }
    if (st != dnnl_success) {
        persistent_store_give_back(next);
        return st;
    }
    persistent_store_give_back(persistent_store_exchange(next));
    settings = *wanted;
    return dnnl_success;
}

static bool is_kind(dnnl_engine_kind_t kind)
{
    return kind == dnnl_cpu || kind == dnnl_gpu;
}

dnnl_status_t dnnl_cache_persistent_set_enabled(
        int enable, dnnl_engine_kind_t kind)
{
    if (!is_kind(kind)) return dnnl_invalid_arguments;
    if (kind == dnnl_cpu)
        return enable != 0 ? dnnl_unimplemented : dnnl_success;
    pthread_mutex_lock(&settings_lock);
    struct settings wanted = settings;
    wanted.enabled = enable != 0;
    dnnl_status_t st = apply_locked(&wanted);
    pthread_mutex_unlock(&settings_lock);
    return st;
}

dnnl_status_t dnnl_cache_persistent_get_enabled(
        int *enabled, dnnl_engine_kind_t kind)
{
    if (enabled == NULL || !is_kind(kind)) return dnnl_invalid_arguments;
    pthread_mutex_lock(&settings_lock);
    *enabled = kind == dnnl_gpu && settings.enabled;
    pthread_mutex_unlock(&settings_lock);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_persistent_set_automatic(int automatic)
{
    pthread_mutex_lock(&settings_lock);
    struct settings wanted = settings;
    wanted.automatic = automatic != 0;
    dnnl_status_t st = apply_locked(&wanted);
    pthread_mutex_unlock(&settings_lock);
    return st;
}

dnnl_status_t dnnl_cache_persistent_set_capacity(int capacity)
{
    if (capacity < 0) return dnnl_invalid_arguments;
    pthread_mutex_lock(&settings_lock);
    struct settings wanted = settings;
    wanted.has_capacity = true;
    wanted.capacity = capacity;
    dnnl_status_t st = apply_locked(&wanted);
    pthread_mutex_unlock(&settings_lock);
    return st;
}

dnnl_status_t dnnl_cache_persistent_get_capacity(int *capacity)
{
    if (capacity == NULL) return dnnl_invalid_arguments;
    pthread_mutex_lock(&settings_lock);
    *capacity = settings.capacity;
    pthread_mutex_unlock(&settings_lock);
    return dnnl_success;
}

dnnl_status_t dnnl_cache_persistent_set_policy(
        enum dnnl_cache_store_policy policy)
{
    if (policy != dnnl_cache_store_policy_fifo
            && policy != dnnl_cache_store_policy_lru
            && policy != dnnl_cache_store_policy_cost)
        return dnnl_invalid_arguments;
    pthread_mutex_lock(&settings_lock);
    struct settings wanted = settings;
    wanted.policy = policy;
    dnnl_status_t st = apply_locked(&wanted);
    pthread_mutex_unlock(&settings_lock);
    return st;
}

dnnl_status_t dnnl_cache_persistent_get_policy(
        enum dnnl_cache_store_policy *policy)
{
    if (policy == NULL) return dnnl_invalid_arguments;
    pthread_mutex_lock(&settings_lock);
    *policy = settings.policy;
    pthread_mutex_unlock(&settings_lock);
    return dnnl_success;
}

/* A directory is where something is to be kept. */
static void choose_capacity_locked(struct settings *wanted, const char *dir)
{
    static bool was_told; /* settings_lock */
    if (!wanted->has_capacity) {
        wanted->capacity = DNNL_CACHE_PERSISTENT_DEFAULT_CAPACITY;
        return;
    }
    if (wanted->capacity > 0 || was_told) return;
    char text[512];
    (void)snprintf(text, sizeof text,
            "%.300s: nothing is kept: the capacity was set to 0 "
            "(dnnl_cache_persistent_set_capacity())",
            dir);
    tell(dnnl_cache_log_warning, text, NULL);
    was_told = true;
}

/* Makes a text a setting, and takes it over. */
static dnnl_status_t set_text(enum text which, char *text)
{
    pthread_mutex_lock(&settings_lock);
    struct settings wanted = settings;
    char *old = wanted.texts[which];
    wanted.texts[which] = text;
    if (which == text_dir) choose_capacity_locked(&wanted, text);
    const dnnl_status_t st = apply_locked(&wanted);
    free(st == dnnl_success ? old : text);
    pthread_mutex_unlock(&settings_lock);
    return st;
}

static dnnl_status_t set_copy(enum text which, const char *text)
{
    char *copy = NULL;
    if (text != NULL && text[0] != '\0') {
        copy = strdup(text);
        if (copy == NULL) return dnnl_out_of_memory;
    }
    return set_text(which, copy);
}

dnnl_status_t dnnl_cache_persistent_set_dir(const char *dir)
{
    if (dir == NULL || dir[0] == '\0') return dnnl_invalid_arguments;
    char *path = NULL;
    dnnl_status_t st = absolute_path(&path, dir);
    return st == dnnl_success ? set_text(text_dir, path) : st;
}

dnnl_status_t dnnl_cache_persistent_set_seed(const char *seed)
{
    char *path = NULL;
    dnnl_status_t st = dnnl_success;
    if (seed != NULL && seed[0] != '\0') st = absolute_path(&path, seed);
    return st == dnnl_success ? set_text(text_seed, path) : st;
}

/* Whether a URL makes sense is known without calling the server. */
static dnnl_status_t check_remote(const char *url)
{
    struct dnnl_cache_store_remote_options options =
            DNNL_CACHE_STORE_REMOTE_OPTIONS_INIT;
    dnnl_cache_store_handle_t *store = NULL;
    options.url = url;
    options.log = tell;
    const dnnl_status_t st = dnnl_cache_store_open_remote(&store, &options);
    if (st == dnnl_success) dnnl_cache_store_close(store);
    return st;
}

dnnl_status_t dnnl_cache_persistent_set_remote(const char *url)
{
    dnnl_status_t st = dnnl_success;
    if (url != NULL && url[0] != '\0') st = check_remote(url);
    return st == dnnl_success ? set_copy(text_remote, url) : st;
}

dnnl_status_t dnnl_cache_persistent_set_application(const char *name)
{
    enum { most = 255 };
    if (name != NULL && strlen(name) > most) return dnnl_invalid_arguments;
    return set_copy(text_application, name);
}

dnnl_status_t dnnl_cache_persistent_get_metrics(size_t label_count,
        const struct dnnl_cache_metrics_label *labels, size_t *size, char *text)
{
    struct persistent_store *opened = persistent_store_take();
    const dnnl_status_t st =
            dnnl_cache_store_get_metrics(opened != NULL ? opened->store : NULL,
                    label_count, labels, size, text);
    persistent_store_give_back(opened);
    return st;
}
