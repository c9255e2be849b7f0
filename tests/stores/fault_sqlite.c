/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's calls on their way to fault.h, by the means it has for tests of its
 * own: xSetSystemCall of its file system, and a memory allocator. */
#include "fault.h"

#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Files --------------------------------------------------------------- */

/* What SQLite called before. */
static struct {
    int (*open)(const char *path, int flags, int mode);
    int (*close)(int fd);
    int (*access)(const char *path, int mode);
    int (*stat)(const char *path, struct stat *st);
    int (*fstat)(int fd, struct stat *st);
    int (*lstat)(const char *path, struct stat *st);
    int (*ftruncate)(int fd, off_t size);
    int (*fcntl)(int fd, int command, ...);
    ssize_t (*read)(int fd, void *data, size_t size);
    ssize_t (*pread)(int fd, void *data, size_t size, off_t offset);
    ssize_t (*write)(int fd, const void *data, size_t size);
    ssize_t (*pwrite)(int fd, const void *data, size_t size, off_t offset);
    int (*unlink)(const char *path);
    int (*open_directory)(const char *path, int *fd);
} real;

static int try_open(const char *path, int flags, int mode)
{
    if (fault_fails(FAULT("SQLite's open", EMFILE, ENOSPC, EIO, ENOMEM)))
        return -1;
    return real.open(path, flags, mode);
}

/* A close that fails has closed all the same. */
static int try_close(int fd)
{
    const int way = FAULT("SQLite's close", EIO);
    const int result = real.close(fd);
    return fault_fails(way) ? -1 : result;
}

static int try_access(const char *path, int mode)
{
    if (fault_fails(FAULT("SQLite's access", EIO))) return -1;
    return real.access(path, mode);
}

static int try_stat(const char *path, struct stat *st)
{
    if (fault_fails(FAULT("SQLite's stat", EIO, ENOMEM))) return -1;
    return real.stat(path, st);
}

static int try_fstat(int fd, struct stat *st)
{
    if (fault_fails(FAULT("SQLite's fstat", EIO, ENOMEM))) return -1;
    return real.fstat(fd, st);
}

static int try_lstat(const char *path, struct stat *st)
{
    if (fault_fails(FAULT("SQLite's lstat", EIO, ENOMEM))) return -1;
    return real.lstat(path, st);
}

static int try_ftruncate(int fd, off_t size)
{
    if (fault_fails(FAULT("SQLite's ftruncate", EIO, ENOSPC))) return -1;
    return real.ftruncate(fd, size);
}

/* Locks, and duties of descriptors; the argument is a pointer or an integer,
 * which are passed alike here. */
static int try_fcntl(int fd, int command, ...)
{
    va_list args;
    va_start(args, command);
    void *argument = va_arg(args, void *);
    va_end(args);
    const struct flock *lock = argument;
    /* Nobody is kept from giving a lock back for ever. */
    if (fault_lasts() && command == F_SETLK && lock->l_type == F_UNLCK)
        return real.fcntl(fd, command, argument);
    if (fault_fails(FAULT("SQLite's fcntl", ENOLCK, EIO, EINTR))) return -1;
    return real.fcntl(fd, command, argument);
}

static ssize_t try_read(int fd, void *data, size_t size)
{
    const int way = FAULT("SQLite's read", EIO, EINTR, fault_cut_short);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return real.read(fd, data, size);
}

static ssize_t try_pread(int fd, void *data, size_t size, off_t offset)
{
    const int way = FAULT("SQLite's pread", EIO, EINTR, fault_cut_short);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return real.pread(fd, data, size, offset);
}

static ssize_t try_write(int fd, const void *data, size_t size)
{
    const int way =
            FAULT("SQLite's write", ENOSPC, EIO, EINTR, fault_cut_short);
    if (way == ENOSPC && size > 1) (void)real.write(fd, data, size / 2);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return real.write(fd, data, size);
}

static ssize_t try_pwrite(int fd, const void *data, size_t size, off_t offset)
{
    const int way =
            FAULT("SQLite's pwrite", ENOSPC, EIO, EINTR, fault_cut_short);
    if (way == ENOSPC && size > 1) /* a disk that was not quite full */
        (void)real.pwrite(fd, data, size / 2, offset);
    if (fault_fails(way)) return -1;
    if (way == fault_cut_short && size > 1) size = size / 2;
    return real.pwrite(fd, data, size, offset);
}

static int try_unlink(const char *path)
{
    if (fault_fails(FAULT("SQLite's unlink", EIO, EPERM))) return -1;
    return real.unlink(path);
}

static int try_open_directory(const char *path, int *fd)
{
    if (fault_fails(FAULT("SQLite's openDirectory", EMFILE, EIO)))
        return SQLITE_CANTOPEN;
    return real.open_directory(path, fd);
}

/* Functions of all kinds are one to SQLite. ours: where it had none the call is
 * not made. */
static void divert(sqlite3_vfs *vfs, const char *name, void *former,
        sqlite3_syscall_ptr ours)
{
    const sqlite3_syscall_ptr theirs = vfs->xGetSystemCall(vfs, name);
    if (theirs == NULL) return;
    memcpy(former, &theirs, sizeof theirs);
    EXPECT_EQ(SQLITE_OK, vfs->xSetSystemCall(vfs, name, ours));
}

#define DIVERT(vfs, name, member) \
    divert(vfs, name, &real.member, (sqlite3_syscall_ptr)try_##member)

/* ---- Memory -------------------------------------------------------------- */

static sqlite3_mem_methods memory;

static void *try_malloc(int size)
{
    return fault_fails(FAULT("SQLite's malloc", ENOMEM)) ? NULL
                                                         : memory.xMalloc(size);
}

static void *try_realloc(void *data, int size)
{
    return fault_fails(FAULT("SQLite's realloc", ENOMEM))
                   ? NULL
                   : memory.xRealloc(data, size);
}

void fault_watch_sqlite(void)
{
    static bool done;
    if (done) return;
    done = true;
    EXPECT_EQ(SQLITE_OK, sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory));
    sqlite3_mem_methods ours = memory;
    ours.xMalloc = try_malloc;
    ours.xRealloc = try_realloc;
    EXPECT_EQ(SQLITE_OK, sqlite3_config(SQLITE_CONFIG_MALLOC, &ours));
    EXPECT_EQ(SQLITE_OK, sqlite3_initialize());
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
    ASSERT_NOT_NULL(vfs);
    DIVERT(vfs, "open", open);
    DIVERT(vfs, "close", close);
    DIVERT(vfs, "access", access);
    DIVERT(vfs, "stat", stat);
    DIVERT(vfs, "fstat", fstat);
    DIVERT(vfs, "lstat", lstat);
    DIVERT(vfs, "ftruncate", ftruncate);
    DIVERT(vfs, "fcntl", fcntl);
    DIVERT(vfs, "read", read);
    DIVERT(vfs, "write", write);
    /* Whichever of the two it uses. */
    DIVERT(vfs, "pread", pread);
    DIVERT(vfs, "pread64", pread);
    DIVERT(vfs, "pwrite", pwrite);
    DIVERT(vfs, "pwrite64", pwrite);
    DIVERT(vfs, "unlink", unlink);
    DIVERT(vfs, "openDirectory", open_directory);
}
