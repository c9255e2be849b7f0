/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/identity_watch.h"

#include "dnnl_cache.h"
#include "src/common/array.h"
#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/gpu/device/file_digest.h"
#include "src/gpu/device/file_search.h"
#include "src/platform/environment.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum kind { kind_file, kind_absent, kind_folder };

struct watched {
    enum kind kind;
    char *path;              /* owned */
    char *prefix;            /* owned; of a folder */
    struct file_facts facts; /* of a folder guarded by lock */
    struct folder_names names;
};

void folder_names_add(struct folder_names *names, const char *name)
{
    names->sum += hash64(name, strlen(name));
    names->count++;
}

/* ---- What belongs to one identity ---------------------------------------- */

static struct watched *add(
        struct identity_watch *watch, enum kind kind, const char *path)
{
    char *copy = array_grow(&watch->list, watch->count, sizeof *watch->list)
                         ? strdup(path)
                         : NULL;
    if (copy == NULL) {
        watch->failed = true;
        return NULL;
    }
    struct watched *w = &watch->list[watch->count++];
    *w = (struct watched){.kind = kind, .path = copy};
    return w;
}

void identity_watch_add_file(struct identity_watch *watch, const char *path,
        const struct file_facts *facts)
{
    struct watched *w = add(watch, kind_file, path);
    if (w != NULL) w->facts = *facts;
}

bool identity_watch_find_file(struct file_facts *facts,
        const struct identity_watch *watch, const char *path)
{
    for (size_t i = 0; i < watch->count; i++) {
        const struct watched *w = &watch->list[i];
        if (w->kind != kind_file || strcmp(w->path, path) != 0) continue;
        *facts = w->facts;
        return true;
    }
    return false;
}

void identity_watch_add_absent(struct identity_watch *watch, const char *path)
{
    (void)add(watch, kind_absent, path);
}

void folder_names_add_all(struct folder_names *names, const char *list,
        size_t size, const char *prefix)
{
    for (size_t at = 0; at < size; at += strlen(list + at) + 1)
        if (list[at] != '.' && strncmp(list + at, prefix, strlen(prefix)) == 0)
            folder_names_add(names, list + at);
}

/* The folder's settled facts, and then its names. 0 or an errno value. */
static int read_folder(struct folder_names *names, struct file_facts *facts,
        const char *path, const char *prefix)
{
    char *list = NULL;
    size_t size = 0;
    int fd;
    int error = file_open(
            &fd, file_here, path, file_for_reading | file_must_be_folder, 0);
    if (error != 0) return error;
    *names = (struct folder_names){0, 0};
    error = folder_names_settled(facts, &list, &size, fd);
    (void)file_close(fd);
    folder_names_add_all(names, list, size, prefix);
    free(list);
    return error;
}

void identity_watch_add_folder(struct identity_watch *watch, const char *path,
        const char *prefix, const struct file_facts *facts,
        const struct folder_names *names)
{
    struct watched *w = add(watch, kind_folder, path);
    if (w == NULL) return;
    w->facts = *facts;
    w->names = *names;
    w->prefix = strdup(prefix);
    if (w->prefix == NULL) watch->failed = true;
}

void identity_watch_fini(struct identity_watch *watch)
{
    for (size_t i = 0; i < watch->count; i++) {
        free(watch->list[i].path);
        free(watch->list[i].prefix);
    }
    free(watch->list);
    *watch = (struct identity_watch){.list = NULL};
}

/* ---- What is watched ----------------------------------------------------- */

/* Identities live until the process ends, and so do these. */
struct identity_files {
    struct identity_watch watch;
    size_t looked; /* the first ones, that nothing older has */
    struct identity_files *next;
    bool has_stamp; /* guarded by lock, and so is the stamp */
    struct digest256 stamp;
};

/* A driver has several identities if it has several devices. */
struct driver {
    const void *key; /* fixed */
    _Atomic(struct identity_files *) in_use;
    _Atomic(const char *) changed; /* NULL: none; then fixed */
    struct driver *next;
};

static _Atomic(struct driver *) drivers;

/* Guards the lists while something is added, and the status of folders; leaf.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same(const struct watched *a, const struct watched *b)
{
    return a->kind == b->kind && strcmp(a->path, b->path) == 0
           && (a->kind == kind_absent
                   || file_is_unchanged(&a->facts, &b->facts))
           && (a->kind != kind_folder
                   || (strcmp(a->prefix, b->prefix) == 0
                           && a->names.sum == b->names.sum
                           && a->names.count == b->names.count));
}

static bool is_known_locked(
        const struct driver *driver, const struct watched *w)
{
    struct identity_files *n = atomic_load(&driver->in_use);
    for (; n != NULL; n = n->next)
        for (size_t i = 0; i < n->looked; i++)
            if (is_same(&n->watch.list[i], w)) return true;
    return false;
}

/* Those of an identity that looked at the same, as that of an equal device
 * does, or that of a first attempt for which memory ran out. NULL: none. */
static struct identity_files *find_equal_locked(
        const struct driver *driver, const struct identity_watch *watch)
{
    struct identity_files *n = atomic_load(&driver->in_use);
    for (; n != NULL; n = n->next) {
        size_t i = 0;
        if (n->watch.count != watch->count) continue;
        while (i < watch->count && is_same(&n->watch.list[i], &watch->list[i]))
            i++;
        if (i == watch->count) return n;
    }
    return NULL;
}

/* Devices of one driver have the same files: puts those first that are news,
 * and returns how many these are. */
static size_t sort_news_locked(
        const struct driver *driver, struct identity_watch *watch)
{
    size_t news = 0;
    for (size_t i = 0; i < watch->count; i++) {
        const struct watched w = watch->list[i];
        if (is_known_locked(driver, &w)) continue;
        watch->list[i] = watch->list[news];
        watch->list[news++] = w;
    }
    return news;
}

static struct driver *find_driver(const void *key)
{
    struct driver *driver = atomic_load(&drivers);
    while (driver != NULL && driver->key != key)
        driver = driver->next;
    return driver;
}

/* NULL: memory ran out. */
static struct driver *find_or_add_driver_locked(const void *key)
{
    struct driver *driver = find_driver(key);
    if (driver != NULL || (driver = calloc(1, sizeof *driver)) == NULL)
        return driver;
    driver->key = key;
    driver->next = atomic_load(&drivers);
    atomic_store(&drivers, driver);
    return driver;
}

struct identity_files *identity_watch_begin(
        struct identity_watch *watch, const void *key)
{
    struct identity_files *files =
            watch->failed ? NULL : calloc(1, sizeof *files);
    if (files == NULL) return NULL;
    pthread_mutex_lock(&lock);
    struct driver *driver = find_or_add_driver_locked(key);
    struct identity_files *equal =
            driver != NULL ? find_equal_locked(driver, watch) : NULL;
    if (driver != NULL && equal == NULL) {
        files->looked = sort_news_locked(driver, watch);
        files->watch = *watch;
        files->next = atomic_load(&driver->in_use);
        atomic_store(&driver->in_use, files);
        *watch = (struct identity_watch){.list = NULL};
    }
    pthread_mutex_unlock(&lock);
    if (driver != NULL && equal == NULL) return files;
    free(files);
    return equal;
}

/* ---- Its stamp ----------------------------------------------------------- */

static void stamp_text(struct digest256_state *state, const char *text)
{
    if (text != NULL) digest256_update(state, text, strlen(text));
    digest256_update(state, "", 1);
}

static void stamp_number(struct digest256_state *state, uint64_t number)
{
    digest256_update(state, &number, sizeof number);
}

/* Not the device: some file systems have another number after each restart. */
static void stamp_facts(
        struct digest256_state *state, const struct file_facts *facts)
{
    enum { second = 1000000000 };
    stamp_number(state, facts->number);
    stamp_number(state, facts->size);
    stamp_number(state, facts->modified_ns / second);
    stamp_number(state, facts->modified_ns % second);
    stamp_number(state, facts->changed_ns / second);
    stamp_number(state, facts->changed_ns % second);
}

/* Folders of names that are not there: many names are looked for in each. */
struct place {
    const char *path;        /* of a name in it; borrowed */
    size_t size;             /* of its own */
    struct file_facts facts; /* its own, or of the nearest that is there */
    bool is_there;
};

struct places {
    struct place list[64];
    size_t count; /* of all that were put, the oldest gives way */
};

/* The nearest folder that is there. */
static void look_at_place(struct place *place, const char *path, size_t size)
{
    char folder[path_size];
    memcpy(folder, path, size);
    folder[size] = '\0';
    place->path = path;
    place->size = size;
    for (;;) {
        place->is_there = file_facts_at(&place->facts, file_here, folder) == 0;
        char *slash = strrchr(folder, '/');
        if (place->is_there || slash == NULL || slash == folder) return;
        *slash = '\0';
    }
}

static const struct place *find_place(
        struct places *places, const char *path, size_t size)
{
    const size_t capacity = sizeof places->list / sizeof *places->list;
    const size_t n = places->count < capacity ? places->count : capacity;
    for (size_t i = 0; i < n; i++)
        if (places->list[i].size == size
                && memcmp(places->list[i].path, path, size) == 0)
            return &places->list[i];
    struct place *place = &places->list[places->count++ % capacity];
    look_at_place(place, path, size);
    return place;
}

/* The folder that a name would come to. */
static void stamp_place(
        struct digest256_state *state, struct places *places, const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t size = slash != NULL ? (size_t)(slash - path) : 0;
    if (size == 0 || strlen(path) >= path_size) return; /* no file's */
    const struct place *place = find_place(places, path, size);
    if (place->is_there) stamp_facts(state, &place->facts);
}

static struct digest256 stamp_of(const struct watched *w, struct places *places)
{
    struct digest256_state state;
    digest256_init(&state);
    stamp_number(&state, w->kind);
    stamp_text(&state, w->path);
    stamp_text(&state, w->prefix);
    if (w->kind == kind_absent) {
        stamp_place(&state, places, w->path);
        return digest256_final(&state);
    }
    stamp_facts(&state, &w->facts);
    stamp_number(&state, w->names.sum);
    stamp_number(&state, w->names.count);
    return digest256_final(&state);
}

static int compare_stamps(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct digest256));
}

/* Processes have loaded the objects of a driver in different orders: what
 * counts is which they are, each once. */
static struct digest256 make_stamp(const struct identity_watch *watch)
{
    struct digest256 none;
    struct digest256_state state;
    struct places places = {.count = 0};
    struct digest256 *stamps = calloc(watch->count + 1, sizeof *stamps);
    digest256_init(&state);
    if (stamps == NULL) { /* one that no process has */
        stamp_number(&state, (uint64_t)(uintptr_t)watch);
        stamp_number(&state, (uint64_t)process_number());
        return digest256_final(&state);
    }
    memset(&none, 0, sizeof none);
    for (size_t i = 0; i < watch->count; i++) {
        pthread_mutex_lock(&lock); /* facts of folders */
        const struct watched w = watch->list[i];
        pthread_mutex_unlock(&lock);
        stamps[i] = stamp_of(&w, &places);
    }
    qsort(stamps, watch->count, sizeof *stamps, compare_stamps);
    for (size_t i = 0; i < watch->count; i++)
        if (compare_stamps(&stamps[i], i > 0 ? &stamps[i - 1] : &none) != 0)
            digest256_update(&state, &stamps[i], sizeof stamps[i]);
    free(stamps);
    return digest256_final(&state);
}

struct digest256 identity_files_stamp(struct identity_files *files)
{
    pthread_mutex_lock(&lock);
    const bool is_known = files->has_stamp;
    pthread_mutex_unlock(&lock);
    const struct digest256 stamp =
            is_known ? files->stamp : make_stamp(&files->watch);
    pthread_mutex_lock(&lock);
    if (!files->has_stamp) files->stamp = stamp;
    files->has_stamp = true;
    const struct digest256 first = files->stamp;
    pthread_mutex_unlock(&lock);
    return first;
}

/* ---- Looking again ------------------------------------------------------- */

/* The same names as before? The folder's status of before they were read says
 * so the next time. */
static bool has_same_names(struct watched *w)
{
    struct folder_names names;
    struct file_facts facts;
    if (read_folder(&names, &facts, w->path, w->prefix) != 0
            || names.count != w->names.count || names.sum != w->names.sum)
        return false;
    pthread_mutex_lock(&lock);
    w->facts = facts;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Large folders (of all libraries of a system) change now and then in names
 * that are not the driver's: these do not count. */
static bool is_folder_unchanged(struct watched *w)
{
    struct file_facts now;
    if (file_facts_at(&now, file_here, w->path) != 0) return false;
    pthread_mutex_lock(&lock);
    const bool is_as_seen = file_is_unchanged(&w->facts, &now);
    pthread_mutex_unlock(&lock);
    return is_as_seen || has_same_names(w);
}

static bool is_unchanged(struct watched *w)
{
    struct file_facts now;
    if (w->kind == kind_folder) return is_folder_unchanged(w);
    const int error = file_facts_at(&now, file_here, w->path);
    return w->kind == kind_file
                   ? error == 0 && file_is_unchanged(&w->facts, &now)
                   : file_search_is_absent(error);
}

/* The first that was found of any driver; NULL: none; then fixed. */
static _Atomic(const char *) first_changed;

const char *identity_known_changed_file(const void *key)
{
    const struct driver *driver = key != NULL ? find_driver(key) : NULL;
    if (key == NULL) return atomic_load(&first_changed);
    return driver != NULL ? atomic_load(&driver->changed) : NULL;
}

static const char *find_change(const struct driver *driver)
{
    struct identity_files *n = atomic_load(&driver->in_use);
    for (; n != NULL; n = n->next)
        for (size_t i = 0; i < n->looked; i++)
            if (!is_unchanged(&n->watch.list[i])) return n->watch.list[i].path;
    return NULL;
}

static const char *look_at(struct driver *driver)
{
    const char *known = atomic_load(&driver->changed);
    const char *none = NULL;
    if (known != NULL) return known;
    const char *path = find_change(driver);
    if (path == NULL) return NULL;
    if (!atomic_compare_exchange_strong(&driver->changed, &known, path))
        return known;
    (void)atomic_compare_exchange_strong(&first_changed, &none, path);
    log_message(dnnl_cache_log_warning, "identity",
            "%s, a file of the OpenCL driver, has changed since this process "
            "started to use the driver: what is compiled from now on works, "
            "but "
            "is not kept; restart the process",
            path);
    return path;
}

const char *identity_changed_file(const void *key)
{
    if (key != NULL) {
        struct driver *driver = find_driver(key);
        return driver != NULL ? look_at(driver) : NULL;
    }
    const char *first = atomic_load(&first_changed);
    struct driver *driver = atomic_load(&drivers);
    for (; driver != NULL && first == NULL; driver = driver->next)
        if (look_at(driver) != NULL) first = atomic_load(&first_changed);
    return first;
}

dnnl_status_t dnnl_cache_find_changed_file(const char **path)
{
    if (path == NULL) return dnnl_invalid_arguments;
    *path = identity_changed_file(NULL);
    return dnnl_success;
}
