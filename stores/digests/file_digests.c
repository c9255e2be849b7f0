/* SPDX-License-Identifier: Apache-2.0 */
#include "dnnl_cache/file_digests.h"

#include "src/common/sized_struct.h"
#include "src/platform/environment.h"
#include "src/platform/fork.h"
#include "src/platform/library.h"
#include "src/platform/owner.h"
#include "stores/core/store_internal.h"
#include "stores/digests/file_digest_list.h"
#include "stores/files/store_file.h"
#include "stores/files/store_lock.h"
#include "stores/files/store_tmp.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char file_name[] = "file_digests";
static const char lock_name[] = "lock";

/* Nobody waits for more than another process's rename. */
enum { lock_timeout_ms = 100 };

/* ---- The place ----------------------------------------------------------- */

static char folder_path[path_size]; /* "": there is none */
static pthread_once_t place_once = PTHREAD_ONCE_INIT;

/* A program with more rights than its user's takes no place from the user. */
static void find_place(void)
{
    static const struct {
        const char *name;
        const char *below;
    } places[] = {
            {DNNL_CACHE_FILE_DIGESTS_VARIABLE, ""},
            {"XDG_CACHE_HOME", "/dnnl_cache_digests"},
            {"HOME", "/.cache/dnnl_cache_digests"},
    };
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = environment_get(places[i].name);
        if (i == 0 && value != NULL && strcmp(value, "0") == 0) return;
        if (value == NULL || value[0] != '/') continue;
        const int n = snprintf(folder_path, sizeof folder_path, "%s%s", value,
                places[i].below);
        if (n > 0 && (size_t)n < sizeof folder_path) return;
        folder_path[0] = '\0';
    }
}

const char *dnnl_cache_store_file_digests_folder(void)
{
    (void)pthread_once(&place_once, find_place);
    return folder_path;
}

/* The options of a private store, for what stores and this file share. */
static struct dnnl_cache_store_options options_of_place(void)
{
    return (struct dnnl_cache_store_options){.path = folder_path,
            .durability = dnnl_cache_store_durability_none,
            .sharing = dnnl_cache_store_sharing_private};
}

/* What is in there decides which programs are taken from a cache. */
static bool is_own(const struct file_facts *facts)
{
    return file_is_own(facts) && (facts->mode & file_others_write) == 0;
}

static int try_folder(int *fd)
{
    return file_open(fd, file_here, folder_path,
            file_for_reading | file_must_be_folder | file_no_link, 0);
}

/* -1: there is none that is this user's alone. The caller closes it. */
static int open_folder(bool make)
{
    struct file_facts facts;
    uint32_t owner;
    int fd;
    if (dnnl_cache_store_file_digests_folder()[0] == '\0') return file_none;
    if (try_folder(&fd) == ENOENT && make
            && !owner_nearest_is_another(folder_path, &owner)
            && folder_make_all(folder_path, 0700, true) == 0)
        (void)try_folder(&fd);
    if (fd < 0 || (file_facts(&facts, fd) == 0 && is_own(&facts))) return fd;
    (void)file_close(fd);
    return file_none;
}

/* ---- The file ------------------------------------------------------------ */

static bool is_private_file(const struct file_facts *facts)
{
    return file_is_own(facts) && facts->links == 1 && (facts->mode & 077) == 0;
}

/* An empty list if there is no file that can be trusted. */
static void load(struct file_digest_list *list, int folder)
{
    struct file_facts facts;
    int fd;
    *list = (struct file_digest_list){.items = NULL};
    if (file_open_plain(&fd, &facts, folder, file_name, file_beneath, 0) != 0)
        return;
    const bool is_good =
            is_private_file(&facts) && facts.size <= file_digest_most_file_size;
    const size_t size = is_good ? (size_t)facts.size : 0;
    uint8_t *bytes = malloc(size + 1);
    if (is_good && bytes != NULL && file_read_at(fd, bytes, size, 0) == 0)
        (void)file_digest_list_read(list, size, bytes);
    free(bytes);
    (void)file_close(fd);
}

static bool save(const struct file_digest_list *list, int folder)
{
    const struct dnnl_cache_store_options options = options_of_place();
    struct file_part part = {NULL, 0};
    int tmp;
    uint8_t *bytes = file_digest_list_write(list, &part.size);
    int error = bytes != NULL ? store_tmp_open(&tmp, folder, &options) : ENOMEM;
    if (error == 0) {
        part.data = bytes;
        error = store_replace_file(tmp, folder, file_name, &part, 1, &options);
        store_tmp_close(tmp, folder);
    }
    free(bytes);
    return error == 0;
}

/* Changes the file under its lock. False: nothing was changed. */
static bool change(
        void (*edit)(struct file_digest_list *list, void *user), void *user)
{
    const struct dnnl_cache_store_options options = options_of_place();
    struct file_digest_list list;
    int lock_fd;
    bool is_saved = false;
    const int folder = open_folder(true);
    if (folder < 0) return false;
    if (store_lock_file(&lock_fd, folder, lock_name, &options, lock_timeout_ms)
            == 0) {
        load(&list, folder);
        edit(&list, user);
        file_digest_list_trim(&list);
        is_saved = save(&list, folder);
        file_digest_list_fini(&list);
        store_unlock_file(lock_fd);
    }
    (void)file_close(folder);
    return is_saved;
}

/* ---- For the library ----------------------------------------------------- */

static struct file_digest_list known; /* as it was read; fixed then */
static pthread_once_t known_once = PTHREAD_ONCE_INIT;

static struct fork_mutex lock = FORK_MUTEX_INIT; /* leaf */
static struct file_digest_list fresh; /* not written yet; guarded by lock */

/* A child writes what the parent has put, too, unless it was at it just then.
 */
static void lock_fresh(void)
{
    if (fork_lock(&lock) == fork_torn)
        fresh = (struct file_digest_list){.items = NULL};
}

static void load_known(void)
{
    const int folder = open_folder(false);
    if (folder < 0) return;
    load(&known, folder);
    (void)file_close(folder);
}

static dnnl_status_t get(void *user, size_t key_size, const uint8_t *key,
        uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE])
{
    (void)user;
    (void)pthread_once(&known_once, load_known);
    const struct file_digest *item =
            file_digest_list_find(&known, key_size, key);
    if (item == NULL) return dnnl_cache_miss;
    memcpy(digest, item->digest, DNNL_CACHE_FILE_DIGEST_SIZE);
    return dnnl_success;
}

static dnnl_status_t put(void *user, size_t key_size, const uint8_t *key,
        const uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE])
{
    (void)user;
    lock_fresh();
    const bool is_put = fresh.count < file_digest_most
                        && file_digest_list_put(&fresh, key_size, key, digest);
    fork_unlock(&lock);
    return is_put ? dnnl_success : dnnl_out_of_memory;
}

static void add_all(struct file_digest_list *list, void *user)
{
    const struct file_digest_list *more = user;
    for (size_t i = 0; i < more->count; i++)
        (void)file_digest_list_put(list, more->items[i].key_size,
                more->items[i].key, more->items[i].digest);
}

static void flush(void *user)
{
    (void)user;
    lock_fresh();
    struct file_digest_list taken = fresh;
    fresh = (struct file_digest_list){.items = NULL};
    fork_unlock(&lock);
    if (taken.count > 0) (void)change(add_all, &taken);
    file_digest_list_fini(&taken);
}

const dnnl_cache_file_digests_t file_digests_callbacks = {
        sizeof(dnnl_cache_file_digests_t), NULL, get, put, flush};

dnnl_status_t dnnl_cache_store_file_digests_attach(void)
{
    return dnnl_cache_set_file_digests(&file_digests_callbacks);
}

/* ---- Verification -------------------------------------------------------- */

struct verification {
    struct file_digest_list before; /* as they were found in the file */
    struct file_digest_list after;  /* those that are right, or corrected */
    uint64_t now;
};

static void tell_wrong(const struct file_digest *item,
        dnnl_cache_log_callback_t callback, void *user)
{
    char text[512];
    const uint8_t *path = memchr(item->key, '/', item->key_size);
    const size_t size =
            path != NULL ? item->key_size - (size_t)(path - item->key) : 0;
    if (callback == NULL) return;
    (void)snprintf(text, sizeof text,
            "%.*s: the digest that was kept of this file of a driver is wrong, "
            "and was replaced; entries that were made since may be of another "
            "driver: remove them",
            size < 300 ? (int)size : 300, (const char *)path);
    callback(dnnl_cache_log_warning, text, user);
}

static dnnl_status_t verify_item(struct verification *v,
        struct dnnl_cache_store_file_digests_report *report,
        const struct file_digest *item, dnnl_cache_log_callback_t callback,
        void *user)
{
    uint8_t digest[DNNL_CACHE_FILE_DIGEST_SIZE];
    const dnnl_status_t st =
            dnnl_cache_digest_file(item->key_size, item->key, digest);
    if (st == dnnl_out_of_memory) return st;
    if (st != dnnl_success) {
        report->gone++;
        return dnnl_success;
    }
    if (memcmp(digest, item->digest, sizeof digest) == 0) {
        report->right++;
    } else {
        report->wrong++;
        tell_wrong(item, callback, user);
    }
    return file_digest_list_put(&v->after, item->key_size, item->key, digest)
                   ? dnnl_success
                   : dnnl_out_of_memory;
}

/* What another process has put meanwhile stays. */
static void apply(struct file_digest_list *list, void *user)
{
    const struct verification *v = user;
    for (size_t i = 0; i < v->before.count; i++) {
        const struct file_digest *old = &v->before.items[i];
        struct file_digest *item =
                file_digest_list_find(list, old->key_size, old->key);
        const struct file_digest *right =
                file_digest_list_find(&v->after, old->key_size, old->key);
        if (item == NULL) continue;
        if (right == NULL)
            file_digest_list_remove(list, item);
        else
            memcpy(item->digest, right->digest, sizeof item->digest);
    }
    list->verified = v->now;
}

/* A time that is still to come is of a clock that was set back. */
static bool is_due(const struct verification *v, uint64_t least_age_seconds)
{
    const uint64_t last = v->before.verified;
    return v->before.count > 0
           && (last > v->now || v->now - last >= least_age_seconds);
}

static dnnl_status_t verify(struct verification *v,
        struct dnnl_cache_store_file_digests_report *report,
        dnnl_cache_log_callback_t callback, void *user)
{
    dnnl_status_t st = dnnl_success;
    for (size_t i = 0; i < v->before.count && st == dnnl_success; i++)
        st = verify_item(v, report, &v->before.items[i], callback, user);
    if (st == dnnl_success && !change(apply, v) && report->wrong > 0)
        st = dnnl_runtime_error;
    return st;
}

dnnl_status_t dnnl_cache_store_file_digests_verify(
        struct dnnl_cache_store_file_digests_report *report,
        uint64_t least_age_seconds, dnnl_cache_log_callback_t callback,
        void *log_user)
{
    struct verification v = {.now = (uint64_t)time(NULL)};
    dnnl_status_t st = dnnl_success;
    struct dnnl_cache_store_file_digests_report found = {.is_due = false};
    if (report == NULL || !sized_struct_write(&found, sizeof found, report))
        return dnnl_invalid_arguments;
    const int folder = open_folder(false);
    if (folder < 0) return dnnl_success;
    load(&v.before, folder);
    (void)file_close(folder);
    found.is_due = is_due(&v, least_age_seconds);
    if (found.is_due) st = verify(&v, &found, callback, log_user);
    (void)sized_struct_write(&found, sizeof found, report);
    file_digest_list_fini(&v.before);
    file_digest_list_fini(&v.after);
    return st;
}
