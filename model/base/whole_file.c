/* SPDX-License-Identifier: Apache-2.0 */
#include "model/base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls return 0 or an error number. */

static int write_all(int fd, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size != 0) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENOSPC;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

/* Some file systems say only at the end that there was no room. */
static int write_and_close(int fd, const void *bytes, size_t size)
{
    int error = write_all(fd, bytes, size);
    if (close(fd) != 0 && error == 0) error = errno;
    return error;
}

static int write_through(const char *path, const void *bytes, size_t size)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd < 0 ? errno : write_and_close(fd, bytes, size);
}

/* A new file beside the path, of a name that nobody has. */
static int make_beside(char temporary[PATH_MAX], const char *path, mode_t mode)
{
    for (int i = 0; i < 100; i++) {
        const int n = snprintf(
                temporary, PATH_MAX, "%s.%ld-%d.tmp", path, (long)getpid(), i);
        if (n < 0 || n >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        const int fd =
                open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static int replace(
        const char *path, mode_t mode, const void *bytes, size_t size)
{
    char temporary[PATH_MAX];
    const int fd = make_beside(temporary, path, mode);
    if (fd < 0) return errno;
    int error = write_and_close(fd, bytes, size);
    if (error == 0 && rename(temporary, path) != 0) error = errno;
    if (error != 0) (void)unlink(temporary);
    return error;
}

static int write_file(const char *path, const void *bytes, size_t size)
{
    struct stat facts;
    if (stat(path, &facts) != 0)
        return errno == ENOENT ? replace(path, 0666, bytes, size) : errno;
    if (!S_ISREG(facts.st_mode)) return write_through(path, bytes, size);
    /* A link stays one: what it leads to is replaced. */
    char *resolved = realpath(path, NULL);
    if (resolved == NULL) return errno;
    const int error = replace(resolved, facts.st_mode & 0777, bytes, size);
    free(resolved);
    return error;
}

bool whole_file_write(const char *path, const void *bytes, size_t size,
        struct failure *failure)
{
    const int error = write_file(path, bytes, size);
    return error == 0
           || fail(failure, "cannot write %s: %s", path, strerror(error));
}
