/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"
#include "src/platform/linux_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t nanoseconds(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static enum file_kind kind_of(mode_t mode)
{
    if (S_ISREG(mode)) return file_is_plain;
    if (S_ISDIR(mode)) return file_is_folder;
    return S_ISLNK(mode) ? file_is_link : file_is_other;
}

static int tell(struct file_facts *facts, int rc, const struct stat *st)
{
    if (rc != 0) {
        *facts = (struct file_facts){0};
        return errno;
    }
    *facts = (struct file_facts){
            .kind = kind_of(st->st_mode),
            .size = (uint64_t)st->st_size,
            .device = st->st_dev,
            .number = st->st_ino,
            .links = st->st_nlink,
            .modified_ns = nanoseconds(&st->st_mtim),
            .changed_ns = nanoseconds(&st->st_ctim),
            .owner = st->st_uid,
            .group = st->st_gid,
            .mode = st->st_mode & 07777,
    };
    return 0;
}

int file_facts(struct file_facts *facts, int fd)
{
    struct stat st;
    /* By the same call as of names: what stands between may answer one call,
     * and not another (libfaketime), and facts are compared. */
    return tell(facts, fstatat(fd, "", &st, AT_EMPTY_PATH), &st);
}

int file_facts_at(struct file_facts *facts, int folder, const char *path)
{
    struct stat st;
    int rc;
    do
        rc = fstatat(folder, path, &st, 0);
    while (rc != 0 && errno == EINTR);
    return tell(facts, rc, &st);
}

int file_facts_of_link(struct file_facts *facts, int folder, const char *path)
{
    struct stat st;
    return tell(facts, fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW), &st);
}

int file_birth_of_link(uint64_t *made_ns, int folder, const char *path)
{
    return linux_birth_of_link(made_ns, folder, path);
}

bool file_is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_may_be_read(const char *path)
{
    return access(path, R_OK) == 0;
}

bool file_may_be_run(const char *path)
{
    return access(path, X_OK) == 0;
}

bool file_may_be_written(int folder, const char *path)
{
    return faccessat(folder, path, W_OK, AT_EACCESS) == 0;
}

bool file_is_same(const struct file_facts *one, const struct file_facts *other)
{
    return one->device == other->device && one->number == other->number;
}

bool file_is_own(const struct file_facts *facts)
{
    return facts->owner == geteuid();
}
