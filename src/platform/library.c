/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/library.h"

#include "src/platform/file.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

_Static_assert(path_size >= PATH_MAX && path_name_size > NAME_MAX,
        "what the system calls a path, and a name");

static void *open_with(const char *path, int flags, const char **why)
{
    void *library = dlopen(path, flags);
    if (library == NULL) {
        const char *error = dlerror();
        if (why != NULL) *why = error != NULL ? error : "no reason was given";
    }
    return library;
}

struct library *library_open(const char *path, bool keep, const char **why)
{
    return open_with(
            path, RTLD_NOW | RTLD_LOCAL | (keep ? RTLD_NODELETE : 0), why);
}

struct library *library_open_lazily(const char *path, const char **why)
{
    return open_with(path, RTLD_LAZY | RTLD_LOCAL, why);
}

struct library *library_open_loaded(const char *path)
{
    return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

void library_close(struct library *library)
{
    if (library != NULL) (void)dlclose(library);
}

bool library_find(struct library *library, const char *symbol, void *pointer)
{
    void *found =
            dlsym(library != NULL ? (void *)library : RTLD_DEFAULT, symbol);
    if (found != NULL) memcpy(pointer, &found, sizeof found);
    return found != NULL;
}

bool library_path(char path[path_size], struct library *library)
{
    const struct link_map *map = NULL;
    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0
           && realpath(map->l_name, path) != NULL;
}

struct wanted {
    ElfW(Addr) address;
    const char *name;
};

static bool holds(const struct dl_phdr_info *object, ElfW(Addr) address)
{
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD
                && address - object->dlpi_addr - part->p_vaddr < part->p_memsz)
            return true;
    }
    return false;
}

static int take_name(struct dl_phdr_info *object, size_t size, void *user)
{
    struct wanted *wanted = user;
    (void)size;
    if (!holds(object, wanted->address)) return 0;
    wanted->name = object->dlpi_name;
    return 1;
}

/* The name by which it was loaded, "" for the program; NULL: nothing has that
 * address. */
static const char *loaded_name(const void *address)
{
    struct wanted wanted = {(ElfW(Addr))address, NULL};
    (void)dl_iterate_phdr(take_name, &wanted);
    return wanted.name;
}

bool library_file_of(char path[path_size], const void *address)
{
    const char *name = loaded_name(address);
    if (name == NULL) return false;
    if (name[0] == '\0') return path_of_program(path);
    if (name[0] != '/' || strlen(name) >= path_size) return false;
    strcpy(path, name);
    return true;
}

bool library_keep(const void *address)
{
    const char *name = loaded_name(address);
    /* The program itself stays. */
    return name != NULL
           && (name[0] == '\0'
                   || dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
                              != NULL);
}

bool path_resolve(char resolved[path_size], const char *path)
{
    return realpath(path, resolved) != NULL;
}

char *path_absolute(const char *path)
{
    return realpath(path, NULL);
}

bool path_of_program(char path[path_size])
{
    const ssize_t size = readlink("/proc/self/exe", path, path_size - 1);
    if (size > 0) {
        path[size] = '\0';
        return true;
    }
    const char *told = (const char *)getauxval(AT_EXECFN);
    return told != NULL
           && (size_t)snprintf(path, path_size, "%s", told) < path_size;
}

int program_open(int *fd)
{
    return file_open(fd, file_here, "/proc/self/exe", file_for_reading, 0);
}

/* Of a program that has the library inside this may be its name alone. */
static bool folder_of(char folder[path_size], const void *address)
{
    Dl_info info;
    char *slash;
    if (address == NULL) {
        if (!path_of_program(folder)) return false;
    } else if (dladdr(address, &info) == 0 || info.dli_fname == NULL
               || realpath(strchr(info.dli_fname, '/') != NULL
                                   ? info.dli_fname
                                   : "/proc/self/exe",
                          folder)
                          == NULL) {
        return false;
    }
    slash = strrchr(folder, '/');
    if (slash != NULL) *slash = '\0';
    return slash != NULL;
}

bool path_beside(char path[path_size], const void *address,
        const char *const *places, size_t count)
{
    char folder[path_size];
    char candidate[2 * path_size];
    if (!folder_of(folder, address)) return false;
    for (size_t i = 0; i < count; i++) {
        const int n =
                places[i][0] == '/'
                        ? snprintf(candidate, sizeof candidate, "%s", places[i])
                        : snprintf(candidate, sizeof candidate, "%s/%s", folder,
                                places[i]);
        if (n > 0 && (size_t)n < sizeof candidate
                && realpath(candidate, path) != NULL)
            return true;
    }
    return false;
}

bool path_working(char path[path_size])
{
    return getcwd(path, path_size) != NULL;
}

char *path_from_root(const char *path)
{
    char *working = path[0] != '/' ? getcwd(NULL, 0) : strdup("");
    if (working == NULL) return NULL;
    const size_t size = strlen(working) + strlen(path) + 2;
    char *joined = malloc(size);
    if (joined != NULL)
        (void)snprintf(joined, size, "%s%s%s", working,
                path[0] != '/' ? "/" : "", path);
    free(working);
    return joined;
}

bool path_set_working(const char *path)
{
    return chdir(path) == 0;
}
