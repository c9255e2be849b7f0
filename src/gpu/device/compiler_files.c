/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/compiler_files.h"

#include "src/gpu/device/environment.h"
#include "src/gpu/device/linker_files.h"
#include "src/gpu/device/program_files.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

/* The folder of an object's file, whatever links lead there; "": not known. */
static void folder_of(const struct file_search *search,
        const struct loaded_object *object, char folder[FILE_SEARCH_PATH_SIZE])
{
    folder[0] = '\0';
    if (object == NULL || object->path_is_cut || object->path[0] != '/') return;
    char *real = realpath(object->path, NULL);
    if (real == NULL && errno != ENOENT && errno != ENOTDIR) {
        search->failed(search->user, object->path, errno);
        return;
    }
    /* Without one it was removed meanwhile. */
    const char *path = real != NULL ? real : object->path;
    const size_t size = (size_t)(strrchr(path, '/') - path);
    if (size < FILE_SEARCH_PATH_SIZE) {
        memcpy(folder, path, size);
        folder[size] = '\0';
    }
    free(real);
}

/* An object that the driver links and whose name begins so; NULL: none. */
static const struct loaded_object *find_linked(
        const struct loaded_objects *objects, const char *prefix)
{
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].wanted
                && strncmp(loaded_object_name(&objects->list[i]), prefix,
                           strlen(prefix))
                           == 0)
            return &objects->list[i];
    return NULL;
}

/* The object that has clang inside: the driver, if it is linked into that. */
static const struct loaded_object *find_clang(
        const struct loaded_objects *objects,
        const struct loaded_object *driver)
{
    const struct loaded_object *clang = find_linked(objects, "libclang-cpp");
    if (clang == NULL) clang = find_linked(objects, "libLLVM");
    return clang != NULL ? clang : driver;
}

/* ---- clang's own headers --------------------------------------------------
 */

/* Where a clang has them, relative to the folder of its library, and in
 * distributions that put them elsewhere; each has a folder for a version. */
static const char *const header_folders[] = {
        "clang", "../lib/clang", "/usr/lib/clang", "/usr/lib64/clang"};
static const char *const headers[] = {"opencl-c-base.h", "opencl-c.h"};

struct clang_headers {
    size_t place;        /* in header_folders */
    const char *version; /* in the library's name; "": any */
};

/* Is "15.0.6" a folder of version "15"? */
static bool is_version(const char *name, const char *version)
{
    const size_t size = strspn(version, "0123456789");
    return isdigit((unsigned char)name[0])
           && (size == 0
                   || (strncmp(name, version, size) == 0
                           && !isdigit((unsigned char)name[size])));
}

static void find_headers_of_version(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    const struct clang_headers *of = user;
    char path[FILE_SEARCH_PATH_SIZE];
    char file[128];
    char label[128];
    if (!is_version(name, of->version)
            || !file_search_join(search, path, folder, name))
        return;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        snprintf(file, sizeof file, "include/%s", headers[i]);
        snprintf(label, sizeof label, "clang-%zu-%.40s/%s", of->place, name,
                headers[i]);
        (void)file_search_try(search, path, file, label);
    }
}

static void find_clang_headers(
        const struct file_search *search, const struct loaded_object *clang)
{
    char beside[FILE_SEARCH_PATH_SIZE];
    char path[FILE_SEARCH_PATH_SIZE];
    const char *name = loaded_object_name(clang);
    const char *digits = strpbrk(name, "0123456789");
    struct clang_headers of = {0, digits != NULL ? digits : ""};
    folder_of(search, clang, beside);
    for (; of.place < sizeof header_folders / sizeof *header_folders;
            of.place++) {
        const char *folder = header_folders[of.place];
        if (folder[0] != '/') {
            if (beside[0] == '\0'
                    || !file_search_join(search, path, beside, folder))
                continue;
            folder = path;
        }
        file_search_entries(search, folder, "", find_headers_of_version, &of);
    }
}

/* ---- Drivers --------------------------------------------------------------
 */

/* Mesa has clang read its headers, and libclc's code. */
static void find_code_of_libclc(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    char label[128];
    (void)user;
    snprintf(label, sizeof label, "libclc/%.100s", name);
    (void)file_search_try(search, folder, name, label);
}

static void find_mesa(const struct file_search *search,
        const struct loaded_objects *objects,
        const struct loaded_object *driver)
{
    static const char *const folders[] = {"/usr/share/clc", "/usr/lib/clc",
            "/usr/lib64/clc", "/usr/libexec/clc"};
    find_clang_headers(search, find_clang(objects, driver));
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        file_search_entries(
                search, folders[i], "spirv", find_code_of_libclc, NULL);
}

static void find_precompiled_header(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    const char *group = user;
    const size_t size = strlen(name);
    char label[128];
    if (size < 4
            || (strcmp(name + size - 4, ".pch") != 0
                    && strcmp(name + size - 2, ".h") != 0))
        return;
    snprintf(label, sizeof label, "%s/%.80s", group, name);
    (void)file_search_try(search, folder, name, label);
}

static void find_versions_precompiled_headers(const struct file_search *search,
        const char *folder, const char *name, void *user)
{
    char path[FILE_SEARCH_PATH_SIZE];
    if (file_search_join(search, path, folder, name))
        file_search_entries(
                search, path, "opencl-c", find_precompiled_header, user);
}

static void find_precompiled_headers_beside(
        const struct file_search *search, const struct loaded_object *library)
{
    static const char *const folders[] = {
            ".", "../include/oclgrind", "../share/oclgrind"};
    static char group[] = "library";
    char folder[FILE_SEARCH_PATH_SIZE];
    char path[FILE_SEARCH_PATH_SIZE];
    folder_of(search, library, folder);
    if (folder[0] == '\0') return;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (file_search_join(search, path, folder, folders[i]))
            file_search_entries(
                    search, path, "opencl-c", find_precompiled_header, group);
    if (file_search_join(search, path, folder, "oclgrind")
            && file_search_has_folder(search, path))
        file_search_entries(
                search, path, "", find_versions_precompiled_headers, group);
}

/* Oclgrind parses each source after a precompiled header, if there is one, and
 * reads headers beside it. */
static void find_oclgrind(const struct file_search *search,
        const struct loaded_objects *objects,
        const struct loaded_object *driver)
{
    static char group[] = "OCLGRIND_PCH_DIR";
    const char *chosen = getenv(group);
    (void)driver;
    if (chosen != NULL && chosen[0] != '/')
        search->failed(search->user, group, ESTALE);
    else if (chosen != NULL)
        file_search_entries(search, chosen, "", find_precompiled_header, group);
    for (size_t i = 0; i < objects->count; i++)
        if (objects->list[i].wanted
                && strncmp(loaded_object_name(&objects->list[i]), "liboclgrind",
                           11)
                           == 0)
            find_precompiled_headers_beside(search, &objects->list[i]);
}

/* POCL_PATH_CLANG and others: programs in place of those that PoCL was built
 * to start. */
static void find_chosen_programs(const struct file_search *search)
{
    static const char family[] = "POCL_PATH_";
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++) {
        const char *path = strchr(*entry, '=');
        if (path == NULL || strncmp(*entry, family, strlen(family)) != 0
                || *++path == '\0')
            continue;
        char label[128];
        snprintf(label, sizeof label, "%.*s", (int)(path - *entry - 1) % 100,
                *entry);
        if (path[0] != '/')
            search->failed(search->user, label, ESTALE);
        else if (file_search_try(search, "", path + 1, label))
            program_files_find_linked(search, path);
    }
}

/* PoCL links machine code with a linker of the system. */
static void find_pocl(const struct file_search *search,
        const struct loaded_objects *objects,
        const struct loaded_object *driver)
{
    char compiler[FILE_SEARCH_PATH_SIZE];
    char libc[FILE_SEARCH_PATH_SIZE];
    environment_watch_tools();
    folder_of(search, find_clang(objects, driver), compiler);
    folder_of(search, find_linked(objects, "libc."), libc);
    if (libc[0] == '\0') folder_of(search, driver, libc);
    if (compiler[0] == '\0' || libc[0] == '\0') {
        search->failed(search->user, "its linker", ENOENT);
        return;
    }
    linker_files_find(search, compiler, libc);
    find_chosen_programs(search);
}

static const struct driver {
    const char *prefix; /* of its object's name */
    void (*find)(const struct file_search *search,
            const struct loaded_objects *objects,
            const struct loaded_object *driver);
} drivers[] = {
        {"libMesaOpenCL", find_mesa},
        {"libRusticlOpenCL", find_mesa},
        {"liboclgrind", find_oclgrind},
        {"libpocl", find_pocl},
};

void compiler_files_find(const struct file_search *search,
        const struct loaded_objects *objects,
        const struct loaded_object *driver)
{
    const char *name = loaded_object_name(driver);
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++)
        if (strncmp(name, drivers[i].prefix, strlen(drivers[i].prefix)) == 0)
            drivers[i].find(search, objects, driver);
}
