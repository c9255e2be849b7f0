/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_module.h"

#include "src/platform/library.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *file_of(enum remote_scheme scheme)
{
    switch (scheme) {
    case remote_scheme_http:
    case remote_scheme_https:
        return "libdnnl_cache_http.so";
    case remote_scheme_redis:
    case remote_scheme_unix:
        return "libdnnl_cache_redis.so";
    }
    return NULL;
}

/* Where a module is, from the folder of this code: that of a library or of a
 * program. Packages have a folder of their own for modules, and one of
 * libraries for each architecture. */
static const char *const folders[] = {
        "",
        "dnnl_cache/",
        DNNL_CACHE_LIB_FROM_BIN "/",
        DNNL_CACHE_LIB_FROM_BIN "/dnnl_cache/",
        DNNL_CACHE_LIB_FROM_BIN "/" DNNL_CACHE_MULTIARCH "/dnnl_cache/",
};

/* A file in a folder beside this code. NULL: not there. */
static struct library *open_beside(const char *file, const char *folder)
{
    char own[path_size];
    char path[path_size];
    if (!library_file_of(own, (const void *)(uintptr_t)remote_module_find))
        return NULL;
    *strrchr(own, '/') = '\0';
    const int size = snprintf(path, sizeof path, "%s/%s%s", own, folder, file);
    if (size < 0 || (size_t)size >= sizeof path) return NULL;
    return library_open(path, true, NULL);
}

static struct library *open_module(const char *file, const char **error)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        struct library *module = open_beside(file, folders[i]);
        if (module != NULL) return module;
    }
    return library_open(file, true, error);
}

int remote_module_find(const struct remote_transport_calls **transport,
        enum remote_scheme scheme, char why[remote_why_size])
{
    const char *file = file_of(scheme);
    if (file == NULL) {
        snprintf(why, remote_why_size, "no such scheme");
        return EINVAL;
    }
    const char *error = NULL;
    struct library *library = open_module(file, &error);
    if (library == NULL) {
        snprintf(why, remote_why_size, "%s cannot be loaded: %s", file, error);
        return ENOENT;
    }
    const struct remote_module *module;
    if (!library_find(library, REMOTE_MODULE_SYMBOL, &module)
            || module->version != remote_interface_version
            || module->request_size != sizeof(struct remote_request)
            || module->url_size != sizeof(struct remote_url)) {
        snprintf(why, remote_why_size, "%s is of another version", file);
        return ENOEXEC;
    }
    *transport = module->transport;
    return 0;
}
