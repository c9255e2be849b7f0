/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/layer_file.h"

#include "src/platform/file.h"

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
    const char *error;
    void (*unused)(void);
    struct library *library = library_open_lazily(path, &error);
    if (library == NULL) {
        (void)snprintf(why, why_capacity, "%s", error);
        return false;
    }
    /* It stays loaded; the command takes this process over. */
    if (library_find(library, "clInitLayer", &unused)
            && library_find(library, "clGetLayerInfo", &unused))
        return true;
    (void)snprintf(why, why_capacity, "%s: not an OpenCL layer", path);
    return false;
}

enum place layer_file_ask_place(
        const char *path, char why[], size_t why_capacity)
{
    int (*ask)(char *, size_t);
    why[0] = '\0';
    struct library *library = library_open_loaded(path);
    return library != NULL && library_find(library, PLACE_CHECK_NAME, &ask)
                   ? (enum place)ask(why, why_capacity)
                   : place_usable;
}
