/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/remote/thread/remote_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

enum { path_size = 4096 };

/* The file that this code is in. False: not known from the root on; neither the
 * working directory nor what a program was started as chooses a module. */
static bool find_own_file(char path[path_size])
{
    Dl_info info;
    void *found = NULL;
    if (dladdr1((void *)(uintptr_t)remote_module_find, &info, &found,
                RTLD_DL_LINKMAP)
                    == 0
            || found == NULL)
        return false;
    const struct link_map *map = found;
    if (map->l_name[0] == '\0') { /* the program itself */
        const ssize_t size = readlink("/proc/self/exe", path, path_size - 1);
        path[size > 0 ? size : 0] = '\0';
    } else {
        (void)snprintf(path, path_size, "%s", map->l_name);
    }
    return path[0] == '/';
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
static void *open_beside(const char *file, const char *folder)
{
    char own[path_size];
    char path[path_size];
    if (!find_own_file(own)) return NULL;
    *strrchr(own, '/') = '\0';
    const int size = snprintf(path, sizeof path, "%s/%s%s", own, folder, file);
    if (size < 0 || (size_t)size >= sizeof path) return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static void *open_module(const char *file)
{
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        void *module = open_beside(file, folders[i]);
        if (module != NULL) return module;
    }
    return dlopen(file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
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
