/* SPDX-License-Identifier: Apache-2.0 */
#include "src/drivers/pocl_folder.h"

#include "src/platform/file.h"
#include "src/platform/file_stamp.h"
#include "src/platform/folder.h"
#include "src/platform/loaded_libraries.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "_UNCACHED_";

struct search {
    bool (*is_of)(void *user, const char *folder, const char *kernel);
    void *user;
    size_t count; /* of folders that were found, or are unclear */
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

/* Of a mapped file ".../_UNCACHED_123456/KERNEL/CLASS/KERNEL.so". Returns the
 * kernel, which is behind the folder; NULL: it is not one. */
static const char *read_folder(char folder[path_size], const char *path)
{
    const size_t size = strlen(path);
    if (path[0] != '/' || size < 4 || size >= path_size
            || strcmp(path + size - 3, ".so") != 0)
        return NULL;
    memcpy(folder, path, size + 1);
    const char *file = cut(folder);
    const char *class = file != NULL ? cut(folder) : NULL;
    const char *kernel = class != NULL ? cut(folder) : NULL;
    const char *name = kernel != NULL ? strrchr(folder, '/') : NULL;
    return name != NULL && is_name_of_folder(name + 1)
                           && strlen(kernel) + 3 == strlen(file)
                           && strncmp(kernel, file, strlen(kernel)) == 0
                   ? kernel
                   : NULL;
}

/* Of a kernel that is looked for, and there yet. */
static bool is_wanted(
        char folder[path_size], const char *path, const struct search *search)
{
    const char *kernel = read_folder(folder, path);
    return kernel != NULL && search->is_of(search->user, folder, kernel)
           && file_is_there(path);
}

static bool look(void *user, const struct library_facts *library)
{
    struct search *search = user;
    char folder[path_size];
    if (strstr(library->path, prefix) == NULL
            || !is_wanted(folder, library->path, search)
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

/* When its intermediate code was written. */
static bool find_time(uint64_t *ns, const char *folder)
{
    char path[path_size + sizeof "/program.bc"];
    struct file_facts facts;
    (void)snprintf(path, sizeof path, "%s/program.bc", folder);
    const bool is_there = file_facts_of_link(&facts, file_here, path) == 0;
    if (is_there) *ns = facts.modified_ns;
    return is_there;
}

bool pocl_folder_is_of_time(
        const char *folder, uint64_t after_ns, uint64_t until_ns)
{
    uint64_t ns;
    return find_time(&ns, folder) && ns > after_ns && ns <= until_ns;
}

/* ---- By its time --------------------------------------------------------- */

struct parent {
    char *path;      /* of path_size bytes; "" for none yet */
    size_t drivers;  /* that have been seen: each has a place of its own */
    bool is_unclear; /* there are several */
};

static bool is_driver(const char *path)
{
    static const char name[] = "/libpocl.so";
    const char *at = strrchr(path, '/');
    return at != NULL && strncmp(at, name, sizeof name - 1) == 0;
}

/* Programs may be gone, and their files with them: the place is the same. */
static bool look_for_parent(void *user, const struct library_facts *library)
{
    struct parent *parent = user;
    char folder[path_size];
    if (is_driver(library->path) && ++parent->drivers > 1)
        parent->is_unclear = true;
    if (strstr(library->path, prefix) == NULL
            || read_folder(folder, library->path) == NULL)
        return !parent->is_unclear;
    (void)cut(folder);
    if (parent->path[0] == '\0')
        memcpy(parent->path, folder, strlen(folder) + 1);
    else if (strcmp(parent->path, folder) != 0)
        parent->is_unclear = true;
    return !parent->is_unclear;
}

/* Of all folders of programs. */
static bool find_parent(char path[path_size])
{
    struct parent parent = {.path = path};
    path[0] = '\0';
    (void)libraries_each(look_for_parent, &parent);
    return path[0] != '\0' && !parent.is_unclear;
}

bool pocl_folder_place_is_known(void)
{
    char path[path_size];
    return find_parent(path);
}

/* Has a file the time of this machine's clock, and not in whole seconds? */
static bool is_time_known(const char *path)
{
    enum { second = 1000000000 };
    struct file_facts facts;
    uint64_t mount;
    uint64_t system = 0;
    int fd;
    if (file_open(&fd, file_here, path, file_for_reading | file_no_link, 0)
            != 0)
        return false;
    const bool is_known =
            file_facts(&facts, fd) == 0
            && file_stamp_is_reliable(&mount, &system, fd, &facts, path)
            && facts.modified_ns % second != 0;
    (void)file_close(fd);
    return is_known;
}

/* The clock may have been set back by less than that behind the last write. */
#define MARGIN_NS ((uint64_t)10000000u)

struct written {
    const char *parent;
    uint64_t from_ns;
    uint64_t until_ns;
    size_t count; /* of folders that were found */
    char *path;   /* of the first */
};

static int look_when_written(void *user, const char *name)
{
    struct written *written = user;
    char folder[path_size];
    char path[path_size + sizeof "/program.bc"];
    uint64_t ns;
    if (!is_name_of_folder(name)
            || (size_t)snprintf(
                       folder, sizeof folder, "%s/%s", written->parent, name)
                       >= sizeof folder
            || !find_time(&ns, folder) || ns < written->from_ns
            || ns > written->until_ns + MARGIN_NS)
        return 0;
    (void)snprintf(path, sizeof path, "%s/program.bc", folder);
    written->count += is_time_known(path) ? 1 : 2;
    memcpy(written->path, folder, strlen(folder) + 1);
    return written->count > 1;
}

bool pocl_folder_find_written(
        char path[path_size], uint64_t from_ns, uint64_t until_ns)
{
    char parent[path_size];
    struct written written = {.parent = parent,
            .from_ns = from_ns,
            .until_ns = until_ns,
            .path = path};
    if (!find_parent(parent)) return false;
    const int error = folder_each_of(parent, look_when_written, &written);
    return error == 0 && written.count == 1;
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
