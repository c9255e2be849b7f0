/* SPDX-License-Identifier: Apache-2.0 */
/* Where the program is that compiles in processes of its own. */
#include "model/api/model.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* From the folder of this library: as installed, in a package of a system that
 * has a folder for each processor in lib/, and as built. */
static const char *const places[] = {DNNL_CACHE_MODEL_HELPER,
        "../libexec/dnnl_cache/model_compile",
        "../../libexec/dnnl_cache/model_compile",
        "libexec/dnnl_cache/model_compile"};

void model_find_helper(size_t size, char *path)
{
    Dl_info info;
    path[0] = '\0';
    if (dladdr(places, &info) == 0 || info.dli_fname == NULL) return;
    const char *slash = strrchr(info.dli_fname, '/');
    const int folder = slash != NULL ? (int)(slash - info.dli_fname) : 1;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const int n = places[i][0] == '/'
                              ? snprintf(path, size, "%s", places[i])
                              : snprintf(path, size, "%.*s/%s", folder,
                                      slash != NULL ? info.dli_fname : ".",
                                      places[i]);
        if (n > 0 && (size_t)n < size && access(path, X_OK) == 0) return;
    }
    path[0] = '\0';
}
