/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The last one of each number: another one of ours may have got the number of
 * one that the application has closed. 0: none. */
enum { numbers = 1024 };
static atomic_uint serials[numbers];

static unsigned note_serial(int fd)
{
    static atomic_uint last;
    const unsigned serial = atomic_fetch_add(&last, 1) + 1;
    if (fd < numbers) atomic_store(&serials[fd], serial);
    return serial;
}

static bool is_last(const struct kept_descriptor *kept)
{
    return kept->fd >= numbers
           || atomic_load(&serials[kept->fd]) == kept->serial;
}

/* All of the kernel's nameless files, an inotify instance for one, share one
 * inode, and the application may open the file that we have open. So the open
 * file itself gets a mark: the signal that it would send to its owner
 * (F_SETSIG), of which it has none. Copies of this file in a process have
 * different ones, mostly. */
static int mark(void)
{
    enum { first = 34, count = 30 };
    return first + (int)(((uintptr_t)serials >> 12) % count);
}

/* A second number for it, as high as may be; -1: another thread has closed it.
 * The same one where there is no such number. */
static int copy_high(int fd)
{
    int high = fcntl(fd, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    if (high < 0 && errno != EBADF && fd <= STDERR_FILENO)
        high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return high < 0 && errno != EBADF ? fd : high;
}

void kept_descriptor_make_room(void)
{
    const int saved = errno;
    /* Most processes have a standard stream. */
    int high = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    const int fd = high < 0 ? open("/", O_PATH | O_CLOEXEC) : -1;
    if (fd >= 0) high = fcntl(fd, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    if (high >= 0) (void)close(high);
    if (fd >= 0) (void)close(fd);
    errno = saved;
}

/* error: 0: the copy is of ours; ESTALE: of the application's, which keeps the
 * low number; others: that could not be told, and both are given up. */
static int settle(int fd, int high, const struct file_facts *facts, int error)
{
    struct file_facts low;
    const int saved = errno;
    if (error != 0 && high != fd) (void)close(high);
    const bool is_lost =
            error == ESTALE
            || (error == 0 && high != fd && file_facts(&low, fd) == 0
                    && !file_is_same(&low, facts));
    if (!is_lost && (error != 0 || high != fd)) (void)close(fd);
    errno = error == 0 ? saved : error;
    return error == 0 ? high : -1;
}

/* Was it opened by the last component of the path? Another process may have
 * removed the name since, or given it to another file. */
static bool had_name(int fd, const char *path)
{
    static const char mark[] = " (deleted)";
    char link[32];
    char name[4096];
    const char *slash = strrchr(path, '/');
    const char *last = slash != NULL ? slash + 1 : path;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (file_link_target(name, sizeof name, file_here, link) != 0) return false;
    const char *found = strrchr(name, '/');
    if (found == NULL || strncmp(found + 1, last, strlen(last)) != 0)
        return false;
    found += 1 + strlen(last);
    return *found == '\0' || strcmp(found, mark) == 0;
}

/* What an application has open, mostly: files, folders, pipes, terminals. */
static bool has_no_name(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && !S_ISDIR(st.st_mode) && !S_ISCHR(st.st_mode)
           && !S_ISBLK(st.st_mode) && !S_ISFIFO(st.st_mode)
           && (!S_ISREG(st.st_mode) || st.st_nlink == 0);
}

int kept_descriptor_raise(int fd)
{
    struct file_facts facts;
    if (fd < 0 || fd >= kept_descriptor_lowest) return fd;
    const int saved = errno;
    const int high = copy_high(fd);
    if (high < 0) return -1;
    int error = file_facts(&facts, high);
    if (error == 0 && !has_no_name(high)) error = ESTALE;
    errno = saved;
    return high == fd ? fd : settle(fd, high, &facts, error);
}

int kept_descriptor_raise_named(
        int fd, int folder, const char *path, bool follow)
{
    struct file_facts facts;
    struct file_facts named;
    if (fd < 0 || fd >= kept_descriptor_lowest) return fd;
    const int saved = errno;
    const int high = copy_high(fd);
    if (high < 0) return -1;
    int error = file_facts(&facts, high);
    if (error == 0)
        error = follow ? file_facts_at(&named, folder, path)
                       : file_facts_of_link(&named, folder, path);
    if (error == ENOENT || (error == 0 && !file_is_same(&facts, &named)))
        error = had_name(high, path) ? EAGAIN : ESTALE;
    errno = saved;
    return settle(fd, high, &facts, error);
}

static _Thread_local bool is_own_thread;

void kept_descriptor_note_thread(void)
{
    is_own_thread = true;
}

bool kept_descriptor_is_own_thread(void)
{
    return is_own_thread;
}

int kept_descriptor_openat(int dirfd, const char *path, int flags, mode_t mode)
{
    const int fd = openat(dirfd, path, flags | O_CLOEXEC, mode);
    return kept_descriptor_raise_named(
            fd, dirfd, path, (flags & O_NOFOLLOW) == 0);
}

int kept_descriptor_note(struct kept_descriptor *kept, int fd)
{
    struct file_facts facts;
    *kept = KEPT_DESCRIPTOR_NONE;
    const int error = file_facts(&facts, fd);
    if (error != 0) return error;
    *kept = (struct kept_descriptor){
            .fd = fd,
            .serial = note_serial(fd),
            .is_marked = fcntl(fd, F_SETSIG, mark()) == 0,
            .device = facts.device,
            .inode = facts.number,
    };
    return 0;
}

int kept_descriptor_keep(struct kept_descriptor *kept, int fd)
{
    int high = kept_descriptor_raise(fd);
    *kept = KEPT_DESCRIPTOR_NONE;
    /* A file with a name was looked at when it was opened, and has a low number
     * if there was no other. */
    if (high < 0 && errno == ESTALE) high = fd;
    if (high < 0) return errno;
    const int error = kept_descriptor_note(kept, high);
    if (error != 0) (void)close(high);
    return error;
}

bool kept_descriptor_is_ours(const struct kept_descriptor *kept)
{
    struct file_facts facts;
    return kept_descriptor_look(kept, &facts);
}

bool kept_descriptor_look(
        const struct kept_descriptor *kept, struct file_facts *facts)
{
    if (kept->fd < 0 || !is_last(kept)) return false;
    if (kept->is_marked && fcntl(kept->fd, F_GETSIG) != mark()) return false;
    /* A server that has forgotten the file leaves the mark to tell. */
    const int error = file_facts(facts, kept->fd);
    if (error != 0) return kept->is_marked && error != EBADF;
    return facts->device == kept->device && facts->number == kept->inode;
}

int kept_descriptor_close(struct kept_descriptor *kept)
{
    const int saved = errno;
    const bool is_ours = kept_descriptor_is_ours(kept);
    /* Interrupted, it is closed all the same. */
    const int error =
            is_ours && close(kept->fd) != 0 && errno != EINTR ? errno : 0;
    *kept = KEPT_DESCRIPTOR_NONE;
    errno = saved;
    return error;
}
