/* SPDX-License-Identifier: Apache-2.0 */
#include "src/platform/file.h"

#include "src/platform/clock.h"
#include "src/platform/kept_descriptor.h"
#include "src/platform/signal_mask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

_Static_assert(file_here == AT_FDCWD, "the system's number");
_Static_assert(
        file_for_reading == 1 && file_for_writing == 2, "of a table, below");

/* ---- Facts --------------------------------------------------------------- */

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
    struct statx st;
    *made_ns = 0;
    if (statx(folder, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &st) != 0)
        return errno;
    if ((st.stx_mask & STATX_BTIME) == 0) return ENOTSUP;
    *made_ns =
            (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
    return 0;
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

/* ---- Opening ------------------------------------------------------------- */

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
     * by now; what was to be new would be found there. */
    for (int i = 0; i < tries; i++) {
        error = open_low(&opened, folder, path, flags, mode);
        if (error != 0) return error;
        *fd = is_raised ? kept_descriptor_raise_named(opened, folder, path,
                      (flags & (file_no_link | file_beneath)) == 0)
                        : opened;
        if (*fd >= 0) return 0;
        error = errno;
        if ((flags & file_must_be_new) != 0) break;
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

int file_make_pipe(int *reader, int *writer)
{
    int ends[2] = {file_none, file_none};
    const int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    *reader = kept_descriptor_raise(ends[0]);
    *writer = kept_descriptor_raise(ends[1]);
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

/* ---- Bytes --------------------------------------------------------------- */

int file_read_some_at(
        size_t *got, int fd, void *data, size_t size, uint64_t offset)
{
    ssize_t n;
    do
        n = pread(fd, data, size, (off_t)offset);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

int file_read_up_to(
        size_t *got, int fd, void *data, size_t size, uint64_t offset)
{
    char *at = data;
    size_t n = 1;
    int error = 0;
    for (*got = 0; *got < size && error == 0 && n > 0; *got += n)
        error = file_read_some_at(
                &n, fd, at + *got, size - *got, offset + *got);
    return error;
}

int file_read_at(int fd, void *data, size_t size, uint64_t offset)
{
    size_t got;
    const int error = file_read_up_to(&got, fd, data, size, offset);
    return error == 0 && got < size ? EBADMSG : error;
}

int file_read_some(size_t *got, int fd, void *data, size_t size)
{
    ssize_t n;
    do
        n = read(fd, data, size);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n < 0 ? errno : 0;
}

static bool has_room_soon(int fd, unsigned patience_ms)
{
    struct pollfd room = {fd, POLLOUT, 0};
    return patience_ms > 0 && poll(&room, 1, (int)patience_ms) > 0;
}

/* offset: where; -1: where the last one ended. */
static int write_all(
        int fd, const char *at, size_t size, off_t offset, unsigned patience_ms)
{
    struct signal_mask mask;
    int error = 0;
    signal_mask_begin(&mask);
    while (size > 0 && error == 0) {
        const ssize_t n =
                offset < 0 ? write(fd, at, size) : pwrite(fd, at, size, offset);
        if (n < 0
                && (errno == EINTR
                        || (errno == EAGAIN && has_room_soon(fd, patience_ms))))
            continue;
        if (n <= 0) {
            error = n < 0 ? errno : ENOSPC;
        } else {
            at += n;
            size -= (size_t)n;
            if (offset >= 0) offset += n;
        }
    }
    signal_mask_end(&mask);
    return error;
}

int file_write_all(int fd, const void *data, size_t size)
{
    return write_all(fd, data, size, -1, 0);
}

int file_write_patiently(
        int fd, const void *data, size_t size, unsigned patience_ms)
{
    return write_all(fd, data, size, -1, patience_ms);
}

int file_write_at(int fd, const void *data, size_t size, uint64_t offset)
{
    return write_all(fd, data, size, (off_t)offset, 0);
}

int file_set_size(int fd, uint64_t size)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    int error;
    do
        error = ftruncate(fd, (off_t)size) == 0 ? 0 : errno;
    while (error == EINTR);
    signal_mask_end(&mask);
    return error;
}

int file_reserve(int fd, uint64_t size)
{
    struct signal_mask mask;
    signal_mask_begin(&mask);
    const int error = posix_fallocate(fd, 0, (off_t)size);
    signal_mask_end(&mask);
    return error;
}

int file_end_appending(int fd)
{
    return fcntl(fd, F_SETFL, 0) == 0 ? 0 : errno;
}

int file_sync_data(int fd)
{
    return fdatasync(fd) == 0 ? 0 : errno;
}

int file_sync(int fd)
{
    return fsync(fd) == 0 ? 0 : errno;
}

int file_sync_by_system(int fd, bool data_alone)
{
    return (int)syscall(data_alone ? SYS_fdatasync : SYS_fsync, fd);
}

/* What most files fit, and malloc() takes from its heap. */
enum { first_size = 124 << 10 };

/* The rest of a file that is larger than what was read of it. */
static int read_rest(
        uint8_t **bytes, size_t *size, size_t there, int fd, uint64_t most)
{
    struct file_facts facts;
    const int error = file_facts(&facts, fd);
    if (error != 0) return error;
    if (facts.kind != file_is_plain) return ELOOP;
    if (facts.size > most || facts.size >= SIZE_MAX) return EFBIG;
    *size = (size_t)facts.size;
    uint8_t *larger = realloc(*bytes, *size + 1);
    if (larger == NULL) return ENOMEM;
    *bytes = larger;
    if (there > *size) there = *size;
    return file_read_at(fd, larger + there, *size - there, there);
}

/* A small file is read without asking for its size first. What is no plain file
 * does not end there, or cannot be read in this way. */
int file_read_open(uint8_t **data, size_t *size, int fd, uint64_t most)
{
    size_t count = 0;
    uint8_t *bytes = malloc(first_size);
    if (bytes == NULL) return ENOMEM;
    int error = file_read_some_at(&count, fd, bytes, first_size, 0);
    if (error != 0 || count == 0 || count == first_size || count > most)
        error = read_rest(&bytes, &count, count, fd, most);
    if (error != 0) {
        free(bytes);
        return error;
    }
    bytes[count] = '\0';
    uint8_t *smaller = realloc(bytes, count + 1);
    *data = smaller != NULL ? smaller : bytes;
    *size = count;
    return 0;
}

int file_read_whole(uint8_t **data, size_t *size, int folder, const char *path,
        uint64_t most)
{
    int fd;
    int error = file_open(&fd, folder, path,
            file_for_reading | file_no_link | file_no_wait, 0);
    if (error != 0) return error;
    error = file_read_open(data, size, fd, most);
    (void)file_close(fd);
    return error;
}

int file_write_whole(int folder, const char *name, unsigned more_flags,
        unsigned mode, const void *data, size_t size)
{
    int fd;
    int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_emptied
                    | file_no_link | more_flags,
            mode);
    if (error != 0) return error;
    error = file_write_all(fd, data, size);
    const int closing = file_close(fd);
    return error != 0 ? error : closing;
}

int file_write_new(int folder, const char *name, const struct file_part *parts,
        size_t count, unsigned mode, bool exact,
        enum file_durability durability)
{
    int fd;
    int error = file_open(&fd, folder, name,
            file_for_writing | file_made_if_missing | file_must_be_new
                    | file_no_link,
            mode);
    if (error != 0) return error;
    uint64_t offset = 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        error = file_write_at(fd, parts[i].data, parts[i].size, offset);
        offset += parts[i].size;
    }
    if (error == 0 && exact) error = file_set_mode(fd, mode);
    if (error == 0 && durability >= file_durability_data)
        error = file_sync_data(fd);
    const int closing = file_close(fd);
    if (error == 0) error = closing;
    if (error != 0) (void)file_remove(folder, name);
    return error;
}

int file_replace(int scratch, int folder, const char *name,
        const struct file_part *parts, size_t count, unsigned mode, bool exact,
        enum file_durability durability)
{
    char fresh[file_unique_size];
    file_unique_name(fresh, "");
    int error = file_write_new(
            scratch, fresh, parts, count, mode, exact, durability);
    if (error != 0) return error;
    error = file_rename(scratch, fresh, folder, name, true);
    if (error != 0) (void)file_remove(scratch, fresh);
    return error;
}

int file_make(int folder, const char *name, unsigned mode)
{
    return mknodat(folder, name, S_IFREG | (mode_t)mode, 0) == 0 ? 0 : errno;
}

/* ---- Names --------------------------------------------------------------- */

int file_rename(
        int from, const char *name, int to, const char *to_name, bool over)
{
    if (over) return renameat(from, name, to, to_name) == 0 ? 0 : errno;
    if (renameat2(from, name, to, to_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return errno;
    /* A file system without that: a second name, and no first one. */
    if (linkat(from, name, to, to_name, 0) != 0) return errno;
    return unlinkat(from, name, 0) == 0 ? 0 : errno;
}

int file_link(int from, const char *name, int to, const char *to_name)
{
    return linkat(from, name, to, to_name, 0) == 0 ? 0 : errno;
}

int file_remove(int folder, const char *name)
{
    return unlinkat(folder, name, 0) == 0 ? 0 : errno;
}

int file_make_link(int folder, const char *name, const char *target)
{
    return symlinkat(target, folder, name) == 0 ? 0 : errno;
}

int file_link_target(
        char *target, size_t capacity, int folder, const char *name)
{
    const ssize_t size = readlinkat(folder, name, target, capacity);
    if (size < 0) return errno;
    if ((size_t)size == capacity) return ENAMETOOLONG;
    target[size] = '\0';
    return 0;
}

int file_name_of(char *path, size_t capacity, int fd)
{
    char link[32];
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return file_link_target(path, capacity, file_here, link);
}

int file_set_mode(int fd, unsigned mode)
{
    return fchmod(fd, (mode_t)mode) == 0 ? 0 : errno;
}

int file_set_mode_at(int folder, const char *name, unsigned mode)
{
    return fchmodat(folder, name, (mode_t)mode, AT_SYMLINK_NOFOLLOW) == 0
                   ? 0
                   : errno;
}

int file_set_owner(int fd, uint32_t owner, uint32_t group)
{
    return fchown(fd, owner, group) == 0 ? 0 : errno;
}

int file_touch(int folder, const char *name)
{
    return utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
}

/* ---- Locks --------------------------------------------------------------- */

/* flock() has no time-out of its own and an alarm belongs to the application:
 * so ask, and sleep longer each time, up to 5 ms. */
int file_lock_until(int fd, enum file_lock kind, uint64_t deadline_ns)
{
    const int operation =
            (kind == file_lock_alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
    uint64_t pause = 50000;
    for (;;) {
        if (flock(fd, operation) == 0) return 0;
        if (errno != EWOULDBLOCK && errno != EINTR) return errno;
        const uint64_t now = clock_ns();
        if (now >= deadline_ns) return ETIMEDOUT;
        const uint64_t left = deadline_ns - now;
        clock_sleep_ns(pause < left ? pause : left);
        if (pause < 5000000) pause *= 2;
    }
}

int file_lock(int fd, enum file_lock kind, unsigned wait_ms)
{
    const int error = file_lock_until(
            fd, kind, clock_ns() + (uint64_t)wait_ms * 1000000u);
    return error == ETIMEDOUT && wait_ms == 0 ? EWOULDBLOCK : error;
}

int file_unlock(int fd)
{
    /* Said: a child forked meanwhile may have a copy of the descriptor. */
    while (fd >= 0 && flock(fd, LOCK_UN) != 0)
        if (errno != EINTR) return errno;
    return 0;
}

static int set_range(int fd, int command, struct flock *lock)
{
    lock->l_whence = SEEK_SET;
    while (fcntl(fd, command, lock) != 0)
        if (errno != EINTR) return errno == EACCES ? EAGAIN : errno;
    return 0;
}

int file_lock_range(int fd, enum file_lock kind, uint64_t from, uint64_t size)
{
    return set_range(fd, F_OFD_SETLK,
            &(struct flock){
                    .l_type = kind == file_lock_alone ? F_WRLCK : F_RDLCK,
                    .l_start = (off_t)from,
                    .l_len = (off_t)size});
}

int file_unlock_range(int fd, uint64_t from, uint64_t size)
{
    return set_range(fd, F_OFD_SETLK,
            &(struct flock){.l_type = F_UNLCK,
                    .l_start = (off_t)from,
                    .l_len = (off_t)size});
}

int file_range_is_locked(bool *locked, int fd, uint64_t from, uint64_t size)
{
    struct flock lock = {
            .l_type = F_WRLCK, .l_start = (off_t)from, .l_len = (off_t)size};
    const int error = set_range(fd, F_OFD_GETLK, &lock);
    *locked = error == 0 && lock.l_type != F_UNLCK;
    return error;
}

bool file_lock_byte(int fd, uint64_t offset)
{
    return fd < 0 || file_lock_range(fd, file_lock_alone, offset, 1) != EAGAIN;
}

void file_unlock_byte(int fd, uint64_t offset)
{
    (void)file_unlock_range(fd, offset, 1);
}
