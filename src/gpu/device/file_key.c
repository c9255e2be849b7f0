/* SPDX-License-Identifier: Apache-2.0 */
#include "src/gpu/device/file_key.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

/* ---- Which file systems -------------------------------------------------- */

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec
                                  : a->tv_nsec > b->tv_nsec;
}

/* An overlay (containers) shows the inodes of the file systems below it, which
 * it does not name. Two things show that those can be relied on:
 * - the file has the device of its folder. Folders always have the overlay's;
 *   files have it only if the overlay's inode numbers are stable, which it does
 *   not promise for layers on NFS or FUSE;
 * - the file was changed later than it was modified, as installing a package
 *   does. File systems that are images (squashfs, EROFS, ISO 9660) have one
 *   time alone, which another image may have as well. */
static bool is_stable_in_overlay(const struct stat *st, const char *path)
{
    char folder[PATH_MAX];
    struct stat of_folder;
    const char *slash = strrchr(path, '/');
    const size_t length = (size_t)(slash - path);
    if (length >= sizeof folder || !is_later(&st->st_ctim, &st->st_mtim))
        return false;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return stat(length > 0 ? folder : "/", &of_folder) == 0
           && of_folder.st_dev == st->st_dev;
}

/* A file system may be an image, made by a tool and mounted like a disk;
 * another image in the same place may have the same numbers and times. Tools
 * that make images write times in whole seconds, kernels do so once in a
 * billion times; and what loop devices have is an image. */
static bool is_perhaps_of_an_image(const struct stat *st)
{
    return st->st_ctim.tv_nsec == 0 || major(st->st_dev) == LOOP_MAJOR;
}

/* Those with a change time that no caller can set and with inode numbers that
 * are not used for another file while the system runs, unless the change time
 * says so. Not network file systems, whose times are another machine's and are
 * looked up late; not FUSE, whose programs may say anything. */
static bool is_reliable(int fd, const struct stat *st, const char *path)
{
    struct statfs fs;
    int result;
    if (is_perhaps_of_an_image(st)) return false;
    do
        result = fstatfs(fd, &fs);
    while (result != 0 && errno == EINTR);
    if (result != 0) return false;
    switch ((unsigned long)fs.f_type & 0xffffffffu) {
    case EXT4_SUPER_MAGIC: /* also ext2 and ext3, by the same driver */
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
        return true;
    case OVERLAYFS_SUPER_MAGIC:
        return is_stable_in_overlay(st, path);
    default:
        return false;
    }
}

/* ---- The key ------------------------------------------------------------- */

enum { boot_id_size = 36 };

/* Of the digest (content_digest.h): others were kept under keys without it. */
static const char digest_version[] = "1";

/* "" if it cannot be read: then nothing has a key. */
static char boot_id[boot_id_size + 1];
static pthread_once_t boot_once = PTHREAD_ONCE_INIT;

/* Without /proc nothing tells two boots, whose devices may have the same
 * numbers, apart. */
static void read_boot_id(void)
{
    char text[boot_id_size + 1] = "";
    int fd;
    do
        fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0) return;
    const ssize_t n = read(fd, text, boot_id_size);
    close(fd);
    if (n == boot_id_size && strspn(text, "0123456789abcdef-") >= boot_id_size)
        memcpy(boot_id, text, boot_id_size);
}

size_t file_key_make(
        char key[FILE_KEY_MAX], int fd, const struct stat *st, const char *path)
{
    (void)pthread_once(&boot_once, read_boot_id);
    if (path == NULL || path[0] != '/' || boot_id[0] == '\0'
            || !is_reliable(fd, st, path))
        return 0;
    const int size = snprintf(key, FILE_KEY_MAX,
            "%s %s %llu %llu %llu %lld.%09ld %lld.%09ld %s", boot_id,
            digest_version, (unsigned long long)st->st_dev,
            (unsigned long long)st->st_ino, (unsigned long long)st->st_size,
            (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
            (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec, path);
    return size > 0 && size < FILE_KEY_MAX ? (size_t)size : 0;
}

bool file_key_is_settled(const struct stat *st)
{
    enum { least_seconds = 2 };
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now) != 0) return false;
    now.tv_sec -= least_seconds;
    return is_later(&now, &st->st_ctim);
}

const char *file_key_path(const char *key)
{
    enum { fields = 7 };
    for (int i = 0; i < fields; i++) {
        key = strchr(key, ' ');
        if (key == NULL) return NULL;
        key++;
    }
    return key[0] == '/' ? key : NULL;
}
