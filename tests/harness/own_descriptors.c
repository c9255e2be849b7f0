/* SPDX-License-Identifier: Apache-2.0 */
#include "own_descriptors.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#ifndef STATX_INO /* musl's of Debian 12 has only the kernel's */
#include <linux/stat.h>
#endif

enum { most = 256, path_most = 512 };

/* A store's call in another thread may close what was just opened here, and
 * take the number: it lost its own one of that number a moment before. So what
 * fails, or went into a file of the store's, is tried again. A file that was
 * written to stays so. */
enum { tries = 20 };

/* One of each kind after the other. */
enum kind { a_file, a_folder, a_socket, kinds };

static struct own {
    int fd;
    int other; /* the socket's end that nobody uses */
    dev_t device;
    ino_t inode;
    enum kind kind;
    char path[path_most];
} own[most];
static int own_count;
static int rounds;

static const char text[] = "mine\n";

/* What stores have in theirs: of this application they are. */
static const char *const names[] = {"config.file", "journal", "index.bin",
        "cache_size.txt", "dnnl_cache_totals"};
enum { name_count = sizeof names / sizeof *names };

/* Not by the C library's calls, which ThreadSanitizer watches: another thread
 * may go on using a descriptor that was closed here, and opened again. It takes
 * that for a race; it is one, and what such an application is here for. */
static int open_at(int dirfd, const char *name, int flags)
{
    return (int)syscall(SYS_openat, dirfd, name, flags | O_CLOEXEC, 0600);
}

static void close_it(int fd)
{
    if (fd >= 0) (void)syscall(SYS_close, fd);
}

static bool identify(int fd, dev_t *device, ino_t *inode)
{
    struct statx st;
    if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_INO, &st) != 0)
        return false;
    *device = makedev(st.stx_dev_major, st.stx_dev_minor);
    *inode = st.stx_ino;
    return true;
}

static bool write_to(int fd)
{
    return syscall(SYS_write, fd, text, sizeof text - 1) == sizeof text - 1;
}

static bool write_text(int dirfd, const char *name)
{
    const int fd = open_at(dirfd, name, O_WRONLY | O_CREAT);
    const bool done = fd >= 0 && write_to(fd);
    close_it(fd);
    return done;
}

static bool has_text(int fd)
{
    char read[sizeof text + 1]; /* a file with this text alone ends there */
    return syscall(SYS_read, fd, read, sizeof read) == sizeof text - 1
           && memcmp(read, text, sizeof text - 1) == 0;
}

static bool has_text_in(int dirfd, const char *name)
{
    const int fd = open_at(dirfd, name, O_RDONLY);
    const bool has = fd >= 0 && has_text(fd);
    close_it(fd);
    return has;
}

/* What the system tells of a folder's names. */
struct folder_entry {
    uint64_t inode;
    int64_t next;
    uint16_t size;
    uint8_t type;
    char name[];
};

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* The files of a folder that have the text; -1: one has not. */
static int count_texts(int dirfd)
{
    _Alignas(uint64_t) char entries[4096];
    int count = 0;
    long size;
    while ((size = syscall(SYS_getdents64, dirfd, entries, sizeof entries)) > 0)
        for (long at = 0; at < size;) {
            const struct folder_entry *entry = (const void *)&entries[at];
            at += entry->size;
            if (is_dots(entry->name)) continue;
            if (!has_text_in(dirfd, entry->name)) return -1;
            count++;
        }
    return size == 0 ? count : -1;
}

static bool is_as_made(const char *path)
{
    const int fd = open_at(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
    const bool is = fd >= 0 && count_texts(fd) == name_count;
    close_it(fd);
    return is;
}

static bool open_folder(struct own *o)
{
    if (mkdir(o->path, 0700) != 0) return false;
    o->fd = open_at(AT_FDCWD, o->path, O_RDONLY | O_DIRECTORY);
    bool done = o->fd >= 0;
    for (int i = 0; i < name_count && done; i++)
        done = write_text(o->fd, names[i]);
    return done;
}

static bool open_one(struct own *o, const char *folder, int number)
{
    int ends[2];
    *o = (struct own){
            .fd = -1, .other = -1, .kind = (enum kind)(number % kinds)};
    (void)snprintf(
            o->path, sizeof o->path, "%s/own%d-%d", folder, rounds, number);
    bool done = false;
    switch (o->kind) {
    case a_file:
        o->fd = open_at(AT_FDCWD, o->path, O_RDWR | O_CREAT | O_EXCL);
        done = o->fd >= 0 && write_to(o->fd) && has_text_in(AT_FDCWD, o->path);
        break;
    case a_folder:
        done = open_folder(o) && is_as_made(o->path);
        break;
    default:
        done = syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                       ends)
               == 0;
        if (done) o->fd = ends[0];
        if (done) o->other = ends[1];
    }
    return done && identify(o->fd, &o->device, &o->inode);
}

bool own_descriptors_take(const char *folder, int count)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
        for (int fd = 3; fd < 4096; fd++)
            (void)syscall(SYS_close, fd);
    rounds++;
    own_count = 0;
    for (int i = 0; own_count < count && own_count < most && i < tries;) {
        if (open_one(&own[own_count], folder, own_count)) {
            own_count++;
            continue;
        }
        i++;
        rounds++; /* other names */
    }
    if (own_count == count) return true;
    perror("own descriptor");
    return false;
}

static bool is_open(const struct own *o)
{
    dev_t device;
    ino_t inode;
    return identify(o->fd, &device, &inode) && device == o->device
           && inode == o->inode;
}

static bool is_not_written_to(const struct own *o)
{
    char byte;
    for (int i = 0; i < tries && o->kind != a_socket; i++)
        if (o->kind == a_file ? has_text_in(AT_FDCWD, o->path)
                              : is_as_made(o->path))
            return true;
    return o->kind == a_socket
           && syscall(SYS_recvfrom, o->other, &byte, 1, MSG_DONTWAIT, NULL,
                      NULL)
                      <= 0;
}

static bool look_at_all(bool are_open)
{
    bool are = true;
    for (int i = 0; i < own_count; i++) {
        if ((!are_open || is_open(&own[i])) && is_not_written_to(&own[i]))
            continue;
        are = false;
        fprintf(stderr,
                "the application's descriptor %d, %s, is another one, "
                "or was written to\n",
                own[i].fd, own[i].path);
    }
    return are;
}

bool own_descriptors_are_untouched(void)
{
    return look_at_all(true);
}

bool own_descriptors_are_not_written_to(void)
{
    return look_at_all(false);
}
