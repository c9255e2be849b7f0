/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/run/marked_file.h"

#include "src/platform/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Folders ------------------------------------------------------------- */

static const char *name_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

/* Whatever the umask: others read what is in a system's folder. */
static bool make_folder(int above, const char *name, mode_t mode)
{
    if (mkdirat(above, name, mode) != 0) return errno == EEXIST;
    return fchmodat(above, name, mode, 0) == 0;
}

/* The folder `name` of one that is open, which is closed. */
static int step(int above, const char *name, bool make, mode_t mode, int flags)
{
    int folder = openat(above, name, flags);
    if (folder < 0 && errno == ENOENT && make && make_folder(above, name, mode))
        folder = openat(above, name, flags);
    const int error = errno;
    close(above);
    errno = error;
    return folder;
}

/* As far as there are folders, if reached is not NULL: *reached is the rest. */
static int walk(const char *root, const char *path, size_t size, bool make,
        mode_t mode, const char **reached)
{
    /* Of a folder that may not be read, such as /home, too. */
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    const int below = root[0] != '\0' ? flags | O_NOFOLLOW : flags;
    const char *const end = path + size;
    char name[NAME_MAX + 1];
    int folder = open(root[0] != '\0' ? root : "/", flags);
    while (folder >= 0) {
        while (path < end && *path == '/')
            path++;
        const char *slash = memchr(path, '/', (size_t)(end - path));
        const size_t length = (size_t)((slash != NULL ? slash : end) - path);
        if (length == 0) break;
        if (length > NAME_MAX) {
            close(folder);
            errno = ENAMETOOLONG;
            return -1;
        }
        memcpy(name, path, length);
        name[length] = '\0';
        struct stat st;
        if (reached != NULL && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW)
                && errno == ENOENT)
            break;
        folder = step(folder, name, make, mode, below);
        path += length;
    }
    if (reached != NULL) *reached = path;
    return folder;
}

int marked_file_open(
        const char *root, const char *folder, bool make, mode_t mode)
{
    const int path = walk(root, folder, strlen(folder), make, mode, NULL);
    return path >= 0 ? step(
                   path, ".", false, 0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                     : -1;
}

int marked_file_open_folder(
        const char *root, const char *path, bool make, mode_t mode)
{
    const size_t size = (size_t)(name_of(path) - path);
    return walk(root, path, size, make, mode, NULL);
}

int marked_file_check_writable(const char *root, const char *path)
{
    const char *rest;
    const size_t size = (size_t)(name_of(path) - path);
    const int folder = walk(root, path, size, false, 0, &rest);
    if (folder < 0) return errno;
    const int error =
            faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
    close(folder);
    return error;
}

/* ---- Reading ------------------------------------------------------------- */

static char *read_open_file(int fd, size_t *size)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return NULL;
    if (!S_ISREG(st.st_mode) || st.st_size > marked_file_size_max) {
        errno = S_ISREG(st.st_mode) ? EFBIG : EINVAL;
        return NULL;
    }
    char *text = malloc((size_t)st.st_size + 1);
    *size = 0;
    while (text != NULL && *size < (size_t)st.st_size) {
        const ssize_t n = read(fd, text + *size, (size_t)st.st_size - *size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        *size += (size_t)n;
    }
    if (text != NULL) text[*size] = '\0';
    return text;
}

char *marked_file_read(const char *root, const char *path, size_t *size)
{
    const int folder = marked_file_open_folder(root, path, false, 0);
    if (folder < 0) return NULL;
    const int fd = openat(folder, name_of(path),
            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    int error = errno;
    char *text = NULL;
    close(folder);
    if (fd >= 0) {
        text = read_open_file(fd, size);
        error = errno;
        close(fd);
    }
    errno = error == ELOOP || error == ENXIO ? EINVAL : error;
    return text;
}

char *marked_file_read_link(const char *root, const char *path)
{
    const int folder = marked_file_open_folder(root, path, false, 0);
    char target[PATH_MAX];
    if (folder < 0) return NULL;
    const ssize_t size =
            readlinkat(folder, name_of(path), target, sizeof target - 1);
    const int error = errno;
    close(folder);
    errno = error;
    if (size < 0) return NULL;
    target[size] = '\0';
    return strdup(target);
}

/* ---- Writing ------------------------------------------------------------- */

enum { temporary_size = NAME_MAX + 1 };

/* One name for each file, which nothing reads: what a process that was killed
 * left is gone with the next one. Writers have a lock. */
static void name_temporary(char temporary[temporary_size], const char *path)
{
    (void)snprintf(temporary, temporary_size, ".%.*s.new", NAME_MAX - 8,
            name_of(path));
}

void marked_file_clean(const char *root, const char *path)
{
    char temporary[temporary_size];
    const int folder = marked_file_open_folder(root, path, false, 0);
    if (folder < 0) return;
    name_temporary(temporary, path);
    (void)unlinkat(folder, temporary, 0);
    close(folder);
}

/* Gives the temporary file its name. */
static bool publish(
        int folder, const char *temporary, const char *name, bool is_new)
{
    if (!is_new) return renameat(folder, temporary, folder, name) == 0;
    /* Another program's file of this name stays, however late it comes. */
    if (linkat(folder, temporary, folder, name, 0) == 0)
        return unlinkat(folder, temporary, 0) == 0;
    struct stat st;
    if (errno == EEXIST
            || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        errno = EEXIST;
        return false;
    }
    return renameat(folder, temporary, folder, name) == 0; /* no hard links */
}

static bool write_temporary(int folder, const char *temporary, mode_t mode,
        const char *text, size_t size)
{
    const int fd = openat(folder, temporary,
            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    int error = signal_mask_write(fd, text, size);
    /* Sessions start from it: no torn file after a power failure. */
    if (error == 0 && (fchmod(fd, mode) != 0 || fsync(fd) != 0)) error = errno;
    if (close(fd) != 0 && error == 0) error = errno;
    errno = error;
    return error == 0;
}

bool marked_file_write(const char *root, const char *path, mode_t mode,
        const char *text, size_t size, bool is_new)
{
    char temporary[temporary_size];
    const int folder = marked_file_open_folder(
            root, path, true, mode == 0600 ? 0700 : 0755);
    if (folder < 0) return false;
    name_temporary(temporary, path);
    (void)unlinkat(folder, temporary, 0);
    bool good = write_temporary(folder, temporary, mode, text, size)
                && publish(folder, temporary, name_of(path), is_new);
    const int error = errno;
    if (!good) (void)unlinkat(folder, temporary, 0);
    close(folder);
    errno = error;
    return good;
}

bool marked_file_link(const char *root, const char *path, const char *target)
{
    const int folder = marked_file_open_folder(root, path, true, 0755);
    if (folder < 0) return false;
    const bool good = symlinkat(target, folder, name_of(path)) == 0;
    const int error = errno;
    close(folder);
    errno = error;
    return good;
}

bool marked_file_remove(const char *root, const char *path)
{
    const int folder = marked_file_open_folder(root, path, false, 0);
    if (folder < 0) return false;
    const bool good = unlinkat(folder, name_of(path), 0) == 0;
    const int error = errno;
    close(folder);
    errno = error;
    return good;
}
