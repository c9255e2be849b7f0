/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/driver_companions.h"

#include "src/gpu/device/kernel_library.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Directories are relative to the driver's own; every file there whose name
 * starts with the prefix counts. */
struct companion {
    const char *driver; /* prefix of the driver object's name */
    const char *directory;
    const char *prefix;
};

static const struct companion companions[] = {
        {"libpocl", "pocl", "libpocl-devices-"},
        {"libpocl", "../../share/pocl", ""},
        {"libpocl", "../../share/pocl/include", ""},
        {"libpocl", "../share/pocl", ""},
        {"libpocl", "../share/pocl/include", ""},
        {"libRusticlOpenCL", "gallium-pipe", "pipe_"},
        {"libRusticlOpenCL", "../clc", "spirv"},
        {"libRusticlOpenCL", "../../share/clc", "spirv"},
        {"libMesaOpenCL", "gallium-pipe", "pipe_"},
        {"libMesaOpenCL", "../clc", ""},
        {"libnvidia-opencl", ".", "libnvidia-nvvm"},
        {"libnvidia-opencl", ".", "libnvidia-ptxjitcompiler.so.1"},
        {"libnvidia-opencl", ".", "libnvidia-gpucomp.so"},
        {"libnvidia-opencl", ".", "libcuda.so.1"},
        {"libigdrcl", ".", "libigc.so"},
        {"libigdrcl", "..", "libigc.so"},
        {"libigdrcl", ".", "libigdfcl.so"},
        {"libigdrcl", "..", "libigdfcl.so"},
        {"libigdrcl", ".", "libopencl-clang.so"},
        {"libigdrcl", "..", "libopencl-clang.so"},
        {"libintelocl", ".", "libcommon_clang.so"},
        {"libintelocl", ".", "clbltfn"},
        {"libintelocl", ".", "cllibrary"},
        {"libintelocl", ".", "libocl_svml_"},
        {"libintelocl", ".", "cl.cfg"},
        {"libamdocl", ".", "libamd_comgr.so"},
        {"libamdocl", "../amdgcn/bitcode", ""},
};

/* Without the one that is taken, another one may be. */
static bool has_kernel_library(const struct companion_search *search, int fd,
        const char *names, size_t size)
{
    struct file_facts facts;
    size_t at = 0;
    if (search->kernel_library == NULL) return false;
    while (at < size && strcmp(names + at, search->kernel_library) != 0)
        at += strlen(names + at) + 1;
    return at < size && file_facts_at(&facts, fd, search->kernel_library) == 0
           && facts.kind == file_is_plain;
}

/* One that is not taken is not read, and only its name counts. */
static bool add_uncounted(struct driver_lines *lines, const char *path,
        const char *name, const char *kernel_library)
{
    const size_t before = lines->count;
    const char *why = kernel_library_uncounted(name, kernel_library);
    if (why == NULL) return false;
    if (driver_lines_add(lines, name, "name", NULL, 0) != NULL)
        lines->list[before].uncounted = why;
    driver_lines_set_path(lines, before, path);
    return true;
}

/* A folder that may have companions: several kinds of them are in one. */
struct folder {
    const char *below; /* as in the table */
    char path[LOADED_PATH_SIZE];
    int error;               /* why there are no names; an errno value */
    bool is_absent;          /* for it is not there */
    struct file_facts facts; /* settled, of before the names were read */
    char *names;             /* owned, with a NUL each */
    size_t size;
    bool is_chosen; /* it has the kernel library that is taken */
};

enum { most_folders = sizeof companions / sizeof companions[0] };

struct folders {
    const struct companion_search *search;
    size_t count;
    struct folder *list[most_folders]; /* owned */
};

/* The folder's facts come first: a name that is added later changes them. */
static int read_names(struct folder *folder,
        const struct companion_search *search, struct file_systems *systems,
        int fd)
{
    const int error = folder_names_settled(
            &folder->facts, &folder->names, &folder->size, fd);
    if (error == 0) file_systems_note(systems, fd, &folder->facts);
    if (error == 0)
        folder->is_chosen =
                has_kernel_library(search, fd, folder->names, folder->size);
    return error;
}

/* False: it is too long, or relative: another one after chdir(). */
static bool make_path(
        struct folder *folder, const struct companion_search *search)
{
    const int n = snprintf(folder->path, sizeof folder->path, "%s/%s",
            search->driver_directory, folder->below);
    return n > 0 && (size_t)n < sizeof folder->path && folder->path[0] == '/';
}

static int read_folder(struct folder *folder,
        const struct companion_search *search, struct file_systems *systems)
{
    int fd;
    if (!make_path(folder, search)) return ENAMETOOLONG;
    int error = file_open(&fd, file_here, folder->path,
            file_for_reading | file_must_be_folder, 0);
    if (error == 0) {
        error = read_names(folder, search, systems, fd);
        (void)file_close(fd);
    }
    return error;
}

static bool is_below_absent(const struct folders *folders, const char *below)
{
    for (size_t i = 0; i < folders->count; i++) {
        const struct folder *folder = folders->list[i];
        const size_t size = strlen(folder->below);
        if (folder->is_absent && strncmp(below, folder->below, size) == 0
                && below[size] == '/')
            return true;
    }
    return false;
}

/* NULL: memory ran out. */
static const struct folder *find_folder(struct folders *folders,
        struct file_systems *systems, const char *below)
{
    for (size_t i = 0; i < folders->count; i++)
        if (strcmp(folders->list[i]->below, below) == 0)
            return folders->list[i];
    struct folder *folder = calloc(1, sizeof *folder);
    if (folder == NULL) return NULL;
    folder->below = below;
    folder->is_absent = is_below_absent(folders, below)
                        && make_path(folder, folders->search);
    if (!folder->is_absent) {
        folder->error = read_folder(folder, folders->search, systems);
        folder->is_absent =
                (folder->error == ENOENT || folder->error == ENOTDIR)
                && file_search_lacks(folder->path);
    }
    folders->list[folders->count++] = folder;
    return folder;
}

static void folders_fini(struct folders *folders)
{
    for (size_t i = 0; i < folders->count; i++) {
        free(folders->list[i]->names);
        free(folders->list[i]);
    }
}

/* The names with the prefix are companions. */
static void add_names(struct driver_lines *lines,
        const struct companion_search *search, const struct folder *folder,
        const char *prefix)
{
    struct folder_names names = {0, 0};
    char path[LOADED_PATH_SIZE + path_name_size + 1];
    for (size_t at = 0; at < folder->size;
            at += strlen(folder->names + at) + 1) {
        const char *name = folder->names + at;
        if (name[0] == '.' || strncmp(name, prefix, strlen(prefix)) != 0)
            continue;
        folder_names_add(&names, name);
        snprintf(path, sizeof path, "%s/%s", folder->path, name);
        if (!folder->is_chosen
                || !add_uncounted(lines, path, name, search->kernel_library))
            driver_lines_add_file(lines, search->objects, path, name);
    }
    if (lines->watch != NULL)
        identity_watch_add_folder(
                lines->watch, folder->path, prefix, &folder->facts, &names);
}

static void add_companion(struct driver_lines *lines, struct folders *folders,
        const struct companion *c)
{
    const struct companion_search *search = folders->search;
    const struct folder *folder =
            find_folder(folders, &lines->systems, c->directory);
    if (folder == NULL)
        driver_lines_fail(lines, search->driver_directory, ENOMEM);
    else if (folder->is_absent)
        driver_lines_watch_absent(lines, folder->path);
    else if (folder->error == 0)
        add_names(lines, search, folder, c->prefix);
    else if (folder->error == ENOTDIR) /* and something has its name */
        driver_lines_watch_unfit(lines, folder->path);
    else
        driver_lines_fail(lines, folder->path, folder->error);
}

void driver_companions_add(struct driver_lines *lines,
        const struct companion_search *search, const char *driver)
{
    struct folders folders = {.search = search};
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++) {
        const struct companion *c = &companions[i];
        if (strncmp(driver, c->driver, strlen(c->driver)) == 0)
            add_companion(lines, &folders, c);
    }
    folders_fini(&folders);
}
