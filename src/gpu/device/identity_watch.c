/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/identity_watch.h"

#include "dnnl_cache.h"
#include "src/common/hash.h"
#include "src/common/log.h"
#include "src/gpu/device/file_digest.h"
#include "src/gpu/device/file_search.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum kind { kind_file, kind_absent, kind_folder };

struct watched {
    enum kind kind;
    char *path;     /* owned */
    char *prefix;   /* owned; of a folder */
    struct stat st; /* of a folder guarded by lock: see look_at_folder() */
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
    if (watch->count == watch->capacity) {
        const size_t capacity = watch->capacity > 0 ? 2 * watch->capacity : 64;
        struct watched *list = realloc(watch->list, capacity * sizeof *list);
        if (list == NULL) {
            watch->failed = true;
            return NULL;
        }
        watch->list = list;
        watch->capacity = capacity;
    }
    struct watched *w = &watch->list[watch->count];
    *w = (struct watched){.kind = kind, .path = strdup(path)};
    if (w->path == NULL) {
        watch->failed = true;
        return NULL;
    }
    watch->count++;
    return w;
}

void identity_watch_add_file(
        struct identity_watch *watch, const char *path, const struct stat *st)
{
    struct watched *w = add(watch, kind_file, path);
    if (w != NULL) w->st = *st;
}

void identity_watch_add_absent(struct identity_watch *watch, const char *path)
{
    (void)add(watch, kind_absent, path);
}

/* False: it cannot be read. */
static bool read_names(struct folder_names *names, DIR *dir, const char *prefix)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL && errno == EINTR) continue;
        if (entry == NULL) return errno == 0;
        if (entry->d_name[0] != '.'
                && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            folder_names_add(names, entry->d_name);
    }
}

/* The folder's settled status, and then its names. False: it cannot be read. */
static bool read_folder(struct folder_names *names, struct stat *st,
        const char *path, const char *prefix)
{
    int fd;
    do
        fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return false;
    DIR *dir = file_stat_settled(fd, NULL, st) == 0 ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        close(fd);
        return false;
    }
    *names = (struct folder_names){0, 0};
    const bool is_read = read_names(names, dir, prefix);
    closedir(dir);
    return is_read;
}

void identity_watch_add_folder(struct identity_watch *watch, const char *path,
        const char *prefix, const struct stat *st,
        const struct folder_names *names)
{
    struct watched *w = add(watch, kind_folder, path);
    if (w == NULL) return;
    w->st = *st;
    w->names = *names;
    w->prefix = strdup(prefix);
    if (w->prefix == NULL) watch->failed = true;
}

void identity_watch_list_folder(
        struct identity_watch *watch, const char *path, const char *prefix)
{
    struct folder_names names = {0, 0};
    struct stat st = {0};
    errno = 0;
    if (!read_folder(&names, &st, path, prefix)) {
        watch->failed = watch->failed || errno == ENOMEM;
        names.count = SIZE_MAX;
    }
    identity_watch_add_folder(watch, path, prefix, &st, &names);
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

/* ---- Its stamp ----------------------------------------------------------- */

static int stat_of(const char *path, struct stat *st);

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
static void stamp_status(struct digest256_state *state, const struct stat *st)
{
    stamp_number(state, st->st_ino);
    stamp_number(state, (uint64_t)st->st_size);
    stamp_number(state, (uint64_t)st->st_mtim.tv_sec);
    stamp_number(state, (uint64_t)st->st_mtim.tv_nsec);
    stamp_number(state, (uint64_t)st->st_ctim.tv_sec);
    stamp_number(state, (uint64_t)st->st_ctim.tv_nsec);
}

/* The folder that a name would come to; the nearest one that is there. */
static void stamp_place(struct digest256_state *state, const char *path)
{
    struct stat st;
    char folder[PATH_MAX];
    const size_t size = strlen(path);
    if (size >= sizeof folder) return; /* no file's */
    memcpy(folder, path, size + 1);
    char *end = strrchr(folder, '/');
    while (end != NULL && end > folder) {
        *end = '\0';
        if (stat_of(folder, &st) == 0) {
            stamp_status(state, &st);
            break;
        }
        end = strrchr(folder, '/');
    }
}

struct digest256 identity_watch_stamp(const struct identity_watch *watch)
{
    struct digest256_state state;
    digest256_init(&state);
    for (size_t i = 0; i < watch->count; i++) {
        const struct watched *w = &watch->list[i];
        stamp_number(&state, w->kind);
        stamp_text(&state, w->path);
        stamp_text(&state, w->prefix);
        if (w->kind == kind_absent) {
            stamp_place(&state, w->path);
            continue;
        }
        stamp_status(&state, &w->st);
        stamp_number(&state, w->names.sum);
        stamp_number(&state, w->names.count);
    }
    return digest256_final(&state);
}

/* ---- What is watched ----------------------------------------------------- */

/* Identities live until the process ends, and so do these. */
struct node {
    struct identity_watch watch;
    struct node *next;
};

/* A driver has several identities if it has several devices. */
struct driver {
    const void *key; /* fixed */
    _Atomic(struct node *) in_use;
    _Atomic(const char *) changed; /* NULL: none; then fixed */
    struct driver *next;
};

static _Atomic(struct driver *) drivers;

/* Guards the lists while something is added, and the status of folders; leaf.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_known_locked(
        const struct driver *driver, const struct watched *w)
{
    const struct node *n = atomic_load(&driver->in_use);
    for (; n != NULL; n = n->next)
        for (size_t i = 0; i < n->watch.count; i++) {
            const struct watched *other = &n->watch.list[i];
            if (other->kind == w->kind && strcmp(other->path, w->path) == 0
                    && (w->kind == kind_absent
                            || file_is_unchanged(&other->st, &w->st))
                    && (w->kind != kind_folder
                            || (strcmp(other->prefix, w->prefix) == 0
                                    && other->names.sum == w->names.sum
                                    && other->names.count == w->names.count)))
                return true;
        }
    return false;
}

/* Devices of one driver have the same files. */
static void drop_known_locked(
        const struct driver *driver, struct identity_watch *watch)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch->count; i++) {
        struct watched *w = &watch->list[i];
        if (!is_known_locked(driver, w)) {
            watch->list[kept++] = *w;
        } else {
            free(w->path);
            free(w->prefix);
        }
    }
    watch->count = kept;
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

bool identity_watch_begin(struct identity_watch *watch, const void *key)
{
    struct node *node = watch->failed ? NULL : calloc(1, sizeof *node);
    if (node == NULL) return false;
    pthread_mutex_lock(&lock);
    struct driver *driver = find_or_add_driver_locked(key);
    if (driver != NULL) drop_known_locked(driver, watch);
    const bool is_news = driver != NULL && watch->count > 0;
    if (is_news) {
        node->watch = *watch;
        node->next = atomic_load(&driver->in_use);
        atomic_store(&driver->in_use, node);
        *watch = (struct identity_watch){.list = NULL};
    }
    pthread_mutex_unlock(&lock);
    if (!is_news) free(node);
    return driver != NULL;
}

/* ---- Looking again ------------------------------------------------------- */

static int stat_of(const char *path, struct stat *st)
{
    int result;
    do
        result = stat(path, st);
    while (result != 0 && errno == EINTR);
    return result == 0 ? 0 : errno;
}

/* The same names as before? The folder's status of before they were read says
 * so the next time. */
static bool has_same_names(struct watched *w)
{
    struct folder_names names;
    struct stat st;
    if (!read_folder(&names, &st, w->path, w->prefix)
            || names.count != w->names.count || names.sum != w->names.sum)
        return false;
    pthread_mutex_lock(&lock);
    w->st = st;
    pthread_mutex_unlock(&lock);
    return true;
}

/* Large folders (of all libraries of a system) change now and then in names
 * that are not the driver's: these do not count. */
static bool is_folder_unchanged(struct watched *w)
{
    struct stat now;
    if (stat_of(w->path, &now) != 0) return false;
    pthread_mutex_lock(&lock);
    const bool is_as_seen = file_is_unchanged(&w->st, &now);
    pthread_mutex_unlock(&lock);
    return is_as_seen || has_same_names(w);
}

static bool is_unchanged(struct watched *w)
{
    struct stat now;
    switch (w->kind) {
    case kind_file:
        return stat_of(w->path, &now) == 0 && file_is_unchanged(&w->st, &now);
    case kind_absent:
        return file_search_is_absent(stat_of(w->path, &now));
    case kind_folder:
        break;
    }
    return is_folder_unchanged(w);
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
    for (struct node *n = atomic_load(&driver->in_use); n != NULL; n = n->next)
        for (size_t i = 0; i < n->watch.count; i++)
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
