/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/folder.h"

#include "src/platform/file.h"
#include "src/platform/file_system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Making -------------------------------------------------------------- */

/* Where others may write, one of them may have put a link in its place by now:
 * the folder that this names must not get the mode. */
static int set_mode(int folder, const char *name, mode_t mode)
{
    int fd;
    int error = file_open(&fd, folder, name,
            file_for_reading | file_must_be_folder | file_no_link | file_no_wait
                    | file_kept,
            0);
    /* The umask may have taken the right to read it. */
    if (error == EACCES)
        return fchmodat(folder, name, mode, AT_SYMLINK_NOFOLLOW) == 0 ? 0
                                                                      : errno;
    if (error != 0) return error;
    error = file_set_mode(fd, (unsigned)mode);
    (void)file_close(fd);
    return error;
}

int folder_make(int folder, const char *name, unsigned mode, bool exact)
{
    if (mkdirat(folder, name, (mode_t)mode) != 0) return errno;
    return exact ? set_mode(folder, name, (mode_t)mode) : 0;
}

int folder_make_above(const char *path, unsigned mode, size_t *failed)
{
    char *prefix = strdup(path);
    int error = prefix != NULL ? 0 : ENOMEM;
    *failed = strlen(path);
    for (char *slash = prefix; error == 0;) {
        slash = strchr(slash + 1, '/');
        if (slash == NULL) break;
        *slash = '\0';
        error = folder_make(file_here, prefix, mode, false);
        /* One that cannot be made may be there all the same, on a read-only
         * file system for one. */
        if (error == EEXIST || (error != 0 && file_is_there(prefix))) error = 0;
        *slash = '/';
        *failed = (size_t)(slash - prefix);
    }
    free(prefix);
    return error;
}

int folder_make_all(const char *path, unsigned mode, bool exact)
{
    size_t failed;
    (void)folder_make_above(path, mode, &failed); /* the last one decides */
    const int error = folder_make(file_here, path, mode, exact);
    return error == EEXIST ? 0 : error;
}

int folder_make_temporary(char *path)
{
    return mkdtemp(path) != NULL ? 0 : errno;
}

int folder_try_room(const char *path, uint64_t bytes)
{
    const int fd = open(path, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    /* Not every file system has files without a name. */
    if (fd < 0) return errno == EOPNOTSUPP || errno == EISDIR ? 0 : errno;
    const int error = file_reserve(fd, bytes);
    (void)file_close(fd);
    return error;
}

int folder_room(uint64_t *bytes, const char *path)
{
    struct statvfs facts;
    if (statvfs(path, &facts) != 0) return errno;
    *bytes = (uint64_t)facts.f_bavail * facts.f_frsize;
    return 0;
}

/* ---- Names --------------------------------------------------------------- */

int folder_open(int *fd, int folder, const char *path)
{
    return file_open(fd, folder, path,
            file_for_reading | file_must_be_folder | file_kept, 0);
}

int folder_open_beneath(int *fd, int folder, const char *path)
{
    return file_open(fd, folder, path,
            file_for_reading | file_must_be_folder | file_beneath | file_kept,
            0);
}

bool folder_may_be_changed(int folder, const char *path)
{
    return faccessat(folder, path, W_OK | X_OK, AT_EACCESS) == 0;
}

/* The next name other than "." and ".."; NULL at the end or on an error. */
static const char *next_name(DIR *dir, int *error)
{
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        *error = errno;
        if (entry == NULL && *error == EINTR) continue;
        if (entry == NULL) return NULL;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    }
}

/* As the kernel writes it. */
struct entry {
    uint64_t number;
    int64_t offset;
    uint16_t size; /* of the entry */
    unsigned char kind;
    char name[];
};

static int append_names(
        char **names, size_t *size, const unsigned char *entries, size_t count)
{
    char *grown = realloc(*names, *size + count); /* names are shorter */
    if (grown == NULL) return ENOMEM;
    *names = grown;
    for (size_t at = 0; at < count;) {
        const unsigned char *entry = entries + at;
        const char *name = (const char *)entry + offsetof(struct entry, name);
        uint16_t entry_size;
        memcpy(&entry_size, entry + offsetof(struct entry, size),
                sizeof entry_size);
        at += entry_size;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        const size_t length = strlen(name) + 1;
        memcpy(*names + *size, name, length);
        *size += length;
    }
    return 0;
}

/* readdir() and what has to be done for it are ten calls of the system. */
int folder_read_names(char **names, size_t *size, bool *at_once, int fd)
{
    enum { piece_size = 1 << 15 };
    unsigned char *piece = calloc(1, piece_size);
    int error = piece != NULL ? 0 : ENOMEM;
    unsigned pieces = 0;
    *names = NULL;
    *size = 0;
    while (error == 0) {
        const long n = syscall(SYS_getdents64, fd, piece, piece_size);
        if (n == 0) break;
        pieces++;
        error = n < 0 ? errno : append_names(names, size, piece, (size_t)n);
    }
    free(piece);
    *at_once = pieces <= 1;
    if (error == 0) return 0;
    free(*names);
    *names = NULL;
    *size = 0;
    return error;
}

bool folder_tells_all_names(int fd)
{
    struct file_system fs;
    return file_system_of_open(&fs, fd) == 0 && fs.tells_all_names;
}

/* A stream of its own: descriptors share their position with their copies. It
 * is only read, so that its number may be any (kept_descriptor.h). */
static int open_stream(DIR **dir, int folder, const char *path)
{
    int fd;
    int error = file_open(
            &fd, folder, path, file_for_reading | file_must_be_folder, 0);
    if (error != 0) return error;
    *dir = fdopendir(fd);
    if (*dir != NULL) return 0;
    error = errno;
    (void)file_close(fd);
    return error;
}

static int each(int folder, const char *path,
        int (*visit)(void *user, const char *name), void *user)
{
    DIR *dir;
    const char *name;
    int error = open_stream(&dir, folder, path);
    if (error != 0) return error;
    int result = 0;
    while (result == 0 && (name = next_name(dir, &error)) != NULL)
        result = visit(user, name);
    (void)closedir(dir);
    return result != 0 ? result : error;
}

int folder_each(int fd, int (*visit)(void *user, const char *name), void *user)
{
    return each(fd, ".", visit, user);
}

int folder_each_of(const char *path, int (*visit)(void *user, const char *name),
        void *user)
{
    return each(file_here, path, visit, user);
}

int folder_each_match(const char *pattern,
        int (*visit)(void *user, const char *path), void *user)
{
    glob_t found;
    int result = glob(pattern, GLOB_NOSORT, NULL, &found);
    if (result != 0) return result == GLOB_NOSPACE ? ENOMEM : 0;
    for (size_t i = 0; i < found.gl_pathc && result == 0; i++)
        result = visit(user, found.gl_pathv[i]);
    globfree(&found);
    return result;
}

/* ---- Removing ------------------------------------------------------------ */

int folder_remove(int folder, const char *name)
{
    return unlinkat(folder, name, AT_REMOVEDIR) == 0 ? 0 : errno;
}

int folder_remove_tree(int folder, const char *name, unsigned depth)
{
    int fd;
    int error = file_remove(folder, name);
    if (error == 0 || error == ENOENT) return 0;
    if (error != EISDIR && error != EPERM) return error;
    error = folder_remove(folder, name);
    if (error == 0 || error == ENOENT) return 0;
    if (error != ENOTEMPTY && error != EEXIST) return error;
    if (depth == 0) return ENOTEMPTY;
    error = folder_open_beneath(&fd, folder, name);
    if (error != 0) return error;
    error = folder_empty(fd, depth - 1);
    (void)file_close(fd);
    return error != 0 ? error : folder_remove(folder, name);
}

struct emptying {
    int fd;
    unsigned depth;
    int error; /* the first one */
};

static int remove_one(void *user, const char *name)
{
    struct emptying *emptying = user;
    const int error = folder_remove_tree(emptying->fd, name, emptying->depth);
    if (emptying->error == 0) emptying->error = error;
    return 0;
}

int folder_empty(int fd, unsigned depth)
{
    struct emptying emptying = {.fd = fd, .depth = depth};
    const int error = folder_each(fd, remove_one, &emptying);
    return emptying.error != 0 ? emptying.error : error;
}

int folder_sync(int fd)
{
    return file_sync(fd);
}
