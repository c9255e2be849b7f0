/* SPDX-License-Identifier: Apache-2.0 */
#include "remote_internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A file in the folder of this code, or in a folder beside it: that of a
 * program is bin, that of the module lib. NULL: not there. */
static void *open_beside(const char *file, const char *folder)
{
    Dl_info info;
    char path[4096];
    if (dladdr((void *)(uintptr_t)remote_module_find, &info) == 0
            || info.dli_fname == NULL)
        return NULL;
    const char *end = strrchr(info.dli_fname, '/');
    if (end == NULL) return NULL;
    const int size = snprintf(path, sizeof path, "%.*s/%s%s",
            (int)(end - info.dli_fname), info.dli_fname, folder, file);
    if (size < 0 || (size_t)size >= sizeof path) return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *open_module(const char *file)
{
    void *module = open_beside(file, "");
    if (module == NULL) module = open_beside(file, DNNL_CACHE_LIB_FROM_BIN "/");
    if (module == NULL)
        module = dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    return module;
}

int remote_module_find(const struct remote_transport_class **transport,
        enum remote_scheme scheme, char why[remote_why_size])
{
    const char *file = file_of(scheme);
    if (file == NULL) {
        snprintf(why, remote_why_size, "no such scheme");
        return EINVAL;
    }
    void *handle = open_module(file);
    if (handle == NULL) {
        const char *error = dlerror();
        snprintf(why, remote_why_size, "%s cannot be loaded: %s", file,
                error != NULL ? error : "unknown error");
        return ENOENT;
    }
    const struct remote_module *module = dlsym(handle, REMOTE_MODULE_SYMBOL);
    if (module == NULL || module->version != remote_interface_version
            || module->request_size != sizeof(struct remote_request)
            || module->url_size != sizeof(struct remote_url)) {
        snprintf(why, remote_why_size, "%s is of another version", file);
        return ENOEXEC;
    }
    *transport = module->transport;
    return 0;
}
