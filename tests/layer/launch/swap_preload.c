/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded: an error that a campaign must find. Where the driver reads a
 * kernel's function of one class of launches, to put it into a binary, it reads
 * the one of another size. Loaders of shared objects are not changed.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A path "FOLDER/KERNEL/CLASS/KERNEL.so" in parts, which are borrowed. */
struct function {
    char text[PATH_MAX];
    const char *kernel; /* the folder */
    const char *class;
    const char *file;
};

static char *cut(char *text)
{
    char *slash = strrchr(text, '/');
    if (slash == NULL) return NULL;
    *slash = '\0';
    return slash + 1;
}

static bool is_function(struct function *f, const char *path)
{
    const size_t size = strlen(path);
    if (size < 4 || size >= sizeof f->text
            || strcmp(path + size - 3, ".so") != 0
            || strstr(path, "/_UNCACHED_") == NULL)
        return false;
    memcpy(f->text, path, size + 1);
    f->file = cut(f->text);
    f->class = f->file != NULL ? cut(f->text) : NULL;
    f->kernel = f->text;
    return f->class != NULL && strncmp(f->class, "0-0-0", 5) != 0;
}

/* "16-1-1-goffs0" and "16-1-1" are of one size. */
static bool is_of_another_size(const char *class, const char *other)
{
    const size_t size = strcspn(class, "-");
    return other[0] >= '1' && other[0] <= '9'
           && (strcspn(other, "-") != size || strncmp(class, other, size) != 0);
}

/* Fills in another's path; false: there is none. */
static bool swap(char other[PATH_MAX], const char *path)
{
    struct function f;
    bool is_found = false;
    if (path == NULL || !is_function(&f, path)) return false;
    DIR *folder = opendir(f.kernel);
    const struct dirent *entry;
    while (folder != NULL && !is_found && (entry = readdir(folder)) != NULL) {
        if (!is_of_another_size(f.class, entry->d_name)) continue;
        const int size = snprintf(
                other, PATH_MAX, "%s/%s/%s", f.kernel, entry->d_name, f.file);
        is_found = size > 0 && size < PATH_MAX && access(other, R_OK) == 0;
    }
    if (folder != NULL) closedir(folder);
    return is_found;
}

static void *next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    FILE *(*real)(const char *, const char *);
    void *function = next(name);
    char other[PATH_MAX];
    memcpy(&real, &function, sizeof real);
    if (mode[0] == 'r' && strchr(mode, '+') == NULL && swap(other, path))
        return real(other, mode);
    return real(path, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

static int open_number(
        const char *name, const char *path, int flags, mode_t mode)
{
    int (*real)(const char *, int, ...);
    void *function = next(name);
    char other[PATH_MAX];
    memcpy(&real, &function, sizeof real);
    if ((flags & O_ACCMODE) == O_RDONLY && swap(other, path))
        return real(other, flags, mode);
    return real(path, flags, mode);
}

#define OPEN(name)                                    \
    int name(const char *path, int flags, ...)        \
    {                                                 \
        va_list arguments;                            \
        mode_t mode = 0;                              \
        va_start(arguments, flags);                   \
        if ((flags & (O_CREAT | O_TMPFILE)) != 0)     \
            mode = va_arg(arguments, mode_t);         \
        va_end(arguments);                            \
        return open_number(#name, path, flags, mode); \
    }

OPEN(open)
OPEN(open64)
