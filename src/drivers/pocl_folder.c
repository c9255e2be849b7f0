/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_folder.h"

#include "src/platform/file.h"
#include "src/platform/loaded_libraries.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "_UNCACHED_";

struct search {
    bool (*is_of)(void *user, const char *folder, const char *kernel);
    void *user;
    size_t count; /* of folders that were found */
    char *path;   /* of the first */
};

/* Cuts off the last part of a path, and returns it; NULL: there is none. */
static char *cut(char *path)
{
    char *at = strrchr(path, '/');
    if (at == NULL) return NULL;
    *at = '\0';
    return at + 1;
}

static bool is_name_of_folder(const char *name)
{
    if (strlen(name) != pocl_folder_name_size - 1
            || strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    for (const char *at = name + sizeof prefix - 1; *at != '\0'; at++)
        if (!isalnum((unsigned char)*at)) return false;
    return true;
}

/* A mapped file ".../_UNCACHED_123456/KERNEL/CLASS/KERNEL.so" of a kernel that
 * is looked for, which is there yet. */
static bool read_folder(
        char folder[path_size], const char *path, const struct search *search)
{
    const size_t size = strlen(path);
    if (path[0] != '/' || size < 4 || size >= path_size
            || strcmp(path + size - 3, ".so") != 0)
        return false;
    memcpy(folder, path, size + 1);
    const char *file = cut(folder);
    const char *class = file != NULL ? cut(folder) : NULL;
    const char *kernel = class != NULL ? cut(folder) : NULL;
    const char *name = kernel != NULL ? strrchr(folder, '/') : NULL;
    return name != NULL && is_name_of_folder(name + 1)
           && strlen(kernel) + 3 == strlen(file)
           && strncmp(kernel, file, strlen(kernel)) == 0
           && search->is_of(search->user, folder, kernel)
           && file_is_there(path);
}

static bool look(void *user, const struct library_facts *library)
{
    struct search *search = user;
    char folder[path_size];
    if (strstr(library->path, prefix) == NULL
            || !read_folder(folder, library->path, search)
            || (search->count > 0 && strcmp(folder, search->path) == 0))
        return true;
    memcpy(search->path, folder, strlen(folder) + 1);
    return ++search->count <= 1;
}

bool pocl_folder_find(char path[path_size],
        bool (*is_of)(void *user, const char *folder, const char *kernel),
        void *user)
{
    struct search search = {.is_of = is_of, .user = user, .path = path};
    (void)libraries_each(look, &search);
    return search.count == 1;
}

bool pocl_folder_is_of_time(
        const char *folder, uint64_t after_ns, uint64_t until_ns)
{
    char path[path_size + sizeof "/program.bc"];
    struct file_facts facts;
    (void)snprintf(path, sizeof path, "%s/program.bc", folder);
    return file_facts_of_link(&facts, file_here, path) == 0
           && facts.modified_ns > after_ns && facts.modified_ns <= until_ns;
}

const char *pocl_folder_name(const char *path)
{
    const char *at = strrchr(path, '/');
    return at != NULL ? at + 1 : path;
}

int pocl_folder_open(const char *path)
{
    struct file_facts facts;
    int fd;
    if (file_open(&fd, file_here, path,
                file_for_reading | file_must_be_folder | file_no_link, 0)
            != 0)
        return file_none;
    if (file_facts(&facts, fd) == 0 && file_is_own(&facts)
            && (facts.mode & file_others_write) == 0)
        return fd;
    (void)file_close(fd);
    return file_none;
}
