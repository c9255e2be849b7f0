/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_made.h"

#include "src/drivers/pocl_made.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { name_size = pocl_made_first_size + 1 + pocl_made_rest_size + 1 };

/* Of the present job. */
static char put_name[name_size]; /* "": nothing was put */
static size_t count_before;      /* programs that the driver had before it */

bool refresh_made_is_on(void)
{
    const char *cache = getenv(REFRESH_OWN_CACHE);
    return cache != NULL && strcmp(cache, "1") == 0;
}

/* "AB/CDE...", where a folder's path ends so. */
static bool read_name(char name[name_size], const char *folder)
{
    const size_t size = strlen(folder);
    if (size < name_size || folder[size - name_size] != '/') return false;
    memcpy(name, folder + size - name_size + 1, name_size);
    name[pocl_made_first_size] = '\0';
    const bool is_good =
            pocl_made_is_name(name, pocl_made_first_size)
            && folder[size - name_size + 1 + pocl_made_first_size] == '/'
            && pocl_made_is_name(
                    name + pocl_made_first_size + 1, pocl_made_rest_size);
    name[pocl_made_first_size] = '/';
    return is_good;
}

/* ---- The driver's folder ------------------------------------------------- */

/* As the driver has it with its cache on; made if it is not there. */
static bool find_cache(char path[path_size])
{
    char uncached[path_size];
    if (!refresh_driver_find_pocl(uncached)) return false;
    char *end = strstr(uncached, "/pocl/uncached");
    if (getenv("POCL_CACHE_DIR") == NULL && end != NULL) *end = '\0';
    return (size_t)snprintf(path, path_size, "%s%s", uncached,
                   getenv("POCL_CACHE_DIR") == NULL ? "/pocl/kcache" : "")
           < path_size;
}

struct programs {
    size_t count;
    size_t fresh_count; /* of those without anything for a launch */
    char fresh[name_size];
};

enum { found = -1 }; /* no errno value */

static int find_folder(void *user, const char *name)
{
    struct file_facts facts;
    const bool is_one =
            name[0] != '.'
            && file_facts_of_link(&facts, *(const int *)user, name) == 0
            && facts.kind == file_is_folder;
    return is_one ? found : 0;
}

/* Has it the folder of a kernel? */
static bool has_kernel(int fd, const char *name)
{
    int folder_fd;
    if (file_open(&folder_fd, fd, name, file_must_be_folder | file_no_link, 0)
            != 0)
        return false;
    const bool has = folder_each(folder_fd, find_folder, &folder_fd) == found;
    (void)file_close(folder_fd);
    return has;
}

static bool has_program(int fd, const char *name)
{
    char path[file_name_size + sizeof "/" POCL_MADE_PROGRAM];
    struct file_facts facts;
    (void)snprintf(path, sizeof path, "%s/" POCL_MADE_PROGRAM, name);
    return file_facts_at(&facts, fd, path) == 0;
}

/* Of the driver's programs, but for the one that was put. */
struct listing {
    struct programs programs;
    int cache_fd;
    const char *first; /* of the names in it: the one that is looked into */
    int first_fd;
};

static int count_program(void *user, const char *rest)
{
    struct listing *listing = user;
    struct programs *programs = &listing->programs;
    char name[name_size];
    if (!pocl_made_is_name(rest, pocl_made_rest_size)
            || !has_program(listing->first_fd, rest))
        return 0;
    (void)snprintf(name, sizeof name, "%.*s/%.*s", pocl_made_first_size,
            listing->first, pocl_made_rest_size, rest);
    if (strcmp(name, put_name) == 0) return 0;
    programs->count++;
    if (has_kernel(listing->first_fd, rest)) return 0;
    programs->fresh_count++;
    memcpy(programs->fresh, name, sizeof name);
    return 0;
}

static int count_below(void *user, const char *first)
{
    struct listing *listing = user;
    if (!pocl_made_is_name(first, pocl_made_first_size)
            || folder_open(&listing->first_fd, listing->cache_fd, first) != 0)
        return 0;
    listing->first = first;
    (void)folder_each(listing->first_fd, count_program, listing);
    (void)file_close(listing->first_fd);
    return 0;
}

static struct programs list_programs(const char *cache)
{
    struct listing listing = {.cache_fd = file_none};
    if (folder_open(&listing.cache_fd, file_here, cache) == 0)
        (void)folder_each(listing.cache_fd, count_below, &listing);
    (void)file_close(listing.cache_fd);
    return listing.programs;
}

/* ---- Copies -------------------------------------------------------------- */

static bool write_file(
        const char *folder, const char *name, size_t size, const uint8_t *data)
{
    char path[path_size];
    size_t failed;
    const struct file_part part = {.data = data, .size = size};
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name)
                    >= sizeof path
            || folder_make_above(path, 0700, &failed) != 0)
        return false;
    const int error = file_write_new(
            file_here, path, &part, 1, 0700, false, file_durability_none);
    return error == 0 || error == EEXIST;
}

static bool copy_file(
        const char *folder, int from_fd, const dnnl_cache_note_file_t *file)
{
    size_t size;
    uint8_t *data = pocl_made_read(from_fd, file->path, file->digest, &size);
    const bool is_copied =
            data != NULL && write_file(folder, file->path, size, data);
    free(data);
    return is_copied;
}

/* The intermediate code comes first: without it the rest is nobody's. */
static void copy_files(const char *folder, const dnnl_cache_note_t *note)
{
    const int from_fd = pocl_made_open_folder(note->directory);
    if (from_fd == file_none) return;
    if (strcmp(note->files[0].path, POCL_MADE_PROGRAM) == 0
            && copy_file(folder, from_fd, &note->files[0]))
        for (size_t i = 1; i < note->file_count; i++)
            (void)copy_file(folder, from_fd, &note->files[i]);
    (void)file_close(from_fd);
}

void refresh_made_put(const struct dnnl_cache_store_journal_list *notes,
        size_t id_size, const uint8_t *id)
{
    char cache[path_size];
    char folder[path_size];
    put_name[0] = '\0';
    if (!refresh_made_is_on() || !find_cache(cache)
            || folder_make_all(cache, 0700, false) != 0)
        return;
    for (size_t i = 0; i < notes->count; i++) {
        const dnnl_cache_note_t *note = notes->items[i]->note;
        char name[name_size];
        if (note->kind != dnnl_cache_note_made || note->id_size != id_size
                || memcmp(note->id, id, id_size) != 0
                || !read_name(name, note->directory)
                || (put_name[0] != '\0' && strcmp(name, put_name) != 0)
                || (size_t)snprintf(folder, sizeof folder, "%s/%s", cache, name)
                           >= sizeof folder)
            continue;
        memcpy(put_name, name, sizeof name);
        copy_files(folder, note);
    }
    count_before = list_programs(cache).count;
}

/* A program that the driver did not find has a folder that was not there, and
 * nothing for a launch. */
int refresh_made_open_folder(void)
{
    char cache[path_size];
    char folder[path_size];
    int fd;
    if (!refresh_made_is_on() || !find_cache(cache)) return file_none;
    const struct programs programs = list_programs(cache);
    const char *name = "";
    if (programs.count == count_before)
        name = put_name;
    else if (programs.count == count_before + 1 && programs.fresh_count == 1)
        name = programs.fresh;
    if (name[0] == '\0'
            || (size_t)snprintf(folder, sizeof folder, "%s/%s", cache, name)
                       >= sizeof folder)
        return file_none;
    (void)file_open(&fd, file_here, folder,
            file_for_reading | file_must_be_folder | file_no_link, 0);
    return fd;
}
