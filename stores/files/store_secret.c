/* SPDX-License-Identifier: Apache-2.0 */
#include "stores/files/store_secret.h"

#include "src/platform/owner.h"
#include "stores/files/store_fs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *find_danger(const struct stat *st)
{
    if (!S_ISREG(st->st_mode)) return "not a regular file";
    if (st->st_uid != geteuid()) return "it belongs to another user";
    if ((st->st_mode & 077) != 0) return "others may use it (chmod 600)";
    if (st->st_size < store_secret_least || st->st_size > store_secret_most)
        return "a secret has 16 to 4096 bytes";
    return NULL;
}

/* In a user namespace nobody's files may be anybody's, and this process may
 * have nobody's number. */
static const char *find_danger_of_public(const struct stat *st)
{
    if (!S_ISREG(st->st_mode)) return "not a regular file";
    if (owner_is_unmapped(st->st_uid))
        return "its owner is not known in this user namespace";
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return "it belongs to another user";
    if ((st->st_mode & 022) != 0) return "others may write to it (chmod go-w)";
    if (st->st_size == 0 || st->st_size > store_secret_most)
        return "not a public key";
    return NULL;
}

static int read_open(int fd, unsigned char *bytes, size_t *size,
        const char *(*check)(const struct stat *st), const char **why)
{
    struct stat st;
    if (fstat(fd, &st) != 0) return errno;
    const char *danger = check(&st);
    if (danger != NULL) {
        *why = danger;
        return EPERM;
    }
    *size = (size_t)st.st_size;
    return store_fs_read_at(fd, bytes, *size, 0);
}

static int read_file(unsigned char *bytes, size_t *size, const char *path,
        int flags, const char *(*check)(const struct stat *st),
        const char **why)
{
    *why = "the key cannot be read";
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0) {
        const int error = errno;
        /* What open() says of a link that is not to be followed. */
        const bool is_link = error == ELOOP && (flags & O_NOFOLLOW) != 0;
        *why = is_link ? "is a symbolic link: a secret must be a plain file"
                       : strerror(error);
        return error;
    }
    const int error = read_open(fd, bytes, size, check, why);
    close(fd);
    return error;
}

int store_secret_read(unsigned char bytes[store_secret_most], size_t *size,
        const char *path, const char **why)
{
    return read_file(bytes, size, path, O_NOFOLLOW, find_danger, why);
}

/* Links are followed: what is mounted into containers consists of them, and
 * what counts is whose file it is. */
int store_secret_read_public(unsigned char bytes[store_secret_most],
        size_t *size, const char *path, const char **why)
{
    return read_file(bytes, size, path, 0, find_danger_of_public, why);
}

int store_secret_write(
        const char *path, const void *bytes, size_t size, bool is_public)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
            is_public ? 0644 : 0600);
    if (fd < 0) return errno;
    int error = store_fs_write_at(fd, bytes, size, 0);
    if (error == 0 && fsync(fd) != 0) error = errno;
    close(fd);
    if (error != 0) unlink(path);
    return error;
}
