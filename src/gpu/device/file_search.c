/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool file_search_is_absent(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES
           || error == ELOOP || error == ENAMETOOLONG;
}

bool file_search_join(const struct file_search *search,
        char path[FILE_SEARCH_PATH_SIZE], const char *folder, const char *name)
{
    const int size =
            snprintf(path, FILE_SEARCH_PATH_SIZE, "%s/%s", folder, name);
    if (size > 0 && size < FILE_SEARCH_PATH_SIZE) return true;
    search->failed(search->user, name, ENAMETOOLONG);
    return false;
}

bool file_search_try(const struct file_search *search, const char *folder,
        const char *name, const char *label)
{
    char path[FILE_SEARCH_PATH_SIZE];
    struct stat st;
    if (!file_search_join(search, path, folder, name)) return false;
    if (stat(path, &st) != 0) {
        if (file_search_is_absent(errno))
            search->missing(search->user, path);
        else
            search->failed(search->user, path, errno);
        return false;
    }
    if (!S_ISREG(st.st_mode)) return false;
    /* After chdir() another file would have this name. */
    if (path[0] != '/')
        search->failed(search->user, path, ESTALE);
    else
        search->found(search->user, path, label);
    return true;
}

bool file_search_has_folder(
        const struct file_search *search, const char *folder)
{
    struct stat st;
    if (stat(folder, &st) == 0) return S_ISDIR(st.st_mode);
    if (file_search_is_absent(errno))
        search->missing(search->user, folder);
    else
        search->failed(search->user, folder, errno);
    return false;
}

void file_search_entries(const struct file_search *search, const char *folder,
        const char *prefix,
        void (*visit)(const struct file_search *search, const char *folder,
                const char *name, void *user),
        void *user)
{
    DIR *dir;
    do
        dir = opendir(folder);
    while (dir == NULL && errno == EINTR);
    if (dir == NULL) {
        if (errno == ENOENT || errno == ENOTDIR)
            search->missing(search->user, folder);
        else
            search->failed(search->user, folder, errno);
        return;
    }
    search->listed(search->user, folder, prefix);
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL && errno == EINTR) continue;
        if (entry == NULL) break;
        if (entry->d_name[0] != '.'
                && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            visit(search, folder, entry->d_name, user);
    }
    if (errno != 0) search->failed(search->user, folder, errno);
    closedir(dir);
}

int file_search_open(const struct file_search *search, const char *path)
{
    struct stat st;
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) {
        search->failed(search->user, path, errno);
        return -1;
    }
    const int error = fstat(fd, &st) != 0 ? errno : 0;
    if (error == 0 && S_ISREG(st.st_mode)) return fd;
    if (error != 0) search->failed(search->user, path, error);
    close(fd);
    return -1;
}

/* 0 if a file ends there or before; else an errno value. */
static int check_end(int fd, uint64_t offset)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    return offset < (uint64_t)st.st_size ? ESTALE : 0;
}

bool file_search_read(const struct file_search *search, int fd,
        const char *path, void *out, size_t size, uint64_t offset,
        size_t *read_size)
{
    *read_size = 0;
    while (*read_size < size) {
        const ssize_t n = pread(fd, (unsigned char *)out + *read_size,
                size - *read_size, (off_t)(offset + *read_size));
        if (n < 0 && errno == EINTR) continue;
        const int error = n < 0    ? errno
                          : n == 0 ? check_end(fd, offset + *read_size)
                                   : 0;
        if (error != 0) search->failed(search->user, path, error);
        if (n <= 0) return error == 0;
        *read_size += (size_t)n;
    }
    return true;
}

void file_search_list(const char *list, const char *separators,
        bool (*visit)(const char *folder, void *user), void *user)
{
    char folder[FILE_SEARCH_PATH_SIZE];
    if (list == NULL || list[0] == '\0') return;
    for (const char *part = list;; part++) {
        const size_t size = strcspn(part, separators);
        /* A longer one is no folder's. */
        if (size < sizeof folder) {
            memcpy(folder, size > 0 ? part : ".", size > 0 ? size : 1);
            folder[size > 0 ? size : 1] = '\0';
            if (!visit(folder, user)) return;
        }
        part += size;
        if (*part == '\0') return;
    }
}
