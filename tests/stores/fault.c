/* SPDX-License-Identifier: Apache-2.0 */
#include "fault.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- Which call fails, and how ------------------------------------------- */

static _Thread_local struct {
    bool armed;
    bool on;
    bool fired;
    unsigned call;
    unsigned way;
    unsigned calls;
    char what[64];
} fault;

static _Thread_local const char *only; /* NULL: all */
static _Thread_local int64_t clock_offset;
static _Thread_local const char *spoilt;
static bool has_no_openat2;
static bool protects_files;
static void (*after_folder)(int fd, const char *path);

void fault_arm(unsigned call, unsigned way, bool on)
{
    fault.on = on;
    fault.fired = false;
    fault.call = call;
    fault.way = way;
    fault.calls = 0;
    fault.what[0] = '\0';
    fault.armed = true;
}

unsigned fault_disarm(const char **what)
{
    fault.armed = false;
    *what = fault.fired ? fault.what : NULL;
    return fault.calls;
}

void fault_only(const char *name)
{
    only = name;
}

void fault_spoil(const char *part)
{
    spoilt = part;
}

void fault_protect_files(bool protect)
{
    protects_files = protect;
}

void fault_after_folder(void (*act)(int fd, const char *path))
{
    after_folder = act;
}

void fault_without_openat2(void)
{
    has_no_openat2 = true;
}

void fault_set_clock(int64_t seconds)
{
    clock_offset = seconds;
}

int fault_next(const char *name, const int ways[fault_ways + 1])
{
    unsigned count = 0;
    if (!fault.armed || (only != NULL && strcmp(name, only) != 0))
        return fault_none;
    fault.calls++;
    while (ways[count] != 0)
        count++;
    const bool again = fault.on && fault.fired;
    if ((fault.calls != fault.call && !again) || fault.way >= count)
        return fault_none;
    const int way = ways[fault.way];
    if (again && way == EINTR)
        return fault_none; /* nobody is interrupted for ever */
    if (!fault.fired)
        snprintf(fault.what, sizeof fault.what, "call %u, %s: %s", fault.calls,
                name, way == fault_cut_short ? "cut short" : strerror(way));
    fault.fired = true;
    return way;
}

bool fault_lasts(void)
{
    return fault.armed && fault.on && fault.fired;
}

bool fault_fails(int way)
{
    if (way <= 0) return false;
    errno = way;
    return true;
}

/* ---- The calls ----------------------------------------------------------- */

/* The linker's names are no prototypes of any header. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

#define WRAP(type, name, parameters) \
    type __real_##name parameters;   \
    type __wrap_##name parameters;   \
    type __wrap_##name parameters

/* Failing without having done anything. */
#define WRAP_SIMPLE(type, failure, name, parameters, arguments, ...) \
    WRAP(type, name, parameters)                                     \
    {                                                                \
        return fault_fails(FAULT(#name, __VA_ARGS__))                \
                       ? (failure)                                   \
                       : __real_##name arguments;                    \
    }

WRAP_SIMPLE(void *, NULL, malloc, (size_t size), (size), ENOMEM)
WRAP_SIMPLE(void *, NULL, calloc, (size_t n, size_t size), (n, size), ENOMEM)
WRAP_SIMPLE(void *, NULL, realloc, (void *p, size_t size), (p, size), ENOMEM)
WRAP_SIMPLE(char *, NULL, strdup, (const char *text), (text), ENOMEM)
WRAP_SIMPLE(int, -1, fchmod, (int fd, mode_t mode), (fd, mode), EIO)
WRAP_SIMPLE(int, -1, fchmodat,
        (int fd, const char *path, mode_t mode, int flags),
        (fd, path, mode, flags), EIO)
WRAP_SIMPLE(int, -1, renameat,
        (int from_fd, const char *from, int to_fd, const char *to),
        (from_fd, from, to_fd, to), ENOSPC, EIO)
WRAP_SIMPLE(int, -1, renameat2,
        (int from_fd, const char *from, int to_fd, const char *to,
                unsigned flags),
        (from_fd, from, to_fd, to, flags), ENOSPC, EIO, EINVAL)
WRAP_SIMPLE(int, -1, linkat,
        (int from_fd, const char *from, int to_fd, const char *to, int flags),
        (from_fd, from, to_fd, to, flags), ENOSPC, EIO, EPERM)
WRAP_SIMPLE(int, -1, mknodat,
        (int fd, const char *path, mode_t mode, dev_t device),
        (fd, path, mode, device), ENOSPC, EIO)
WRAP_SIMPLE(int, -1, statvfs, (const char *path, struct statvfs *st),
        (path, st), EIO)
WRAP_SIMPLE(char *, NULL, realpath, (const char *path, char *resolved),
        (path, resolved), EIO, ENOMEM)
WRAP_SIMPLE(int, -1, unlinkat, (int fd, const char *path, int flags),
        (fd, path, flags), EIO, EPERM)
WRAP_SIMPLE(int, -1, ftruncate, (int fd, off_t size), (fd, size), EIO, ENOSPC)
WRAP_SIMPLE(int, -1, fstatat,
        (int fd, const char *path, struct stat *st, int flags),
        (fd, path, st, flags), EIO, ENOMEM)
WRAP_SIMPLE(int, -1, faccessat, (int fd, const char *path, int mode, int flags),
        (fd, path, mode, flags), EIO)
WRAP_SIMPLE(int, -1, utimensat,
        (int fd, const char *path, const struct timespec times[2], int flags),
        (fd, path, times, flags), EIO)
WRAP_SIMPLE(DIR *, NULL, fdopendir, (int fd), (fd), ENOMEM, EMFILE)
WRAP_SIMPLE(struct dirent *, NULL, readdir, (DIR * dir), (dir), EIO)
WRAP_SIMPLE(ssize_t, -1, getrandom, (void *data, size_t size, unsigned flags),
        (data, size, flags), EAGAIN)

WRAP(int, mkdirat, (int fd, const char *path, mode_t mode))
{
    if (fault_fails(FAULT("mkdirat", ENOSPC, EIO))) return -1;
    const int result = __real_mkdirat(fd, path, mode);
    if (result == 0 && after_folder != NULL) after_folder(fd, path);
    return result;
}

WRAP(int, flock, (int fd, int operation))
{
    const int way = FAULT("flock", ENOLCK, EIO, EINTR);
    return fault_fails(way) ? -1 : __real_flock(fd, operation);
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);

/* Of descriptors, and the locks of a pack. The argument is a pointer or an
 * integer, which are passed alike here. */
int __wrap_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    const struct flock *lock = argument;
    int way = fault_none;
    if (command == F_DUPFD_CLOEXEC)
        way = FAULT("fcntl (number)", EMFILE, EINVAL);
    /* Nobody is kept from giving a lock back for ever. */
    else if (command == F_OFD_SETLK
             && !(fault_lasts() && lock->l_type == F_UNLCK))
        way = FAULT("fcntl (lock)", ENOLCK, EIO, EINTR);
    else if (command == F_OFD_GETLK)
        way = FAULT("fcntl (look)", EIO, EINVAL);
    return fault_fails(way) ? -1 : __real_fcntl(fd, command, argument);
}

/* A close that fails has closed all the same. */
WRAP(int, close, (int fd))
{
    const int way = FAULT("close", EIO, ENOSPC);
    const int result = __real_close(fd);
    return fault_fails(way) ? -1 : result;
}

WRAP(ssize_t, pread, (int fd, void *data, size_t size, off_t offset))
{
    const int way = FAULT("pread", EIO, EINTR, fault_cut_short);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return __real_pread(fd, data, size, offset);
}

WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t offset))
{
    const int way = FAULT("pwrite", ENOSPC, EIO, EINTR, fault_cut_short);
    if (way == ENOSPC && size > 1) /* a disk that was not quite full */
        (void)__real_pwrite(fd, data, size / 2, offset);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return __real_pwrite(fd, data, size, offset);
}

static mode_t mode_of(int flags, va_list args)
{
    /* Promoted to int when it is passed. */
    return (flags & O_CREAT) != 0 ? (mode_t)va_arg(args, unsigned) : 0;
}

/* What the kernel refuses, whoever asks. */
static bool is_protected(int fd, const char *path, uint64_t flags)
{
    struct stat st;
    return protects_files && (flags & O_CREAT) != 0 && (flags & O_EXCL) == 0
           && __real_fstatat(fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int __real_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    const mode_t mode = mode_of(flags, args);
    va_end(args);
    if (is_protected(fd, path, (uint64_t)flags)) return (errno = EACCES, -1);
    return fault_fails(FAULT("openat", EMFILE, ENOSPC, EIO, ENOMEM))
                   ? -1
                   : __real_openat(fd, path, flags, mode);
}

long __real_syscall(long number, ...);

/* The stores sync, and SQLite does: a function of the program comes before that
 * of the library for all of them. */
int fsync(int fd)
{
    if (fault_fails(FAULT("fsync", EIO, ENOSPC))) return -1;
    return (int)__real_syscall(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    if (fault_fails(FAULT("fdatasync", EIO, ENOSPC))) return -1;
    return (int)__real_syscall(SYS_fdatasync, fd);
}

/* Only openat2() is called like this. */
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
    va_list args;
    va_start(args, number);
    const int fd = va_arg(args, int);
    const char *path = va_arg(args, const char *);
    const void *how = va_arg(args, const void *);
    const size_t size = va_arg(args, size_t);
    va_end(args);
    if (number != SYS_openat2) abort();
    if (has_no_openat2) {
        errno = ENOSYS;
        return -1;
    }
    if (spoilt != NULL && (*(const uint64_t *)how & O_PATH) == 0
            && strstr(path, spoilt) != NULL) {
        errno = EIO;
        return -1;
    }
    if (is_protected(fd, path, *(const uint64_t *)how))
        return (errno = EACCES, -1);
    return fault_fails(FAULT("openat2", EMFILE, EIO, ENOMEM))
                   ? -1
                   : __real_syscall(number, fd, path, how, size);
}

WRAP(int, clock_gettime, (clockid_t clock, struct timespec *now))
{
    const int result = __real_clock_gettime(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += clock_offset;
    return result;
}
