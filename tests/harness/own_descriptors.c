/* SPDX-License-Identifier: Apache-2.0 */
#include "own_descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { most = 256, path_most = 512 };

/* One of each kind after the other. */
enum kind { a_file, a_folder, a_socket, kinds };

static struct own {
    int fd;
    int other; /* the socket's end that nobody uses */
    struct stat st;
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

/* Not by the library's calls, which ThreadSanitizer watches: another thread may
 * go on using a descriptor that was closed here, and opened again. It takes
 * that for a race; it is one, and what such an application is here for. */
static int open_at(int dirfd, const char *name, int flags)
{
    return (int)syscall(SYS_openat, dirfd, name, flags | O_CLOEXEC, 0600);
}

static bool write_to(int fd)
{
    return syscall(SYS_write, fd, text, sizeof text - 1) == sizeof text - 1;
}

static bool write_text(int dirfd, const char *name)
{
    const int fd = open_at(dirfd, name, O_WRONLY | O_CREAT);
    const bool done = fd >= 0 && write_to(fd);
    if (fd >= 0) (void)syscall(SYS_close, fd);
    return done;
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
        done = o->fd >= 0 && write_to(o->fd);
        break;
    case a_folder:
        done = open_folder(o);
        break;
    default:
        done = syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0,
                       ends)
               == 0;
        if (done) o->fd = ends[0];
        if (done) o->other = ends[1];
    }
    return done && fstat(o->fd, &o->st) == 0;
}

bool own_descriptors_take(const char *folder, int count)
{
    if (syscall(SYS_close_range, 3u, ~0u, 0u) != 0)
        for (int fd = 3; fd < 4096; fd++)
            (void)syscall(SYS_close, fd);
    rounds++;
    own_count = 0;
    while (own_count < count && own_count < most
            && open_one(&own[own_count], folder, own_count))
        own_count++;
    if (own_count == count) return true;
    perror("own descriptor");
    return false;
}

static bool has_text(int fd)
{
    char read[sizeof text + 1];
    return pread(fd, read, sizeof read, 0) == sizeof text - 1
           && memcmp(read, text, sizeof text - 1) == 0;
}

static bool has_text_in(int dirfd, const char *name)
{
    const int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
    const bool has = fd >= 0 && has_text(fd);
    if (fd >= 0) close(fd);
    return has;
}

static bool is_as_made(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;
    bool is = dir != NULL;
    while (is) {
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) break;
        if (entry->d_name[0] == '.' && strspn(entry->d_name, ".") < 3
                && entry->d_name[strspn(entry->d_name, ".")] == '\0')
            continue;
        count++;
        is = has_text_in(dirfd(dir), entry->d_name);
    }
    if (dir != NULL) (void)closedir(dir);
    return is && count == name_count;
}

static bool is_open(const struct own *o)
{
    struct stat st;
    return fstat(o->fd, &st) == 0 && st.st_dev == o->st.st_dev
           && st.st_ino == o->st.st_ino;
}

static bool is_not_written_to(const struct own *o)
{
    char byte;
    if (o->kind == a_file) return has_text_in(AT_FDCWD, o->path);
    if (o->kind == a_folder) return is_as_made(o->path);
    return recv(o->other, &byte, 1, MSG_DONTWAIT) <= 0;
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
