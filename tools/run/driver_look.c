/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/driver_look.h"

#include "src/platform/environment.h"
#include "src/platform/file.h"
#include "src/platform/folder.h"
#include "src/platform/library.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint64_t add(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

enum { variable_seed = 0x9dc5, file_seed = 0x2325, name_seed = 0x811c };

/* ---- Variables ----------------------------------------------------------- */

/* Which loader and which drivers, and those of docs/how_it_works/identity.md by
 * what their names begin with. More than is needed costs a look at the
 * programs' IDs. */
static bool decides(const char *variable)
{
    /* These change no ID, and may be others at each start. */
    static const char *const others[] = {"OPENCL_LAYERS=", "POCL_CACHE_DIR=",
            "POCL_DEBUG=", "POCL_KERNEL_CACHE="};
    static const char *const names[] = {"OPENCL_", "OCL_ICD_", "OCLGRIND_",
            "OCLBACKEND_", "LD_", "POCL_", "CL_CONFIG_", "CUDA_", "NVCL_",
            "NVVM", "AMD_OCL_", "IGC_", "RUSTICL_", "MESA_", "GALLIUM_",
            "GALLIVM_", "LP_", "NIR_", "LLVM_",
            "GNUTARGET=", "ICX_S2O=", "DISABLE_INFER_AS=", "LDEMULATION=",
            "NO_OVERRIDE_CLANG_VERSION=", "SOURCE_DATE_EPOCH="};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(variable, others[i], strlen(others[i])) == 0) return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* In any order: a program may sort its environment anew. */
static uint64_t look_at_variables(void)
{
    uint64_t sum = 0;
    for (char *const *entry = environment_all();
            entry != NULL && *entry != NULL; entry++)
        if (decides(*entry)) sum += add(variable_seed, *entry, strlen(*entry));
    return sum;
}

/* ---- Files --------------------------------------------------------------- */

static uint64_t look_at_file(const char *path)
{
    struct file_facts facts;
    uint64_t hash = add(file_seed, path, strlen(path));
    if (file_facts_at(&facts, file_here, path) != 0) return hash;
    const uint64_t told[] = {facts.device, facts.number, facts.size,
            facts.modified_ns, facts.changed_ns};
    return add(hash, told, sizeof told);
}

/* The folder changes when a file in it is replaced, as packages do it. */
static uint64_t look_at_library(const char *path)
{
    char resolved[path_size];
    if (path[0] != '/' || !path_resolve(resolved, path))
        return add(name_seed, path, strlen(path));
    uint64_t sum = look_at_file(resolved);
    char *slash = strrchr(resolved, '/');
    if (slash != NULL && slash != resolved) *slash = '\0';
    return sum + look_at_file(resolved);
}

struct vendors {
    const char *folder;
    uint64_t sum;
};

/* A registered driver: its file has the library's name or path in a line. */
static int add_vendor(void *user, const char *name)
{
    struct vendors *vendors = user;
    char path[path_size];
    char library[path_size];
    size_t size = 0;
    int fd = file_none;
    if (snprintf(path, sizeof path, "%s/%s", vendors->folder, name)
            >= (int)sizeof path)
        return 0;
    vendors->sum += look_at_file(path);
    if (file_open(&fd, file_here, path, file_for_reading | file_no_wait, 0)
            == 0)
        (void)file_read_some(&size, fd, library, sizeof library - 1);
    (void)file_close(fd);
    library[size] = '\0';
    library[strcspn(library, " \t\r\n")] = '\0';
    if (size > 0) vendors->sum += look_at_library(library);
    return 0;
}

static uint64_t look_at_vendors(const char *folder)
{
    struct vendors vendors = {folder, 0};
    if (folder_each_of(folder, add_vendor, &vendors) != 0)
        vendors.sum += look_at_library(folder); /* one file */
    return vendors.sum;
}

/* Loaders differ in which variable comes first, and in what they add to it. */
static uint64_t look_at_registered(void)
{
    static const char *const variables[] = {
            "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"};
    uint64_t sum = 0;
    bool is_set = false;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *folder = getenv(variables[i]);
        if (folder == NULL || folder[0] == '\0') continue;
        sum += look_at_vendors(folder);
        is_set = true;
    }
    return is_set ? sum : look_at_vendors("/etc/OpenCL/vendors");
}

/* Each part of a list of paths. */
static uint64_t look_at_all(const char *list, const char *separators,
        uint64_t (*look)(const char *path))
{
    char path[path_size];
    uint64_t sum = 0;
    while (list != NULL && *list != '\0') {
        const size_t size = strcspn(list, separators);
        if (size > 0
                && snprintf(path, sizeof path, "%.*s", (int)size, list)
                           < (int)sizeof path)
            sum += look(path);
        list += size;
        if (*list != '\0') list++;
    }
    return sum;
}

static uint64_t look_at_folders(void)
{
    static const char *const usual[] = {"/etc/ld.so.cache", "/lib64",
            "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
            ("/usr/lib/" DNNL_CACHE_MULTIARCH)};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        sum += look_at_file(usual[i]);
    return sum + look_at_all(getenv("LD_LIBRARY_PATH"), ":;", look_at_file);
}

uint64_t driver_look(void)
{
    /* Drivers that are named besides those that are registered. */
    const uint64_t named =
            look_at_all(getenv("OCL_ICD_FILENAMES"), ":", look_at_library);
    const uint64_t sum = look_at_variables() + look_at_registered() + named
                         + look_at_folders();
    return sum != 0 ? sum : 1;
}
