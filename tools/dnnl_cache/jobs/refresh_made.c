/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/dnnl_cache/jobs/refresh_made.h"

#include "src/drivers/pocl_made.h"
#include "tools/dnnl_cache/jobs/refresh_driver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
static bool find_cache(char path[PATH_MAX])
{
    char uncached[PATH_MAX];
    if (!refresh_driver_find_pocl(uncached)) return false;
    char *end = strstr(uncached, "/pocl/uncached");
    if (getenv("POCL_CACHE_DIR") == NULL && end != NULL) *end = '\0';
    return (size_t)snprintf(path, PATH_MAX, "%s%s", uncached,
                   getenv("POCL_CACHE_DIR") == NULL ? "/pocl/kcache" : "")
           < PATH_MAX;
}

/* With all folders above it. */
static bool make_folders(char *path)
{
    for (char *at = path + 1; (at = strchr(at, '/')) != NULL; at++) {
        *at = '\0';
        const bool is_there = mkdir(path, 0700) == 0 || errno == EEXIST;
        *at = '/';
        if (!is_there) return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

struct programs {
    size_t count;
    size_t fresh_count; /* of those without anything for a launch */
    char fresh[name_size];
};

/* Has it the folder of a kernel? */
static bool has_kernel(int fd, const char *name)
{
    const struct dirent *entry;
    bool has = false;
    const int folder_fd =
            openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = folder_fd >= 0 ? fdopendir(folder_fd) : NULL;
    if (dir == NULL && folder_fd >= 0) close(folder_fd);
    while (dir != NULL && !has && (entry = readdir(dir)) != NULL) {
        struct stat st;
        has = entry->d_name[0] != '.'
              && fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW)
                         == 0
              && S_ISDIR(st.st_mode);
    }
    if (dir != NULL) closedir(dir);
    return has;
}

static bool has_program(int fd, const char *name)
{
    char path[NAME_MAX + sizeof "/" POCL_MADE_PROGRAM];
    (void)snprintf(path, sizeof path, "%s/" POCL_MADE_PROGRAM, name);
    return faccessat(fd, path, F_OK, 0) == 0;
}

/* Counts the driver's programs but for the one that was put. */
static void count_below(
        struct programs *programs, const char *cache, const char *first)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    if ((size_t)snprintf(path, sizeof path, "%s/%s", cache, first)
            >= sizeof path)
        return;
    DIR *dir = opendir(path);
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char name[name_size];
        if (!pocl_made_is_name(entry->d_name, pocl_made_rest_size)
                || !has_program(dirfd(dir), entry->d_name))
            continue;
        (void)snprintf(name, sizeof name, "%.*s/%.*s", pocl_made_first_size,
                first, pocl_made_rest_size, entry->d_name);
        if (strcmp(name, put_name) == 0) continue;
        programs->count++;
        if (has_kernel(dirfd(dir), entry->d_name)) continue;
        programs->fresh_count++;
        memcpy(programs->fresh, name, sizeof name);
    }
    if (dir != NULL) closedir(dir);
}

static struct programs list_programs(const char *cache)
{
    struct programs programs = {.count = 0};
    const struct dirent *entry;
    DIR *dir = opendir(cache);
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        if (pocl_made_is_name(entry->d_name, pocl_made_first_size))
            count_below(&programs, cache, entry->d_name);
    if (dir != NULL) closedir(dir);
    return programs;
}

/* ---- Copies -------------------------------------------------------------- */

static bool write_file(
        const char *folder, const char *name, size_t size, const uint8_t *data)
{
    char path[PATH_MAX];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name)
            >= sizeof path)
        return false;
    char *end = strrchr(path, '/');
    *end = '\0';
    if (!make_folders(path)) return false;
    *end = '/';
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (fd < 0) return errno == EEXIST;
    const bool is_written = write(fd, data, size) == (ssize_t)size;
    close(fd);
    if (!is_written) (void)unlink(path);
    return is_written;
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
    if (from_fd < 0) return;
    if (strcmp(note->files[0].path, POCL_MADE_PROGRAM) == 0
            && copy_file(folder, from_fd, &note->files[0]))
        for (size_t i = 1; i < note->file_count; i++)
            (void)copy_file(folder, from_fd, &note->files[i]);
    close(from_fd);
}

void refresh_made_put(const struct dnnl_cache_store_journal_list *notes,
        size_t id_size, const uint8_t *id)
{
    char cache[PATH_MAX];
    char folder[PATH_MAX];
    put_name[0] = '\0';
    if (!refresh_made_is_on() || !find_cache(cache) || !make_folders(cache))
        return;
    for (size_t i = 0; i < notes->count; i++) {
        const dnnl_cache_note_t *note = &notes->items[i].note;
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
    char cache[PATH_MAX];
    char folder[PATH_MAX];
    if (!refresh_made_is_on() || !find_cache(cache)) return -1;
    const struct programs programs = list_programs(cache);
    const char *name = "";
    if (programs.count == count_before)
        name = put_name;
    else if (programs.count == count_before + 1 && programs.fresh_count == 1)
        name = programs.fresh;
    if (name[0] == '\0'
            || (size_t)snprintf(folder, sizeof folder, "%s/%s", cache, name)
                       >= sizeof folder)
        return -1;
    return open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}
