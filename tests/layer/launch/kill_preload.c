/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: the process is killed at the call number KILL_AT of those with
 * which the layer puts files into a driver's folder, and takes them out. Before
 * the call, or, with KILL_AFTER, after it.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int calls;

static bool is_ours(const char *path)
{
    return strstr(path, "stand_in") != NULL || strstr(path, "0-0-0") != NULL;
}

static void count(const char *path, bool is_after)
{
    const char *at = getenv("KILL_AT");
    if (at == NULL || !is_ours(path)) return;
    if (is_after != (getenv("KILL_AFTER") != NULL)) return;
    if (atomic_fetch_add(&calls, 1) + 1 == atoi(at)) raise(SIGKILL);
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

/* A loader has a layer look for functions in what the layer links first. */
void *dlopen(const char *path, int flags)
{
    void *(*real)(const char *, int);
    void *function = next("dlopen");
    memcpy(&real, &function, sizeof real);
    if (path != NULL && strstr(path, "dnnl_cache_layer") != NULL)
        flags &= ~RTLD_DEEPBIND;
    return real(path, flags);
}

int openat(int folder, const char *path, int flags, ...)
{
    int (*real)(int, const char *, int, ...);
    void *function = next("openat");
    va_list arguments;
    mode_t mode = 0;
    va_start(arguments, flags);
    if ((flags & O_CREAT) != 0) mode = va_arg(arguments, mode_t);
    va_end(arguments);
    memcpy(&real, &function, sizeof real);
    count(path, false);
    const int fd = real(folder, path, flags, mode);
    count(path, true);
    return fd;
}

int mkdirat(int folder, const char *path, mode_t mode)
{
    int (*real)(int, const char *, mode_t);
    void *function = next("mkdirat");
    memcpy(&real, &function, sizeof real);
    count(path, false);
    const int result = real(folder, path, mode);
    count(path, true);
    return result;
}

int unlinkat(int folder, const char *path, int flags)
{
    int (*real)(int, const char *, int);
    void *function = next("unlinkat");
    memcpy(&real, &function, sizeof real);
    count(path, false);
    const int result = real(folder, path, flags);
    count(path, true);
    return result;
}
