/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/driver_companions.h"

#include "src/gpu/device/kernel_library.h"
#include "src/platform/folder.h"

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
static bool has_kernel_library(const struct companion_search *search, int fd)
{
    struct file_facts facts;
    return search->kernel_library != NULL
           && file_facts_at(&facts, fd, search->kernel_library) == 0
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

/* A folder whose names with the prefix are companions. */
struct listing {
    struct driver_lines *lines;
    const struct companion_search *search;
    const char *directory;
    const char *prefix;
    bool is_chosen; /* it has the kernel library that is taken */
    struct folder_names names;
};

static void add_entry(struct listing *l, const char *name)
{
    struct driver_lines *lines = l->lines;
    char path[LOADED_PATH_SIZE + path_name_size + 1];
    if (name[0] == '.' || strncmp(name, l->prefix, strlen(l->prefix)) != 0)
        return;
    folder_names_add(&l->names, name);
    snprintf(path, sizeof path, "%s/%s", l->directory, name);
    if (!l->is_chosen
            || !add_uncounted(lines, path, name, l->search->kernel_library))
        driver_lines_add_file(lines, l->search->objects, path, name);
}

/* The folder's facts come first: a name that is added later changes them. */
static void add_folder(struct listing *l, int fd)
{
    struct driver_lines *lines = l->lines;
    struct file_facts facts;
    char *names = NULL;
    size_t size = 0;
    int error = file_facts_settled(&facts, fd, NULL);
    if (error == 0) error = folder_read_names(&names, &size, fd);
    if (error == 0) l->is_chosen = has_kernel_library(l->search, fd);
    for (size_t at = 0; at < size; at += strlen(names + at) + 1)
        add_entry(l, names + at);
    free(names);
    if (error != 0)
        driver_lines_fail(lines, l->directory, error);
    else if (lines->watch != NULL)
        identity_watch_add_folder(
                lines->watch, l->directory, l->prefix, &facts, &l->names);
}

static void add_companion(struct driver_lines *lines,
        const struct companion_search *search, const struct companion *c)
{
    char directory[LOADED_PATH_SIZE];
    int fd;
    int n = snprintf(directory, sizeof directory, "%s/%s",
            search->driver_directory, c->directory);
    /* A relative one would be another after chdir(). */
    if (n < 0 || (size_t)n >= sizeof directory || directory[0] != '/') {
        driver_lines_fail(lines, search->driver_directory, ENAMETOOLONG);
        return;
    }
    const int error = file_open(&fd, file_here, directory,
            file_for_reading | file_must_be_folder, 0);
    if (error == 0) {
        struct listing listing = {.lines = lines,
                .search = search,
                .directory = directory,
                .prefix = c->prefix};
        add_folder(&listing, fd);
        (void)file_close(fd);
    } else if (error == ENOENT || error == ENOTDIR) {
        driver_lines_watch_absent(lines, directory);
    } else {
        driver_lines_fail(lines, directory, error);
    }
}

void driver_companions_add(struct driver_lines *lines,
        const struct companion_search *search, const char *driver)
{
    for (size_t i = 0; i < sizeof companions / sizeof companions[0]; i++) {
        const struct companion *c = &companions[i];
        if (strncmp(driver, c->driver, strlen(c->driver)) == 0)
            add_companion(lines, search, c);
    }
}
