/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
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

int kept_descriptor_raise(int fd)
{
    const int saved = errno;
    if (fd < 0 || fd >= kept_descriptor_lowest) return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, kept_descriptor_lowest);
    if (high < 0 && fd <= STDERR_FILENO)
        high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (high >= 0) (void)close(fd);
    errno = saved;
    return high >= 0 ? high : fd;
}

static _Thread_local bool is_own_thread;

void kept_descriptor_note_thread(void)
{
    is_own_thread = true;
}

int kept_descriptor_raise_read(int fd)
{
    return is_own_thread ? kept_descriptor_raise(fd) : fd;
}

int kept_descriptor_openat(int dirfd, const char *path, int flags, mode_t mode)
{
    return kept_descriptor_raise(openat(dirfd, path, flags | O_CLOEXEC, mode));
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
    const int high = kept_descriptor_raise(fd);
    const int error = kept_descriptor_note(kept, high);
    if (error != 0 && high >= 0) (void)close(high);
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
