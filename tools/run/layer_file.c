/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/layer_file.h"

#include "src/platform/file.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

bool layer_file_beside(char path[path_size], const char *name)
{
    return path_beside(path, NULL, &name, 1) && file_may_be_run(path);
}

bool layer_file_find(char path[], size_t capacity, const char *wanted,
        char why[], size_t why_capacity)
{
    char resolved[path_size];
    if (wanted == NULL && !layer_place_find(resolved)) {
        (void)snprintf(why, why_capacity,
                "no " LAYER_FILE_NAME " beside this program; "
                "use --layer FILE");
        return false;
    }
    if (wanted != NULL && !path_resolve(resolved, wanted)) {
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
