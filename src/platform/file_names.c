/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"
#include "src/platform/linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int file_rename(
        int from, const char *name, int to, const char *to_name, bool over)
{
    if (over) return renameat(from, name, to, to_name) == 0 ? 0 : errno;
    const int error = linux_rename_new(from, name, to, to_name);
    if (error != EINVAL && error != ENOSYS) return error;
    /* A file system without that: a second name, and no first one. */
    if (linkat(from, name, to, to_name, 0) != 0) return errno;
    return unlinkat(from, name, 0) == 0 ? 0 : errno;
}

int file_link(int from, const char *name, int to, const char *to_name)
{
    return linkat(from, name, to, to_name, 0) == 0 ? 0 : errno;
}

int file_remove(int folder, const char *name)
{
    return unlinkat(folder, name, 0) == 0 ? 0 : errno;
}

int file_make_link(int folder, const char *name, const char *target)
{
    return symlinkat(target, folder, name) == 0 ? 0 : errno;
}

int file_link_target(
        char *target, size_t capacity, int folder, const char *name)
{
    const ssize_t size = readlinkat(folder, name, target, capacity);
    if (size < 0) return errno;
    if ((size_t)size == capacity) return ENAMETOOLONG;
    target[size] = '\0';
    return 0;
}

int file_name_of(char *path, size_t capacity, int fd)
{
    char link[32];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return file_link_target(path, capacity, file_here, link);
}

int file_set_mode(int fd, unsigned mode)
{
    return fchmod(fd, (mode_t)mode) == 0 ? 0 : errno;
}

int file_set_mode_at(int folder, const char *name, unsigned mode)
{
    return fchmodat(folder, name, (mode_t)mode, AT_SYMLINK_NOFOLLOW) == 0
                   ? 0
                   : errno;
}

int file_set_owner(int fd, uint32_t owner, uint32_t group)
{
    return fchown(fd, owner, group) == 0 ? 0 : errno;
}

int file_touch(int folder, const char *name)
{
    return utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

int file_set_time(int folder, const char *name, uint64_t modified_ns)
{
    const uint64_t second_ns = 1000000000u;
    const struct timespec times[] = {
            {.tv_nsec = UTIME_OMIT},
            {.tv_sec = (time_t)(modified_ns / second_ns),
                    .tv_nsec = (long)(modified_ns % second_ns)},
    };
    return utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}
