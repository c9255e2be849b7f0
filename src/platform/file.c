/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"

#include "src/platform/kept_descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(file_here == AT_FDCWD, "the system's number");
_Static_assert(
        file_for_reading == 1 && file_for_writing == 2, "of a table, below");

static int system_flags(unsigned flags)
{
    static const struct {
        unsigned ours;
        int theirs;
    } table[] = {
            {file_for_appending, O_APPEND},
            {file_made_if_missing, O_CREAT},
            {file_must_be_new, O_EXCL},
            {file_emptied, O_TRUNC},
            {file_must_be_folder, O_DIRECTORY},
            {file_no_link, O_NOFOLLOW},
            {file_beneath, O_NOFOLLOW},
            {file_no_wait, O_NONBLOCK | O_NOCTTY},
    };
    static const int access[] = {O_PATH, O_RDONLY, O_WRONLY, O_RDWR};
    int result =
            O_CLOEXEC | access[flags & (file_for_reading | file_for_writing)];
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if ((flags & table[i].ours) != 0) result |= table[i].theirs;
    return result;
}

/* One component at a time, for kernels and sandboxes without openat2(). */
static int open_stepwise(
        int *fd, int folder, const char *path, int flags, mode_t mode)
{
    char component[NAME_MAX + 1];
    int at = folder;
    int error = 0;
    for (;;) {
        const size_t length = strcspn(path, "/");
        const bool last = path[length] == '\0';
        if (length > NAME_MAX) {
            error = ENAMETOOLONG;
            break;
        }
        memcpy(component, path, length);
        component[length] = '\0';
        const int next =
                strcmp(component, "..") == 0
                        ? (errno = EXDEV, -1)
                        : kept_descriptor_openat(at, component,
                                last ? flags
                                     : O_PATH | O_DIRECTORY | O_NOFOLLOW,
                                mode);
        if (next < 0) error = errno;
        if (at != folder) close(at);
        at = folder;
        if (next < 0) break;
        if (last) {
            *fd = next;
            return 0;
        }
        at = next;
        path += length + 1;
    }
    if (at != folder) close(at);
    return error;
}

/* With the number that the kernel gave, where it has the call. */
static int open_beneath(
        int *fd, int folder, const char *path, int flags, mode_t mode)
{
    static atomic_bool unavailable;
    if (!atomic_load_explicit(&unavailable, memory_order_relaxed)) {
        const struct open_how how = {
                .flags = (unsigned)flags,
                .mode = (flags & O_CREAT) != 0 ? mode : 0,
                .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
        };
        const long opened =
                syscall(SYS_openat2, folder, path, &how, sizeof how);
        if (opened >= 0) {
            *fd = (int)opened;
            return 0;
        }
        if (errno != ENOSYS && errno != EPERM) return errno;
        atomic_store_explicit(&unavailable, true, memory_order_relaxed);
    }
    return open_stepwise(fd, folder, path, flags, mode);
}

/* For the other end of a FIFO: then a signal ends it. */
static bool may_wait(unsigned flags)
{
    return (flags & (file_no_wait | file_must_be_folder)) == 0;
}

/* With the number that the kernel gave. */
static int open_low(
        int *fd, int folder, const char *path, unsigned flags, unsigned mode)
{
    const int theirs = system_flags(flags);
    if ((flags & file_beneath) != 0)
        return open_beneath(fd, folder, path, theirs, mode);
    do
        *fd = openat(folder, path, theirs, (mode_t)mode);
    while (*fd < 0 && errno == EINTR && !may_wait(flags));
    return *fd < 0 ? errno : 0;
}

/* In a sticky folder that others may write to, the kernel refuses to open a
 * file of another user's with the flag by which a missing one is made, although
 * it need not make it (fs.protected_regular). For callers that look at what
 * they have opened. */
static int open_or_make(
        int *fd, int folder, const char *path, unsigned flags, unsigned mode)
{
    const unsigned plain = flags & ~(unsigned)file_made_if_missing;
    if (plain == flags || (flags & file_of_any_user) == 0
            || (flags & file_must_be_new) != 0)
        return open_low(fd, folder, path, flags, mode);
    int error = open_low(fd, folder, path, plain, 0);
    if (error != ENOENT) return error;
    error = open_low(fd, folder, path, flags, mode);
    /* Another user may have made it in between. */
    return error == EACCES && open_low(fd, folder, path, plain, 0) == 0 ? 0
                                                                        : error;
}

int file_open(
        int *fd, int folder, const char *path, unsigned flags, unsigned mode)
{
    enum { tries = 8 };
    const bool is_raised = (flags & (file_for_writing | file_kept)) != 0
                           || kept_descriptor_is_own_thread();
    int opened;
    int error;
    *fd = file_none;
    /* Once more if another thread had the number, or the name has another file
     * by now; what was to be new would be found there. Where open_stepwise()
     * opens it, that tells the same. */
    for (int i = 0; i < tries; i++) {
        error = open_or_make(&opened, folder, path, flags, mode);
        if (error == 0) {
            *fd = is_raised ? kept_descriptor_raise_named(opened, folder, path,
                          (flags & (file_no_link | file_beneath)) == 0)
                            : opened;
            if (*fd >= 0) return 0;
            error = errno;
        }
        if ((error != EBADF && error != ESTALE && error != EAGAIN)
                || (flags & file_must_be_new) != 0)
            break;
    }
    return error;
}

int file_open_plain(int *fd, struct file_facts *facts, int folder,
        const char *path, unsigned more_flags, unsigned mode)
{
    int error = file_open(fd, folder, path,
            file_for_reading | file_no_link | file_no_wait | more_flags, mode);
    if (error != 0) return error;
    error = file_facts(facts, *fd);
    if (error == 0 && facts->kind != file_is_plain) error = ELOOP;
    if (error == 0) return 0;
    (void)file_close(*fd);
    *fd = file_none;
    return error;
}

int file_open_named(int *fd, struct file_facts *facts, const char *path)
{
    int error =
            file_open(fd, file_here, path, file_for_reading | file_no_wait, 0);
    if (error != 0) return error;
    error = file_facts(facts, *fd);
    if (error == 0 && facts->kind == file_is_folder) error = EISDIR;
    if (error == 0 && facts->kind != file_is_plain) error = EINVAL;
    if (error == 0) return 0;
    (void)file_close(*fd);
    *fd = file_none;
    return error;
}

int file_in_memory(int *fd, const void *bytes, size_t size)
{
    *fd = kept_descriptor_raise(memfd_create("dnnl_cache", MFD_CLOEXEC));
    if (*fd < 0) return errno;
    const int error = file_write_all(*fd, bytes, size);
    if (error == 0) return 0;
    (void)close(*fd);
    *fd = file_none;
    return error;
}

/* Behind the standard streams, one of which may be missing. */
static int move_behind_streams(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO) return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    (void)close(fd);
    return moved;
}

int file_pipe(int *reading, int *writing)
{
    int ends[2] = {file_none, file_none};
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    *reading = move_behind_streams(ends[0]);
    *writing = move_behind_streams(ends[1]);
    if (*reading >= 0 && *writing >= 0) return 0;
    const int error = errno;
    (void)file_close(*reading);
    (void)file_close(*writing);
    return error;
}

int file_close(int fd)
{
    /* Interrupted, it is closed all the same. */
    return fd >= 0 && close(fd) != 0 && errno != EINTR ? errno : 0;
}

FILE *file_stream(int fd, const char *mode)
{
    return fdopen(fd, mode);
}

int file_of_stream(FILE *stream)
{
    return fileno(stream);
}
