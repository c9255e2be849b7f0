/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/beside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From the folder of programs to that of libraries: in a build, as it is
 * installed, and in packages, which have a folder for what is only loaded. */
static const char *const folders[] = {
        "../lib",
        DNNL_CACHE_TOOLS_TO_LIB,
        DNNL_CACHE_TOOLS_TO_LIB "/dnnl_cache",
        "../lib/" DNNL_CACHE_MULTIARCH "/dnnl_cache",
};

/* The folder of this program, without a slash at its end. */
static bool find_own_folder(char folder[PATH_MAX])
{
    const ssize_t size = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (size <= 0) return false;
    folder[size] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    return true;
}

bool beside_find_library(char path[], size_t capacity, const char *name)
{
    char folder[PATH_MAX];
    char candidate[2 * PATH_MAX];
    char resolved[PATH_MAX];
    if (!find_own_folder(folder)) return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(candidate, sizeof candidate, "%s/%s/%s", folder,
                folders[i], name);
        if (realpath(candidate, resolved) == NULL) continue;
        if (strlen(resolved) >= capacity) return false;
        strcpy(path, resolved);
        return true;
    }
    return false;
}
