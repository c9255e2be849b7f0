/* SPDX-License-Identifier: Apache-2.0 */
#include "store_locked.h"

#include "failure.h"
#include "samples.h"
#include <dnnl_cache/store.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { levels = 4 };

static const uint8_t first_id[] = {'f', 'i', 'r', 's', 't'};

struct store_locked {
    dnnl_cache_store_handle_t *store;
    int book_fd;      /* cache_size.txt, which all writers lock */
    int directory_fd; /* of the entry first_id */
    size_t blob_size;
    uint8_t *blob;
};

/* ---- Making -------------------------------------------------------------- */

static bool put(struct store_locked *l, size_t id_size, const uint8_t *id)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(l->store);
    return s->put(s->user, id_size, id, l->blob_size, l->blob, NULL)
           == dnnl_success;
}

/* Goes down to the only directory that is there. */
static bool descend(char *path, size_t size)
{
    DIR *dir = opendir(path);
    const struct dirent *found = NULL;
    if (dir == NULL) return false;
    while ((found = readdir(dir)) != NULL)
        if (found->d_type == DT_DIR && found->d_name[0] != '.') break;
    const size_t length = strlen(path);
    if (found != NULL)
        snprintf(path + length, size - length, "/%s", found->d_name);
    closedir(dir);
    return found != NULL;
}

static bool open_files(struct store_locked *l, const char *root)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/cache_size.txt", root);
    l->book_fd = open(path, O_RDWR | O_CLOEXEC);
    snprintf(path, sizeof path, "%s", root);
    for (int i = 0; i < levels; i++)
        if (!descend(path, sizeof path)) return false;
    l->directory_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return l->book_fd >= 0 && l->directory_fd >= 0;
}

bool store_locked_open(struct store_locked **locked, const char *folder,
        size_t blob_size, const uint8_t *blob)
{
    char path[4100];
    struct dnnl_cache_store_options options = DNNL_CACHE_STORE_OPTIONS_INIT;
    struct store_locked *l = calloc(1, sizeof *l);
    if (l == NULL) {
        failure_set("out of memory");
        return false;
    }
    *l = (struct store_locked){.book_fd = -1, .directory_fd = -1};
    l->blob = malloc(blob_size);
    l->blob_size = blob_size;
    snprintf(path, sizeof path, "%s/tree", folder);
    options.path = path;
    bool done = l->blob != NULL
                && dnnl_cache_store_open(&l->store, "tree", &options)
                           == dnnl_success;
    if (done) {
        memcpy(l->blob, blob, blob_size);
        done = put(l, sizeof first_id, first_id) && open_files(l, path);
    }
    if (!done) {
        failure_set("no tree store can be made in %s", path);
        store_locked_close(l);
        return false;
    }
    *locked = l;
    return true;
}

void store_locked_close(struct store_locked *locked)
{
    if (locked == NULL) return;
    if (locked->book_fd >= 0) close(locked->book_fd);
    if (locked->directory_fd >= 0) close(locked->directory_fd);
    dnnl_cache_store_close(locked->store);
    free(locked->blob);
    free(locked);
}

/* ---- Measuring ----------------------------------------------------------- */

static bool lock(struct store_locked *l, bool with_book)
{
    const bool done =
            flock(l->directory_fd, LOCK_EX | LOCK_NB) == 0
            && (!with_book || flock(l->book_fd, LOCK_EX | LOCK_NB) == 0);
    if (!done) failure_set("a lock of the tree store is taken");
    return done;
}

static void unlock(struct store_locked *l)
{
    flock(l->book_fd, LOCK_UN);
    flock(l->directory_fd, LOCK_UN);
}

static bool get(struct store_locked *l)
{
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(l->store);
    const uint8_t *blob;
    size_t size;
    if (s->get(s->user, sizeof first_id, first_id, &size, &blob)
            != dnnl_success)
        return false;
    s->release(s->user, size, blob);
    return size == l->blob_size;
}

bool store_locked_get(
        struct store_locked *locked, bool is_locked, double *value)
{
    if (is_locked && !lock(locked, true)) return false;
    const uint64_t began = clock_ns();
    const bool done = get(locked);
    *value = (double)(clock_ns() - began);
    unlock(locked);
    if (!done) failure_set("a get from the tree store failed");
    return done;
}

bool store_locked_put(
        struct store_locked *locked, bool is_locked, double *value)
{
    static const uint8_t id[] = {'s', 'e', 'c', 'o', 'n', 'd'};
    const dnnl_cache_store_t *s = dnnl_cache_store_get_callbacks(locked->store);
    /* Renaming over a file makes some file systems write it out first. */
    s->remove(s->user, sizeof id, id);
    if (is_locked && !lock(locked, false)) return false;
    const uint64_t began = clock_ns();
    const bool done = put(locked, sizeof id, id);
    *value = (double)(clock_ns() - began);
    unlock(locked);
    if (!done) failure_set("a put into the tree store failed");
    return done;
}
