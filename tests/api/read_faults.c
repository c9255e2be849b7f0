/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading files fails, for a print_ids whose linker sends the calls here
 * (--wrap): READ_FAULTS=SEED:PER_MILLE:KINDS, of paths that have READ_FAULTS_IN
 * in them. KINDS: letters, "i" EINTR, "e" EIO, "a" EACCES, "m" EMFILE, "n"
 * ENOENT, "s" cut short. "hits=N" is the last line of the output.
 * READ_TRACE=FILE: lines "open PATH" of files that were opened, "list PATH" of
 * folders, "look PATH" of names that access() was asked for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The linker's names are no prototypes of any header. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

static struct {
    bool ready;
    uint64_t state;
    unsigned per_mille;
    char kinds[16];
    unsigned hits;
} faults;

static void print_hits(void)
{
    printf("hits=%u\n", faults.hits);
}

static void get_ready(void)
{
    unsigned long long seed = 0;
    const char *text = getenv("READ_FAULTS");
    faults.ready = true;
    if (text == NULL
            || sscanf(text, "%llu:%u:%15s", &seed, &faults.per_mille,
                       faults.kinds)
                       != 3)
        return;
    faults.state = seed * 0x9e3779b97f4a7c15u + 1;
    atexit(print_hits);
}

static uint64_t next_random(void)
{
    faults.state ^= faults.state << 13;
    faults.state ^= faults.state >> 7;
    faults.state ^= faults.state << 17;
    return faults.state;
}

/* 0: no fault. */
static char choose(void)
{
    if (!faults.ready) get_ready();
    if (faults.per_mille == 0 || next_random() % 1000 >= faults.per_mille)
        return 0;
    faults.hits++;
    return faults.kinds[next_random() % strlen(faults.kinds)];
}

static bool fails(char kind)
{
    switch (kind) {
    case 'i':
        errno = EINTR;
        return true;
    case 'e':
        errno = EIO;
        return true;
    case 'a':
        errno = EACCES;
        return true;
    case 'm':
        errno = EMFILE;
        return true;
    case 'n':
        errno = ENOENT;
        return true;
    default:
        return false;
    }
}

/* NULL: not known here. */
static bool is_meant(const char *path)
{
    const char *part = getenv("READ_FAULTS_IN");
    return part == NULL || (path != NULL && strstr(path, part) != NULL);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

static void trace(const char *what, const char *path)
{
    const char *name = getenv("READ_TRACE");
    FILE *file = name != NULL ? __real_fopen(name, "a") : NULL;
    if (file == NULL) return;
    fprintf(file, "%s %s\n", what, path);
    fclose(file);
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    trace("look", path);
    return __real_access(path, mode);
}

int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const unsigned mode = va_arg(args, unsigned); /* none, or not used */
    va_end(args);
    const char kind = is_meant(path) ? choose() : 0;
    if (fails(kind)) return -1;
    const int fd = __real_openat(folder, path, flags, mode);
    if (fd >= 0) trace((flags & O_DIRECTORY) == 0 ? "open" : "list", path);
    return fd;
}

/* Names of folders are read so. */
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list args;
    long words[6];
    va_start(args, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(args, long);
    va_end(args);
    if (number == SYS_getdents64 && is_meant(NULL)) {
        const char kind = choose();
        /* It is never interrupted. */
        if (kind != 'i' && fails(kind)) return -1;
    }
    return __real_syscall(
            number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

/* Of what is open; names are looked at without faults. */
int __real_fstatat(int folder, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *st, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *st, int flags)
{
    const char kind = path[0] == '\0' && is_meant(NULL) ? choose() : 0;
    /* It is never interrupted. */
    return kind != 'i' && fails(kind) ? -1
                                      : __real_fstatat(folder, path, st, flags);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return is_meant(path) && fails(choose()) ? NULL : __real_fopen(path, mode);
}

/* Of a read cut short the rest fails: as at the end of a file that another
 * process makes shorter. */
ssize_t __real_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t size, off_t offset)
{
    const char kind = is_meant(NULL) ? choose() : 0;
    if (fails(kind)) return -1;
    return kind == 's' ? 0 : __real_pread(fd, data, size, offset);
}
