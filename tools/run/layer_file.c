/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/layer_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the folder of programs to that of libraries: in a build, as it is
 * installed, and in packages, which have a folder for what is only loaded. */
static const char *const folders[] = {
        "../lib",
        DNNL_CACHE_RUN_TO_LIB,
        DNNL_CACHE_RUN_TO_LIB "/dnnl_cache",
        "../lib/" DNNL_CACHE_MULTIARCH "/dnnl_cache",
};

/* The folder of this program, without a slash at its end. */
static bool find_own_folder(char folder[PATH_MAX])
{
    const ssize_t size = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    char *slash;
    if (size <= 0) return false;
    folder[size] = '\0';
    slash = strrchr(folder, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    return true;
}

bool layer_file_beside(char path[PATH_MAX], const char *name)
{
    char folder[PATH_MAX];
    return find_own_folder(folder)
           && (size_t)snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX
           && access(path, X_OK) == 0;
}

static bool find_beside(char resolved[PATH_MAX])
{
    char folder[PATH_MAX];
    char candidate[2 * PATH_MAX];
    if (!find_own_folder(folder)) return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(candidate, sizeof candidate, "%s/%s/" LAYER_FILE_NAME,
                folder, folders[i]);
        if (realpath(candidate, resolved) != NULL) return true;
    }
    return false;
}

bool layer_file_find(char path[], size_t capacity, const char *wanted,
        char why[], size_t why_capacity)
{
    char resolved[PATH_MAX];
    if (wanted == NULL && !find_beside(resolved)) {
        (void)snprintf(why, why_capacity,
                "no " LAYER_FILE_NAME " beside this program; "
                "use --layer FILE");
        return false;
    }
    if (wanted != NULL && realpath(wanted, resolved) == NULL) {
        (void)snprintf(why, why_capacity, "%s: %s", wanted, strerror(errno));
        return false;
    }
    if (strchr(resolved, ':') != NULL) {
        (void)snprintf(why, why_capacity,
                "%s: OPENCL_LAYERS cannot name a file with a \":\"", resolved);
        return false;
    }
    if (strlen(resolved) >= capacity) {
        (void)snprintf(why, why_capacity, "%s: too long", resolved);
        return false;
    }
    strcpy(path, resolved);
    return true;
}

bool layer_file_check(const char *path, char why[], size_t why_capacity)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        (void)snprintf(why, why_capacity, "%s", dlerror());
        return false;
    }
    /* It stays loaded; the command takes this process over. */
    if (dlsym(library, "clInitLayer") != NULL
            && dlsym(library, "clGetLayerInfo") != NULL)
        return true;
    (void)snprintf(why, why_capacity, "%s: not an OpenCL layer", path);
    return false;
}

enum place layer_file_ask_place(
        const char *path, char why[], size_t why_capacity)
{
    int (*ask)(char *, size_t) = NULL;
    why[0] = '\0';
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    if (library != NULL) *(void **)&ask = dlsym(library, PLACE_CHECK_NAME);
    return ask != NULL ? (enum place)ask(why, why_capacity) : place_usable;
}
